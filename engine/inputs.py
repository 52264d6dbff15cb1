"""Many inputs, each with its band, evaluated together.

A formula written for arrays is asked once for all of: every input at its value (row 0), then each input alone at its low and
its high end (rows 1 + 2i and 2 + 2i). From that one answer come the value, the band (independent deviations add in
quadrature: first-order propagation, JCGM 100:2008, 5.1.2) and the tornado. The same inputs can be drawn at random.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from engine.estimate import Basis, Estimate, Input, Source, Trace, loosest
from engine.messages import Message
from engine.units import RATIO

_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

FloatArray = npt.NDArray[np.float64]
Values = Mapping[str, FloatArray]

_NOTHING: Final = 1e-100
"""Below this a quantity counts as zero: its logarithm says nothing."""

Z90: Final = 1.6448536269514722
"""A band is a nominal 90 %: its ends are the 5 % and the 95 % points."""


@frozen
class Known:
    """One input of a computation."""

    path: str
    """Path of the answer in the workload, or a dotted name of the room's own."""
    label: Message
    estimate: Estimate
    source: Source | None = None

    @property
    def uncertain(self) -> bool:
        return self.estimate.low < self.estimate.high

    @property
    def name(self) -> str:
        """Its name in a formula: the last part of the path."""
        return self.path.rsplit(".", 1)[-1]

    def as_input(self) -> Input:
        """For the trace of what is computed from it."""
        return self._input

    @cached_property
    def _input(self) -> Input:
        e = self.estimate
        return Input(self.name, e.value, e.unit, e.basis, self.source, e.trace)


@frozen
class Inputs:
    """Inputs by path, in the order they were given."""

    known: Mapping[str, Known] = field(factory=dict)

    @staticmethod
    def of(items: Iterable[Known]) -> Inputs:
        return Inputs({item.path: item for item in items})

    def __getitem__(self, path: str) -> Estimate:
        return self.known[path].estimate

    def __contains__(self, path: object) -> bool:
        return path in self.known

    def joined(self, more: Iterable[Known]) -> Inputs:
        """These and `more`; a path given again is replaced."""
        return Inputs({**self.known, **{item.path: item for item in more}})

    @cached_property
    def uncertain(self) -> tuple[Known, ...]:
        """Those with a band, in order: the rows of `rows`."""
        return tuple(k for k in self.known.values() if k.uncertain)

    def centre(self) -> dict[str, FloatArray]:
        """Every input at its value, as arrays without a dimension."""
        return {path: np.float64(k.estimate.value) for path, k in self.known.items()}  # type: ignore[misc]

    def rows(self) -> dict[str, FloatArray]:
        """Shape (1 + 2n,) for the n uncertain inputs (the exact ones stay scalars): centre, low_1, high_1, low_2, ..."""
        return dict(self._rows)

    @cached_property
    def _rows(self) -> dict[str, FloatArray]:
        uncertain = self.uncertain
        values = self.centre()
        if uncertain:
            ends = np.array([(k.estimate.value, k.estimate.low, k.estimate.high) for k in uncertain])
            table = np.repeat(ends[:, :1], 1 + 2 * len(uncertain), axis=1)
            index = np.arange(len(uncertain))
            table[index, 1 + 2 * index], table[index, 2 + 2 * index] = ends[:, 1], ends[:, 2]
            table.flags.writeable = False
            values.update((k.path, row) for k, row in zip(uncertain, table, strict=True))
        return values

    @property
    def length(self) -> int:
        """Rows of `rows()`."""
        return 1 + 2 * len(self.uncertain)

    def draws(self, generator: np.random.Generator, count: int) -> dict[str, FloatArray]:
        """`count` independent draws of each uncertain input, shape (count,); 5 % fall below its low, 5 % above its high.

        Two half normals joined at the value, on a logarithmic scale where the input is positive; shares stay within 0..1
        and what cannot be negative stays at 0 or above.
        """
        values = self.centre()
        for item in self.uncertain:
            values[item.path] = _draw(item.estimate, generator.standard_normal(count) / Z90)
        return values

    def spread(self, rows: FloatArray, unit: str, trace: Trace | None = None, basis: Basis | None = None) -> Estimate:
        """The estimate behind an answer given for `rows()`. Shape (1 + 2n,) or a scalar (then it depends on no band)."""
        value, low, high = band(np.atleast_1d(rows))
        if basis is None:
            basis = trace_basis(trace) if trace else Basis.ASSUMED
        return Estimate(float(value), float(low), float(high), unit, basis, trace)

    def spreads(self, rows: Sequence[FloatArray], named: Sequence[tuple[str, Trace]]) -> tuple[Estimate, ...]:
        """As `spread`, for several answers at once: `named` is (unit, trace) of each."""
        table = np.empty((self.length, len(rows)))
        for i, column in enumerate(rows):
            table[:, i] = column
        ends = np.stack(band(table), axis=1).tolist()
        return tuple(
            Estimate(value, low, high, unit, trace_basis(trace), trace)
            for (value, low, high), (unit, trace) in zip(ends, named, strict=True)
        )

    def trace(self, key: str, formula: str, *paths: str, reference: str = "") -> Trace:
        """The trace of a formula over these inputs: those at `paths`, or those the formula names."""
        if not paths:
            named = set(_WORD.findall(formula))
            chosen = [k for k in self.known.values() if k.name in named]
        else:
            chosen = [self.known[p] for p in paths]
        return Trace(key, formula, tuple(k.as_input() for k in chosen), reference)


def trace_basis(trace: Trace) -> Basis:
    """As loose as the loosest input that has a basis."""
    return loosest(i.basis for i in trace.inputs)


def band(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Value, low and high along axis 0 of an answer given for `Inputs.rows()`; the other axes are kept.

    Deviations add in quadrature: of the logarithms where the answer is positive throughout (products of inputs known to a
    factor), of the values otherwise, and then a quantity that is never negative keeps its low end at 0.
    """
    centre = rows[0]
    if rows.shape[0] == 1:
        return centre, centre, centre
    smallest = rows.min(axis=0)
    positive = smallest > _NOTHING
    with np.errstate(divide="ignore", invalid="ignore"):
        down, up = _quadrature(np.log(np.where(rows > _NOTHING, rows, 1.0)))
        low_log, high_log = centre * np.exp(-down), centre * np.exp(up)
    down, up = _quadrature(rows)
    low, high = centre - down, centre + up
    low = np.where((smallest >= 0) & (low < 0), 0.0, low)
    return centre, np.where(positive, low_log, low), np.where(positive, high_log, high)


def _quadrature(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Root sums of squares of the falls and of the rises of each input's two rows."""
    centre, lows, highs = rows[0], rows[1::2], rows[2::2]
    down = centre - np.minimum(np.minimum(lows, highs), centre)
    up = np.maximum(np.maximum(lows, highs), centre) - centre
    return np.sqrt(np.sum(down**2, axis=0)), np.sqrt(np.sum(up**2, axis=0))


def _draw(estimate: Estimate, z: FloatArray) -> FloatArray:
    value, low, high = estimate.value, estimate.low, estimate.high
    if low > 0 and estimate.unit != RATIO:
        drawn = value * np.exp(np.where(z > 0, z * math.log(high / value), -z * math.log(low / value)))
    else:
        drawn = value + np.where(z > 0, z * (high - value), z * (value - low))
    floor = 0.0 if low >= 0 else -np.inf
    ceiling = 1.0 if estimate.unit == RATIO and high <= 1 else np.inf
    clipped: FloatArray = np.clip(drawn, floor, ceiling)
    return clipped
