"""The core of the advice: answers in, weights and exclusions out, and the decision they lead to. No words, so that it is cheap to
ask again with one answer changed: flips, next question, way out and stability are all made of this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from attrs import frozen

from engine.advice.answers import Answers
from engine.advice.ballot import LEAN, STRONG, Ballot, N
from engine.advice.meaning import HYBRIDS, INDEX, ORDER, SITES, joined
from engine.advice.results import Placement, VerdictKind
from engine.advice.rules import RULES, Context, RuleOf

CLEAR_LEAD: Final = LEAN
"""A lead of one reason over every other place is a clear favourite."""
HYBRID_RULED_OUT: Final = STRONG
"""A hybrid this far behind is spoken against, not merely second: it is no default."""
ENOUGH_RULES: Final = 3
"""Rules with a deciding answer before anything is recommended; one less where something is ruled out or far ahead."""

_TINY: Final = 1e-9


@frozen
class Decision:
    kind: VerdictKind
    chosen: Placement | None
    lead: float = 0.0
    """Of the leader over the best placement that stands elsewhere."""
    by_stages: bool = False
    """The stages decided, not the workload as a whole."""


@frozen(eq=False)
class Weighing:
    """The ballots of all rules for one set of answers, and their sum."""

    ballots: tuple[Ballot, ...]
    answered: tuple[bool, ...]
    """Which of the rules have a deciding answer."""

    def totals(self) -> list[float]:
        return [sum(column) for column in zip(*(b.weights for b in self.ballots), strict=True)]

    def excluded(self) -> list[bool]:
        return [any(column) for column in zip(*(b.excluded for b in self.ballots), strict=True)]

    def decision(self) -> Decision:
        return decide(self.totals(), self.excluded(), sum(self.answered))


def weigh(answers: Answers, context: Context, explain: bool = False) -> Weighing:
    """Ask every rule."""
    ballots = []
    for rule in RULES:
        ballot = Ballot(explain)
        rule.weigh(answers, context, ballot)
        ballots.append(ballot)
    return Weighing(tuple(ballots), tuple(rule.decided(answers) for rule in RULES))


@cache
def _readers(section: str) -> tuple[tuple[RuleOf, ...], tuple[int, ...]]:
    """The rules that read a section, and the indices of those that do not."""
    reading = tuple(rule for rule in RULES if section in rule.sections)
    return reading, tuple(i for i, rule in enumerate(RULES) if section not in rule.sections)


def what_if(base: Weighing, answers: Answers, path: str, context: Context) -> Callable[[Any], Decision]:
    """The decision as a function of one answer, all others as they are: only the rules that read it are asked again.

    Rules are step functions: where the sum has not moved, neither has the decision.
    """
    reading, others = _readers(path.partition(".")[0])
    kept = [base.ballots[i] for i in others]
    rest = [sum(column) for column in zip(*(b.weights for b in kept), strict=True)] if kept else [0.0] * N
    shut = [any(column) for column in zip(*(b.excluded for b in kept), strict=True)] if kept else [False] * N
    answered = sum(base.answered[i] for i in others)
    draft = answers.draft(path)
    last: tuple[list[float], list[bool], int, Decision] | None = None

    def ask(value: Any) -> Decision:
        nonlocal last
        changed = draft(value)
        ballot = Ballot()
        ballot.weights, ballot.excluded = rest[:], shut[:]
        count = answered
        for rule in reading:
            rule.weigh(changed, context, ballot)
            count += rule.decided(changed)
        if last is not None and last[0] == ballot.weights and last[1] == ballot.excluded and last[2] == count:
            return last[3]
        last = (ballot.weights, ballot.excluded, count, decide(ballot.weights, ballot.excluded, count))
        return last[3]

    return ask


def decide(totals: Sequence[float], excluded: Sequence[bool], answered: int) -> Decision:
    """Exclusions first; one clear favourite wins; else the hybrid of the two best places, unless it is ruled out."""
    standing = [i for i in range(N) if not excluded[i]]
    if not standing:
        return Decision(VerdictKind.CONFLICT, None)
    standing.sort(key=lambda i: (-totals[i], i))
    leader = standing[0]
    sites = SITES[ORDER[leader]]
    rival = next((i for i in standing if SITES[ORDER[i]] != sites), None)
    lead = totals[leader] - totals[rival] if rival is not None else float("inf")
    firm = len(standing) < N or lead >= STRONG - _TINY
    if rival is not None and answered < ENOUGH_RULES - firm:
        return Decision(VerdictKind.OPEN, None)
    if rival is None or lead >= CLEAR_LEAD - _TINY:
        return Decision(VerdictKind.CLEAR, ORDER[leader], lead)
    hybrid = _default_hybrid(leader, rival, standing, totals)
    if hybrid is not None:
        return Decision(VerdictKind.DEFAULT_HYBRID, hybrid, lead)
    return Decision(VerdictKind.CLOSE, ORDER[leader], lead)


def _default_hybrid(leader: int, rival: int, standing: list[int], totals: Sequence[float]) -> Placement | None:
    """The hybrid that spans the two best places; a hybrid among the two is it already."""
    first, second = ORDER[leader], ORDER[rival]
    for candidate in (first, second):
        if candidate in HYBRIDS:
            return candidate if candidate is first or SITES[first] < SITES[candidate] else None
    both = joined(SITES[first] | SITES[second])
    if both is None or INDEX[both] not in standing:
        return None
    return both if totals[leader] - totals[INDEX[both]] < HYBRID_RULED_OUT - _TINY else None
