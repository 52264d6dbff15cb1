"""The left rail: history, the steps of the open consultation with their state, the tools."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from app.present import design
from app.ui.context import Ui
from app.ui.icons import paint_icon
from app.ui.theme import fix, pad
from app.ui.walk import HISTORY, TOOLS, State, rules_done, state, stop_of, stops_of
from app.ui.widgets.text import Text, surface
from engine.questions.types import Step

_ICONS = {HISTORY: "clock", "scenarios": "columns", "probe": "chip", "ask": "question", "catalogue": "list"}


class RailItem(QAbstractButton):
    """One line of the rail: badge, word, a count at the right."""

    def __init__(self, ui: Ui, key: str, number: int | None = None) -> None:
        super().__init__()
        self._ui = ui
        self.key = key
        self._number = number
        self._here = False
        self._state = State.OPEN
        self._detail = ""
        self.setObjectName(f"rail-{key}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def say(self, text: str) -> None:
        self.setText(text)
        self._name()

    def _name(self) -> None:
        self.setAccessibleName(self.text())
        state = self._ui.t.text(f"ui.state.{self._state.value}") if self._number is not None else ""
        self.setAccessibleDescription(" ".join(filter(None, (state, self._detail))))

    def show_state(self, *, here: bool, state: State = State.OPEN, detail: str = "") -> None:
        if (here, state, detail) != (self._here, self._state, self._detail):
            self._here, self._state, self._detail = here, state, detail
            self._name()
            self.update()

    @property
    def detail(self) -> str:
        return self._detail

    def sizeHint(self) -> QSize:
        return QSize(self._ui.theme.px(180), self._ui.theme.px(36))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
            return
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Down)
            return
        super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._ui.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self._here or self.underMouse() or self.hasFocus():
            painter.setPen(QPen(theme.colour("accent"), 1.5) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("accent_soft" if self._here else "ground"))
            radius = theme.px(design.RADIUS_FIELD)
            painter.drawRoundedRect(box, radius, radius)
        self._paint_badge(painter)
        detail_font = theme.font(design.SMALL)
        detail_width = QFontMetrics(detail_font).horizontalAdvance(self._detail) + theme.px(8) if self._detail else 0
        font = theme.font(design.SUBHEADING if self._here else design.BODY)
        left = theme.px(38)
        room = self.width() - left - detail_width - theme.px(10)
        painter.setFont(font)
        painter.setPen(theme.colour("ink1" if self._here else "ink2"))
        shown = QFontMetrics(font).elidedText(self.text(), Qt.TextElideMode.ElideRight, int(room))
        painter.drawText(QRectF(left, 0, room, self.height()), int(Qt.AlignmentFlag.AlignVCenter), shown)
        if self._detail:
            painter.setFont(detail_font)
            painter.setPen(theme.colour("ink2" if self._here else "ink3"))
            where = QRectF(self.width() - detail_width - theme.px(10), 0, detail_width, self.height())
            painter.drawText(where, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), self._detail)

    def _paint_badge(self, painter: QPainter) -> None:
        theme = self._ui.theme
        side = theme.px(18)
        box = QRectF(theme.px(10), (self.height() - side) / 2, side, side)
        if self._number is None:
            paint_icon(
                painter, _ICONS[self.key], theme.colour("accent" if self._here else "ink3"), box.adjusted(1, 1, -1, -1)
            )
            return
        if self._state is State.DONE and not self._here:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("good"))
            painter.drawEllipse(box)
            paint_icon(painter, "check", theme.colour("surface"), box.adjusted(3, 3, -3, -3))
            return
        edge = "accent" if self._here else "good" if self._state is State.STARTED else "line_strong"
        painter.setPen(QPen(theme.colour(edge), 1.2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(box.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setFont(theme.font(design.KEY))
        painter.setPen(theme.colour("accent" if self._here else "ink2"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(self._number))


class Rail(QFrame):
    """Where one is and what is left."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self._here = ""
        self.setObjectName("rail")
        self.setProperty("surface", "rail")
        fix(ui.theme, self, width=design.RAIL_WIDTH)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 1, 0)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        outer.addWidget(area)
        body = surface("bar")
        area.setWidget(body)
        column = QVBoxLayout(body)
        pad(ui.theme, column, (10, 12, 10, 10), 1)
        self.items: dict[str, RailItem] = {}
        self._add(column, HISTORY)
        self._head(column, "ui.rail.steps")
        for number, step in enumerate(Step, 1):
            self._add(column, step.value, number)
        self._head(column, "ui.rail.tools")
        for key in TOOLS:
            self._add(column, key)
        column.addStretch(1)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.refresh)
        for signal in (ui.session.changed, ui.session.assessed, ui.session.workload_changed):
            signal.connect(self._later)
        self.retranslate()

    def _add(self, column: QVBoxLayout, key: str, number: int | None = None) -> None:
        item = RailItem(self._ui, key, number)
        item.clicked.connect(self._go)
        column.addWidget(item)
        self.items[key] = item

    def _head(self, column: QVBoxLayout, key: str) -> None:
        text = Text(self._ui, style=design.SMALL, ink="ink3", key=key)
        holder = QWidget()
        row = QVBoxLayout(holder)
        pad(self._ui.theme, row, (10, 12, 0, 5), 0)
        row.addWidget(text)
        column.addWidget(holder)

    def retranslate(self) -> None:
        t = self._ui.t
        for key, item in self.items.items():
            item.say(t.text(f"step.{key}" if item._number is not None else f"ui.stop.{key}"))
        self.refresh()

    def show_here(self, key: str) -> None:
        """Mark the page on screen."""
        stop = stop_of(key)
        self._here = stop.step.value if stop else key
        self.refresh()

    def show_count(self, key: str, text: str) -> None:
        """A count beside a tool or the history."""
        self.items[key].show_state(here=self._here == key, detail=text)

    def _later(self, _what: object) -> None:
        """Once for everything that happened in this turn."""
        self._soon.start()

    def refresh(self) -> None:
        workload = self._ui.session.workload
        for step in Step:
            item = self.items[step.value]
            here = self._here == step.value
            item.setEnabled(workload is not None)
            if workload is None:
                item.show_state(here=here)
                continue
            item.show_state(here=here, state=state(step, workload), detail=self._detail(step))
        for key in (HISTORY, *TOOLS):
            item = self.items[key]
            item.show_state(here=self._here == key, detail=item.detail)

    def _detail(self, step: Step) -> str:
        """What stands at the right of a step: answered rules, gaps, assumed values."""
        workload, t = self._ui.session.workload, self._ui.t
        if workload is None:
            return ""
        if step is Step.RULES:
            return f"{rules_done(workload)} / 6"
        if step is Step.READINESS:
            gaps = sum(
                getattr(workload.readiness, n) is False
                for n in ("endpoint", "loading", "scaling", "conversion", "health")
            )
            return t.text("ui.rail.gap" if gaps == 1 else "ui.rail.gaps", count=gaps) if gaps else ""
        assessed = self._ui.session.assessed_workload
        if assessed is None or step in (Step.PROPOSAL, Step.CUSTOMER):
            return ""
        from engine.questions import QUESTIONS

        paths = {q.path for q in QUESTIONS if q.step is step}
        assumed = sum(a.path in paths for a in assessed.assumptions)
        return t.text("ui.rail.assumed", count=assumed) if assumed else ""

    def _go(self) -> None:
        item = self.sender()
        if isinstance(item, RailItem):
            key = item.key
            if item._number is not None:
                key = self._ui.last_of_step.get(key, stops_of(Step(key))[0].key)
            self._ui.go.emit(key)
