"""One workload under judgement: its answers, its stages, and what both weigh. Asked again by flips, next question and stability."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from engine.advice.answers import Answers, stage_answers
from engine.advice.meaning import INDEX, SITES, joined
from engine.advice.results import Placement, VerdictKind
from engine.advice.rules import Context
from engine.advice.weighing import Decision, Weighing, weigh, what_if
from engine.consultation import Stage


@frozen(eq=False)
class StagePart:
    """One stage: the workload's answers with its own on top, weighed."""

    stage: Stage
    answers: Answers
    weighing: Weighing


@frozen(eq=False)
class Subject:
    answers: Answers
    context: Context
    weighing: Weighing
    parts: tuple[StagePart, ...] = ()

    def decision(self) -> Decision:
        parts = tuple(part.weighing.decision() for part in self.parts)
        return combine(self.weighing.decision, parts, self.weighing)

    def ask(self, path: str) -> Callable[[Any], Decision]:
        """The decision as a function of one answer; a stage that answers the question itself does not move."""
        whole = what_if(self.weighing, self.answers, path, self.context)
        if not self.parts:
            return whole
        stages = [_stage_ask(part, path, self.context) for part in self.parts]
        return lambda value: combine(lambda: whole(value), tuple(ask(value) for ask in stages), self.weighing)


def _stage_ask(part: StagePart, path: str, context: Context) -> Callable[[Any], Decision]:
    if path in part.stage.answers:
        fixed = part.weighing.decision()
        return lambda _value: fixed
    return what_if(part.weighing, part.answers, path, context)


def subject(answers: Answers, context: Context, stages: tuple[Stage, ...] = (), explain: bool = False) -> Subject:
    """Weigh a workload and its stages."""
    parts = []
    for stage in stages:
        own = stage_answers(answers, stage)
        parts.append(StagePart(stage, own, weigh(own, context, explain)))
    return Subject(answers, context, weigh(answers, context, explain), tuple(parts))


def combine(whole: Callable[[], Decision], parts: tuple[Decision, ...], weighing: Weighing) -> Decision:
    """Stages decide where they all can: one place is that place, two places are their hybrid; else the whole stands."""
    places = [part.chosen for part in parts if part.chosen is not None]
    if not places or len(places) < len(parts):
        return whole()
    sites = frozenset().union(*(SITES[place] for place in places))
    if len(set(places)) == 1:
        chosen: Placement | None = places[0]
    elif len(sites) == 1:
        totals = weighing.totals()
        chosen = max(places, key=lambda place: (totals[INDEX[place]], -INDEX[place]))
    else:
        chosen = joined(sites)
    return whole() if chosen is None else Decision(VerdictKind.CLEAR, chosen, by_stages=True)
