"""What a number is: a value, its band, its unit, how it came about.

Every figure shown anywhere is an Estimate. `low`/`high` is a nominal 90 % band (for datasheet physics: the range of its
inputs). `trace` opens to the formula with the numbers in it.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Sequence

from attrs import evolve, field, frozen

from engine.units import UNITS


class Basis(enum.StrEnum):
    """How a figure came about, from firm to loose."""

    MEASURED = "measured"
    """Measured here: by the probe, or read off the customer's endpoint."""
    CALIBRATED = "calibrated"
    """Fitted on public measurements; the band is the error seen there."""
    DATASHEET = "datasheet"
    """Physics on vendor figures, or exact arithmetic on a published shape."""
    ASSUMED = "assumed"
    """Nobody said. Shown as such and listed in the assumption ledger."""


_LOOSENESS = {Basis.MEASURED: 0, Basis.DATASHEET: 1, Basis.CALIBRATED: 2, Basis.ASSUMED: 3}


def loosest(bases: Iterable[Basis]) -> Basis:
    """The basis of a figure computed from several: as loose as its loosest input (datasheet if there is none)."""
    return max(bases, key=_LOOSENESS.__getitem__, default=Basis.DATASHEET)


@frozen
class Source:
    """Where a figure was read and when. `verified` is False for recalled or unfound figures: shown as such."""

    where: str
    as_of: str = ""
    verified: bool = True


@frozen
class Input:
    """One named value that went into a formula, with its own origin (a source or a trace, never neither for data)."""

    name: str
    value: float | str
    unit: str
    basis: Basis
    source: Source | None = None
    trace: Trace | None = None


@frozen
class Trace:
    """How a figure was computed: `formula` in plain mathematics over the input names, and `reference` for the formula."""

    key: str
    formula: str
    inputs: Sequence[Input] = ()
    reference: str = ""


def _known_unit(_instance: object, _attribute: object, value: str) -> None:
    if value not in UNITS:
        raise ValueError(f"unknown unit {value!r}")


@frozen
class Estimate:
    """A number with band, unit, basis and trace. low <= value <= high, all finite."""

    value: float
    low: float
    high: float
    unit: str = field(validator=_known_unit)
    basis: Basis
    trace: Trace | None = field(default=None, repr=False)

    def __attrs_post_init__(self) -> None:
        if -math.inf < self.low <= self.value <= self.high < math.inf:
            return
        if not all(map(math.isfinite, (self.value, self.low, self.high))):
            raise ValueError(f"an estimate must be finite: {self.value}, {self.low}, {self.high}")
        raise ValueError(f"band {self.low}..{self.high} does not hold {self.value}")

    @property
    def relative_band(self) -> float:
        """Half width over value; 0 for an exact figure."""
        return 0.0 if self.value == 0 else (self.high - self.low) / (2 * abs(self.value))

    def scaled(self, factor: float, unit: str | None = None) -> Estimate:
        """The same figure in other units; the trace is kept."""
        ends = sorted((self.low * factor, self.high * factor))
        return evolve(self, value=self.value * factor, low=ends[0], high=ends[1], unit=unit or self.unit)


def exact(value: float, unit: str, basis: Basis = Basis.DATASHEET, trace: Trace | None = None) -> Estimate:
    """A figure without a band of its own: arithmetic on a published shape, or what the customer said."""
    return Estimate(value, value, value, unit, basis, trace)


def banded(value: float, below: float, above: float, unit: str, basis: Basis, trace: Trace | None = None) -> Estimate:
    """A figure whose band is relative: `below` 0.2 means 20 % under the value."""
    low, high = sorted((value * (1 - below), value * (1 + above)))
    return Estimate(value, low, high, unit, basis, trace)


def as_input(name: str, estimate: Estimate) -> Input:
    """An estimate used in another formula; its trace stays reachable."""
    return Input(name, estimate.value, estimate.unit, estimate.basis, None, estimate.trace)
