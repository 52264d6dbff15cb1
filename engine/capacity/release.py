"""The rollout of one workload: canary, fix and download with the customer's own traffic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.assumptions import Ledger
from engine.capacity.assumed import PLANNING, assumed
from engine.capacity.demand import Demand, DemandResult
from engine.capacity.results import Reach, RolloutResult
from engine.capacity.rollout import (
    CLOUD,
    ILLUSTRATIVE,
    download,
    exposure,
    measured_curves,
    minutes_to_notice,
    requests_to_notice,
)
from engine.catalogue.catalogue import Catalogue
from engine.catalogue.rows import RolloutFact
from engine.consultation import Workload
from engine.estimate import Basis, Estimate, Input, Trace
from engine.messages import Message, Quantity, msg
from engine.questions import question
from engine.units import COUNT, MEGA, RATIO, REQUESTS_PER_S, SECONDS, USERS

_TABLES: Final = 8
CANARY: Final = "readiness.canary_share"
DETECTION: Final = "readiness.detection_minutes"
ROLLBACK: Final = "readiness.rollback_minutes"

USUAL_FAILURES: Final = 0.01
FAULTY_FAILURES: Final = 0.03
"""What a canary must tell apart: one failed answer in a hundred from three."""
_LINK_BIT_PER_S: Final = (96 * MEGA, 20 * MEGA, 400 * MEGA)
"""A phone's download: mean LTE in Korea, a thin line, 5G on a train (rollout.csv, kr-5g-time)."""


def rollout_of(
    workload: Workload,
    demand: Demand,
    catalogue: Catalogue,
    ledger: Ledger,
    model_bytes: float | None = None,
    asked: DemandResult | None = None,
) -> RolloutResult:
    """Who a bad version reaches, how fast a fix spreads, what the download asks.

    `model_bytes`: file on the user's device. `asked`: the demand where it was worked out already.
    """
    result = asked or demand.result(None)
    share = _said(workload, ledger, CANARY, (0.05, 0.01, 0.2), RATIO)
    detection = _said(workload, ledger, DETECTION, (30, 10, 120), COUNT)
    rollback = _said(workload, ledger, ROLLBACK, (15, 5, 60), COUNT)
    traffic = result.requests_per_s_mean
    users = demand.inputs["scale.users"]
    hit = exposure(
        Estimate(traffic.value, traffic.low, traffic.high, REQUESTS_PER_S, traffic.basis, traffic.trace),
        Estimate(users.value, users.low, users.high, USERS, users.basis, users.trace),
        share.value,
        detection.value,
        rollback.value,
    )
    notice = _minutes(traffic, share.value)
    least = _least_share(traffic, detection.value)
    fetched = download(model_bytes, assumed(_LINK_BIT_PER_S, COUNT)) if model_bytes else None
    return RolloutResult(
        canary_share=share,
        exposure=hit,
        minutes_to_notice=notice,
        least_canary_share=least,
        reach=_reach(catalogue.rollout),
        download=fetched,
        notes=_notes(notice, least, share, detection),
    )


_READ: Final[dict[int, tuple[Mapping[str, RolloutFact], tuple[Reach, ...]]]] = {}


def _reach(facts: Mapping[str, RolloutFact]) -> tuple[Reach, ...]:
    """The curves of a table, read once while the table lives; the table is kept with them, so that its identity is not reused."""
    held = _READ.get(id(facts))
    if held is None:
        if len(_READ) >= _TABLES:
            _READ.clear()
        read = tuple(curve.read() for curve in (CLOUD, ILLUSTRATIVE, *measured_curves(facts.values())))
        held = _READ[id(facts)] = (facts, read)
    return held[1]


def _said(workload: Workload, ledger: Ledger, path: str, usual: tuple[float, float, float], unit: str) -> Estimate:
    return ledger.value(workload, path, assumed(usual, unit), question(path).short, None, PLANNING)


def _minutes(traffic: Estimate, share: float) -> Estimate | None:
    ends = [
        minutes_to_notice(rate, share, USUAL_FAILURES, FAULTY_FAILURES)
        for rate in (traffic.value, traffic.high, traffic.low)
    ]
    if any(end is None for end in ends):
        return None
    value, low, high = (60 * end for end in ends if end is not None)
    inputs = (
        Input("requests_needed", requests_to_notice(USUAL_FAILURES, FAULTY_FAILURES) or 0.0, COUNT, Basis.DATASHEET),
        Input("traffic", traffic.value, traffic.unit, traffic.basis, None, traffic.trace),
        Input("canary_share", share, RATIO, Basis.DATASHEET),
    )
    trace = Trace("capacity.trace.notice", "requests_needed / (traffic * canary_share)", inputs, "Fleiss 1981, ch. 3")
    return Estimate(value, low, high, SECONDS, traffic.basis, trace)


def _least_share(traffic: Estimate, detection_minutes: float) -> Estimate | None:
    needed = requests_to_notice(USUAL_FAILURES, FAULTY_FAILURES)
    if needed is None or detection_minutes <= 0:
        return None

    def share(rate: float) -> float:
        return min(needed / (rate * detection_minutes * 60), 1.0) if rate > 0 else 1.0

    if traffic.value * detection_minutes * 60 < needed:
        return None
    return Estimate(share(traffic.value), share(traffic.high), share(traffic.low), RATIO, traffic.basis)


def _notes(
    notice: Estimate | None, least: Estimate | None, share: Estimate, detection: Estimate
) -> tuple[Message, ...]:
    if least is None:
        return (msg("capacity.note.too_few_to_notice"),)
    if notice is not None and notice.value > detection.value * 60:
        return (
            msg(
                "capacity.note.canary_too_small",
                share=Quantity(share.value, RATIO),
                needed=notice,
                least=least,
            ),
        )
    return ()
