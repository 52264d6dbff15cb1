"""Options as answers: their lines with bands and traces, their totals, their years."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from attrs import field, frozen

from engine.cost.model import Bill, CostModel, Line, Option, Point, add_up, bill_of, widened
from engine.cost.offers import Offer
from engine.cost.results import CostLine, CostOption
from engine.estimate import Basis, Estimate, Input, Trace, as_input, loosest
from engine.inputs import FloatArray, Inputs, band
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
class _Evaluated:
    """An offer at the rows of the inputs and over the years, before its bands are known."""

    offer: Offer
    lines: tuple[Line, ...]
    bill: Bill
    columns: tuple[FloatArray | float, ...] = field(eq=False)
    """Totals, then the years, then the lines."""


class Biller:
    """Turns offers into answers over one set of inputs; whatever they share is computed once."""

    def __init__(self, model: CostModel, growth: str) -> None:
        """`growth`: path of the yearly growth among the inputs."""
        self.model = model
        self.point = model.point(model.inputs.rows())
        values = widened(model.inputs.rows())
        users = model.inputs["scale.users"].value * (1 + values[growth]) ** np.arange(YEARS)
        self._years = model.point(values, users)
        self._requests = _requests(self.point)

    def options(self, offers: Sequence[Offer]) -> tuple[tuple[CostOption, ...], dict[int, Bill]]:
        """Each offer as an answer, and the bills of the priced ones by their place in the list.

        All columns of all offers stand in one table, so that their bands are worked out in one go.
        """
        found = {n: self._evaluated(offer, offer.option) for n, offer in enumerate(offers) if offer.option is not None}
        width = sum(len(e.columns) for e in found.values())
        table = np.empty((self.model.inputs.length, width))
        i = 0
        for evaluated in found.values():
            for column in evaluated.columns:
                table[:, i] = column
                i += 1
        ends = np.stack(band(table), axis=1).tolist() if width else []
        made, start = [], 0
        for n, offer in enumerate(offers):
            if n in found:
                stop = start + len(found[n].columns)
                made.append(self._option(found[n], ends[start:stop]))
                start = stop
            else:
                made.append(_unpriced(offer))
        return tuple(made), {n: e.bill for n, e in found.items()}

    def _evaluated(self, offer: Offer, option: Option) -> _Evaluated:
        point = self.point
        lines, served = option.lines(point), option.served(point)
        bill = add_up(lines, point, served)
        tokens = np.maximum(point.load.output_tokens_per_month * served / TOKENS_PER_MTOK, 1e-300)
        totals = (bill.upfront, bill.monthly, bill.running, bill.per_request, bill.monthly / tokens, served)
        return _Evaluated(offer, lines, bill, (*totals, *self._yearly(option), *(line.usd for line in lines)))

    def _option(self, evaluated: _Evaluated, ends: list[list[float]]) -> CostOption:
        offer, lines, inputs = evaluated.offer, evaluated.lines, self.model.inputs
        basis = _basis(lines, inputs)

        def figure(i: int, unit: str, trace: Trace | None = None) -> Estimate:
            value, low, high = ends[i]
            return Estimate(value, low, high, unit, basis, trace)

        parts = tuple(_line(line, ends[_TOTALS + YEARS + i], inputs, self._requests) for i, line in enumerate(lines))
        once, monthly = [p for p in parts if p.upfront], [p for p in parts if not p.upfront]
        cash = [p for p, line in zip(parts, lines, strict=True) if not line.upfront and not line.written_off]
        month = figure(1, USD_PER_MONTH, _sum("cost.trace.month", monthly))
        shared = (as_input("month", month), self._requests)
        return CostOption(
            kind=offer.kind,
            label=offer.label,
            lines=parts,
            upfront_usd=figure(0, USD, _sum("cost.trace.upfront", once)),
            per_month_usd=month,
            per_request_usd=figure(3, USD_PER_REQUEST, Trace("cost.trace.request", "month / requests", shared)),
            per_mtok_usd=figure(4, USD_PER_MTOK, Trace("cost.trace.mtok", "month / output_tokens * 1e6", shared)),
            missing=offer.missing,
            warnings=offer.warnings,
            running_usd=figure(2, USD_PER_MONTH, _sum("cost.trace.running", cash)),
            served_share=figure(5, RATIO),
            yearly_usd=tuple(figure(_TOTALS + k, USD) for k in range(YEARS)),
        )

    def _yearly(self, option: Option) -> tuple[FloatArray, ...]:
        """Cash paid by the end of each year: what had to be bought by then and twelve months of running for each year.

        The load of year k is today's times (1 + growth)^(k - 1); machines are added as it grows and never sold.
        """
        bill = bill_of(option, self._years)
        shape = (self.model.inputs.length, YEARS)
        bought = np.maximum.accumulate(np.broadcast_to(bill.upfront, shape), axis=1)
        paid = bought + np.cumsum(np.broadcast_to(bill.running, shape), axis=1) * MONTHS_PER_YEAR
        return tuple(paid.T)


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


def _sum(key: str, lines: list[CostLine]) -> Trace:
    parts = tuple(as_input(line.label.key.rsplit(".", 1)[-1], line.amount) for line in lines)
    return Trace(key, " + ".join(p.name for p in parts) or "0", parts)


def _requests(point: Point) -> Input:
    value = float(np.ravel(point.load.requests_per_month)[0])
    return Input("requests", value, COUNT, loosest(k.estimate.basis for k in point.demand.inputs.known.values()))


def _basis(lines: tuple[Line, ...], inputs: Inputs) -> Basis:
    paths = {p for line in lines for p in line.paths if p in inputs}
    return loosest(inputs[p].basis for p in paths)
