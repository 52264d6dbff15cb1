"""Short ways to say a workload in a test."""

from __future__ import annotations

from typing import Any

from engine.advice.answers import Answers
from engine.advice.ballot import Ballot
from engine.advice.meaning import ORDER
from engine.advice.rules import RULES, Context
from engine.advice.rules.base import RuleOf
from engine.consultation import Workload
from engine.edits import put

SHORT = {
    "class": "profile.device_class",
    "waiting": "profile.waiting",
    "actor": "immediacy.actor",
    "trust": "immediacy.network_trust",
    "budget": "immediacy.latency_budget_s",
    "trip": "immediacy.round_trip_s",
    "speed": "immediacy.speed_m_per_s",
    "outage": "immediacy.outage_s",
    "boundary": "data.boundary",
    "sensitivity": "data.sensitivity",
    "sealed": "data.sealed_cloud_accepted",
    "hardness": "intelligence.hardness",
    "hard": "intelligence.hard_share",
    "users": "scale.users",
    "requests": "scale.requests_per_user_day",
    "eligible": "scale.eligible_device_share",
    "shared": "scale.shared_state",
    "user_pays": "scale.compute_paid_by_user",
    "every": "updates.update_interval_days",
    "download": "updates.download_limit_bytes",
    "carrier": "updates.carrier",
    "offline": "offline.need",
    "closed": "offline.closed_network",
    "contract": "circumstances.contract_accepts_cloud",
    "audit": "circumstances.audit_needed",
    "owned": "circumstances.hardware_owned",
    "skills": "circumstances.skills",
    "load": "circumstances.load_shape",
    "gravity": "circumstances.data_gravity_bytes",
    "buying": "circumstances.procurement_months",
    "target": "serving.target_device",
}


def workload(name: str = "w", **said: Any) -> Workload:
    """A workload from short names: workload(trust="none", boundary="device")."""
    made = Workload(name)
    for short, value in said.items():
        made = put(made, SHORT[short], value)
    return made


def answers(guessed: tuple[str, ...] = (), **said: Any) -> Answers:
    """The same as the advice reads it; `guessed` names short names whose answers are guesses."""
    from engine.advice.answers import answers_of
    from engine.consultation import Origin

    return answers_of(workload(**said), {SHORT[g]: Origin.GUESSED for g in guessed})


def rule(name: str) -> RuleOf:
    return next(r for r in RULES if r.rule.value == name)


def row(rule_name: str, context: Context, **said: Any) -> str:
    """What one rule says, as a line: API GPU sealed device premise device+cloud premise+cloud device+premise."""
    ballot = Ballot()
    rule(rule_name).weigh(answers(**said), context, ballot)
    cells = ("x" if ballot.excluded[i] else f"{ballot.weights[i]:g}" for i in range(len(ORDER)))
    return " ".join(cells)
