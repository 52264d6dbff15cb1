"""People: how many it takes and what one costs."""

from __future__ import annotations

from typing import Final

from engine.cost.offers import Case
from engine.estimate import Basis, Estimate
from engine.inputs import Known
from engine.messages import msg
from engine.questions import question
from engine.units import COUNT, USD

FTE: Final = "budget.staff_fte"
SALARY: Final = "budget.staff_usd_per_year"
FTE_PER_SERVER: Final = "cost.staff_fte_per_server"
RENTED_SHARE: Final = "cost.rented_staff_share"

_SALARY: Final = {"KR": (75_000, 55_000, 110_000), "JP": (70_000, 50_000, 100_000), "US": (190_000, 140_000, 260_000)}
_SALARY_ELSEWHERE: Final = (100_000, 60_000, 180_000)
"""Full cost of an operations engineer a year: planning figures, not a survey."""


def salary(case: Case) -> Known:
    """USD a year for one person, all in."""
    value, low, high = _SALARY.get(case.country, _SALARY_ELSEWHERE)
    fallback = Estimate(value, low, high, USD, Basis.ASSUMED)
    return case.said(SALARY, fallback, question(SALARY).short)


def operating(case: Case) -> tuple[Known, ...]:
    """People who run machines: a base of half a person and a tenth for each server where nobody said; as said otherwise."""
    title = question(FTE).short
    said = case.workload.budget.staff_fte
    base = case.said(FTE, Estimate(0.5, 0.25, 1.0, COUNT, Basis.ASSUMED), title)
    if said is not None:
        return (
            base,
            Known(FTE_PER_SERVER, msg("cost.input.fte_per_server"), Estimate(0, 0, 0, COUNT, Basis.DATASHEET)),
        )
    more = Estimate(0.1, 0.05, 0.2, COUNT, Basis.ASSUMED)
    return (base, case.assumed(FTE_PER_SERVER, more, msg("cost.input.fte_per_server")))


def rented_share(case: Case) -> Known:
    """What renting leaves of the operators' work: no hardware, the same service."""
    value = Estimate(0.5, 0.25, 0.8, COUNT, Basis.ASSUMED)
    return case.assumed(RENTED_SHARE, value, msg("cost.input.rented_staff_share"))
