"""The numbers of one workload: fit, speed, capacity and cost of its deployment, each or the reason why there is none."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from datetime import date
from threading import Lock
from typing import Final, TypeVar

from attrs import evolve, frozen

from engine import rooms
from engine.advice import deploying
from engine.advice.results import Placement
from engine.assumptions import Assumption, Ledger
from engine.capacity.results import CapacityResult
from engine.capacity.room import plan_of
from engine.catalogue.catalogue import Catalogue
from engine.consultation import Workload
from engine.cost.compare import HybridPair, OnDevice, cost, device_pays_above
from engine.cost.kinds import CostKind
from engine.cost.results import CostResult
from engine.deployment import Deployment
from engine.errors import WaypostError
from engine.estimate import Estimate
from engine.memory.results import FitResult
from engine.messages import Message, msg
from engine.speed.results import SpeedResult

T = TypeVar("T")

KIND_OF: Final[Mapping[Placement, CostKind]] = {
    Placement.CLOUD_API: CostKind.API,
    Placement.CLOUD_GPU: CostKind.RENTED_GPU,
    Placement.SEALED_CLOUD: CostKind.RENTED_GPU,
    Placement.ON_DEVICE: CostKind.ON_DEVICE,
    Placement.ON_PREMISE: CostKind.ON_PREMISE,
    Placement.DEVICE_CLOUD: CostKind.HYBRID,
    Placement.ON_PREMISE_CLOUD: CostKind.HYBRID,
    Placement.DEVICE_ON_PREMISE: CostKind.HYBRID,
}
"""How each placement is paid."""
HYBRID_OF: Final[Mapping[Placement, HybridPair]] = {
    Placement.DEVICE_CLOUD: (CostKind.ON_DEVICE, CostKind.API),
    Placement.ON_PREMISE_CLOUD: (CostKind.ON_PREMISE, CostKind.API),
    Placement.DEVICE_ON_PREMISE: (CostKind.ON_DEVICE, CostKind.ON_PREMISE),
}


@frozen
class Reckoned:
    """What the rooms said about one workload. `gaps`: room -> why it has no answer."""

    deployment: Deployment | None
    fit: FitResult | None
    speed: SpeedResult | None
    capacity: CapacityResult | None
    cost: CostResult | None
    gaps: tuple[tuple[str, Message], ...]
    device_pays_above: Estimate | None
    """Requests a month from which on-device costs less than a model API: the crossover of rule 4."""
    cheaper_cloud: Placement | None
    """Model API or rented accelerators, whichever costs clearly less a month."""
    on_device: bool
    """The deployment stands on the user's device."""

    @classmethod
    def of(
        cls,
        deployment: Deployment | None,
        fit: FitResult | None,
        speed: SpeedResult | None,
        sized: CapacityResult | None,
        priced: CostResult | None,
        gaps: list[tuple[str, Message]],
        on_device: bool = False,
    ) -> Reckoned:
        """The rooms' answers, and what the advice reads out of the prices."""
        crossover = device_pays_above(priced.model) if priced else None
        return cls(deployment, fit, speed, sized, priced, tuple(gaps), crossover, cheaper_cloud(priced), on_device)


@frozen
class Surroundings:
    """What every workload of one assessment shares."""

    catalogue: Catalogue
    as_of: date
    country: str | None = None


def cheaper_cloud(priced: CostResult | None) -> Placement | None:
    """Model API or rented accelerators, where both have a price and their bands do not meet."""
    if priced is None:
        return None
    monthly = {o.kind: o.per_month_usd for o in priced.options}
    api, rented = monthly.get(CostKind.API), monthly.get(CostKind.RENTED_GPU)
    if api is None or rented is None:
        return None
    if api.high < rented.low:
        return Placement.CLOUD_API
    return Placement.CLOUD_GPU if rented.high < api.low else None


KEPT: Final = 64
_Kept = tuple[Catalogue, Reckoned, tuple[Assumption, ...]]
_KEPT: OrderedDict[tuple[object, ...], _Kept] = OrderedDict()
_LOCK: Final = Lock()


def reckon(workload: Workload, placement: Placement | None, around: Surroundings, ledger: Ledger) -> Reckoned:
    """Ask every room about the workload under a placement. A refusal becomes a gap, never an exception; so do answers, each
    allowed by itself, that together leave the range of numbers.

    Kept for the last workloads by what the rooms read, so that an answer about data or offline use moves no number twice.
    """
    key = (*what_rooms_read(workload), placement, id(around.catalogue), around.as_of, around.country, ledger.origins)
    with _LOCK:
        held = _KEPT.get(key)
    if held is None or held[0] is not around.catalogue:
        own = Ledger(dict(ledger.origins))
        held = (around.catalogue, _reckon(workload, placement, around, own), own.entries)
    with _LOCK:
        _KEPT[key] = held
        _KEPT.move_to_end(key)
        if len(_KEPT) > KEPT:
            _KEPT.popitem(last=False)
    ledger.take(held[2])
    return held[1]


def what_rooms_read(workload: Workload) -> tuple[object, ...]:
    """The answers fit, speed, capacity and cost depend on. A test holds this list against the rooms."""
    w = workload
    return (
        w.profile,
        (w.readiness.load_minutes, w.readiness.load_balancer, w.readiness.canary_share, w.readiness.detection_minutes),
        w.readiness.rollback_minutes,
        w.readiness.batching,
        (w.immediacy.latency_budget_s, w.immediacy.round_trip_s, w.immediacy.actor),
        w.data.boundary,
        w.intelligence,
        w.scale,
        w.updates,
        w.circumstances.load_shape,
        w.demand,
        w.targets,
        w.hardware.owned,
        w.serving,
        w.budget,
    )


def _reckon(workload: Workload, placement: Placement | None, around: Surroundings, ledger: Ledger) -> Reckoned:
    gaps: list[tuple[str, Message]] = []
    choice = deploying.choose(workload, placement, around.catalogue, ledger)
    made = choice.deployment
    if made is None:
        reason = choice.reason or msg("advice.gap.fit")
        gaps += [("fit", reason), ("speed", reason), ("capacity", reason)]
        return Reckoned.of(None, None, None, None, _cost(workload, None, None, placement, around, ledger, gaps), gaps)
    fit, speed = _said("fit", rooms.fit_of(made), gaps), _said("speed", rooms.speed_of(made), gaps)
    if not deploying.on_device(workload, placement):
        sized = _capacity(workload, made, around.catalogue, ledger, gaps)
        return Reckoned.of(made, fit, speed, sized, _cost(workload, sized, made, placement, around, ledger, gaps), gaps)
    server = _server_beside(workload, made, around.catalogue)
    sized = _capacity(workload, server, around.catalogue, ledger, [])
    gaps.append(("capacity", msg("advice.gap.each_device_serves_itself")))
    priced = _cost(workload, sized, server, placement, around, ledger, gaps)
    return Reckoned.of(made, fit, speed, None, priced, gaps, on_device=True)


def _said(room: str, answer: T | Message, gaps: list[tuple[str, Message]]) -> T | None:
    """The answer, or None with its reason among the gaps."""
    if not isinstance(answer, Message):
        return answer
    gaps.append((room, answer))
    return None


def _server_beside(workload: Workload, made: Deployment, catalogue: Catalogue) -> Deployment | None:
    """The same model on a server: what on-device is compared with. Its values are nobody's assumption, so no ledger."""
    serving = evolve(
        workload.serving, model=made.model.id, weight_format=None, engine=None, concurrency=None, target_device=None
    )
    return deploying.choose(evolve(workload, serving=serving), Placement.CLOUD_GPU, catalogue, Ledger()).deployment


def _capacity(
    workload: Workload,
    made: Deployment | None,
    catalogue: Catalogue,
    ledger: Ledger,
    gaps: list[tuple[str, Message]],
) -> CapacityResult | None:
    if made is None:
        return None
    fit = _said("capacity", rooms.fit_of(made), gaps)
    if fit is None:
        return None
    try:
        return plan_of(workload, made, fit, catalogue, ledger)
    except WaypostError as error:
        gaps.append(("capacity", error.message))
    except (ValueError, ArithmeticError):
        gaps.append(("capacity", msg("advice.gap.beyond_reckoning")))
    return None


def _cost(
    workload: Workload,
    sized: CapacityResult | None,
    made: Deployment | None,
    placement: Placement | None,
    around: Surroundings,
    ledger: Ledger,
    gaps: list[tuple[str, Message]],
) -> CostResult | None:
    model = around.catalogue.models.get(deploying.device_model(workload))
    try:
        return cost(
            workload,
            sized,
            made if sized is not None else None,
            around.catalogue,
            ledger,
            around.as_of,
            country=around.country,
            explain=KIND_OF.get(placement) if placement else None,
            device=None if model is None else OnDevice(model),
            hybrid_of=HYBRID_OF.get(placement) if placement else None,
        )
    except WaypostError as error:
        gaps.append(("cost", error.message))
    except (ValueError, ArithmeticError):
        gaps.append(("cost", msg("advice.gap.beyond_reckoning")))
    return None
