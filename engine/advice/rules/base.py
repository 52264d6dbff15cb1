"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from attrs import field, frozen

from engine.advice.answers import Answers
from engine.advice.ballot import Ballot
from engine.advice.facts import Facts
from engine.advice.results import Placement, Rule
from engine.catalogue.rows import Regulation
from engine.estimate import Estimate
from engine.messages import Message

Figures = tuple[tuple[str, Estimate], ...]


@frozen(eq=False, repr=False)
class Context:
    """What the rules know besides the answers."""

    facts: Facts
    regulations: Mapping[str, Regulation] = field(factory=dict)
    device_pays_above: Estimate | None = None
    """Requests a month from which on-device costs less than the cheapest cloud; from the cost room, None until it has it."""
    cheaper_cloud: Placement | None = None
    """Model API or rented accelerators, whichever costs clearly less a month at the load said; None while that is open."""
    small_model_bytes: float | None = None
    """Weights of the small model the customer named for the device."""


@frozen
class RuleOf:
    """One rule: the questions it reads, what it says about placements, and its sentence with its numbers."""

    rule: Rule
    paths: tuple[str, ...]
    """Its own questions: answered when at least one has an answer."""
    sections: frozenset[str]
    """Sections of the document it reads: it is asked again only when one of them changed."""
    weigh: Callable[[Answers, Context, Ballot], None]
    describe: Callable[[Answers, Context], tuple[Message, Figures]]
    deciding: tuple[str, ...]
    """The questions of the rule without which it has said nothing that counts."""

    def answered(self, answers: Answers) -> bool:
        """Any of its questions has an answer."""
        return _any(answers, self.paths)

    def decided(self, answers: Answers) -> bool:
        """One of its deciding questions has an answer."""
        return _any(answers, self.deciding)


def _any(answers: Answers, paths: tuple[str, ...]) -> bool:
    for section, name in _split(paths):
        value = getattr(getattr(answers, section), name)
        if value is not None and value != ():
            return True
    return False


@cache
def _split(paths: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((section, name) for section, _, name in (path.partition(".") for path in paths))
