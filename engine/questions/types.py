"""What a question is."""

from __future__ import annotations

import enum
from collections.abc import Callable

from attrs import frozen

from engine.consultation import Workload
from engine.messages import Message, msg


class Step(enum.StrEnum):
    """The steps of the walk, in order."""

    CUSTOMER = "customer"
    READINESS = "readiness"
    RULES = "rules"
    HARDWARE = "hardware"
    MEMORY = "memory"
    SPEED = "speed"
    CAPACITY = "capacity"
    COST = "cost"
    PROPOSAL = "proposal"

    @property
    def label(self) -> Message:
        """The step's name on the rail."""
        return msg(f"step.{self.value}")


class Kind(enum.StrEnum):
    CHOICE = "choice"
    FLAG = "flag"
    NUMBER = "number"
    SHARE = "share"
    """A number from 0 to 1, shown in per cent."""
    TEXT = "text"
    CATALOGUE = "catalogue"
    """An id of the catalogue table named in `table`."""
    LIST = "list"


def always(_workload: Workload) -> bool:
    return True


@frozen
class Question:
    """One answer of the document. Texts are found by key: see the properties."""

    path: str
    kind: Kind
    step: Step
    group: str
    """Sub-page inside the step: a rule's name, a card's name."""
    choices: tuple[str, ...] = ()
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    integer: bool = False
    above_minimum: bool = False
    """True: the minimum itself is refused."""
    table: str = ""
    headline: bool = False
    """Asked large, as cards; the others are the fields below it."""
    asked_if: Callable[[Workload], bool] = always

    @property
    def title(self) -> Message:
        """The question, one line."""
        return msg(f"question.{self.path}")

    @property
    def why(self) -> Message:
        """One line: what the answer changes."""
        return msg(f"question.{self.path}.why")

    @property
    def background(self) -> Message:
        """The expandable "why we ask"."""
        return msg(f"question.{self.path}.background")

    @property
    def unknown(self) -> Message:
        """One line: what leaving it open does."""
        return msg(f"question.{self.path}.unknown")

    @property
    def short(self) -> Message:
        """A label for a field, a table or the ledger."""
        return msg(f"question.{self.path}.short")

    @property
    def group_title(self) -> Message:
        return msg(f"group.{self.step}.{self.group}")

    @property
    def group_lead(self) -> Message:
        return msg(f"group.{self.step}.{self.group}.lead")

    def choice_title(self, value: str) -> Message:
        """The word on a card. Yes and no are the same words everywhere; what they mean here is the hint."""
        if self.kind is Kind.FLAG:
            return msg(f"flag.{value}")
        return msg(f"question.{self.path}.{value}")

    def choice_hint(self, value: str) -> Message:
        """What choosing it means, one line."""
        return msg(f"question.{self.path}.{value}.hint")
