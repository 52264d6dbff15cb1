"""Any block of a page as the flowables that draw it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reportlab.platypus import CondPageBreak, Flowable, KeepTogether

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
from app.report import theme
from app.report.flow.base import Heading
from app.report.flow.charts import Bars, Heat, Legend, Lines, Pair, Ranges
from app.report.flow.figures import figure_rows
from app.report.flow.lists import CalloutBox, bullet_items, rank_rows
from app.report.flow.tables import table
from app.report.text import paragraph

ROOM_FOR_ROWS = 96.0
"""A table begins on this page only if its heading, its header and a few rows still fit."""


def flow(block: Block) -> list[Flowable]:
    """The flowables of one block, its heading first. Charts stay in one piece; tables and lists may run over."""
    return list(_FLOWS[type(block)](block))


def flow_all(blocks: Iterable[Block]) -> list[Flowable]:
    """The flowables of a page's blocks; two line charts in a row stand side by side."""
    waiting: LineChart | None = None
    made: list[Flowable] = []
    for block in (*blocks, None):
        if isinstance(block, LineChart) and waiting is not None:
            made.append(Pair(waiting, block))
            waiting = None
        elif isinstance(block, LineChart):
            waiting = block
        else:
            made += flow(waiting) if waiting is not None else []
            waiting = None
            made += flow(block) if block is not None else []
    return made


def _headed(title: str) -> list[Flowable]:
    return [Heading(title)] if title else []


def _sentence(text: str) -> list[Flowable]:
    """The chart's one sentence, under its heading."""
    if not text:
        return []
    made = paragraph(text, theme.styles().note)
    made.spaceAfter = 5
    made.keepWithNext = 1
    return [made]


def _empty(text: str) -> list[Flowable]:
    made = paragraph(text, theme.styles().note)
    made.spaceAfter = theme.GAP
    return [made]


def _figures(block: Figures) -> list[Flowable]:
    return [*_headed(block.title), *figure_rows(block)] if block.items else []


def _table(block: Table) -> list[Flowable]:
    if not block.rows:
        return [*_headed(block.title), *_empty(block.empty)] if block.empty else []
    if not block.title:
        return [table(block)]
    heading = Heading(block.title)
    heading.keepWithNext = 0  # with it the whole table would move to the next page in one piece
    return [CondPageBreak(ROOM_FOR_ROWS), heading, table(block)]


def _bullets(block: Bullets) -> list[Flowable]:
    if not block.items:
        return [*_headed(block.title), *_empty(block.empty)] if block.empty else []
    return [*_headed(block.title), *bullet_items(block)]


def _ranking(block: Ranking) -> list[Flowable]:
    return [*_headed(block.title), *rank_rows(block)] if block.ranks else []


def _callout(block: Callout) -> list[Flowable]:
    return [CalloutBox(block)]


def _bars(block: StackedBars) -> list[Flowable]:
    if not block.bars:
        return []
    return _together([*_headed(block.title), *_sentence(block.sentence), Legend(block.legend), Bars(block)])


def _lines(block: LineChart) -> list[Flowable]:
    return _together([*_headed(block.title), *_sentence(block.sentence), Lines(block)])


def _ranges(block: RangeChart) -> list[Flowable]:
    return _together([*_headed(block.title), *_sentence(block.sentence), Ranges(block)])


def _heat(block: Heatmap) -> list[Flowable]:
    return _together([*_headed(block.title), *_sentence(block.sentence), Heat(block)])


def _together(parts: list[Flowable]) -> list[Flowable]:
    kept = KeepTogether(parts)
    kept.spaceAfter = theme.GAP
    return [kept]


_FLOWS: dict[type, Any] = {
    Figures: _figures,
    Table: _table,
    Bullets: _bullets,
    Ranking: _ranking,
    Callout: _callout,
    StackedBars: _bars,
    LineChart: _lines,
    RangeChart: _ranges,
    Heatmap: _heat,
}
