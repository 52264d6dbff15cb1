"""What the cost room answers. USD inside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from engine.capacity.results import INTERNAL
from engine.cost.kinds import CostKind
from engine.cost.model import CostModel
from engine.estimate import Estimate
from engine.messages import Message


@frozen
class CostLine:
    """One line of a bill. `upfront` lines are paid once, the others each month."""

    label: Message
    amount: Estimate
    upfront: bool = False


@frozen
class CostOption:
    """One way to pay for the workload. A missing price is asked for, never invented: then `per_month` is None."""

    kind: CostKind
    label: Message
    lines: Sequence[CostLine]
    upfront_usd: Estimate | None
    per_month_usd: Estimate | None
    """Running cost of a month plus the month's share of what is written off."""
    per_request_usd: Estimate | None
    per_mtok_usd: Estimate | None
    """Per million output tokens."""
    missing: tuple[Message, ...] = ()
    warnings: tuple[Message, ...] = ()
    """Old price, unverified price, converted currency."""
    user_battery_joules: Estimate | None = None
    """On-device: what an answer takes from the user's battery, shown apart."""
    running_usd: Estimate | None = None
    """Cash of a month: `per_month_usd` without what is written off."""
    served_share: Estimate | None = None
    """Share of the requests this option answers; below 1 on devices that not everybody has."""
    yearly_usd: Sequence[Estimate] = ()
    """Cash paid in all by the end of year 1, 2, ... 5, with the growth of the load."""


@frozen
class CostCurve:
    """Monthly cost against users. Arrays share one length; one row of `usd` an option, in the order of `kinds`."""

    users: npt.NDArray[np.float64] = field(eq=False)
    kinds: tuple[CostKind, ...]
    usd: npt.NDArray[np.float64] = field(eq=False)
    usd_low: npt.NDArray[np.float64] = field(eq=False)
    usd_high: npt.NDArray[np.float64] = field(eq=False)


class LateCurve(CostCurve):
    """A curve worked out when it is first drawn."""

    def __init__(self, make: Callable[[], CostCurve]) -> None:
        object.__setattr__(self, "_make", make)

    @cached_property
    def _made(self) -> CostCurve:
        made: CostCurve = self._make()  # type: ignore[attr-defined]
        return made

    @property
    def users(self) -> npt.NDArray[np.float64]:
        return self._made.users

    @property
    def kinds(self) -> tuple[CostKind, ...]:
        return self._made.kinds

    @property
    def usd(self) -> npt.NDArray[np.float64]:
        return self._made.usd

    @property
    def usd_low(self) -> npt.NDArray[np.float64]:
        return self._made.usd_low

    @property
    def usd_high(self) -> npt.NDArray[np.float64]:
        return self._made.usd_high


@frozen
class Crossover:
    """Where two options cost the same. `axis`: users, requests, utilisation or months.

    `at` None: they never cross and `cheaper_below` is the cheaper one throughout (months: the other never pays for itself).
    """

    cheaper_below: CostKind
    cheaper_above: CostKind
    axis: str
    at: Estimate | None
    message: Message


@frozen
class Sensitivity:
    """How far one input moves the monthly cost of the chosen option: the tornado."""

    path: str
    label: Message
    low_usd: float
    high_usd: float


@frozen
class CostResult:
    options: tuple[CostOption, ...]
    curve: CostCurve | None
    crossovers: Sequence[Crossover]
    sensitivities: Sequence[Sensitivity]
    usd_to_krw: Estimate
    cheapest: CostKind | None
    """Of those that have a price, by what an answered request costs."""
    variants: Sequence[CostOption] = ()
    """Other ways to pay inside a kind: spot, reserved, in the hours of use only, colocated, the other hybrid."""
    horizon_years: Estimate | None = None
    largest_assumptions: Sequence[Sensitivity] = ()
    """The ten inputs that move the bill of the option under discussion most; its tornado, cut."""
    explained: CostKind | None = None
    """The option that `sensitivities` speak about."""
    model: CostModel | None = field(default=None, eq=False, repr=False, metadata=INTERNAL)
    """The bills as a function of their inputs, for the Monte Carlo and for other questions."""

    def option(self, kind: CostKind) -> CostOption | None:
        """The option of that kind, None where it was not looked at."""
        return next((o for o in self.options if o.kind is kind), None)

    def crossover(self, one: CostKind, other: CostKind, axis: str) -> Crossover | None:
        """The crossover of those two on that axis, whichever is cheaper below; None where it was not looked for."""
        pair = {one, other}
        return next((c for c in self.crossovers if {c.cheaper_below, c.cheaper_above} == pair and c.axis == axis), None)
