"""Ten thousand plausible bills: every input drawn within its band, every option priced on the same draws."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from attrs import field, frozen

from engine.cost.kinds import CostKind
from engine.cost.model import CostModel
from engine.inputs import FloatArray

DRAWS = 10_000


@frozen
class Quantiles:
    """Monthly cost of one option over the draws, USD."""

    p05: float
    median: float
    p95: float


@frozen
class Draws:
    """What the draws say."""

    count: int
    monthly_usd: Mapping[CostKind, Quantiles]
    cheapest_share: Mapping[CostKind, float]
    """Option -> share of the draws in which an answered request costs least with it; they add up to 1."""
    per_request_usd: Mapping[CostKind, FloatArray] = field(eq=False, repr=False)

    def cheaper_share(self, one: CostKind, other: CostKind) -> float:
        """Share of the draws in which `one` costs less per answered request than `other`."""
        return float(np.mean(self.per_request_usd[one] < self.per_request_usd[other]))


def simulate(model: CostModel, generator: np.random.Generator, count: int = DRAWS) -> Draws:
    """Price every option on `count` draws of the inputs. The generator is the caller's, so that a seed repeats the answer."""
    point = model.point(model.inputs.draws(generator, count))
    monthly: dict[CostKind, Quantiles] = {}
    each: dict[CostKind, FloatArray] = {}
    for kind, bill in model.bills(point).items():
        drawn = np.broadcast_to(bill.monthly, (count,))
        monthly[kind] = Quantiles(*(float(q) for q in np.quantile(drawn, (0.05, 0.5, 0.95))))
        each[kind] = np.broadcast_to(bill.per_request, (count,))
    if not each:
        return Draws(count, {}, {}, {})
    least = np.argmin(np.stack(list(each.values())), axis=0)
    shares = np.bincount(least, minlength=len(each)) / count
    return Draws(count, monthly, {k: float(s) for k, s in zip(each, shares, strict=True)}, each)
