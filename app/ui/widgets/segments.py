"""A small choice in one line: the values side by side, one of them on; nothing on means not known yet."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from app.present import design
from app.ui.context import Ui
from app.ui.theme import pad
from app.ui.widgets.choice import Choice


class _Segment(QAbstractButton):
    def __init__(self, ui: Ui, choice: Choice) -> None:
        super().__init__()
        self._ui = ui
        self.choice = choice
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.setObjectName(f"segment-{'unknown' if choice.value is None else choice.value}")
        self.say(choice)

    def say(self, choice: Choice) -> None:
        self.choice = choice
        self.setText(choice.title)
        self.setAccessibleName(choice.title)
        self.setAccessibleDescription(choice.hint)
        self.setToolTip(choice.hint)
        self.updateGeometry()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space chooses; arrows and digits are the row's, everything else the window's."""
        if event.key() == Qt.Key.Key_Space:
            super().keyPressEvent(event)
        else:
            event.ignore()

    def refont(self) -> None:
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        theme = self._ui.theme
        metrics = QFontMetrics(theme.font(design.NOTE_STRONG))
        return QSize(metrics.horizontalAdvance(self.text()) + theme.px(24), metrics.height() + theme.px(13))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._ui.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on, under = self.isChecked(), self.underMouse()
        open_end = self.choice.value is None
        edge = "accent" if self.hasFocus() or (on and not open_end) else "line_strong" if under else "line"
        pen = QPen(theme.colour(edge), 2 if self.hasFocus() else 1)
        if open_end:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        fill = "accent_soft" if on and not open_end else "sunken" if on else "surface"
        painter.setBrush(theme.colour(fill))
        radius = theme.px(design.RADIUS_FIELD)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), radius, radius)
        painter.setPen(theme.colour("accent" if on and not open_end else "ink3" if open_end else "ink1"))
        painter.setFont(theme.font(design.NOTE_STRONG if on else design.NOTE))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())


class Segments(QWidget):
    """The choices of one field. Shows the document; a click is an intent."""

    chosen = Signal(object)

    def __init__(self, ui: Ui, name: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self.setObjectName(name)
        row = QHBoxLayout(self)
        pad(ui.theme, row, (0, 0, 0, 0), 6)
        self.segments = [_Segment(ui, choice) for choice in choices]
        for segment in self.segments:
            segment.clicked.connect(self._clicked)
            row.addWidget(segment)
        row.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)

    def show_value(self, value: object) -> None:
        for segment in self.segments:
            segment.setChecked(segment.choice.value == value)

    def say(self, choices: Sequence[Choice]) -> None:
        for segment, choice in zip(self.segments, choices, strict=True):
            segment.say(choice)

    def _press(self, digit: int) -> bool:
        named = [s for s in self.segments if s.choice.value is not None]
        still_open = [s for s in self.segments if s.choice.value is None]
        chosen = still_open[:1] if digit == 0 else named[digit - 1 : digit]
        for segment in chosen:
            segment.click()
        return bool(chosen)

    def _clicked(self) -> None:
        segment = self.sender()
        if isinstance(segment, _Segment):
            self.chosen.emit(segment.choice.value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows walk, digits choose: 1 the first, 0 the open end."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        at = next((i for i, segment in enumerate(self.segments) if segment.hasFocus()), None)
        digit = event.key() - Qt.Key.Key_0
        if at is not None and 0 <= digit <= 9 and self._press(digit):
            return
        if step is None or at is None or event.modifiers() & Qt.KeyboardModifier.AltModifier:
            super().keyPressEvent(event)
            return
        self.segments[min(max(at + step, 0), len(self.segments) - 1)].setFocus(Qt.FocusReason.TabFocusReason)
