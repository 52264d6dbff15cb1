"""The card around a block: title, legend, and for charts the switch to the same data as a table."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.present import design
from app.present.views import as_table
from app.ui.blocks.table import TableView
from app.ui.context import Ui
from app.ui.theme import pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.text import Text, surface


class Legend(QWidget):
    """Squares with words, in the order of the segments."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self._entries: tuple[tuple[str, int], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_entries(self, entries: tuple[tuple[str, int], ...]) -> None:
        self._entries = entries
        self.setAccessibleName(", ".join(label for label, _ in entries))
        self.setVisible(bool(entries))
        self.updateGeometry()
        self.update()

    def _step(self, label: str) -> int:
        theme = self._ui.theme
        return QFontMetrics(theme.font(design.SMALL)).horizontalAdvance(label) + theme.px(32)

    def refont(self) -> None:
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        height = QFontMetrics(self._ui.theme.font(design.SMALL)).height() + 2
        return QSize(sum(self._step(label) for label, _ in self._entries), height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._ui.theme
        painter = QPainter(self)
        painter.setFont(theme.font(design.SMALL))
        left, side = 0.0, theme.px(10)
        for label, series in self._entries:
            painter.fillRect(QRectF(left, (self.height() - side) / 2, side, side), theme.series(series))
            painter.setPen(theme.colour("ink2"))
            box = QRectF(left + side + theme.px(6), 0, self._step(label), self.height())
            painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter), label)
            left += self._step(label)


class BlockCard(QWidget):
    """A surface with a title and a body."""

    def __init__(self, ui: Ui, body: QWidget, *, chart: bool = False) -> None:
        super().__init__()
        self.ui = ui
        self.body = body
        self._chart = chart
        self._block: Any = None
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        self.frame = surface("card")
        outer.addWidget(self.frame)
        column = QVBoxLayout(self.frame)
        pad(ui.theme, column, (16, 14, 16, 16), 10)
        head = QHBoxLayout()
        pad(ui.theme, head, (0, 0, 0, 0), 10)
        self.title = Text(ui, "", design.SUBHEADING, wrap=True)
        self.legend = Legend(ui)
        self.legend.hide()
        head.addWidget(self.title, 1)
        self._switch: Button | None = None
        if chart:
            self._switch = Button(ui, "ui.chart.as_table", name="chart-as-table", kind="quiet", icon="table")
            self._switch.clicked.connect(self._turn)
            head.addWidget(self._switch, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(head)
        self.sentence = Text(ui, "", design.NOTE, "ink2", wrap=True)
        column.addWidget(self.sentence)
        column.addWidget(self.legend)
        column.addWidget(body)
        self._table: TableView | None = None
        self._column = column

    def show_block(self, block: Any) -> None:
        """Another state of the same kind of block; the same state again costs nothing."""
        if block == self._block:
            return
        self._block = block
        self.title.say(block.title)
        self.title.setVisible(bool(block.title) or self._chart)
        sentence = getattr(block, "sentence", "")
        self.sentence.say(sentence)
        self.sentence.setVisible(bool(sentence))
        self.legend.show_entries(getattr(block, "legend", ()))
        self.body.show_block(block)  # type: ignore[attr-defined]
        if self._table is not None and self._table.isVisibleTo(self):
            self._table.show_block(as_table(block))

    def _turn(self) -> None:
        """Chart to table and back."""
        if self._table is None:
            self._table = TableView(self.ui)
            self._table.hide()
            self._column.addWidget(self._table)
        as_rows = not self._table.isVisibleTo(self)
        if as_rows:
            self._table.show_block(as_table(self._block))
        self._table.setVisible(as_rows)
        self.body.setVisible(not as_rows)
        if self._switch is not None:
            self._switch.say(self.ui.t.text("ui.chart.as_chart" if as_rows else "ui.chart.as_table"))
