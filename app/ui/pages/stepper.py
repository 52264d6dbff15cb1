"""The pages of one step as a row of words: where one is, what is answered."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.present import design
from app.ui.context import Ui
from app.ui.icons import paint_icon
from app.ui.theme import pad
from app.ui.walk import Stop, answered, asked_on, stops_of
from app.ui.widgets.flow import Flow


class _Pill(QAbstractButton):
    def __init__(self, ui: Ui, stop: Stop) -> None:
        super().__init__()
        self._ui = ui
        self.stop = stop
        self._here = False
        self._done = False
        self.setObjectName(f"stop-{stop.key}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.retranslate()

    def retranslate(self) -> None:
        self.setText(self._ui.t.text(f"ui.stop.{self.stop.key}"))
        self.setAccessibleName(self.text())
        self.updateGeometry()

    def refont(self) -> None:
        self.updateGeometry()

    def show_state(self, *, here: bool, done: bool) -> None:
        self._here, self._done = here, done
        self.setAccessibleDescription(self._ui.t.text("ui.stop.answered" if done else "ui.stop.open"))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        theme = self._ui.theme
        metrics = QFontMetrics(theme.font(design.NOTE_STRONG if self._here else design.NOTE))
        tick = theme.px(15) if self._done else 0
        return QSize(metrics.horizontalAdvance(self.text()) + tick + theme.px(18), metrics.height() + theme.px(9))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._ui.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(QPen(theme.colour("accent"), 1.5) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("accent_soft" if self._here else "sunken" if self.underMouse() else "ground"))
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        left = theme.px(9)
        if self._done:
            size = theme.px(12)
            paint_icon(painter, "check", theme.colour("good"), QRectF(left - 1, (self.height() - size) / 2, size, size))
            left += theme.px(14)
        painter.setPen(theme.colour("accent" if self._here else "ink2"))
        painter.setFont(theme.font(design.NOTE_STRONG if self._here else design.NOTE))
        painter.drawText(QRectF(left, 0, self.width(), self.height()), int(Qt.AlignmentFlag.AlignVCenter), self.text())


class Stepper(QWidget):
    """Only for steps of several pages."""

    def __init__(self, ui: Ui, stop: Stop) -> None:
        super().__init__()
        self._ui = ui
        self._stop = stop
        row = Flow(self)
        pad(ui.theme, row, (0, 0, 0, 4), 2)
        self._pills = [_Pill(ui, other) for other in stops_of(stop.step)]
        for pill in self._pills:
            pill.clicked.connect(self._go)
            row.addWidget(pill)

    def refresh(self) -> None:
        workload = self._ui.session.workload
        for pill in self._pills:
            asked = asked_on(pill.stop, workload) if workload else ()
            headline = [q for q in asked if q.headline] or list(asked)
            done = bool(headline) and workload is not None and all(answered(workload, q) for q in headline)
            pill.show_state(here=pill.stop.key == self._stop.key, done=done)

    def _go(self) -> None:
        pill = self.sender()
        if isinstance(pill, _Pill):
            self._ui.go.emit(pill.stop.key)
