"""The next best question: the open one most able to change the verdict."""

from __future__ import annotations

from typing import Final

from engine.advice.alternatives import asked, likelihoods, placement_paths, plausible
from engine.advice.answers import Answers
from engine.advice.flips import changed
from engine.advice.meaning import SITES
from engine.advice.results import NextQuestion, Placement, VerdictKind
from engine.advice.subject import Subject
from engine.advice.weighing import Decision
from engine.consultation import Workload
from engine.messages import Message, msg
from engine.questions import QUESTIONS, Question

WORTH_SETTLING: Final = 0.25
"""Credit of an answer that only makes a close verdict clear, against one that changes it."""
HEADLINE_BONUS: Final = 0.02
"""Between equals the large question is asked before the small one."""


def find(subject: Subject, workload: Workload) -> NextQuestion | None:
    """The open question with the highest value of information, or the first open one when none can change the verdict."""
    answers, now = subject.answers, subject.decision()
    best: tuple[float, NextQuestion] | None = None
    for path in placement_paths():
        question = asked(path)
        if answers.get(path) is not None or not question.asked_if(workload):
            continue
        worth, outcomes = _worth(path, subject, now)
        ranked = worth + (HEADLINE_BONUS if question.headline else 0.0)
        if worth > 0 and (best is None or ranked > best[0]):
            best = ranked, NextQuestion(path, worth, _message(question, outcomes, now))
    return best[1] if best else _first_open(answers, workload)


def _worth(path: str, subject: Subject, now: Decision) -> tuple[float, tuple[Placement, ...]]:
    """Chance that the answer changes the verdict (in full) or settles a close one (in part), and what it may lead to."""
    ask = subject.ask(path)
    worth, outcomes = 0.0, []
    for value, likely in zip(plausible(path), likelihoods(path), strict=True):
        after = ask(value)
        if changed(now, after):
            worth += likely
            if after.chosen is not None and after.chosen not in outcomes:
                outcomes.append(after.chosen)
        elif now.kind is not VerdictKind.CLEAR and after.kind is VerdictKind.CLEAR:
            worth += WORTH_SETTLING * likely
    return worth, tuple(outcomes)


def _message(question: Question, outcomes: tuple[Placement, ...], now: Decision) -> Message:
    if not outcomes:
        return msg("advice.next.settles", question=question.short)
    if now.chosen is None:
        return msg("advice.next.opens", question=question.short, placements=outcomes)
    others = tuple(p for p in outcomes if SITES[p] != SITES[now.chosen])
    return msg("advice.next.changes", question=question.short, placements=others or outcomes)


def _first_open(answers: Answers, workload: Workload) -> NextQuestion | None:
    """Nothing open can change the placement: the first large question of the walk that has no answer yet."""
    placement = frozenset(placement_paths())
    for question in QUESTIONS:
        if not question.headline or not question.asked_if(workload):
            continue
        section, _, name = question.path.partition(".")
        value = answers.get(question.path) if question.path in placement else getattr(getattr(workload, section), name)
        if value in (None, ()):
            return NextQuestion(question.path, 0.0, msg("advice.next.completes", question=question.short))
    return None
