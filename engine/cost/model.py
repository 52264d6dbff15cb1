"""The cost of all options as one function of many inputs, written for arrays.

One evaluation answers for a single point, for the curve over users, for the band and the tornado (`Inputs.rows`) and for the
Monte Carlo (`Inputs.draws`): the same lines, the same formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final, Protocol

import numpy as np
from attrs import field, frozen

from engine.capacity.demand import Demand, Load
from engine.capacity.plan import work_of
from engine.capacity.sizing import Sizing
from engine.cost.kinds import CostKind
from engine.inputs import FloatArray, Inputs, Values
from engine.messages import Message
from engine.units import SECONDS_PER_HOUR


@frozen
class Fleet:
    """The replicas of the deployment under discussion, for any load."""

    sizing: Sizing
    batch: float
    spares: int
    devices_per_replica: int

    def replicas(self, rate: FloatArray, work: FloatArray) -> FloatArray:
        """With their spares."""
        return self.sizing.replicas(rate, work) + self.spares

    @property
    def rate_per_replica(self) -> float:
        """Requests a second of a full replica, for the lengths and the speed of the curve."""
        return float(self.sizing.curve.requests_per_s[self.sizing.index(self.batch)])


class Point:
    """Values of the inputs and what every option needs of them, each computed once."""

    def __init__(
        self,
        demand: Demand,
        fleet: Fleet | None,
        values: Values,
        users: FloatArray | None = None,
        share: FloatArray | float = 1.0,
    ) -> None:
        """`users`: other user numbers, broadcast against the values. `share`: of the requests that come here."""
        self.demand, self.fleet, self.values, self._users, self._share = demand, fleet, values, users, share

    def __getitem__(self, path: str) -> FloatArray:
        return self.values[path]

    def part(self, share: FloatArray | float) -> Point:
        """The same point with only that share of the requests."""
        return Point(self.demand, self.fleet, self.values, self._users, self._share * np.asarray(share))

    @cached_property
    def users(self) -> FloatArray:
        """People behind the requests."""
        users = self.values["scale.users"]
        if self._users is not None:
            users = users * self._users / self.demand.inputs["scale.users"].value
        return np.asarray(users, dtype=np.float64)

    @cached_property
    def load(self) -> Load:
        whole = self.demand.load(self.values, self._users)
        s = self._share
        return Load(
            whole.requests_per_month * s,
            whole.mean_per_s * s,
            whole.peak_per_s * s,
            whole.input_tokens_per_month * s,
            whole.output_tokens_per_month * s,
        )

    @cached_property
    def work(self) -> FloatArray:
        """Service of a request over that of the speed curve: longer lengths, a slower machine."""
        assert self.fleet is not None
        return work_of(self.fleet.sizing, self.fleet.batch, self.demand, self.values)

    @cached_property
    def replicas(self) -> FloatArray:
        """For the peak, with their spares. Needs a fleet."""
        assert self.fleet is not None
        return self.fleet.replicas(self.load.peak_per_s, self.work)

    @cached_property
    def busy_replica_hours(self) -> FloatArray:
        """Replica hours a month that the requests fill."""
        assert self.fleet is not None
        return self.load.requests_per_month * self.work / (self.fleet.rate_per_replica * SECONDS_PER_HOUR)


@frozen
class Line:
    """One line of a bill at a point."""

    label: Message
    usd: FloatArray = field(eq=False)
    formula: str
    paths: tuple[str, ...]
    """Inputs in the formula besides the load; for the trace."""
    upfront: bool = False
    written_off: bool = False
    """A month's share of what was bought: a cost, but no cash."""


class Option(Protocol):
    """One way to pay for the workload."""

    @property
    def kind(self) -> CostKind: ...

    @property
    def label(self) -> Message: ...

    def lines(self, point: Point) -> tuple[Line, ...]:
        """Every line at the point; arrays of the point's shape (or scalars)."""
        ...

    def served(self, point: Point) -> FloatArray | float:
        """Share of the requests this option answers; the rest is not served."""
        ...


@frozen
class Bill:
    """An option's lines added up, arrays of one shape."""

    upfront: FloatArray = field(eq=False)
    running: FloatArray = field(eq=False)
    """Cash of a month."""
    monthly: FloatArray = field(eq=False)
    """Running and what is written off."""
    per_request: FloatArray = field(eq=False)
    """Of the requests it answers."""


def add_up(lines: tuple[Line, ...], point: Point, served: FloatArray | float) -> Bill:
    """Totals of an option at a point."""
    upfront = running = written_off = _NOTHING
    for line in lines:
        if line.upfront:
            upfront = upfront + line.usd
        elif line.written_off:
            written_off = written_off + line.usd
        else:
            running = running + line.usd
    monthly = running + written_off
    return Bill(upfront, running, monthly, monthly / np.maximum(point.load.requests_per_month * served, NONE_ANSWERED))


_NOTHING: Final[FloatArray] = np.zeros(())
NONE_ANSWERED: Final = 1e-6
"""Requests a month below which nobody is answered: a cost for each of them says nothing."""


def bill_of(option: Option, point: Point) -> Bill:
    return add_up(option.lines(point), point, option.served(point))


@frozen
class CostModel:
    """All priced options of a workload over one set of inputs."""

    inputs: Inputs
    demand: Demand
    fleet: Fleet | None
    options: Mapping[CostKind, Option]

    def point(self, values: Values, users: FloatArray | None = None) -> Point:
        return Point(self.demand, self.fleet, values, users)

    def bill(self, kind: CostKind, point: Point) -> Bill:
        return bill_of(self.options[kind], point)

    def bills(self, point: Point) -> dict[CostKind, Bill]:
        return {kind: self.bill(kind, point) for kind in self.options}

    def over_users(self, users: FloatArray, values: Values | None = None) -> Point:
        """A point at many user numbers: users along the last axis, rows of the inputs before it.

        The number of users itself is the axis here and has no band.
        """
        rows = dict(self.inputs.rows() if values is None else values)
        rows["scale.users"] = np.asarray(self.inputs["scale.users"].value)
        return self.point(widened(rows), np.asarray(users, dtype=np.float64))


def widened(values: Values) -> dict[str, FloatArray]:
    """Every array with one more axis at its end, for users, years or months."""
    return {path: np.asarray(v)[..., None] if np.ndim(v) else v for path, v in values.items()}
