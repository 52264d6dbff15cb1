"""What a builder of an option hands over: the option with its inputs, or what is missing for it."""

from __future__ import annotations

from datetime import date
from typing import Final

from attrs import frozen

from engine.assumptions import Ledger
from engine.capacity.demand import Demand
from engine.catalogue.catalogue import Catalogue
from engine.consultation import Workload
from engine.cost.kinds import CostKind
from engine.cost.model import Option
from engine.estimate import Estimate, Source
from engine.inputs import Known
from engine.messages import Message, msg

LEAST_YEARS: Final = 1 / 12
"""Nothing is written off in less than a month."""


@frozen
class Case:
    """What every builder needs to know."""

    workload: Workload
    demand: Demand
    catalogue: Catalogue
    ledger: Ledger
    as_of: date
    country: str
    """Where the customer is: ISO 3166 code; decides tariff and region."""

    def assumed(self, path: str, value: Estimate, label: Message, why: Message | None = None) -> Known:
        """A figure no question asks for, listed in the ledger."""
        used = self.ledger.assume(path, value, label, None, why or msg("cost.why.planning"))
        return Known(path, label, used)

    def said(
        self,
        path: str,
        fallback: Estimate,
        label: Message,
        source: Source | None = None,
        why: Message | None = None,
    ) -> Known:
        """An answer of the workload, or `fallback` through the ledger."""
        used = self.ledger.value(self.workload, path, fallback, label, source, why or msg("cost.why.planning"))
        return Known(path, label, used, source)


@frozen
class Offer:
    """One way to pay: priced (`option`) or not (`missing` says what to ask for)."""

    kind: CostKind
    label: Message
    option: Option | None
    known: tuple[Known, ...] = ()
    missing: tuple[Message, ...] = ()
    warnings: tuple[Message, ...] = ()
