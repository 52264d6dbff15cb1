"""What else an answer could be: the values tried by flips, by the way out of a conflict, by the next question and by stability."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from engine.advice.rules import RULES
from engine.consultation import (
    Actor,
    Boundary,
    DeviceClass,
    DownloadCarrier,
    Intelligence,
    LoadShape,
    NetworkTrust,
    OfflineNeed,
    Sensitivity,
    Skills,
    Waiting,
)
from engine.messages import Message, Quantity, msg
from engine.questions import Kind, Question, question

CHOICES: Final[Mapping[str, type[enum.StrEnum]]] = {
    "profile.waiting": Waiting,
    "profile.device_class": DeviceClass,
    "immediacy.actor": Actor,
    "immediacy.network_trust": NetworkTrust,
    "data.boundary": Boundary,
    "data.sensitivity": Sensitivity,
    "intelligence.hardness": Intelligence,
    "updates.carrier": DownloadCarrier,
    "offline.need": OfflineNeed,
    "circumstances.skills": Skills,
    "circumstances.load_shape": LoadShape,
}
ORDERED: Final = frozenset(
    {
        "immediacy.network_trust",
        "data.boundary",
        "data.sensitivity",
        "intelligence.hardness",
        "offline.need",
        "circumstances.skills",
    }
)
"""Choices on a scale: a neighbour is nearer than a far end."""

NATURE: Final = frozenset({"profile.waiting", "profile.device_class"})
"""What the work is: another answer would be other work, so it is far away."""

PLAUSIBLE: Final[Mapping[str, tuple[float, ...]]] = {
    "immediacy.latency_budget_s": (0.02, 0.1, 0.5, 3.0),
    "immediacy.round_trip_s": (0.01, 0.05, 0.2),
    "immediacy.speed_m_per_s": (1.5, 27.8),
    "immediacy.outage_s": (0.0, 60.0, 3600.0),
    "intelligence.hard_share": (0.0, 0.2, 0.6),
    "scale.users": (300.0, 20_000.0, 5e6),
    "scale.requests_per_user_day": (1.0, 5.0, 30.0),
    "scale.eligible_device_share": (0.3, 0.7, 0.95),
    "updates.update_interval_days": (3.0, 30.0, 90.0, 365.0),
    "updates.download_limit_bytes": (2e8, 2e9, 8e9),
    "circumstances.data_gravity_bytes": (1e11, 1e13, 1e15),
    "circumstances.procurement_months": (1.0, 4.0, 12.0),
}
"""What customers usually say to a number nobody has said yet: the points an unanswered question is tried at."""

PRIORS: Final[Mapping[str, Mapping[str, float]]] = {
    "profile.waiting": {"online": 0.8, "batch": 0.2},
    "profile.device_class": {"phone": 0.35, "pc": 0.35, "server": 0.3},
    "immediacy.actor": {"person": 0.8, "machine": 0.2},
    "immediacy.network_trust": {"reliable": 0.6, "patchy": 0.3, "none": 0.1},
    "data.boundary": {"device": 0.1, "organisation": 0.35, "country": 0.15, "none": 0.4},
    "data.sensitivity": {"public": 0.1, "internal": 0.3, "personal": 0.35, "regulated": 0.2, "secret": 0.05},
    "intelligence.hardness": {"narrow": 0.35, "medium": 0.45, "frontier": 0.2},
    "offline.need": {"no": 0.65, "basics": 0.2, "full": 0.15},
    "scale.shared_state": {"yes": 0.15, "no": 0.85},
    "scale.compute_paid_by_user": {"yes": 0.3, "no": 0.7},
    "offline.closed_network": {"yes": 0.1, "no": 0.9},
    "circumstances.contract_accepts_cloud": {"yes": 0.75, "no": 0.25},
    "circumstances.audit_needed": {"yes": 0.4, "no": 0.6},
    "circumstances.hardware_owned": {"yes": 0.3, "no": 0.7},
    "circumstances.load_shape": {"steady": 0.25, "office_hours": 0.4, "spiky": 0.2, "rare": 0.15},
    "circumstances.skills": {"none": 0.35, "some": 0.45, "team": 0.2},
}
"""How often an answer is heard (judgement, not a survey). A choice not named here is not tried unless the customer brings it up;
a question not named here has answers equally likely."""


@cache
def placement_paths() -> tuple[str, ...]:
    """Every question the placement depends on, in the order of the walk."""
    own = ["profile.waiting", "profile.device_class"]
    return (*own, *(p for rule in RULES for p in rule.paths if p != "data.regulations"))


@cache
def asked(path: str) -> Question:
    return question(path)


def plausible(path: str) -> tuple[Any, ...]:
    """The answers a customer may give to a question still open."""
    kind = asked(path).kind
    if kind is Kind.CHOICE:
        named = PRIORS.get(path)
        return tuple(value for value in CHOICES[path] if named is None or str(value) in named)
    if kind is Kind.FLAG:
        return (True, False)
    return PLAUSIBLE[path]


def likelihoods(path: str) -> tuple[float, ...]:
    """How likely each of the plausible answers is; they add up to 1."""
    values, named = plausible(path), PRIORS.get(path)
    if named is None:
        return (1.0 / len(values),) * len(values)
    return tuple(named[{True: "yes", False: "no"}[v] if isinstance(v, bool) else str(v)] for v in values)


def others(path: str, before: Any) -> tuple[Any, ...]:
    """The other answers of a choice or a flag a flip is looked for among."""
    every = asked(path).kind is Kind.CHOICE and path not in NATURE
    values = tuple(CHOICES[path]) if every else plausible(path)
    return tuple(value for value in values if value != before)


def distance(path: str, before: Any, after: Any) -> float:
    """How far an answer has moved, 0 near to 1 far. Numbers: decades, three of them count as far; scales: steps; else 0.5."""
    kind = asked(path).kind
    if kind is Kind.FLAG:
        return 0.4
    if kind is Kind.CHOICE:
        if path not in ORDERED:
            return 0.9 if path in NATURE else 0.5
        members = list(CHOICES[path])
        return abs(members.index(before) - members.index(after)) / max(len(members) - 1, 1)
    if kind is Kind.SHARE:
        return min(abs(float(after) - float(before)), 1.0)
    if float(before) <= 0.0 or float(after) <= 0.0:
        return 1.0
    return min(abs(math.log10(float(after) / float(before))) / 3.0, 1.0)


def steps(path: str, value: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Values below and above a number, near to far: where a flip is looked for before its edge is closed in on."""
    q = asked(path)
    if q.kind is Kind.SHARE:
        down = tuple(round(value - d, 6) for d in (0.1, 0.3, 0.6) if value - d > 0)
        up = tuple(round(value + d, 6) for d in (0.1, 0.3, 0.6) if value + d < 1)
        return ((*down, 0.0) if value > 0 else ()), ((*up, 1.0) if value < 1 else ())
    start = value if value > 0 else 1.0
    low, high = q.minimum or 0.0, q.maximum or math.inf
    factors = (2.0, 10.0, 100.0, 1000.0)
    down = tuple(start / f for f in factors if start / f > low) if value > 0 else ()
    return down, tuple(start * f for f in factors if start * f < high)


def said(path: str, value: Any) -> Message:
    """An answer in the words of its question."""
    q = asked(path)
    if value is None:
        return msg("advice.value.unknown")
    if q.kind is Kind.CHOICE:
        return q.choice_title(str(value))
    if q.kind is Kind.FLAG:
        return msg("flag.yes" if value else "flag.no")
    return msg("advice.value.number", value=Quantity(float(value), q.unit))
