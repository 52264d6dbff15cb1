"""Charts give way a little where a section would run over onto a sheet of its own with a few lines only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from reportlab.platypus import Flowable, KeepTogether
from reportlab.platypus import Table as PlatypusTable

from app.report import theme
from app.report.flow.charts import Lines, Pair

SPILL: Final = 150.0
"""Points beyond a sheet that are worth winning back."""
LEAST: Final = 116.0
"""A line chart lower than this no longer reads."""
SHEET: Final = theme.CONTENT_HEIGHT - 6


def fit_to_sheet(parts: list[Flowable]) -> list[Flowable]:
    """The same flowables, their line charts lowered so that all of it stands on one sheet, where that is possible."""
    charts = list(_charts(parts))
    over = height(parts) - SHEET if charts else 0.0
    if not 0 < over <= SPILL:
        return parts
    each = over / len(charts) + 1
    if all(chart.height - each >= LEAST for chart in charts):
        for chart in charts:
            chart.height -= each
    return parts


def height(parts: list[Flowable]) -> float:
    """How tall the flowables stand one below the other."""
    total, after = 0.0, 0.0
    for part in parts:
        if isinstance(part, KeepTogether):
            total += after + height(part._content)
            after = part.spaceAfter
            continue
        before = part.getSpaceBefore()
        total += max(before, after) + _tall(part)
        after = part.getSpaceAfter()
    return total


def _tall(part: Flowable) -> float:
    wide = theme.CONTENT_WIDTH
    made = part.wrap(wide, 1e6) if isinstance(part, PlatypusTable) else part.wrapOn(None, wide, 1e6)
    return float(made[1])


def _charts(parts: list[Flowable]) -> Iterator[Lines | Pair]:
    for part in parts:
        if isinstance(part, KeepTogether):
            yield from _charts(part._content)
        elif isinstance(part, Lines | Pair):
            yield part
