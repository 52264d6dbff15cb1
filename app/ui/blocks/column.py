"""The blocks of a page under each other, kept and moved in place where their kinds stay the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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


def make(ui: Ui, block: Block) -> QWidget:
    """The widget that draws a block of this kind. It has `show_block`."""
    if isinstance(block, Callout):
        return CalloutView(ui)
    if isinstance(block, LineChart):
        from app.ui.blocks.lines import LinesView  # noqa: PLC0415  (pyqtgraph stays out of the start)

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
    """Shows a sequence of blocks."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self._kinds: list[tuple[type, bool]] = []
        self.views: list[QWidget] = []
        self._column = QVBoxLayout(self)
        pad(ui.theme, self._column, (0, 0, 0, 0), 14)

    def show_blocks(self, blocks: Sequence[Block]) -> None:
        blocks = [block for block in blocks if not (isinstance(block, Figures) and not block.items)]
        kinds = [_kind(block) for block in blocks]
        for index, kind in enumerate(kinds):
            if index >= len(self._kinds):
                self._insert(index, blocks[index])
            elif self._kinds[index] != kind:
                self._remove(index)
                self._insert(index, blocks[index])
        while len(self.views) > len(blocks):
            self._remove(len(self.views) - 1)
        self._kinds = kinds
        for view, block in zip(self.views, blocks, strict=True):
            view.show_block(block)  # type: ignore[attr-defined]

    def _insert(self, index: int, block: Block) -> None:
        view = make(self._ui, block)
        self.views.insert(index, view)
        self._column.insertWidget(index, view)

    def _remove(self, index: int) -> None:
        view = self.views.pop(index)
        self._column.removeWidget(view)
        view.hide()
        view.deleteLater()
