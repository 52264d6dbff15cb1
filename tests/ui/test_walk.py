"""Walking the window with keys and clicks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.ui.blocks.column import BlockColumn
from app.ui.walk import PAGES, STOPS, next_key, page_asking, stop_of
from engine.consultation import Boundary
from engine.questions import QUESTIONS


def press(qtbot, window, key, modifier=Qt.KeyboardModifier.NoModifier):
    qtbot.keyClick(window.focusWidget() or window, key, modifier)


@pytest.mark.parametrize("key", PAGES)
def test_every_page_opens(window, key):
    window.go(key)
    assert window.key == key
    assert window.page.title.plain
    assert window.page.eyebrow.plain
    assert "[" not in window.page.title.plain


def test_every_question_has_a_page():
    for asked in QUESTIONS:
        assert stop_of(page_asking(asked.path)) is not None


def test_the_walk_has_two_ends():
    assert next_key(STOPS[0].key, -1) is None
    assert next_key(STOPS[-1].key) is None
    assert next_key("catalogue") is None


def test_digits_choose_and_enter_goes_on(window, qtbot):
    window.go("rules.data")
    press(qtbot, window, Qt.Key.Key_1)
    assert window.ui.session.workload.data.boundary is Boundary.DEVICE
    press(qtbot, window, Qt.Key.Key_0)
    assert window.ui.session.workload.data.boundary is None
    press(qtbot, window, Qt.Key.Key_9)
    assert window.ui.session.workload.data.boundary is None
    press(qtbot, window, Qt.Key.Key_Return)
    assert window.key == "rules.intelligence"


def test_a_card_can_be_clicked(window, qtbot):
    window.go("rules.data")
    cards = {c.objectName(): c for c in window.page.cards["data.boundary"].group.all_cards}
    qtbot.mouseClick(cards["choice-country"], Qt.MouseButton.LeftButton)
    assert window.ui.session.workload.data.boundary is Boundary.COUNTRY
    assert cards["choice-country"].isChecked()
    assert not cards["choice-organisation"].isChecked()


def test_arrows_walk_the_cards(window, qtbot):
    window.go("rules.data")
    group = window.page.cards["data.boundary"].group
    group.cards[0].setFocus()
    qtbot.keyClick(group.cards[0], Qt.Key.Key_Right)
    assert group.cards[1].hasFocus()
    qtbot.keyClick(group.cards[1], Qt.Key.Key_Down)
    assert group.cards[3].hasFocus()
    qtbot.keyClick(group.cards[3], Qt.Key.Key_Space)
    assert window.ui.session.workload.data.boundary is Boundary.NONE


def test_alt_arrows_walk_the_pages(window, qtbot):
    window.go("rules.data")
    press(qtbot, window, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert window.key == "rules.immediacy"
    press(qtbot, window, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert window.key == "rules.data"


def test_undo_and_redo_by_keys(window, qtbot):
    window.go("rules.data")
    before = window.ui.session.workload.data.boundary
    press(qtbot, window, Qt.Key.Key_1)
    press(qtbot, window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.ui.session.workload.data.boundary is before
    press(qtbot, window, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert window.ui.session.workload.data.boundary is Boundary.DEVICE


def test_the_verdict_moves_with_an_answer(window, qtbot):
    window.go("rules.data")
    before = window.verdict.title.plain
    press(qtbot, window, Qt.Key.Key_1)
    assert window.verdict.title.plain != before
    assert window.verdict.changed.isVisible()


def test_the_whole_walk_by_enter(window, qtbot):
    window.go("customer")
    window.page.setFocus()
    seen = [window.key]
    for _ in range(60):
        press(qtbot, window, Qt.Key.Key_Return)
        if window.key != seen[-1]:
            seen.append(window.key)
        if window.key == "proposal":
            break
    assert seen == [stop.key for stop in STOPS]


def test_a_question_is_brought_into_focus(window):
    window.ui.go.emit("question:scale.users")
    assert window.key == "rules.scale"
    assert window.focusWidget() is window.page.form.rows["scale.users"].editor


def test_a_page_stays_where_it_was_scrolled(window, qtbot):
    bar = window._areas
    window.go("rules.data")
    qtbot.wait(30)
    window.go("cost")
    qtbot.wait(30)
    window.go("rules.data")
    assert bar["rules.data"].verticalScrollBar().value() == 0
    bar["rules.data"].verticalScrollBar().setValue(120)
    window.go("memory")
    window.go("rules.data")
    assert bar["rules.data"].verticalScrollBar().value() == 120


def test_pages_of_a_consultation_need_one(make_window):
    window = make_window()
    window.go("memory")
    assert window.key == "history"
    assert not window.verdict.isVisible()


def test_no_stray_windows_are_shown(make_window, bank, styled):
    from PySide6.QtCore import QEvent, QObject

    class Watch(QObject):
        def __init__(self):
            super().__init__()
            self.seen = []

        def eventFilter(self, watched, event):
            if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
                self.seen.append(type(watched).__name__)
            return False

    watch = Watch()
    styled.installEventFilter(watch)
    window = make_window(bank)
    for key in PAGES:
        window.go(key)
    styled.removeEventFilter(watch)
    assert set(watch.seen) == {"Window"}


@pytest.mark.parametrize("key", ["rules.data", "work", "hardware", "memory", "customer"])
def test_tab_walks_in_reading_order(window, qtbot, key):
    window.go(key)
    for column in window.page.findChildren(BlockColumn):
        qtbot.waitUntil(lambda column=column: not column.pending)
    qtbot.wait(20)
    page, seen = window.page, []
    page.setFocus()
    for _ in range(60):
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        focused = window.focusWidget()
        if not page.isAncestorOf(focused) or focused in seen:
            break
        seen.append(focused)
    assert len(seen) > 5
    tops = [w.mapTo(page, w.rect().topLeft()).y() for w in seen]
    steps_back = [(a, b) for a, b in pairwise(tops) if b < a - 60]
    assert steps_back == []
    areas = window._areas[key].viewport()
    last = seen[-1]
    assert last.visibleRegion().boundingRect().height() > 0
    assert areas.isAncestorOf(last)


def test_charts_move_in_place(window, qtbot):
    window.go("capacity")
    qtbot.waitUntil(lambda: not window.page.blocks.pending)
    lines = [view.body for view in window.page.blocks.views if type(view.body).__name__ == "LinesView"]
    assert lines
    before = [[id(curve) for curve in chart._curves] for chart in lines]
    drawn = [chart._curves[0].getData()[1].copy() for chart in lines]
    window.ui.session.answer("demand.prompt_tokens", 6000)
    again = [
        view.body for view in window.page.blocks.views if type(getattr(view, "body", None)).__name__ == "LinesView"
    ]
    assert [id(a) for a in again[: len(lines)]] == [id(a) for a in lines]
    assert [[id(curve) for curve in chart._curves] for chart in lines] == before
    assert any(
        len(a) != len(b) or (a != b).any()
        for a, b in zip(drawn, (c._curves[0].getData()[1] for c in lines), strict=True)
    )
