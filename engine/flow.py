"""The walk through a consultation, without a window: which page comes next, what it asks, how far each step is.

A page is one group of questions of one step ("rules" has a page for each rule). Every question may be left unanswered; going on is
never refused. A `Walk` is a frozen position in one workload with the pages left behind and ahead of it, so that back and forward
behave like a browser's: a jump clears what lay ahead.
"""

from __future__ import annotations

import enum
from functools import cache
from typing import Any, Final

from attrs import evolve, frozen

from engine.consultation import Workload
from engine.edits import get
from engine.errors import UnknownId
from engine.questions import QUESTIONS, Question, Step

FIRST_GROUPS: Final = {Step.CUSTOMER: ("customer",)}
"""Pages that hold no questions of a workload: the customer's own page, and the proposal at the end."""
LAST_GROUPS: Final = {Step.PROPOSAL: ("proposal",)}


class StepState(enum.StrEnum):
    OPEN = "open"
    """Nothing answered yet."""
    PARTIAL = "partial"
    DONE = "done"
    """Every question that is asked has an answer."""


@frozen
class PageId:
    """One page of the walk."""

    step: Step
    group: str

    def __str__(self) -> str:
        return f"{self.step.value}/{self.group}"


@frozen
class Progress:
    """How far a step or a page is, for one workload."""

    answered: int
    asked: int

    @property
    def state(self) -> StepState:
        if self.asked in {0, self.answered}:
            return StepState.DONE
        return StepState.OPEN if self.answered == 0 else StepState.PARTIAL


@cache
def pages() -> tuple[PageId, ...]:
    """Every page in the order of the walk: steps in their order, groups in the order their first question is declared."""
    found: list[PageId] = []
    for step in Step:
        groups = list(FIRST_GROUPS.get(step, ()))
        groups += [q.group for q in QUESTIONS if q.step is step and q.group not in groups]
        groups += LAST_GROUPS.get(step, ())
        found += [PageId(step, group) for group in dict.fromkeys(groups)]
    return tuple(found)


def page(step: Step | str, group: str | None = None) -> PageId:
    """The page of that step and group; the step's first page when no group is given. Raises UnknownId."""
    for candidate in pages():
        if candidate.step == step and group in (None, candidate.group):
            return candidate
    wanted = str(step) if group is None else f"{step}/{group}"
    raise UnknownId("page", wanted, map(str, pages()))


def page_of(path: str) -> PageId:
    """The page that asks the question at `path`. Raises UnknownId."""
    for question in QUESTIONS:
        if question.path == path:
            return PageId(question.step, question.group)
    raise UnknownId("question", path, (q.path for q in QUESTIONS))


def questions_on(at: PageId, workload: Workload) -> tuple[Question, ...]:
    """What a page asks of this workload, the large questions first; what its answers make pointless is left out."""
    asked = [q for q in QUESTIONS if q.step is at.step and q.group == at.group and q.asked_if(workload)]
    return tuple(sorted(asked, key=lambda q: not q.headline))


def pages_of(workload: Workload) -> tuple[PageId, ...]:
    """The pages this workload walks: a page whose questions have all become pointless is skipped."""
    bare = {
        (step, group) for table in (FIRST_GROUPS, LAST_GROUPS) for step, groups in table.items() for group in groups
    }
    return tuple(at for at in pages() if (at.step, at.group) in bare or questions_on(at, workload))


def is_answered(workload: Workload, path: str) -> bool:
    """True when somebody said something; an empty list is nothing said."""
    value: Any = get(workload, path)
    return value is not None and value != ()


def progress(workload: Workload, step: Step, group: str | None = None) -> Progress:
    """Questions asked and answered in a step, or on one of its pages."""
    asked = [q for q in QUESTIONS if q.step is step and group in (None, q.group) and q.asked_if(workload)]
    return Progress(sum(is_answered(workload, q.path) for q in asked), len(asked))


def next_open(workload: Workload, after: str | None = None) -> Question | None:
    """The next question without an answer after the one at `after`, in the order of the walk; round to the start once.

    None when every question has an answer. Raises UnknownId for an unknown path.
    """
    order = [q for at in pages() for q in questions_on(at, workload)]
    start = 0
    if after is not None:
        paths = [q.path for q in order]
        start = paths.index(after) + 1 if after in paths else _place(after, order)
    for question in (*order[start:], *order[:start]):
        if not is_answered(workload, question.path):
            return question
    return None


def _place(path: str, order: list[Question]) -> int:
    """Where a question that is not asked at present would stand."""
    at = page_of(path)
    walk = pages()
    return sum(walk.index(PageId(q.step, q.group)) <= walk.index(at) for q in order)


@frozen
class Walk:
    """A position in the walk of one workload."""

    workload_id: str
    at: PageId
    behind: tuple[PageId, ...] = ()
    ahead: tuple[PageId, ...] = ()

    def forward(self, workload: Workload) -> Walk:
        """The next page, answered or not; where `back` came from when there is such a page. Stays on the last page."""
        if self.ahead:
            return evolve(self, at=self.ahead[-1], behind=(*self.behind, self.at), ahead=self.ahead[:-1])
        following = _following(self.at, workload)
        return self if following is None else evolve(self, at=following, behind=(*self.behind, self.at))

    def back(self, workload: Workload) -> Walk:
        """Where one came from; the page before it when one came from nowhere. Stays on the first page."""
        if self.behind:
            return evolve(self, at=self.behind[-1], behind=self.behind[:-1], ahead=(*self.ahead, self.at))
        before = [at for at in pages_of(workload) if pages().index(at) < pages().index(self.at)]
        return evolve(self, at=before[-1], ahead=(*self.ahead, self.at)) if before else self

    def jump(self, to: PageId) -> Walk:
        """Straight to a page; `back` returns. A jump to where one is changes nothing. Raises UnknownId."""
        if to not in pages():
            raise UnknownId("page", str(to), map(str, pages()))
        return self if to == self.at else evolve(self, at=to, behind=(*self.behind, self.at), ahead=())

    def to_question(self, path: str) -> Walk:
        """Straight to the page that asks `path`. Raises UnknownId."""
        return self.jump(page_of(path))

    def to_workload(self, workload: Workload) -> Walk:
        """The same page in another workload, or the next page that one walks; the trail starts anew."""
        walked = pages_of(workload)
        at = self.at if self.at in walked else _following(self.at, workload) or walked[-1]
        return Walk(workload.id, at)

    @property
    def can_go_back(self) -> bool:
        return bool(self.behind) or self.at != pages()[0]

    def is_last(self, workload: Workload) -> bool:
        return not self.ahead and _following(self.at, workload) is None


def start(workload: Workload) -> Walk:
    """The first page of a workload's walk."""
    return Walk(workload.id, pages()[0])


def _following(at: PageId, workload: Workload) -> PageId | None:
    here = pages().index(at)
    return next((p for p in pages_of(workload) if pages().index(p) > here), None)
