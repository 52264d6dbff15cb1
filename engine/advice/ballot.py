"""How a rule speaks: it weighs placements for or against, or rules them out.

Three sizes of weight are enough, in steps a customer can follow: SLIGHT tips a tie, LEAN is a reason, STRONG decides alone unless
another strong reason stands against it. An answer that was only guessed never rules out: its exclusion becomes a strong weight.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from engine.advice.meaning import INDEX, ORDER
from engine.advice.results import Effect, Placement
from engine.messages import Message, msg

SLIGHT: Final = 0.5
LEAN: Final = 1.0
FIRM: Final = 1.5
STRONG: Final = 2.0
DECISIVE: Final = 3.0

N: Final = len(ORDER)


class Vote(NamedTuple):
    """One recorded reason."""

    placement: int
    weight: float
    excluded: bool
    key: str
    params: dict[str, Any]


class Ballot:
    """The sum of what one rule says. `explain` records the reasons; without it only the numbers are kept."""

    __slots__ = ("excluded", "votes", "weights")

    def __init__(self, explain: bool = False) -> None:
        self.weights = [0.0] * N
        self.excluded = [False] * N
        self.votes: list[Vote] | None = [] if explain else None

    def weigh(self, placements: Iterable[Placement], weight: float, key: str, /, **params: Any) -> None:
        """Favour (above 0) or speak against (below 0) these placements, for the reason `key`."""
        for placement in placements:
            i = INDEX[placement]
            self.weights[i] += weight
            if self.votes is not None:
                self.votes.append(Vote(i, weight, False, key, params))

    def exclude(self, placements: Iterable[Placement], guess: bool, key: str, /, **params: Any) -> None:
        """Rule these placements out; on a guess, speak strongly against them."""
        if guess:
            self.weigh(placements, -STRONG, key, **params)
            return
        for placement in placements:
            i = INDEX[placement]
            self.excluded[i] = True
            if self.votes is not None:
                self.votes.append(Vote(i, 0.0, True, key, params))

    def effects(self) -> tuple[Effect, ...]:
        """The recorded reasons as results; reasons that share a key share their sentence."""
        made: dict[int, Message] = {}
        effects = []
        for vote in self.votes or ():
            reason = made.setdefault(id(vote.params), msg(vote.key, **vote.params))
            effects.append(Effect(ORDER[vote.placement], vote.weight, vote.excluded, reason))
        return tuple(effects)
