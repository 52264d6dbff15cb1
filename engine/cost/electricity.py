"""Power of machines over a month: idle and busy hours priced by the tariff's own hours, cooling on top, contracted kW beside."""

from __future__ import annotations

from typing import Final

import numpy as np
from attrs import field, frozen

from engine.catalogue.tariffs import ELSEWHERE, NATIONAL, tariff
from engine.cost.offers import Case
from engine.cost.prices import fact, usd_per, warnings_of
from engine.estimate import Basis, Estimate, exact
from engine.inputs import FloatArray, Known
from engine.messages import Message, Name, msg
from engine.questions import question
from engine.units import COUNT, HOURS_PER_MONTH, KILO, RATIO

PUE: Final = "budget.power_usage_effectiveness"
IDLE: Final = "cost.idle_power_share"
PRICE: Final = "cost.electricity_factor"
_SAID: Final = "budget.electricity_usd_per_kwh"
_TARIFF: Final = "budget.electricity_tariff"


@frozen
class Electricity:
    """Prices for the load's hours, in USD."""

    idle_usd_per_kwh: float
    """Mean over the hours of the day: what an always-on machine pays for standing there."""
    busy_usd_per_kwh: float
    """Mean over the hours weighted by the load."""
    usd_per_kw_month: float
    known: tuple[Known, ...] = field(eq=False)
    warnings: tuple[Message, ...]

    def energy_usd(
        self,
        max_power_w: FloatArray | float,
        utilisation: FloatArray | float,
        idle_share: FloatArray | float,
        pue: FloatArray | float,
    ) -> FloatArray:
        """Energy of a month: kW * PUE * 730 h * (idle share at the mean price + the rest, as busy, at the load's price)."""
        kilowatts = np.asarray(max_power_w) / KILO * pue
        busy = (1 - idle_share) * utilisation
        out: FloatArray = (
            kilowatts * HOURS_PER_MONTH * (idle_share * self.idle_usd_per_kwh + busy * self.busy_usd_per_kwh)
        )
        return out

    def demand_usd(self, max_power_w: FloatArray | float, pue: FloatArray | float) -> FloatArray:
        """The contracted kW of a month, cooling included."""
        out: FloatArray = np.asarray(max_power_w) / KILO * pue * self.usd_per_kw_month
        return out


def electricity(case: Case) -> Electricity:
    """The price the customer said, else the tariff it named, else the national average, with its warnings."""
    known = (_pue(case), _idle(case), _factor(case))
    said = case.workload.budget.electricity_usd_per_kwh
    if said is not None:
        return Electricity(said, said, 0.0, known, ())
    chosen = case.workload.budget.electricity_tariff
    if chosen is None:
        chosen = NATIONAL.get(case.country, ELSEWHERE)
        case.ledger.note(_TARIFF, chosen, question(_TARIFF).short, None, msg("cost.why.tariff"))
    found = tariff(case.catalogue.operating_costs, chosen)
    rate, rate_source = usd_per(case.catalogue, found.currency)
    profile = case.demand.profile(case.demand.inputs.centre())
    what = msg("cost.what.tariff", tariff=Name("tariff", found.id))
    warnings = warnings_of(what, found.source, "electricity", case.as_of)
    if found.currency not in ("USD", "KRW"):
        warnings += warnings_of(msg("cost.what.exchange", currency=found.currency), rate_source, "exchange", case.as_of)
    return Electricity(
        idle_usd_per_kwh=found.mean_per_kwh() * rate,
        busy_usd_per_kwh=found.mean_per_kwh(profile) * rate,
        usd_per_kw_month=found.per_kw_month * rate,
        known=known,
        warnings=tuple(warnings),
    )


def _pue(case: Case) -> Known:
    row = fact(case.catalogue, "pue-industry-average-other-citation-global")
    value = row.value if row else 1.58
    fallback = Estimate(value, 1.25, 1.9, COUNT, Basis.ASSUMED)
    return case.said(PUE, fallback, question(PUE).short, row.source if row else None, msg("cost.why.average"))


def _idle(case: Case) -> Known:
    row = fact(case.catalogue, "idle-power-as-a-share-of-maximum-global")
    value = row.value if row else 0.35
    return case.assumed(
        IDLE, Estimate(value, 0.2, 0.5, RATIO, Basis.ASSUMED), msg("cost.input.idle_power"), msg("cost.why.average")
    )


def _factor(case: Case) -> Known:
    """How far the bill may stray from the tariff: reforms, add-ons, the customer's own contract."""
    if case.workload.budget.electricity_usd_per_kwh is not None:
        return Known(PRICE, msg("cost.input.electricity"), exact(1.0, COUNT))
    strays = Estimate(1.0, 0.88, 1.15, COUNT, Basis.ASSUMED)
    return case.assumed(PRICE, strays, msg("cost.input.electricity"))
