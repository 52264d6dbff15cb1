"""How a number came about, opened from the number itself: the formula with the numbers in it, inputs, sources, dates."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.present import design
from app.present.views import FigureView, Tone, TraceNode
from app.ui.context import Ui
from app.ui.theme import pad
from app.ui.widgets.text import Chip, Text, hairline, surface

INDENT = 16
DEEPEST = 6


class TracePopover(QFrame):
    """A derivation as an indented tree. Escape or a click beside it closes it."""

    def __init__(self, ui: Ui, parent: QWidget, view: FigureView, node: TraceNode) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._ui = ui
        self._host = parent
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setObjectName("trace")
        self.setAccessibleName(f"{view.label}: {view.value}")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        frame = surface("overlay")
        outer.addWidget(frame)
        column = QVBoxLayout(frame)
        pad(ui.theme, column, (16, 14, 8, 14), 8)
        head = QHBoxLayout()
        pad(ui.theme, head, (0, 0, 8, 0), 10)
        head.addWidget(Text(ui, view.label, design.SUBHEADING), 1)
        head.addWidget(Text(ui, view.exact or view.value, design.NUMBER))
        column.addLayout(head)
        if view.band:
            facts = QHBoxLayout()
            pad(ui.theme, facts, (0, 0, 8, 0), 8)
            facts.addWidget(Text(ui, f"{ui.t.text('ui.trace.band')} {view.band}", design.NOTE, "ink2"), 1)
            facts.addWidget(Chip(ui, view.basis, view.basis_tone))
            column.addLayout(facts)
        column.addWidget(hairline())
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        body = QWidget()
        rows = QVBoxLayout(body)
        pad(ui.theme, rows, (0, 0, 8, 0), 7)
        self.count = 0
        self._fill(rows, node, 0)
        rows.addStretch(1)
        area.setWidget(body)
        column.addWidget(area)
        self._body = body

    def _fill(self, rows: QVBoxLayout, node: TraceNode, depth: int) -> None:
        if depth > DEEPEST:
            return
        if depth:
            rows.addWidget(self._row(node, depth - 1))
            self.count += 1
        elif node.formula:
            rows.addWidget(Text(self._ui, f"= {node.formula}", design.NOTE, "ink1", wrap=True))
        for child in node.children:
            self._fill(rows, child, depth + 1)

    def _row(self, node: TraceNode, depth: int) -> QWidget:
        ui = self._ui
        holder = QWidget()
        column = QVBoxLayout(holder)
        pad(ui.theme, column, (depth * INDENT, 0, 0, 0), 1)
        first = QHBoxLayout()
        pad(ui.theme, first, (0, 0, 0, 0), 10)
        first.addWidget(Text(ui, node.label, design.NOTE, "ink1", wrap=True), 1)
        first.addWidget(Text(ui, node.value, design.NOTE_STRONG, "ink1"))
        if node.basis:
            first.addWidget(Chip(ui, node.basis, Tone.PLAIN))
        column.addLayout(first)
        for words, ink in ((node.formula, "ink2"), (node.source, "ink3")):
            if words and words != node.label:
                column.addWidget(Text(ui, words, design.SMALL, ink, wrap=True))
        return holder

    def place(self, at: QPoint) -> None:
        """Below the number, within its screen."""
        theme = self._ui.theme
        width = theme.px(440)
        inner = width - theme.px(40)
        height = max(self._body.heightForWidth(inner), self._body.sizeHint().height()) + theme.px(110)
        room = self._host.screen().availableGeometry()
        height = min(height, theme.px(520), room.height())
        self.resize(width, height)
        left = min(max(at.x(), room.left()), room.right() - width)
        top = at.y() if at.y() + height <= room.bottom() else max(room.top(), room.bottom() - height)
        self.move(left, top)


def show_trace(ui: Ui, parent: QWidget, view: FigureView, at: QPoint) -> TracePopover:
    """Open the derivation of a figure under it. The figure must have a trace."""
    from app.present.traces import of_figure  # reads the engine's results: after the first paint

    popover = TracePopover(ui, parent, view, of_figure(view, ui.t))
    popover.place(at)
    popover.show()
    return popover
