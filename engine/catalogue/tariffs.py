"""Electricity tariffs as typed values, made from the lines of operating_costs.csv (so that a user's own line counts too).

The hours of KEPCO's bands are those in force since 2018, recalled and not read from KEPCO: off-peak 22-08 h; in summer (June to
August), spring and autumn peak 11-12 and 13-18 h; in winter (November to February) peak 9-12 and 16-19 h; the rest mid. Saturday
has no peak (mid instead), Sundays and holidays are off-peak throughout. A reform of the bands was reported for 2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from engine.catalogue.rows import OperatingCost
from engine.errors import UnknownId
from engine.estimate import Source

FloatArray = npt.NDArray[np.float64]

_KEPCO_BANDED: Final[Mapping[str, str]] = {
    "kr-industrial-eul-hv-a-1": "kepco-industrial-eul-hv-a-option-i",
    "kr-industrial-eul-hv-a-2": "kepco-industrial-eul-hv-a-option-ii",
    "kr-general-eul-hv-a-2": "kepco-general-eul-hv-a-option-ii",
}
_KEPCO_SEASONAL: Final[Mapping[str, str]] = {
    "kr-industrial-gap-1-hv-a-2": "kepco-industrial-gap-i-hv-a-option-ii",
    "kr-industrial-gap-1-lv": "kepco-industrial-gap-i-low-voltage",
}
_FLAT: Final[Mapping[str, str]] = {
    "kr-average": "industrial-average-selling-price-all-in-kr",
    "us-industrial": "industrial-electricity-average-us",
    "us-commercial": "commercial-electricity-average-us",
    "eu": "non-household-electricity-average-excl.-recoverable-taxes-eu",
    "jp": "industrial-high-voltage-electricity-order-of-magnitude-jp",
}
TARIFFS: Final = (*_KEPCO_BANDED, *_KEPCO_SEASONAL, *_FLAT)
_EUROPE: Final = (
    "EU", "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT", "LU", "LV",
    "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
)  # fmt: skip
NATIONAL: Final[Mapping[str, str]] = {
    "KR": "kr-average",
    "US": "us-industrial",
    "JP": "jp",
    **dict.fromkeys(_EUROPE, "eu"),
}
"""Country -> its average tariff."""
ELSEWHERE: Final = "us-industrial"
"""Stands in where no tariff of the country is held; the ledger names it."""

_SEASONS: Final = {"summer": 92, "spring-fall": 153, "winter": 120}
"""Days a year."""
_DAY_TYPES: Final = (247 / 365, 52 / 365, 66 / 365)
"""Working days, Saturdays, Sundays with holidays: share of the days."""
_CLIMATE: Final = "kepco-climate-environment-charge-add-on-kr"
_FUEL: Final = "kepco-fuel-cost-adjustment-add-on-kr"
_FUND: Final = "electric-power-industry-fund-add-on-kr"


@frozen
class Tariff:
    """What a kWh costs at each hour of an average day of the year, and what a kW of contracted power costs a month."""

    id: str
    currency: str
    per_kwh: FloatArray = field(eq=False)
    """24 values, local hours, in `currency`; add-ons in, VAT not (a business gets it back)."""
    per_kw_month: float
    """In `currency`; 0 where the average already holds it."""
    source: Source

    def mean_per_kwh(self, profile: FloatArray | None = None) -> float:
        """Mean price of a kWh for a load of that hourly profile (24 values of mean 1); flat without one."""
        weights = np.ones(24) if profile is None else profile
        return float(np.average(self.per_kwh, weights=weights))


_MADE: Final[dict[tuple[int, str], tuple[Mapping[str, OperatingCost], Tariff]]] = {}
_KEPT: Final = 64


def tariff(costs: Mapping[str, OperatingCost], tariff_id: str) -> Tariff:
    """The tariff of that id, from the catalogue's operating costs.

    Raises UnknownId with the nearest three, KeyError where its lines are missing. Kept with the table it was made
    from, so that the table's identity is not reused.
    """
    held = _MADE.get((id(costs), tariff_id))
    if held is None:
        if len(_MADE) >= _KEPT:
            _MADE.clear()
        held = _MADE[id(costs), tariff_id] = (costs, _made(costs, tariff_id))
    return held[1]


def _made(costs: Mapping[str, OperatingCost], tariff_id: str) -> Tariff:
    if tariff_id in _FLAT:
        row = costs[_FLAT[tariff_id]]
        return Tariff(tariff_id, row.unit.split("/")[0], np.full(24, row.value), 0.0, row.source)
    if tariff_id not in TARIFFS:
        raise UnknownId("tariff", tariff_id, TARIFFS)
    banded = tariff_id in _KEPCO_BANDED
    prefix = _KEPCO_BANDED.get(tariff_id) or _KEPCO_SEASONAL[tariff_id]
    year = np.zeros(24)
    for season, days in _SEASONS.items():
        year += _season_day(costs, prefix, season, banded) * days / sum(_SEASONS.values())
    fund = 1 + costs[_FUND].value / 100
    demand = costs[f"{prefix}-demand-charge-kr"]
    per_kwh = (year + costs[_CLIMATE].value + costs[_FUEL].value) * fund
    source = demand.source
    lines = (row.source for row_id, row in costs.items() if row_id.startswith(f"{prefix}-energy"))
    if any(not line.verified or "unverified" in line.where for line in lines):
        source = Source(source.where, source.as_of, verified=False)
    return Tariff(tariff_id, "KRW", per_kwh, demand.value * fund, source)


def _season_day(costs: Mapping[str, OperatingCost], prefix: str, season: str, banded: bool) -> FloatArray:
    """24 prices of the season's average day."""
    if not banded:
        return np.full(24, costs[f"{prefix}-energy-{season}-kr"].value)
    off, mid, peak = (costs[f"{prefix}-energy-{season}-{band}-kr"].value for band in ("off-peak", "mid", "peak"))
    hours = np.arange(24)
    night = (hours >= 22) | (hours < 8)
    if season == "winter":
        busy = ((hours >= 9) & (hours < 12)) | ((hours >= 16) & (hours < 19))
    else:
        busy = (hours == 11) | ((hours >= 13) & (hours < 18))
    working = np.where(night, off, np.where(busy, peak, mid))
    saturday = np.where(night, off, mid)
    sunday = np.full(24, off)
    out: FloatArray = sum(
        (share * day for share, day in zip(_DAY_TYPES, (working, saturday, sunday), strict=True)), np.zeros(24)
    )
    return out
