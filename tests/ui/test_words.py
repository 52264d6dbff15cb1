"""Every control has a name, every text its room, in both languages and sizes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QWidget,
)

from app.host.settings import Settings
from app.ui.walk import PAGES
from app.ui.widgets.text import Chip, Elided, Text

CONTROLS = (QAbstractButton, QLineEdit, QPlainTextEdit, QAbstractItemView)


def visible(window, kind):
    parts = (QScrollBar, QHeaderView)
    return [w for w in window.findChildren(kind) if w.isVisible() and not isinstance(w, parts)]


def needed(label: Text) -> QRect:
    """The room a label's words take at its width."""
    metrics = QFontMetrics(label.font())
    flags = int(Qt.TextFlag.TextWordWrap) if label.wordWrap() else 0
    room = label.contentsRect()
    return metrics.boundingRect(QRect(0, 0, room.width() + 1, 100_000), flags, label.text())


def clipped(window) -> list[str]:
    """Labels whose words do not fit into them, or that stick out of their parent."""
    found = []
    for label in visible(window, Text):
        if isinstance(label, Elided) or not label.text():
            continue
        words, room = needed(label), label.contentsRect()
        if words.width() > room.width() + 2 or words.height() > room.height() + 2:
            found.append(f"{label.plain!r}: {words.width()}x{words.height()} in {room.width()}x{room.height()}")
        parent = label.parentWidget()
        if label.geometry().right() > parent.width() + 1 or label.geometry().bottom() > parent.height() + 1:
            found.append(f"{label.plain!r} sticks out")
    chips = [c for c in visible(window, Chip) if c.plain and c.width() < c.sizeHint().width()]
    return [*found, *(f"chip {chip.plain!r}" for chip in chips)]


def settle(qtbot):
    """Nested layouts with wrapped words take a few turns of the event loop, the term cards and tables some more."""
    for _ in range(40):
        qtbot.wait(1)


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize(("scale", "size"), [(1.0, (1280, 800)), (1.5, (1920, 1080)), (2.0, (1920, 1080))])
def test_no_text_is_clipped(make_window, bank, qtbot, language, scale, size):
    window = make_window(bank, Settings(language=language, theme="light", scale=scale))
    window.resize(*size)
    bad = {}
    for key in PAGES:
        window.go(key)
        settle(qtbot)
        found = clipped(window)
        area = window.stack.currentWidget()
        if area.widget().minimumSizeHint().width() > area.viewport().width():
            found.append(
                f"page wider than its window: {area.widget().minimumSizeHint().width()} > {area.viewport().width()}"
            )
        if found:
            bad[key] = found
    assert bad == {}


def test_the_walk_sees_a_clipped_text(window, qtbot):
    window.go("rules.data")
    settle(qtbot)
    assert clipped(window) == []
    window.page.lead.setFixedSize(60, 10)
    settle(qtbot)
    assert len(clipped(window)) == 1


@pytest.mark.parametrize("key", PAGES)
def test_every_control_has_a_name(window, key):
    window.go(key)
    nameless = [
        (type(w).__name__, w.objectName())
        for w in visible(window, QWidget)
        if isinstance(w, CONTROLS) and not (w.accessibleName() or (isinstance(w, QAbstractButton) and w.text()))
    ]
    assert nameless == []


@pytest.mark.parametrize("key", PAGES)
def test_every_control_can_be_found(window, key):
    window.go(key)
    unnamed = [type(w).__name__ for w in visible(window, QWidget) if isinstance(w, CONTROLS) and not w.objectName()]
    assert unnamed == []


@pytest.mark.parametrize("language", ["ko", "en"])
def test_no_key_shows_itself(make_window, bank, language):
    window = make_window(bank, Settings(language=language, theme="light"))
    for key in PAGES:
        window.go(key)
        shown = [t.plain for t in visible(window, Text)] + [c.plain for c in visible(window, Chip)]
        assert [text for text in shown if text.startswith("[") and text.endswith("]")] == []


def test_the_language_switches_live(window):
    for key in PAGES:
        window.go(key)
        korean = window.page.title.plain
        window.ui.set(language="en")
        english = window.page.title.plain
        window.ui.set(language="ko")
        assert window.page.title.plain == korean
        assert key == "customer" or english != korean, key


def test_text_fields_hold_korean_words_together(window):
    label = Text(window.ui, "여신 서류 상담 도우미", wrap=True, parent=window)
    assert "\u2060" in label.text()
    assert label.plain == "여신 서류 상담 도우미"
    assert label.accessibleName() == "여신 서류 상담 도우미"
