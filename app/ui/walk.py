"""The window's pages: the walk of engine.flow, with the pages of a step that are asked together set on one screen. No Qt."""

from __future__ import annotations

import enum
from typing import Final

from attrs import frozen

from engine import flow
from engine.consultation import Workload
from engine.questions import Question
from engine.questions.types import Step


@frozen
class Stop:
    """One screen of the walk and the pages of engine.flow it holds."""

    key: str
    step: Step
    groups: tuple[str, ...]


RULE_GROUPS: Final = ("immediacy", "data", "intelligence", "scale", "updates", "offline", "circumstances")
RULES: Final = RULE_GROUPS[:6]

STOPS: Final[tuple[Stop, ...]] = (
    Stop("customer", Step.CUSTOMER, ("customer",)),
    Stop("work", Step.CUSTOMER, ("waiting", "work")),
    Stop("readiness", Step.READINESS, ("gaps", "serving", "monitoring", "rollout")),
    *(Stop(f"rules.{group}", Step.RULES, (group,)) for group in RULE_GROUPS),
    Stop("hardware", Step.HARDWARE, ("purpose", "speed", "flexibility", "software", "machines")),
    Stop("memory", Step.MEMORY, ("model", "device", "on_device")),
    Stop("speed", Step.SPEED, ("lengths",)),
    Stop("capacity", Step.CAPACITY, ("demand", "targets")),
    Stop("cost", Step.COST, ("horizon", "cloud", "on_premise", "on_device")),
    Stop("proposal", Step.PROPOSAL, ("proposal",)),
)
TOOLS: Final = ("scenarios", "probe", "ask", "catalogue")
HISTORY: Final = "history"
PAGES: Final = (HISTORY, *(stop.key for stop in STOPS), *TOOLS)


class State(enum.StrEnum):
    """How far a step has come."""

    OPEN = "open"
    STARTED = "started"
    DONE = "done"


def stop_of(key: str) -> Stop | None:
    return next((stop for stop in STOPS if stop.key == key), None)


def next_key(key: str, step: int = 1) -> str | None:
    """The screen after (or before) one of the walk; None at its ends and off the walk."""
    keys = [stop.key for stop in STOPS]
    if key not in keys:
        return None
    at = keys.index(key) + step
    return keys[at] if 0 <= at < len(keys) else None


def stops_of(step: Step) -> tuple[Stop, ...]:
    return tuple(stop for stop in STOPS if stop.step is step)


def page_asking(path: str) -> str:
    """The screen that asks a question. Raises UnknownId."""
    page = flow.page_of(path)
    return next(s.key for s in STOPS if s.step is page.step and page.group in s.groups)


def asked_on(stop: Stop, workload: Workload) -> tuple[Question, ...]:
    """The questions a screen asks of this workload, in order."""
    pages = (p for p in flow.pages() if p.step is stop.step and p.group in stop.groups)
    return tuple(q for page in pages for q in flow.questions_on(page, workload))


def answered(workload: Workload, asked: Question) -> bool:
    return flow.is_answered(workload, asked.path)


def state(step: Step, workload: Workload) -> State:
    """Done once every large question of the step has its answer (all of them where none is large)."""
    found = flow.progress(workload, step)
    if not found.answered:
        return State.OPEN
    asked = [q for stop in stops_of(step) for q in asked_on(stop, workload)]
    large = [q for q in asked if q.headline] or asked
    return State.DONE if all(answered(workload, q) for q in large) else State.STARTED


def rules_done(workload: Workload) -> int:
    """How many of the six rules have their large questions answered."""
    done = 0
    for group in RULES:
        stop = stop_of(f"rules.{group}")
        large = [q for q in asked_on(stop, workload) if q.headline] if stop else []
        done += bool(large) and all(answered(workload, q) for q in large)
    return done
