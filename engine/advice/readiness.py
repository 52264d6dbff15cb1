"""Serving readiness: the five gaps between a model file and a service, what keeps the service alive, and who is hit when a new
version is bad. What is missing becomes the list of work.
"""

from __future__ import annotations

import enum
from typing import Final

from attrs import frozen

from engine.capacity import rollout
from engine.consultation import Waiting, Workload
from engine.estimate import Basis, Estimate, exact
from engine.messages import Message, Quantity, msg
from engine.units import RATIO, SECONDS, USERS

GAPS: Final = ("endpoint", "loading", "conversion", "scaling", "health")
"""In the order they are closed: nothing scales before it loads, nothing is healthy before it answers."""
KEEPING: Final = ("batching", "load_balancer", "versioning")
MONITORS: Final = ("monitors_latency", "monitors_errors", "monitors_utilisation", "monitors_quality")

USUAL_CANARY: Final = 0.05
CAREFUL_CANARY: Final = 0.10
SLOW_ROLLBACK_MINUTES: Final = 15.0
SLOW_DETECTION_MINUTES: Final = 30.0
ERROR_SHARE: Final = 0.01
UTILISATION_BAND: Final = (0.3, 0.8)
QUALITY_DROP: Final = 0.02
"""Thresholds offered where the customer has none: one failed request in a hundred, a device neither idle nor full, two points of
quality on a fixed sample."""


class State(enum.StrEnum):
    READY = "ready"
    MISSING = "missing"
    UNKNOWN = "unknown"


@frozen
class Check:
    """One thing a service needs, by the path of its question, with its state."""

    path: str
    state: State
    why: Message


@frozen
class Reading:
    """One of the four readings of a service, with the value from which someone is woken."""

    path: str
    state: State
    threshold: Message


@frozen
class ReadinessResult:
    gaps: tuple[Check, ...]
    keeping: tuple[Check, ...]
    readings: tuple[Reading, ...]
    exposure: tuple[tuple[str, Estimate], ...]
    """Requests and users a bad version reaches before it is taken back; empty while nobody said how much traffic there is."""
    closed: int
    """How many of the five gaps are closed."""


def state_of(answer: bool | None) -> State:
    if answer is None:
        return State.UNKNOWN
    return State.READY if answer else State.MISSING


def readiness(workload: Workload, requests_per_s: Estimate | None = None) -> ReadinessResult:
    """What is ready, missing and unknown. `requests_per_s`: the mean load, from the capacity room, for the exposure."""
    said = workload.readiness

    def check(name: str) -> Check:
        return Check(f"readiness.{name}", state_of(getattr(said, name)), msg(f"advice.readiness.{name}.why"))

    gaps = tuple(check(name) for name in GAPS)
    readings = tuple(
        Reading(f"readiness.{name}", state_of(getattr(said, name)), _threshold(name, workload)) for name in MONITORS
    )
    return ReadinessResult(
        gaps=gaps,
        keeping=tuple(check(name) for name in KEEPING),
        readings=readings,
        exposure=exposure(workload, requests_per_s),
        closed=sum(g.state is State.READY for g in gaps),
    )


def _threshold(name: str, workload: Workload) -> Message:
    """The alarm value of a reading: the promise to the users where there is one, else the usual one."""
    if name == "monitors_latency":
        return _latency_threshold(workload)
    if name == "monitors_errors":
        return msg("advice.readiness.threshold.errors", share=Quantity(ERROR_SHARE, RATIO))
    if name == "monitors_utilisation":
        low, high = (Quantity(v, RATIO) for v in UTILISATION_BAND)
        return msg("advice.readiness.threshold.utilisation", low=low, high=high)
    return msg("advice.readiness.threshold.quality", drop=Quantity(QUALITY_DROP, RATIO))


def _latency_threshold(workload: Workload) -> Message:
    if workload.profile.waiting is Waiting.BATCH:
        return msg("advice.readiness.threshold.batch")
    targets = workload.targets
    promised = targets.end_to_end_s or targets.time_to_first_token_s or workload.immediacy.latency_budget_s
    if promised is None:
        return msg("advice.readiness.threshold.latency.open")
    share = Quantity(targets.percentile or 0.95, RATIO)
    return msg("advice.readiness.threshold.latency", limit=Quantity(promised, SECONDS), percentile=share)


def exposure(workload: Workload, requests_per_s: Estimate | None) -> tuple[tuple[str, Estimate], ...]:
    """Requests and users a bad version reaches: canary share x traffic x (detection + rollback), see `capacity.rollout`."""
    said = workload.readiness
    share, minutes = said.canary_share, said.detection_minutes
    if requests_per_s is None or share is None or minutes is None:
        return ()
    users = workload.scale.users
    known = exact(users if users is not None else 0.0, USERS, Basis.DATASHEET)
    hit = rollout.exposure(requests_per_s, known, share, minutes, said.rollback_minutes or 0.0)
    figures = [("advice.figure.requests_hit", hit.requests)]
    if users is not None:
        figures.append(("advice.figure.users_hit", hit.people))
    return tuple(figures)
