"""The blocks of a page under each other, kept and moved in place where their kinds stay the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.present.views import (
    Block,
    Bullets,
    Callout,
    Figures,
    Heatmap,
    LineChart,
    RangeChart,
    Ranking,
    StackedBars,
    Table,
)
from app.ui.blocks.bars import BarsView, RangesView, RankingView
from app.ui.blocks.bullets import BulletList, CalloutView
from app.ui.blocks.canvas import Canvas
from app.ui.blocks.card import BlockCard
from app.ui.blocks.figures import FigureList
from app.ui.blocks.heatmap import HeatmapView
from app.ui.blocks.table import TableView
from app.ui.context import Ui
from app.ui.theme import pad

COLUMN_NAME = "blocks"
AT_ONCE = 2
"""Blocks made before the page is first painted: about what fits above the fold."""


def make(ui: Ui, block: Block) -> QWidget:
    """The widget that draws a block of this kind. It has `show_block`."""
    if isinstance(block, Callout):
        return CalloutView(ui)
    if isinstance(block, LineChart):
        from app.ui.blocks.lines import LinesView  # pyqtgraph stays out of the start

        return BlockCard(ui, LinesView(ui), chart=True)
    charts: dict[type, type[Canvas[Any]]] = {
        StackedBars: BarsView,
        RangeChart: RangesView,
        Heatmap: HeatmapView,
        Ranking: RankingView,
    }
    if type(block) in charts:
        return BlockCard(ui, charts[type(block)](ui), chart=True)
    if isinstance(block, Figures):
        return BlockCard(ui, FigureList(ui, columns=2 if len(block.items) > 3 else 1))
    if isinstance(block, Bullets):
        return BlockCard(ui, BulletList(ui))
    if isinstance(block, Table):
        return BlockCard(ui, TableView(ui))
    raise TypeError(type(block))


def _kind(block: Block) -> tuple[type, bool]:
    """Blocks of one kind share a widget; figures change their columns with their count."""
    return type(block), isinstance(block, Figures) and len(block.items) > 3


class BlockColumn(QWidget):
    """Shows a sequence of blocks. Of many new ones the first are made at once, the others one a turn of the event loop."""

    completed = Signal()

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self._kinds: list[tuple[type, bool]] = []
        self._wanted: list[Block] = []
        self.setObjectName(COLUMN_NAME)
        self.views: list[QWidget] = []
        self._column = QVBoxLayout(self)
        pad(ui.theme, self._column, (0, 0, 0, 0), 14)
        self._more = QTimer(self)
        self._more.setInterval(0)
        self._more.timeout.connect(self._make_one)

    @property
    def pending(self) -> bool:
        """Some blocks are still to be made."""
        return self._more.isActive()

    def show_blocks(self, blocks: Sequence[Block]) -> None:
        self._wanted = [b for b in blocks if not (isinstance(b, Figures) and not b.items)]
        kinds = [_kind(block) for block in self._wanted]
        for index in range(min(len(kinds), len(self._kinds))):
            if self._kinds[index] != kinds[index]:
                self._remove_from(index)
                break
        self._remove_from(len(kinds))
        for view, block in zip(self.views, self._wanted, strict=False):
            view.show_block(block)  # type: ignore[attr-defined]
        for _ in range(AT_ONCE):
            self._make_one()

    def _make_one(self) -> None:
        """The next block that is not there yet."""
        index = len(self.views)
        if index >= len(self._wanted):
            if self._more.isActive():
                self._more.stop()
                self.completed.emit()
            return
        block = self._wanted[index]
        view = make(self._ui, block)
        view.show_block(block)  # type: ignore[attr-defined]
        self.views.append(view)
        self._kinds.append(_kind(block))
        self._column.addWidget(view)
        if not self._more.isActive():
            self._more.start()

    def _remove_from(self, index: int) -> None:
        for view in self.views[index:]:
            self._column.removeWidget(view)
            view.hide()
            view.deleteLater()
        del self.views[index:], self._kinds[index:]
