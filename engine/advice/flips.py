"""What would flip the verdict: the nearest change of each answer and number, found by asking again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from engine.advice.alternatives import asked, distance, others, placement_paths, said, steps
from engine.advice.meaning import SITES
from engine.advice.results import Flip, Placement, VerdictKind
from engine.advice.subject import Subject
from engine.advice.weighing import Decision
from engine.messages import msg
from engine.questions import Kind

CLOSING_STEPS: Final = 12
"""Bisections towards the edge of a number: the edge is then known to well under one per cent."""


def changed(before: Decision, after: Decision) -> bool:
    """A verdict flips when it stands in other places, or stands no more. Which of the clouds it is is no flip by itself."""
    if before.chosen is None or after.chosen is None:
        return before.kind is not after.kind
    return SITES[before.chosen] != SITES[after.chosen]


def find(subject: Subject) -> tuple[Flip, ...]:
    """One flip a question at most, the nearest, sorted near to far. Unanswered questions are no flips: see next_question."""
    now = subject.decision()
    if now.kind is VerdictKind.OPEN:
        return ()
    found = (_nearest(path, subject, now) for path in placement_paths())
    return tuple(sorted((f for f in found if f is not None), key=lambda f: (f.distance, f.path)))


def _nearest(path: str, subject: Subject, now: Decision) -> Flip | None:
    before = subject.answers.get(path)
    if before is None:
        return None
    ask = subject.ask(path)
    kind = asked(path).kind
    if kind in (Kind.NUMBER, Kind.SHARE):
        hits = list(_number_flips(path, float(before), ask, now))
    else:
        hits = [(value, after) for value in others(path, before) if changed(now, after := ask(value))]
    if not hits:
        return None
    value, after = min(hits, key=lambda hit: distance(path, before, hit[0]))
    return _flip(path, before, value, after)


def _number_flips(
    path: str, before: float, ask: Callable[[Any], Decision], now: Decision
) -> Iterator[tuple[float, Decision]]:
    """Walk away from the number until the verdict changes, then close in on the edge; once down, once up."""
    for side in steps(path, before):
        last = before
        for value in side:
            after = ask(value)
            if changed(now, after):
                yield _close_in(path, last, value, ask, now)
                break
            last = value


def _close_in(
    path: str, same: float, other: float, ask: Callable[[Any], Decision], now: Decision
) -> tuple[float, Decision]:
    """The value nearest to `same` at which the verdict is already the other one, rounded outwards to three digits."""
    geometric = same > 0 and other > 0
    for _ in range(CLOSING_STEPS):
        middle = (same * other) ** 0.5 if geometric else (same + other) / 2
        if changed(now, ask(middle)):
            other = middle
        else:
            same = middle
    tidy = _tidy(path, same, other)
    after = ask(tidy)
    return (tidy, after) if changed(now, after) else (other, ask(other))


def _tidy(path: str, same: float, other: float) -> float:
    """`other` with three significant digits; a whole number where the question asks for one."""
    rounded = float(f"{other:.3g}")
    if asked(path).integer:
        rounded = float(round(rounded))
    return rounded if (rounded - same) * (other - same) > 0 else other


def _flip(path: str, before: Any, value: Any, after: Decision) -> Flip:
    key = "advice.flip.to_conflict" if after.chosen is None else "advice.flip.to"
    words = msg(
        key,
        question=asked(path).short,
        before=said(path, before),
        after=said(path, value),
        placement=after.chosen or Placement.CLOUD_API,
    )
    return Flip(path, before, value, asked(path).unit, after.chosen, None, words, distance(path, before, value))
