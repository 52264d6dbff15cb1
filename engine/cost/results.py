"""What the cost room answers. USD inside."""

from __future__ import annotations

import enum

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from engine.estimate import Estimate
from engine.messages import Message


class CostKind(enum.StrEnum):
    API = "api"
    RENTED_GPU = "rented_gpu"
    ON_PREMISE = "on_premise"
    ON_DEVICE = "on_device"
    HYBRID = "hybrid"


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
    lines: tuple[CostLine, ...]
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


@frozen
class CostCurve:
    """Monthly cost against users. Arrays share one length; one row of `usd` an option, in the order of `kinds`."""

    users: npt.NDArray[np.float64] = field(eq=False)
    kinds: tuple[CostKind, ...]
    usd: npt.NDArray[np.float64] = field(eq=False)
    usd_low: npt.NDArray[np.float64] = field(eq=False)
    usd_high: npt.NDArray[np.float64] = field(eq=False)


@frozen
class Crossover:
    """Where two options cost the same. `axis`: users, requests, utilisation or months. `at` None: they never cross."""

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
    crossovers: tuple[Crossover, ...]
    sensitivities: tuple[Sensitivity, ...]
    usd_to_krw: Estimate
    cheapest: CostKind | None
