"""Fields that are typed into. A wrong text keeps the last good value in the document and says why beside the field."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit

from app.present import design
from app.ui.context import Ui
from engine.errors import WaypostError

TYPING_MS: Final = 350
"""Pause after which what was typed is taken."""
JUST_COMPOSED_S: Final = 0.1
"""Some input methods hand over the key that ended a syllable; it belongs to the syllable."""


def is_history_key(event: QKeyEvent) -> bool:
    """Undo or redo."""
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)


class _Line(QLineEdit):
    """A line that takes its text a moment after typing stops, and at once on leaving."""

    focused = Signal(bool)

    def __init__(self, ui: Ui, name: str) -> None:
        super().__init__()
        self._ui = ui
        self.setObjectName(name)
        self._preedit = False
        self._composed = 0.0
        self.refont()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(TYPING_MS)
        self._timer.timeout.connect(self._take)
        self.textEdited.connect(self._edited)

    def refont(self) -> None:
        self.setFont(self._ui.theme.font(design.BODY_NUMBER))

    def _edited(self, _text: str) -> None:
        self.wrong(False)
        self._timer.start()

    def _take(self) -> None:
        raise NotImplementedError

    def commit(self) -> None:
        """Take what stands there now, without the pause."""
        if self._timer.isActive():
            self._timer.stop()
            self._take()

    @property
    def composing(self) -> bool:
        """A Hangul syllable is under way, or was finished by the very key that is being handled."""
        return self._preedit or time.monotonic() - self._composed < JUST_COMPOSED_S

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        if self._preedit and event.commitString():
            self._composed = time.monotonic()
        self._preedit = bool(event.preeditString())
        super().inputMethodEvent(event)

    def event(self, event: QEvent) -> bool:
        """Undo and redo are the window's, so that every field has the same history."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and is_history_key(event):
            event.ignore()
            return False
        return super().event(event)

    def wrong(self, on: bool) -> None:
        if bool(self.property("wrong") == "true") != on:
            self.setProperty("wrong", "true" if on else "false")
            self.style().unpolish(self)
            self.style().polish(self)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.commit()
        super().focusOutEvent(event)
        self.focused.emit(False)


class NumberField(_Line):
    """Reads units and Korean steps; shows the value with its unit when it is not being typed into."""

    typed = Signal(object)
    """A value in SI, or None for an emptied field."""
    misread = Signal(object)
    """A Message: the text is no such number."""

    def __init__(
        self, ui: Ui, name: str, read: Callable[[str], float | None], write: Callable[[float], str], example: str = ""
    ) -> None:
        super().__init__(ui, name)
        self._read = read
        self._write = write
        self._shown: float | None = None
        self.setPlaceholderText(example)
        self.setMaxLength(60)

    def show_value(self, value: float | None, placeholder: str) -> None:
        """What the document says. A field that is being typed into is left alone."""
        self.setPlaceholderText(placeholder)
        same = value == self._shown
        self._shown = value
        if self.hasFocus() and (same or self._timer.isActive() or self._stands_for(value)):
            return
        self._rewrite()

    def _stands_for(self, value: float | None) -> bool:
        try:
            return self._read(self.text()) == value
        except WaypostError:
            return False

    def _rewrite(self) -> None:
        text = "" if self._shown is None else self._write(self._shown)
        if text != self.text():
            self.setText(text)

    def _take(self) -> None:
        try:
            value = self._read(self.text())
        except WaypostError as error:
            self.wrong(True)
            self.misread.emit(error.message)
            return
        self.typed.emit(value)

    def refuse(self) -> None:
        """The document did not take the value."""
        self.wrong(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._rewrite()
        self.wrong(False)


class TextField(_Line):
    """A line of words."""

    typed = Signal(str)

    def __init__(self, ui: Ui, name: str, placeholder_key: str = "", limit: int = 200) -> None:
        super().__init__(ui, name)
        self._placeholder_key = placeholder_key
        self.setMaxLength(limit)
        self.retranslate()

    def retranslate(self) -> None:
        if self._placeholder_key:
            self.setPlaceholderText(self._ui.t.text(self._placeholder_key))

    def show_value(self, text: str) -> None:
        if not self._timer.isActive() and text != self.text():
            self.setText(text)

    def _take(self) -> None:
        self.typed.emit(self.text().strip())


class NoteField(QPlainTextEdit):
    """Several lines of words. Tab leaves it."""

    typed = Signal(str)

    def __init__(self, ui: Ui, name: str, placeholder_key: str) -> None:
        super().__init__()
        self._ui = ui
        self._placeholder_key = placeholder_key
        self.setObjectName(name)
        self.setTabChangesFocus(True)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(TYPING_MS)
        self._timer.timeout.connect(self._take)
        self.textChanged.connect(self._edited)
        self._quiet = False
        self.refont()
        self.retranslate()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and is_history_key(event):
            event.ignore()
            return False
        return super().event(event)

    def refont(self) -> None:
        self.setFont(self._ui.theme.font(design.BODY))
        self._grow()

    def _grow(self) -> None:
        """As high as its words, within reason."""
        theme = self._ui.theme
        lines = max(2, min(8, round(self.document().size().height())))
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + theme.px(24))

    def retranslate(self) -> None:
        self.setPlaceholderText(self._ui.t.text(self._placeholder_key))
        self.setAccessibleName(self._ui.t.text(self._placeholder_key))

    def show_value(self, text: str) -> None:
        if self._timer.isActive() or text == self.toPlainText():
            return
        self._quiet = True
        self.setPlainText(text)
        self._quiet = False

    def _edited(self) -> None:
        self._grow()
        if not self._quiet:
            self._timer.start()

    def _take(self) -> None:
        self.typed.emit(self.toPlainText())

    def commit(self) -> None:
        """Take what stands there now, without the pause."""
        if self._timer.isActive():
            self._timer.stop()
            self._take()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.commit()
        super().focusOutEvent(event)
