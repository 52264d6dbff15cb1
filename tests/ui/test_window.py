"""The window's own manners: themes, sizes, languages, folding, finder, toasts, customer view, notes, proposal, history."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.host.paths import SAMPLES
from app.host.settings import Settings
from app.present.design import PALETTES, Scheme
from app.store import open_store
from app.store.files import open_any
from app.ui.found import initials
from app.ui.walk import PAGES
from engine.consultation import Audience

POPUPS = pytest.mark.qt_log_ignore("This plugin does not support")


def pixel(window, x=4, y=300):
    return QColor(window.grab().toImage().pixel(x, y)).name().upper()


def test_the_theme_switches_live(window):
    window.go("rules.data")
    assert pixel(window) == PALETTES[Scheme.LIGHT].surface
    window.ui.set(theme="dark")
    assert pixel(window) == PALETTES[Scheme.DARK].surface
    window.ui.set(theme="light")
    assert pixel(window) == PALETTES[Scheme.LIGHT].surface


def test_charts_follow_the_theme(window, qtbot):
    for key in ("cost", "speed", "capacity", "memory"):
        window.go(key)
        qtbot.wait(1)
    window.ui.set(theme="dark")
    for key in ("cost", "speed", "capacity", "memory"):
        window.go(key)
        qtbot.wait(1)
        picture = window.stack.grab().toImage()
        white = sum(
            QColor(picture.pixel(x, y)).lightness() > 240
            for x in range(0, picture.width(), 7)
            for y in range(0, picture.height(), 7)
        )
        assert white < 0.02 * picture.width() * picture.height() / 49


def test_size_grows_everything(window, qtbot):
    window.go("rules.data")
    qtbot.wait(1)
    before = window.page.title.font().pixelSize(), window.rail.width(), window.top.height()
    window.ui.set(scale=1.5)
    after = window.page.title.font().pixelSize(), window.rail.width(), window.top.height()
    assert after == tuple(round(b * 1.5) for b in before)
    window.ui.set(scale=1.0)
    assert (window.page.title.font().pixelSize(), window.rail.width(), window.top.height()) == before


def test_a_narrow_window_folds_the_verdict(window, qtbot):
    window.resize(1100, 760)
    qtbot.wait(1)
    assert window.verdict.folded
    strip = window.verdict.findChild(object, "verdict-strip")
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton)
    assert not window.verdict.folded
    window.resize(1440, 900)
    qtbot.wait(1)
    assert not window.verdict.folded


def test_the_finder_finds_pages_questions_and_terms(window, qtbot):
    window.go("rules.data")
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    finder = window.finder
    assert finder.isVisible()
    assert window.focusWidget() is finder.search
    finder.search.setText("ㅁㅁㄹ")
    assert "메모리" in finder.model.shown[0].title
    finder.search.setText("xyzzy")
    assert finder.model.shown == []
    assert finder.nothing.isVisible()
    finder.search.setText("속도")
    qtbot.keyClick(finder.search, Qt.Key.Key_Return)
    assert not finder.isVisible()


def test_the_finder_goes_back_where_it_came_from(window, qtbot):
    window.go("rules.scale")
    qtbot.wait(1)
    field = window.page.form.rows["scale.users"].editor
    field.setFocus()
    window.finder.open()
    qtbot.keyClick(window.finder.search, Qt.Key.Key_Escape)
    assert window.focusWidget() is field


def test_first_letters():
    assert initials("메모리 캐시 KV") == "ㅁㅁㄹ ㅋㅅ KV"


def test_a_term_is_shown(window, qtbot):
    window.ui.go.emit("term:kv_cache")
    assert window.key == "ask"
    assert window.focusWidget().concept.id == "kv_cache"


def test_the_customer_view_hides_what_is_private(window, qtbot):
    window.ui.session.show_workload("loan-files")
    window.go("cost")
    qtbot.wait(1)
    assert any("협상" in e.field.toPlainText() for e in window.page.notes.editors)
    qtbot.keyClick(window, Qt.Key.Key_F5)
    assert not window.rail.isVisible()
    assert window.page.notes.editors == []
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.rail.isVisible()
    assert window.page.notes.editors


def test_a_note_is_kept_and_undone(window, qtbot):
    window.go("speed")
    qtbot.mouseClick(window.page.notes.button, Qt.MouseButton.LeftButton)
    editor = window.page.notes.editors[-1]
    editor.field.setPlainText("check the queue")
    editor.field.commit()
    notes = window.ui.session.consultation.notes
    assert notes[-1].text == "check the queue"
    assert notes[-1].audience is Audience.PRIVATE
    window.ui.session.undo()
    assert all(note.text != "check the queue" for note in window.ui.session.consultation.notes)


def test_removing_a_workload_offers_undo(window, qtbot):
    window.go("customer")
    qtbot.wait(1)
    row = window.page.workloads.rows["night-sorting"]
    qtbot.mouseClick(row.remove_button, Qt.MouseButton.LeftButton)
    assert len(window.ui.session.consultation.workloads) == 1
    assert window.toast.isVisible()
    qtbot.mouseClick(window.toast.action, Qt.MouseButton.LeftButton)
    assert len(window.ui.session.consultation.workloads) == 2


def test_workloads_are_added_and_copied(window, qtbot):
    window.go("customer")
    qtbot.wait(1)
    qtbot.mouseClick(window.page.workloads.add_button, Qt.MouseButton.LeftButton)
    assert len(window.ui.session.consultation.workloads) == 3
    qtbot.mouseClick(window.page.workloads.rows["loan-files"].copy_button, Qt.MouseButton.LeftButton)
    copied = window.ui.session.workload
    assert copied.data == window.ui.session.consultation.workload("loan-files").data
    origin = window.ui.session.consultation.origin
    assert origin(copied.id, "immediacy.round_trip_s") is origin("loan-files", "immediacy.round_trip_s")


def test_the_workload_switch_moves_everything(window):
    window.go("memory")
    first = window.page.title.plain, window.verdict.title.plain
    window.ui.session.show_workload("night-sorting")
    assert (window.page.title.plain, window.verdict.title.plain) != first


@POPUPS
def test_menus_open(window, qtbot):
    window.top.workloads.click()
    window.top.more.click()
    qtbot.wait(1)
    for menu in window.findChildren(type(window.commands)):
        assert menu is window.commands
    for name in ("workload-menu", "options-menu"):
        menu = window.findChild(object, name)
        assert menu.actions()
        menu.close()
    qtbot.wait(1)


@POPUPS
def test_a_number_opens_its_derivation(window, qtbot):
    window.go("memory")
    qtbot.wait(1)
    rows = [
        r for r in window.findChildren(object) if type(r).__name__ == "FigureRow" and r.isVisible() and r.isEnabled()
    ]
    assert rows
    qtbot.mouseClick(rows[0], Qt.MouseButton.LeftButton)
    popover = window.findChild(object, "trace")
    assert popover is not None
    assert popover.count > 0
    popover.close()
    qtbot.wait(1)


def test_a_chart_turns_into_its_table(window, qtbot):
    window.go("memory")
    qtbot.waitUntil(lambda: not window.page.blocks.pending)
    cards = [c for c in window.page.blocks.views if getattr(c, "_switch", None) is not None]
    assert cards
    for card in cards:
        assert card.body.accessibleName() or card.title.plain
        qtbot.mouseClick(card._switch, Qt.MouseButton.LeftButton)
        assert card._table.isVisible()
        assert card._table.grid.rows.rowCount() > 0
        qtbot.mouseClick(card._switch, Qt.MouseButton.LeftButton)
        assert card.body.isVisible()


def test_repaints_cost_no_references(window):
    """PySide6 6.12 loses one reference to None with every paint on Python 3.11; this notices it long before the crash."""
    window.go("rules.data")
    window.repaint()
    before = sys.getrefcount(None)
    for _ in range(200):
        window.repaint()
    assert abs(sys.getrefcount(None) - before) < 100


def test_nothing_is_left_of_a_consultation_that_is_closed(window):
    window.go("memory")
    window.ui.session.close()
    window.go("history")
    assert not window.verdict.isVisible()
    assert not window.top.proposal.isEnabled()


@pytest.fixture
def store(own_home):
    made = open_store(folder=own_home)
    yield made
    made.close()


def test_the_draft_is_there_next_time(make_window, store, bank, qtbot):
    window = make_window(bank, store=store)
    window.go("rules.data")
    window.ui.session.answer("data.boundary", "country")
    window.close()
    again = make_window(store=store)
    again.go("history")
    again.page.load()
    assert [e.title for e in again.page.entries.entries] == [bank.title]
    again.page.open_chosen()
    assert again.ui.session.workload.data.boundary.value == "country"
    assert again.key == "customer"


def test_history_search_copy_trash_and_back(make_window, store, bank, qtbot):
    store.drafts.save(bank)
    store.drafts.save(open_any(SAMPLES / "phone-translator.waypost"))
    window = make_window(store=store)
    window.go("history")
    page = window.page
    page.load()
    assert len(page.entries.entries) == 2
    page.search.setText("새솔")
    page.load()
    assert [e.customer for e in page.entries.entries] == ["새솔은행"]
    page.delete_chosen()
    assert page.entries.entries == ()
    assert len(store.history.trash()) == 1
    qtbot.mouseClick(window.toast.action, Qt.MouseButton.LeftButton)
    assert [e.customer for e in page.entries.entries] == ["새솔은행"]
    page._copy_chosen()
    assert len(store.history.recent()) == 3
    assert window.ui.session.consultation.id != bank.id


def test_deleting_the_open_consultation_takes_it_off_the_table(make_window, store, bank):
    window = make_window(bank, store=store)
    window.ui.session.answer("scale.users", 900)
    window.ui.session.flush()
    window.go("history")
    window.page.load()
    window.page.delete_chosen()
    assert not window.ui.session.is_open
    assert store.history.recent() == ()


def test_a_sample_and_a_file_are_taken_in(make_window, store, tmp_path):
    window = make_window(store=store)
    window.commands.open_path(SAMPLES / "chat-and-nightly.waypost")
    assert window.ui.session.is_open
    assert window.key == "customer"
    out = tmp_path / "out.waypost"
    window.commands.export_path(out)
    assert open_any(out).title == window.ui.session.consultation.title
    assert len(store.history.recent()) == 1


def test_a_bad_file_is_one_sentence(make_window, store, tmp_path):
    bad = tmp_path / "bad.waypost"
    bad.write_text("{", encoding="utf-8")
    window = make_window(store=store)
    window.commands.open_path(bad)
    assert not window.ui.session.is_open
    assert window.toast.isVisible()
    assert "[" not in window.toast.text


def test_a_version_is_kept(make_window, store, bank):
    window = make_window(bank, store=store)
    window.commands.save_version()
    assert len(store.versions.of(bank.id)) == 1


def test_the_proposal_is_previewed_and_saved(make_window, store, bank, tmp_path, qtbot):
    window = make_window(bank, store=store)
    window.go("proposal")
    qtbot.wait(1)
    qtbot.mouseClick(window.page.preview_button, Qt.MouseButton.LeftButton)
    assert len(window.page.preview.pages) > 3
    out = tmp_path / "제안서.pdf"
    window.page.save_to(out)
    assert out.read_bytes().startswith(b"%PDF-")
    assert [v.reason.value for v in store.versions.of(bank.id)] == ["proposal"]
    assert open_any(out).title == bank.title


def test_a_proposal_that_cannot_be_written_is_one_sentence(make_window, bank, tmp_path):
    window = make_window(bank)
    window.go("proposal")
    window.page.save_to(tmp_path / "nowhere" / "out.pdf")
    assert window.toast.isVisible()
    assert not window.page.waiting.isVisible()


def test_scenarios_vary_and_undo(window, qtbot):
    window.go("scenarios")
    qtbot.wait(1)
    before = len(window.ui.session.consultation.scenarios)
    qtbot.mouseClick(window.page.add, Qt.MouseButton.LeftButton)
    assert len(window.ui.session.consultation.scenarios) == before + 1
    card = list(window.page.cards.values())[-1]
    card.open_row("data.boundary")
    card.rows["data.boundary"]._chosen("none")
    made = window.ui.session.consultation.scenarios[-1]
    assert [(c.path, str(c.value)) for c in made.changes] == [("data.boundary", "none")]
    assert window.ui.session.workload.data.boundary.value == "organisation"
    card.rows["data.boundary"]._chosen("organisation")
    assert window.ui.session.consultation.scenarios[-1].changes == ()
    window.ui.session.undo()
    window.ui.session.undo()
    window.ui.session.undo()
    assert len(window.ui.session.consultation.scenarios) == before


def test_machines_owned(window, qtbot):
    window.ui.session.show_workload("night-sorting")
    window.go("hardware")
    qtbot.wait(1)
    editor = window.page.extras[0]
    assert len(editor.rows) == 1
    editor._added("nvidia-h100-sxm")
    assert [o.device for o in window.ui.session.workload.hardware.owned] == ["nvidia-l4", "nvidia-h100-sxm"]
    editor.rows[1]._typed(8.0)
    editor.rows[1]._chose_link("nvlink")
    owned = window.ui.session.workload.hardware.owned[1]
    assert (owned.count, owned.link.value) == (8, "nvlink")
    qtbot.mouseClick(editor.rows[0].remove, Qt.MouseButton.LeftButton)
    assert [o.device for o in window.ui.session.workload.hardware.owned] == ["nvidia-h100-sxm"]


def test_regulations_suggest_answers(make_window, bank, qtbot):
    window = make_window(bank)
    session = window.ui.session
    session.answer("data.boundary", None)
    session.answer("data.sensitivity", None)
    window.go("rules.data")
    qtbot.wait(1)
    editor = window.page.extras[0]
    assert editor.suggestion.isVisible()
    qtbot.mouseClick(editor.suggestion, Qt.MouseButton.LeftButton)
    assert session.workload.data.boundary is not None
    assert session.consultation.origin(session.workload_id, "data.boundary").value == "preset"
    assert not editor.suggestion.isVisible()


def test_a_catalogue_row_of_ones_own(make_window, bank, qtbot):
    window = make_window(bank)
    window.go("catalogue")
    page = window.page
    page.search.setText("nvidia-l40s")
    assert page.rows.ids == ["nvidia-l40s"]
    editor = page.editor
    editor._chose("tdp_w")
    editor.value.setText("300")
    editor._save()
    catalogue = window.ui.session.catalogue
    assert catalogue.device("nvidia-l40s").power.value == 300
    assert ("devices", "nvidia-l40s") in catalogue.overridden
    editor.value.setText("-4")
    editor._save()
    assert editor.error.plain
    editor._remove()
    assert window.ui.session.catalogue.overridden == frozenset()


def test_money_in_another_currency(window):
    window.go("cost")
    window.commands.set_currency("USD")
    assert window.ui.session.consultation.currency == "USD"
    assert window.ui.t.currency == "USD"
    window.ui.session.undo()
    assert window.ui.t.currency == "KRW"


def test_an_empty_consultation_has_hints_everywhere(make_window, qtbot):
    window = make_window(settings=Settings(language="ko", theme="light"))
    window.commands.new()
    for key in PAGES:
        window.go(key)
        qtbot.wait(1)
        assert window.page.title.plain, key
        assert "[" not in window.page.title.plain, key


def test_an_old_version_opens_as_a_copy(make_window, store, bank, qtbot):
    window = make_window(bank, store=store)
    window.commands.save_version()
    window.ui.session.answer("scale.users", 4000)
    window.ui.session.flush()
    window.go("history")
    page = window.page
    page.load()
    assert [i.value for i in page._version_items()] == [1]
    page._open_version(1)
    session = window.ui.session
    assert session.workload.scale.users == 800
    assert session.consultation.id != bank.id
    assert store.drafts.load(bank.id).workloads[0].scale.users == 4000


def test_the_rail_counts_the_history(make_window, store, bank):
    window = make_window(bank, store=store)
    window.ui.session.answer("scale.users", 900)
    window.ui.session.flush()
    window.ui.store_changed.emit()
    assert window.rail.items["history"].detail == "1"


def test_files_dropped_on_the_window(make_window, store, tmp_path, qtbot):
    import json
    from shutil import copy

    from PySide6.QtCore import QMimeData, QPoint, QPointF, QUrl
    from PySide6.QtGui import QDragEnterEvent, QDropEvent
    from PySide6.QtWidgets import QApplication

    from tests.engine.imports.configs import CONFIGS

    def drop(window, *paths):
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        left, plain = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(window, QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, left, plain))
        QApplication.sendEvent(window, QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, left, plain))

    window = make_window(store=store)
    drop(window, copy(SAMPLES / "bank-documents.waypost", tmp_path / "은행.waypost"))
    assert window.ui.session.is_open
    config = tmp_path / "my-model" / "config.json"
    config.parent.mkdir()
    config.write_text(json.dumps(next(iter(CONFIGS.values()))), encoding="utf-8")
    drop(window, config)
    assert ("models", "my-model") in window.ui.session.catalogue.overridden
    qtbot.mouseClick(window.toast.action, Qt.MouseButton.LeftButton)
    assert window.ui.session.workload.serving.model == "my-model"
    before = window.ui.session.consultation
    drop(window, tmp_path / "holiday.jpg")
    assert window.ui.session.consultation is before


def test_a_stage_is_added_varied_and_judged_for_itself(window, qtbot):
    window.go("work")
    qtbot.wait(1)
    stages = window.page.extras[0]
    qtbot.mouseClick(stages.add, Qt.MouseButton.LeftButton)
    card = next(iter(stages.cards.values()))
    card.open_row("data.boundary")
    card.rows["data.boundary"]._chosen("device")
    session = window.ui.session
    assert dict(session.workload.stages[0].answers) == {"data.boundary": "device"}
    verdicts = session.assessed_workload.placement.stages
    assert [v.name for v in verdicts] == [session.workload.stages[0].name]
    qtbot.mouseClick(card.remove_button, Qt.MouseButton.LeftButton)
    assert session.workload.stages == ()
    qtbot.mouseClick(window.toast.action, Qt.MouseButton.LeftButton)
    assert len(session.workload.stages) == 1
