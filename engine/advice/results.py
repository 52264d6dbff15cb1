"""What the advice room answers."""

from __future__ import annotations

import enum
from typing import Any

from attrs import frozen

from engine.estimate import Estimate
from engine.messages import Message


class Placement(enum.StrEnum):
    """Where a workload may run."""

    CLOUD_API = "cloud_api"
    CLOUD_GPU = "cloud_gpu"
    SEALED_CLOUD = "sealed_cloud"
    ON_DEVICE = "on_device"
    ON_PREMISE = "on_premise"
    DEVICE_CLOUD = "device_cloud"
    ON_PREMISE_CLOUD = "on_premise_cloud"
    DEVICE_ON_PREMISE = "device_on_premise"


class Rule(enum.StrEnum):
    """The six rules in the order they are asked, then what else competent people weigh."""

    IMMEDIACY = "immediacy"
    DATA = "data"
    INTELLIGENCE = "intelligence"
    SCALE = "scale"
    UPDATES = "updates"
    OFFLINE = "offline"
    CIRCUMSTANCES = "circumstances"


@frozen
class Effect:
    """What a rule does to one placement. `weight` above 0 favours it, below 0 speaks against it; excluded wins."""

    placement: Placement
    weight: float
    excluded: bool
    reason: Message


@frozen
class RuleFinding:
    """One rule applied: its sentence, its effects, its numbers."""

    rule: Rule
    answered: bool
    headline: Message
    effects: tuple[Effect, ...]
    figures: tuple[tuple[str, Estimate], ...] = ()
    """Key of the figure's name -> figure: round trip, metres blind, crossover, reach."""


@frozen
class RankedPlacement:
    placement: Placement
    score: float
    """0..1, relative to the best; 0 for the excluded."""
    excluded: bool
    reasons: tuple[tuple[Rule, Message], ...]
    """Why it stands where it stands; for the excluded, what excludes it first."""


class VerdictKind(enum.StrEnum):
    CLEAR = "clear"
    CLOSE = "close"
    DEFAULT_HYBRID = "default_hybrid"
    CONFLICT = "conflict"
    OPEN = "open"
    """Too little is answered to recommend anything."""


@frozen
class Conflict:
    """Everything is ruled out: which requirements contradict each other and the smallest change that resolves it."""

    requirements: tuple[tuple[Rule, Message], ...]
    way_out: Message
    path: str
    value: Any
    """The answer to change and to what, so that the window can offer it."""
    second: tuple[str, Any] | None = None
    """A second answer (path, value) that must change with it, when no single change is enough."""


@frozen
class HybridDesign:
    """A hybrid designed, not only named."""

    stays: Message
    goes: Message
    routing_share: Estimate
    """Share of the requests that leave the near side."""
    without_network: Message
    privacy: Message


@frozen
class Review:
    """When to look again and what would reopen the decision."""

    months: int
    reopeners: tuple[Message, ...]


@frozen
class StageVerdict:
    stage_id: str
    name: str
    placement: Placement | None
    reason: Message


@frozen
class PlacementVerdict:
    kind: VerdictKind
    chosen: Placement | None
    batch: bool
    """Nobody waits: served in batches."""
    headline: Message
    ranked: tuple[RankedPlacement, ...]
    rules: tuple[RuleFinding, ...]
    conflict: Conflict | None
    hybrid: HybridDesign | None
    stages: tuple[StageVerdict, ...]
    review: Review
    stability: Estimate | None = None
    """Share of plausible inputs that keep the verdict; None until it was simulated."""
    answered: int = 0
    asked: int = 0


@frozen
class ChipOption:
    """One kind of machine for the workload, with what it does and costs."""

    family: str
    """gpu, cpu, tpu, lpu, npu, phone"""
    device: str | None
    count: Estimate | None
    score: float
    excluded: bool
    fits: bool | None
    decode_tokens_per_s: Estimate | None
    throughput_tokens_per_s: Estimate | None
    power_w: Estimate | None
    usd_per_month: Estimate | None
    usd_per_mtok: Estimate | None
    reasons: tuple[Message, ...]
    checks: tuple[Message, ...]
    """What to check first before promising it."""


@frozen
class Flip:
    """The nearest change of one answer that changes the verdict; computed by asking again."""

    path: str
    before: Any
    after: Any
    unit: str
    placement: Placement | None
    """The verdict after the change (None: a conflict)."""
    chip: str | None
    message: Message
    distance: float
    """0 near .. 1 far; sorts the list."""


@frozen
class NextQuestion:
    """The unanswered question most able to change the verdict."""

    path: str
    value_of_information: float
    """0..1: share of its plausible answers that would change the verdict, weighted."""
    message: Message
    """What may change, in words."""


@frozen
class WorkItem:
    """One thing to do before the service is real, in order."""

    order: int
    title: Message
    why: Message
    path: str
    blocking: bool
