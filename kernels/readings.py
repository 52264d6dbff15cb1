"""From times of batches to a reading: median, quartiles, spread, and whether it was steady."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from attrs import evolve

from engine.messages import Message, Quantity, msg
from engine.probe.items import ITEMS
from engine.probe.results import Conditions, Reading, Status
from engine.units import RATIO, SECONDS

UNSTEADY: Final = 0.05
"""Interquartile range over the median; above it the reading says so."""
REPEAT: Final = 0.20
"""Above it the item is measured once more, then shown as a range."""


def spread_of(times_s: Sequence[float]) -> float:
    """Interquartile range over the median of times."""
    low, middle, high = np.percentile(np.asarray(times_s, float), (25, 50, 75))
    return float((high - low) / middle) if middle > 0 else 0.0


def reading_of(
    item: str,
    times_s: Sequence[float],
    *,
    work: float = 1.0,
    method: str,
    size: str = "",
    notes: tuple[Message, ...] = (),
    conditions: Conditions | None = None,
) -> Reading:
    """The item's reading from the time of one launch in each batch: work / time for a rate, the time itself for a time.

    Raises ValueError for no times or a time that is not above zero.
    """
    times = np.asarray(times_s, float)
    if times.size == 0 or not np.all(np.isfinite(times)) or np.any(times <= 0):
        raise ValueError(f"{item}: no usable times")
    unit = ITEMS[item].unit
    values = times if unit == SECONDS else work / times
    spread = spread_of(times_s)
    if spread > UNSTEADY:
        notes = (*notes, msg("probe.note.unsteady", spread=Quantity(round(spread, 3), RATIO)))
    return Reading(
        item=item,
        status=Status.OK,
        value=float(np.median(values)),
        unit=unit,
        low=float(values.min()),
        high=float(values.max()),
        n=int(times.size),
        spread=spread,
        method=method,
        work=float(work),
        size=size,
        notes=notes,
        conditions=conditions or Conditions(),
    )


def without(item: str, status: Status, reason: Message, detail: str = "") -> Reading:
    """An item without a number, and why."""
    unit = ITEMS[item].unit if item in ITEMS else "1"
    return Reading(item, status, unit=unit, reason=reason, detail=detail[:2000])


def under(reading: Reading, conditions: Conditions) -> Reading:
    """The reading with the conditions it was taken under."""
    return evolve(reading, conditions=conditions)


def mebibytes(count: float) -> str:
    """A size as the trace shows it."""
    return f"{count / 2**20:.4g} MiB"
