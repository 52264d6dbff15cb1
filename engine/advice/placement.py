"""The placement verdict in full: the decision, its ranking with reasons, stages, the hybrid designed, and when to look again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.advice import conflict, hybrid, review
from engine.advice.alternatives import placement_paths
from engine.advice.answers import Answers, known
from engine.advice.meaning import INDEX, ORDER, SITES
from engine.advice.results import (
    Placement,
    PlacementVerdict,
    RankedPlacement,
    Rule,
    RuleFinding,
    StageVerdict,
    VerdictKind,
)
from engine.advice.rules import RULES, Context
from engine.advice.subject import StagePart, Subject, subject
from engine.advice.weighing import Decision, Weighing
from engine.consultation import Stage
from engine.messages import Message, msg

SCORE_SPAN: Final = 6.0
"""Weight at which a placement counts as nothing beside the best."""
SHOWN_REASONS: Final = 4


def judge(answers: Answers, context: Context, stages: tuple[Stage, ...] = ()) -> PlacementVerdict:
    """Where a workload may run, with every reason. Pure: the same answers give the same verdict."""
    return verdict_of(subject(answers, context, stages, explain=True))


def verdict_of(judged: Subject) -> PlacementVerdict:
    """The verdict of a subject that was weighed with its reasons."""
    answers, context = judged.answers, judged.context
    decision, weighing = judged.decision(), judged.weighing
    findings = _findings(answers, context, weighing)
    parts = tuple(_stage(part) for part in judged.parts)
    paths = placement_paths()
    return PlacementVerdict(
        kind=decision.kind,
        chosen=decision.chosen,
        batch=answers.batch,
        headline=_headline(decision, answers, weighing),
        ranked=_ranked(decision, weighing, findings, parts),
        rules=findings,
        conflict=conflict.find(answers, context, weighing) if decision.kind is VerdictKind.CONFLICT else None,
        hybrid=hybrid.design(decision.chosen, answers),
        stages=parts,
        review=review.review(answers, decision, context),
        answered=known(answers, paths),
        asked=len(paths),
    )


def _findings(answers: Answers, context: Context, weighing: Weighing) -> tuple[RuleFinding, ...]:
    made = []
    for rule, ballot in zip(RULES, weighing.ballots, strict=True):
        headline, figures = rule.describe(answers, context)
        made.append(RuleFinding(rule.rule, rule.answered(answers), headline, ballot.effects(), figures))
    return tuple(made)


def _stage(part: StagePart) -> StageVerdict:
    """A stage judged like a workload of its own; its reason is the strongest vote for where it went."""
    stage, decision = part.stage, part.weighing.decision()
    if decision.chosen is None:
        return StageVerdict(stage.id, stage.name, None, msg(f"advice.stage.{decision.kind.value}"))
    votes = [v for ballot in part.weighing.ballots for v in ballot.votes or () if ORDER[v.placement] is decision.chosen]
    best = max(votes, key=lambda v: v.weight, default=None)
    reason = msg(best.key, **best.params) if best is not None and best.weight > 0 else msg("advice.stage.remains")
    return StageVerdict(stage.id, stage.name, decision.chosen, reason)


def _ranked(
    decision: Decision, weighing: Weighing, findings: tuple[RuleFinding, ...], parts: tuple[StageVerdict, ...]
) -> tuple[RankedPlacement, ...]:
    """Best first, the chosen at the head, the excluded last. What the stages chose stands, and for their reasons."""
    totals, excluded = weighing.totals(), weighing.excluded()
    if decision.by_stages and decision.chosen is not None:
        excluded[INDEX[decision.chosen]] = False
    best = max((t for t, out in zip(totals, excluded, strict=True) if not out), default=0.0)

    def score(i: int) -> float:
        if excluded[i]:
            return 0.0
        if ORDER[i] is decision.chosen:
            return 1.0
        return max(0.02, 1.0 - (best - totals[i]) / SCORE_SPAN)

    order = sorted(range(len(ORDER)), key=lambda i: (excluded[i], ORDER[i] is not decision.chosen, -totals[i], i))

    def reasons(i: int) -> tuple[tuple[Rule, Message], ...]:
        if decision.by_stages and ORDER[i] is decision.chosen:
            return tuple((Rule.CIRCUMSTANCES, _of_stage(part)) for part in parts if part.placement is not None)
        return _reasons(ORDER[i], excluded[i], ORDER[i] is decision.chosen, findings)

    return tuple(RankedPlacement(ORDER[i], score(i), excluded[i], reasons(i)) for i in order)


def _of_stage(part: StageVerdict) -> Message:
    return msg("advice.stage.runs", stage=part.name, placement=part.placement, reason=part.reason)


def _reasons(
    placement: Placement, excluded: bool, chosen: bool, findings: Iterable[RuleFinding]
) -> tuple[tuple[Rule, Message], ...]:
    """The heaviest reasons about one placement, those in favour first for the chosen; for the excluded what excludes it."""
    said = [(f.rule, e) for f in findings for e in f.effects if e.placement is placement]
    if excluded:
        return tuple((rule, e.reason) for rule, e in said if e.excluded)
    said.sort(key=lambda pair: -pair[1].weight if chosen else -abs(pair[1].weight))
    return tuple((rule, e.reason) for rule, e in said[:SHOWN_REASONS])


def _headline(decision: Decision, answers: Answers, weighing: Weighing) -> Message:
    if decision.by_stages:
        return msg("advice.verdict.by_stages", placement=decision.chosen)
    if decision.chosen is None:
        return msg(f"advice.verdict.{decision.kind.value}", answered=sum(weighing.answered))
    if answers.batch:
        return msg(f"advice.verdict.{decision.kind.value}.batch", placement=decision.chosen)
    second = _second(decision, weighing)
    if decision.kind is VerdictKind.CLOSE and second is not None:
        return msg("advice.verdict.close.between", placement=decision.chosen, second=second)
    return msg(f"advice.verdict.{decision.kind.value}", placement=decision.chosen)


def _second(decision: Decision, weighing: Weighing) -> Placement | None:
    totals, excluded = weighing.totals(), weighing.excluded()
    sites = SITES[decision.chosen] if decision.chosen else frozenset()
    others = [i for i in range(len(ORDER)) if not excluded[i] and SITES[ORDER[i]] != sites]
    return ORDER[max(others, key=lambda i: totals[i])] if others else None
