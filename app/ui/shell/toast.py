"""A sentence that comes and goes: what happened, and one thing to do about it. It stays while the pointer is over it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QEnterEvent, QHideEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.present import design
from app.present.tones import Tone
from app.ui.context import Ui
from app.ui.icons import pixmap
from app.ui.theme import fix, pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.text import Text, surface

SHOWN_MS = 6000
ERROR_MS = 12_000


class Toast(QWidget):
    """One at a time; a newer one takes the place."""

    def __init__(self, ui: Ui, parent: QWidget) -> None:
        super().__init__(parent)
        self._ui = ui
        self._host = parent
        self._act: Callable[[], None] | None = None
        self.setObjectName("toast")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        self._frame = surface("toast")
        outer.addWidget(self._frame)
        row = self._row = QHBoxLayout(self._frame)
        pad(ui.theme, row, (16, 10, 10, 10), 12)
        self._icon = Text(ui, "")
        self._text = Text(ui, "", design.NOTE, "surface", wrap=True)
        self._text.setObjectName("toast-text")
        fix(ui.theme, self._text, min_width=240, max_width=460)
        self.action = Button(ui, name="toast-action", kind="soft")
        self.action.clicked.connect(self._acted)
        self.close_button = Button(ui, "ui.toast.close", name="toast-close", kind="soft")
        self.close_button.clicked.connect(self.hide)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self.action)
        row.addWidget(self.close_button)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.plain

    def say(self, text: str, tone: Tone, action: str, act: object) -> None:
        theme = self._ui.theme
        self._act = act if callable(act) else None
        self._text.say(text)
        icon = {Tone.BAD: "warning", Tone.WARN: "warning", Tone.GOOD: "check"}.get(tone, "info")
        self._icon.setPixmap(pixmap(icon, theme.colour("surface"), theme.px(18), self.devicePixelRatioF()))
        self.action.say(action)
        self.action.setVisible(bool(action))
        self.setAccessibleName(text)
        self.place()
        self.show()
        self.raise_()
        self._timer.start(ERROR_MS if tone is Tone.BAD or action else SHOWN_MS)

    def place(self) -> None:
        """Low in the middle of the window."""
        parent = self._host
        width = min(self._ui.theme.px(720), parent.width() - self._ui.theme.px(40))
        self._row.activate()
        hint = self.sizeHint()
        height = max(hint.height(), self.heightForWidth(min(width, hint.width())))
        wide = min(width, hint.width())
        self.setGeometry((parent.width() - wide) // 2, parent.height() - height - self._ui.theme.px(48), wide, height)

    def _acted(self) -> None:
        act, self._act = self._act, None
        self.hide()
        if act is not None:
            act()

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._timer.start(SHOWN_MS)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)
