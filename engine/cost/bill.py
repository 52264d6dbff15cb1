"""Options as answers: their lines with bands and traces, their totals, their years."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from attrs import field, frozen

from engine.cost.model import NONE_ANSWERED, Bill, CostModel, Line, Option, Point, add_up, bill_of, widened
from engine.cost.offers import Offer
from engine.cost.results import CostLine, CostOption
from engine.estimate import Basis, Estimate, Input, Trace, as_input, loosest
from engine.inputs import FloatArray, Inputs, band
from engine.lazy import Later
from engine.messages import Message
from engine.units import (
    COUNT,
    MONTHS_PER_YEAR,
    RATIO,
    TOKENS_PER_MTOK,
    USD,
    USD_PER_MONTH,
    USD_PER_MTOK,
    USD_PER_REQUEST,
)

YEARS: Final = 5
_TOTALS: Final = 6
"""Columns before the lines: upfront, month, running, per request, per million tokens, served share."""


@frozen
class Evaluated:
    """A priced offer at the rows of the inputs, before its bands are known."""

    offer: Offer
    option: Option
    lines: tuple[Line, ...]
    bill: Bill
    totals: tuple[FloatArray | float, ...] = field(eq=False)
    """Upfront, month, running, per request, per million tokens, served share."""


class Biller:
    """Turns offers into answers over one set of inputs; whatever they share is computed once.

    Totals are worked out at once, lines and years when somebody reads them.
    """

    def __init__(self, model: CostModel, growth: str) -> None:
        """`growth`: path of the yearly growth among the inputs."""
        self.model, self._growth = model, growth
        self.point = model.point(model.inputs.rows())

    @cached_property
    def _years(self) -> Point:
        values = widened(self.model.inputs.rows())
        users = self.model.inputs["scale.users"].value * (1 + values[self._growth]) ** np.arange(YEARS)
        return self.model.point(values, users)

    @cached_property
    def _requests(self) -> Input:
        value = float(np.ravel(self.point.load.requests_per_month)[0])
        bases = (k.estimate.basis for k in self.model.demand.inputs.known.values())
        return Input("requests", value, COUNT, loosest(bases))

    def options(self, offers: Sequence[Offer]) -> tuple[tuple[CostOption, ...], dict[int, Bill]]:
        """Each offer as an answer, and the bills of the priced ones by their place in the list.

        The totals of all offers stand in one table, so that their bands are worked out in one go.
        """
        found = {n: self._evaluated(offer, offer.option) for n, offer in enumerate(offers) if offer.option is not None}
        ends = iter(_bands([e.totals for e in found.values()], self.model.inputs.length))
        made = tuple(
            self._option(found[n], [next(ends) for _ in range(_TOTALS)]) if n in found else _unpriced(offer)
            for n, offer in enumerate(offers)
        )
        return made, {n: e.bill for n, e in found.items()}

    def _evaluated(self, offer: Offer, option: Option) -> Evaluated:
        point = self.point
        lines, served = option.lines(point), option.served(point)
        bill = add_up(lines, point, served)
        tokens = np.maximum(point.load.output_tokens_per_month * served, NONE_ANSWERED) / TOKENS_PER_MTOK
        totals = (bill.upfront, bill.monthly, bill.running, bill.per_request, bill.monthly / tokens, served)
        return Evaluated(offer, option, lines, bill, totals)

    def _option(self, evaluated: Evaluated, ends: list[list[float]]) -> CostOption:
        offer, lines = evaluated.offer, evaluated.lines
        basis = _basis(lines, self.model.inputs)
        parts = Later(lambda: self._lines(lines))

        def figure(i: int, unit: str, trace: Trace | None = None) -> Estimate:
            value, low, high = ends[i]
            return Estimate(value, low, high, unit, basis, trace)

        def added(key: str, wanted: Callable[[Line], bool]) -> Trace:
            names = [_name(line.label) for line in lines if wanted(line)]
            return Trace(key, " + ".join(names) or "0", Later(lambda: _chosen(parts, lines, wanted)))

        answers = float(np.ravel(self.point.load.requests_per_month)[0]) * ends[5][0] > NONE_ANSWERED
        month = figure(1, USD_PER_MONTH, added("cost.trace.month", lambda line: not line.upfront))
        shared = Later(lambda: (as_input("month", month), self._requests))
        return CostOption(
            kind=offer.kind,
            label=offer.label,
            lines=parts,
            upfront_usd=figure(0, USD, added("cost.trace.upfront", lambda line: line.upfront)),
            per_month_usd=month,
            per_request_usd=(
                figure(3, USD_PER_REQUEST, Trace("cost.trace.request", "month / requests", shared)) if answers else None
            ),
            per_mtok_usd=(
                figure(4, USD_PER_MTOK, Trace("cost.trace.mtok", "month / output_tokens * 1e6", shared))
                if answers
                else None
            ),
            missing=offer.missing,
            warnings=offer.warnings,
            running_usd=figure(
                2, USD_PER_MONTH, added("cost.trace.running", lambda line: not (line.upfront or line.written_off))
            ),
            served_share=figure(5, RATIO),
            yearly_usd=Later(lambda: self._yearly(evaluated.option, basis)),
        )

    def _lines(self, lines: tuple[Line, ...]) -> tuple[CostLine, ...]:
        inputs = self.model.inputs
        ends = _bands([tuple(line.usd for line in lines)], inputs.length)
        return tuple(_line(line, end, inputs, self._requests) for line, end in zip(lines, ends, strict=True))

    def _yearly(self, option: Option, basis: Basis) -> tuple[Estimate, ...]:
        """Cash paid by the end of each year: what had to be bought by then and twelve months of running for each year.

        The load of year k is today's times (1 + growth)^(k - 1); machines are added as it grows and never sold.
        """
        bill = bill_of(option, self._years)
        shape = (self.model.inputs.length, YEARS)
        bought = np.maximum.accumulate(np.broadcast_to(bill.upfront, shape), axis=1)
        paid = bought + np.cumsum(np.broadcast_to(bill.running, shape), axis=1) * MONTHS_PER_YEAR
        ends = _bands([tuple(paid.T)], self.model.inputs.length)
        return tuple(Estimate(value, low, high, USD, basis) for value, low, high in ends)


def _bands(columns: Sequence[tuple[FloatArray | float, ...]], length: int) -> list[list[float]]:
    """(value, low, high) of every column, given for the rows of the inputs."""
    flat = [column for group in columns for column in group]
    if not flat:
        return []
    table = np.empty((length, len(flat)))
    for i, column in enumerate(flat):
        table[:, i] = column
    ends: list[list[float]] = np.stack(band(table), axis=1).tolist()
    return ends


def _chosen(parts: Sequence[CostLine], lines: tuple[Line, ...], wanted: Callable[[Line], bool]) -> list[Input]:
    pairs = zip(parts, lines, strict=True)
    return [as_input(_name(part.label), part.amount) for part, line in pairs if wanted(line)]


def _name(label: Message) -> str:
    return label.key.rsplit(".", 1)[-1]


def _unpriced(offer: Offer) -> CostOption:
    return CostOption(
        offer.kind, offer.label, (), None, None, None, None, missing=offer.missing, warnings=offer.warnings
    )


def _line(line: Line, ends: list[float], inputs: Inputs, requests: Input) -> CostLine:
    named = (requests,) if line.formula.startswith("requests") else ()
    known = tuple(inputs.known[p].as_input() for p in line.paths if p in inputs)
    trace = Trace(line.label.key, line.formula, (*named, *known))
    unit = USD if line.upfront else USD_PER_MONTH
    value, low, high = ends
    amount = Estimate(value, low, high, unit, loosest(x.basis for x in trace.inputs), trace)
    return CostLine(line.label, amount, line.upfront)


def _basis(lines: tuple[Line, ...], inputs: Inputs) -> Basis:
    paths = {p for line in lines for p in line.paths if p in inputs}
    return loosest(inputs[p].basis for p in paths)
