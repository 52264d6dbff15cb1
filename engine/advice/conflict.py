"""When everything is ruled out: which requirements contradict each other, and the smallest change that resolves it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from engine.advice.alternatives import CHOICES, asked, distance, placement_paths, plausible, said
from engine.advice.answers import Answers
from engine.advice.meaning import ORDER
from engine.advice.results import Conflict, VerdictKind
from engine.advice.rules import RULES, Context
from engine.advice.weighing import Decision, Weighing, weigh, what_if
from engine.messages import Message, msg
from engine.questions import Kind

_UNDO = {
    "profile.device_class": 0.9,
    "data.boundary": 0.1,
    "intelligence.hardness": 0.15,
    "circumstances.contract_accepts_cloud": 0.2,
    "data.sealed_cloud_accepted": -0.3,
    "offline.closed_network": 0.3,
}
"""Cost of asking for this change beside its distance: accepting a sealed cloud is the cheapest concession, another device the
dearest."""


def find(answers: Answers, context: Context, weighing: Weighing) -> Conflict:
    """The contradiction of `answers`, for which every placement is excluded, and its cheapest way out.

    The requirements are a smallest set of rules that already excludes everything. The way out is searched: every single change of
    an answer to every other value, then pairs; the nearest that leaves a placement standing wins.
    """
    requirements = tuple((RULES[i].rule, _reason(answers, context, i)) for i in _core(weighing))
    found = _single(answers, context, weighing) or _pair(answers, context)
    if found is None:
        return Conflict(requirements, msg("advice.conflict.no_way_out"), "", None)
    changes, opened = found
    (path, value), second = changes[0], changes[1] if len(changes) > 1 else None
    words = {"question": asked(path).short, "answer": said(path, value), "placement": opened.chosen}
    if second is None:
        return Conflict(requirements, msg("advice.conflict.way_out", **words), path, value)
    way_out = msg(
        "advice.conflict.way_out_two",
        second_question=asked(second[0]).short,
        second_answer=said(*second),
        **words,
    )
    return Conflict(requirements, way_out, path, value, second)


def _core(weighing: Weighing) -> tuple[int, ...]:
    """Indices of a smallest set of rules that together exclude every placement."""
    speaking = [i for i, ballot in enumerate(weighing.ballots) if any(ballot.excluded)]
    for size in range(1, len(speaking) + 1):
        for chosen in combinations(speaking, size):
            if all(any(weighing.ballots[i].excluded[p] for i in chosen) for p in range(len(ORDER))):
                return chosen
    return tuple(speaking)


def _reason(answers: Answers, context: Context, rule: int) -> Message:
    return RULES[rule].describe(answers, context)[0]


def _candidates(answers: Answers) -> Iterator[tuple[float, str, Any]]:
    """Every single change, nearest first; ties in the order of the walk."""
    found = []
    for order, path in enumerate(placement_paths()):
        before = answers.get(path)
        if before is None and path != "data.sealed_cloud_accepted":
            continue
        values = tuple(CHOICES[path]) if asked(path).kind is Kind.CHOICE else plausible(path)
        for value in values:
            if value != before:
                far = 0.4 if before is None else distance(path, before, value)
                found.append((far + _UNDO.get(path, 0.25), order, path, value))
    for cost, _order, path, value in sorted(found, key=lambda f: (f[0], f[1], str(f[3]))):
        yield cost, path, value


Found = tuple[tuple[tuple[str, Any], ...], Decision] | None


def _single(answers: Answers, context: Context, weighing: Weighing) -> Found:
    for _cost, path, value in _candidates(answers):
        decision = what_if(weighing, answers, path, context)(value)
        if decision.kind is not VerdictKind.CONFLICT:
            return ((path, value),), decision
    return None


def _pair(answers: Answers, context: Context) -> Found:
    """The nearest pair of changes that resolves it."""
    singles = list(_candidates(answers))
    pairs = sorted(
        ((a[0] + b[0], a, b) for a, b in combinations(singles, 2) if a[1] != b[1]), key=lambda p: (p[0], str(p[1:]))
    )
    for _cost, first, second in pairs:
        changed = answers.put(first[1], first[2]).put(second[1], second[2])
        decision = weigh(changed, context).decision()
        if decision.kind is not VerdictKind.CONFLICT:
            return ((first[1], first[2]), (second[1], second[2])), decision
    return None
