"""What has to be done before the service is real, in order: what is missing first, then what the verdict asks for, then what has to
be found out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.advice.meaning import SITES, Site
from engine.advice.readiness import (
    CAREFUL_CANARY,
    SLOW_DETECTION_MINUTES,
    SLOW_ROLLBACK_MINUTES,
    USUAL_CANARY,
    ReadinessResult,
    State,
)
from engine.advice.results import Placement, PlacementVerdict, WorkItem
from engine.consultation import Boundary, Sensitivity, Workload
from engine.messages import Message, Quantity, msg
from engine.units import RATIO

ON_DEVICE_KEPT: Final = ("readiness.conversion", "readiness.versioning")
"""On a device there is no endpoint to open and nothing to balance: only these of the serving questions remain."""


class _Item(NamedTuple):
    rank: int
    title: Message
    why: Message
    path: str
    blocking: bool


def work_list(workload: Workload, verdict: PlacementVerdict, ready: ReadinessResult) -> tuple[WorkItem, ...]:
    """The ordered list. Blocking: without it the service cannot open."""
    items = [
        *_decide(verdict),
        *_for_placement(workload, verdict.chosen),
        *_gaps(ready, verdict.chosen),
        *_keeping(ready, verdict),
        *_rollout(workload, verdict.chosen),
        *_find_out(ready, verdict.chosen),
    ]
    items.sort(key=lambda item: item.rank)
    return tuple(WorkItem(n, i.title, i.why, i.path, i.blocking) for n, i in enumerate(items, 1))


def _item(rank: int, name: str, path: str, blocking: bool = False, **params: object) -> _Item:
    return _Item(rank, msg(f"advice.work.{name}", **params), msg(f"advice.work.{name}.why", **params), path, blocking)


def _decide(verdict: PlacementVerdict) -> Iterator[_Item]:
    if verdict.conflict is not None:
        yield _item(0, "resolve_conflict", verdict.conflict.path, True)
    elif verdict.chosen is None:
        yield _item(0, "answer_more", "immediacy.network_trust", True)


def _for_placement(workload: Workload, chosen: Placement | None) -> Iterator[_Item]:
    sites = SITES[chosen] if chosen else frozenset()
    yield from _before_cloud(workload, chosen, sites)
    if Site.DEVICE in sites:
        yield _item(12, "measure_on_device", "serving.target_device", True)
        if workload.scale.eligible_device_share is None:
            yield _item(13, "count_eligible_devices", "scale.eligible_device_share")
        if workload.updates.carrier is None:
            yield _item(32, "plan_download", "updates.carrier")
    if Site.PREMISE in sites and not (workload.circumstances.hardware_owned or workload.hardware.owned):
        yield _item(11, "buy_servers", "circumstances.procurement_months", True)
    if len(sites) > 1:
        yield _item(15, "build_router", "intelligence.hard_share", True)
        if workload.intelligence.hard_share is None:
            yield _item(14, "measure_hard_share", "intelligence.hard_share")


def _before_cloud(workload: Workload, chosen: Placement | None, sites: frozenset[Site]) -> Iterator[_Item]:
    if Site.CLOUD not in sites:
        return
    guarded = workload.data.boundary in (Boundary.ORGANISATION, Boundary.COUNTRY, Boundary.DEVICE)
    if chosen is Placement.SEALED_CLOUD or guarded:
        if workload.data.sealed_cloud_accepted is None:
            yield _item(10, "confirm_sealed_cloud", "data.sealed_cloud_accepted", True)
    elif workload.circumstances.contract_accepts_cloud is None:
        sensitive = workload.data.sensitivity not in (Sensitivity.PUBLIC, None)
        yield _item(10, "check_contract", "circumstances.contract_accepts_cloud", sensitive)
    if workload.data.boundary is None:
        yield _item(10, "settle_boundary", "data.boundary", True)
    if workload.data.regulations:
        yield _item(10, "ask_compliance", "data.regulations", True)


def _gaps(ready: ReadinessResult, chosen: Placement | None) -> Iterator[_Item]:
    for n, gap in enumerate(ready.gaps):
        if gap.state is State.MISSING and _counts(gap.path, chosen):
            yield _named(20 + n, gap.path, gap.why, True)


def _keeping(ready: ReadinessResult, verdict: PlacementVerdict) -> Iterator[_Item]:
    for n, check in enumerate(ready.keeping):
        balancer_idle = check.path.endswith("load_balancer") and verdict.batch
        if check.state is State.MISSING and _counts(check.path, verdict.chosen) and not balancer_idle:
            yield _named(33 + n, check.path, check.why, False)
    for n, reading in enumerate(ready.readings):
        if reading.state is State.MISSING:
            yield _Item(40 + n, msg(f"advice.work.{_name(reading.path)}"), reading.threshold, reading.path, False)


def _rollout(workload: Workload, chosen: Placement | None) -> Iterator[_Item]:
    said = workload.readiness
    if chosen is Placement.CLOUD_API:
        return
    if said.canary_share is None:
        yield _item(50, "set_canary", "readiness.canary_share", share=Quantity(USUAL_CANARY, RATIO))
    elif said.canary_share > CAREFUL_CANARY:
        yield _item(50, "shrink_canary", "readiness.canary_share", share=Quantity(said.canary_share, RATIO))
    if said.detection_minutes is not None and said.detection_minutes > SLOW_DETECTION_MINUTES:
        minutes = Quantity(said.detection_minutes, "min")
        yield _item(51, "detect_sooner", "readiness.detection_minutes", minutes=minutes)
    if said.rollback_minutes is None:
        yield _item(52, "rehearse_rollback", "readiness.rollback_minutes")
    elif said.rollback_minutes > SLOW_ROLLBACK_MINUTES:
        minutes = Quantity(said.rollback_minutes, "min")
        yield _item(52, "roll_back_sooner", "readiness.rollback_minutes", minutes=minutes)
    if said.load_minutes is None and said.scaling is not False:
        yield _item(53, "measure_load_time", "readiness.load_minutes")


def _find_out(ready: ReadinessResult, chosen: Placement | None) -> Iterator[_Item]:
    """What nobody has said yet is work too: the work of asking."""
    unknown = [c for c in (*ready.gaps, *ready.keeping) if c.state is State.UNKNOWN and _counts(c.path, chosen)]
    for n, check in enumerate(unknown):
        why = msg("advice.work.find_out.why", reason=check.why)
        yield _Item(
            60 + n, msg("advice.work.find_out", topic=msg(f"advice.work.{_name(check.path)}")), why, check.path, False
        )
    if any(r.state is State.UNKNOWN for r in ready.readings):
        missing = tuple(msg(f"advice.work.{_name(r.path)}") for r in ready.readings if r.state is State.UNKNOWN)
        first = next(r.path for r in ready.readings if r.state is State.UNKNOWN)
        yield _Item(
            70,
            msg("advice.work.find_out_monitoring"),
            msg("advice.work.find_out_monitoring.why", readings=missing),
            first,
            False,
        )


def _counts(path: str, chosen: Placement | None) -> bool:
    """Whether a serving question matters where the verdict puts the work."""
    if chosen is Placement.ON_DEVICE:
        return path in ON_DEVICE_KEPT
    if chosen is Placement.CLOUD_API:
        return path in ("readiness.conversion", "readiness.endpoint", "readiness.health", "readiness.versioning")
    return True


def _named(rank: int, path: str, why: Message, blocking: bool) -> _Item:
    return _Item(rank, msg(f"advice.work.{_name(path)}"), why, path, blocking)


def _name(path: str) -> str:
    return path.removeprefix("readiness.")
