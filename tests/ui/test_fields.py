"""Typing into fields: units, bad input beside the field, Hangul, the wheel, undo of stretches."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QInputMethodEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from app.session import value_of
from app.ui.widgets.fields import NumberField
from app.ui.widgets.picker import Picker
from engine.consultation import Origin


def row_of(window, path):
    window.ui.go.emit(f"question:{path}")
    page = window.page
    forms = page.forms if hasattr(page, "forms") else [page.form]
    return next(form.rows[path] for form in forms if path in form.rows)


def type_into(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_Delete)
    for sign in text:
        if "가" <= sign <= "힣":
            QApplication.sendEvent(field, QInputMethodEvent(sign, []))
            event = QInputMethodEvent("", [])
            event.setCommitString(sign)
            QApplication.sendEvent(field, event)
        else:
            qtbot.keyClicks(field, sign)


def test_a_number_with_korean_steps(window, qtbot):
    row = row_of(window, "scale.users")
    type_into(qtbot, row.editor, "1.2만")
    row.editor.commit()
    assert window.ui.session.workload.scale.users == 12_000
    window.page.setFocus()
    assert row.editor.text() == "12,000명"


def test_typing_is_taken_after_a_pause(window, qtbot):
    row = row_of(window, "scale.users")
    type_into(qtbot, row.editor, "950")
    assert window.ui.session.workload.scale.users == 800
    qtbot.waitUntil(lambda: window.ui.session.workload.scale.users == 950, timeout=2000)
    assert row.editor.text() == "950"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("scale.users", "-5"),
        ("scale.users", "1조"),
        ("scale.users", "nan"),
        ("scale.users", "many"),
        ("scale.users", "1.5"),
        ("immediacy.latency_budget_s", "0"),
        ("intelligence.hard_share", "120 %"),
        ("serving.context_tokens", "900만"),
        ("budget.power_usage_effectiveness", "0.4"),
    ],
)
def test_bad_input_is_said_beside_the_field_and_changes_nothing(window, qtbot, path, text):
    row = row_of(window, path)
    before = value_of(window.ui.session.workload, path)
    type_into(qtbot, row.editor, text)
    row.editor.commit()
    assert value_of(window.ui.session.workload, path) == before
    assert row.error
    assert "[" not in row.error
    shown = row.editor.text()
    window.page.setFocus()
    assert row.editor.text() != shown or text == shown
    assert row.error
    type_into(qtbot, row.editor, "1")
    row.editor.commit()
    if not row.error:
        assert value_of(window.ui.session.workload, path) is not None


def test_an_emptied_field_is_not_known(window, qtbot):
    row = row_of(window, "scale.users")
    type_into(qtbot, row.editor, "")
    row.editor.commit()
    assert window.ui.session.workload.scale.users is None


def test_one_undo_takes_back_a_stretch_of_typing(window, qtbot):
    row = row_of(window, "scale.users")
    for text in ("9", "90", "900"):
        type_into(qtbot, row.editor, text)
        row.editor.commit()
    qtbot.keyClick(row.editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.ui.session.workload.scale.users == 800
    assert row.editor.text() == "800명"


def test_enter_does_not_advance_while_a_syllable_is_composing(window, qtbot):
    window.go("customer")
    field = window.page.form.lines["customer.name"]
    field.setFocus()
    QApplication.sendEvent(field, QInputMethodEvent("하", []))
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert window.key == "customer"
    done = QInputMethodEvent("", [])
    done.setCommitString("한")
    QApplication.sendEvent(field, done)
    qtbot.wait(150)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert window.key == "work"
    assert window.ui.session.consultation.customer.name.endswith("한")


def wheel(widget):
    spot = QPointF(widget.rect().center())
    event = QWheelEvent(
        spot,
        QPointF(widget.mapToGlobal(spot.toPoint())),
        QPoint(0, -120),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


@pytest.mark.parametrize("key", ["memory", "rules.data", "cost", "hardware"])
def test_the_wheel_changes_no_value(window, key, qtbot):
    window.go(key)
    qtbot.wait(1)
    before = window.ui.session.consultation
    fields = [w for kind in (NumberField, Picker) for w in window.page.findChildren(kind) if w.isVisible()]
    assert fields
    for widget in fields:
        wheel(widget)
    assert window.ui.session.consultation is before


@pytest.mark.qt_log_ignore("This plugin does not support")  # the offscreen plugin says so of every popup
def test_a_list_finds_and_picks(window, qtbot):
    row = row_of(window, "serving.device")
    qtbot.keyClick(row.editor, Qt.Key.Key_Down)
    picker = row.editor.pick_list
    qtbot.keyClicks(picker.search, "h200 sxm")
    assert [i.value for i in picker.items.shown][:1] == ["nvidia-h200-sxm"]
    qtbot.keyClick(picker.search, Qt.Key.Key_Return)
    assert window.ui.session.workload.serving.device == "nvidia-h200-sxm"
    assert not picker.isVisible()


def test_an_answer_can_be_marked_as_guessed(window):
    row = row_of(window, "scale.users")
    row.set_origin(Origin.GUESSED)
    session = window.ui.session
    assert session.consultation.origin(session.workload_id, "scale.users") is Origin.GUESSED
    assert row._chip.plain == "추정"


def test_segments_take_digits_and_arrows(window, qtbot):
    window.go("hardware")
    qtbot.wait(1)
    row = window.page.form.rows["hardware.google_cloud"]
    first, second, still_open = row.editor.segments
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_1)
    assert window.ui.session.workload.hardware.google_cloud is True
    qtbot.keyClick(first, Qt.Key.Key_0)
    assert window.ui.session.workload.hardware.google_cloud is None
    qtbot.keyClick(first, Qt.Key.Key_Right)
    assert second.hasFocus()
    qtbot.keyClick(second, Qt.Key.Key_Space)
    assert window.ui.session.workload.hardware.google_cloud is False
    assert still_open.isVisible()


def test_nobody_answered_shows_what_was_assumed(window):
    session = window.ui.session
    assumed = [a for a in session.assessed_workload.assumptions if "." in a.path]
    session.answer("demand.peak_factor", None)
    window.go("capacity")
    row = window.page.forms[0].rows["demand.peak_factor"]
    known = {a.path for a in session.assessed_workload.assumptions}
    assert (row._chip.plain == "가정") == ("demand.peak_factor" in known)
    assert assumed is not None
