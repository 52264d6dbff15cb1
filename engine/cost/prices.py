"""Prices: what they are worth today, in which currency, how old they are, and which of them cannot be true.

"Today" is a date the caller gives: the engine has no clock.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Final

from engine.catalogue.catalogue import Catalogue
from engine.catalogue.rows import OperatingCost
from engine.errors import Refused
from engine.estimate import Basis, Estimate, Input, Source, Trace, exact
from engine.messages import Message, Quantity, msg
from engine.units import COUNT, DAYS, USD

_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?|-([HQ])(\d))?")

MAX_AGE_DAYS: Final[Mapping[str, int]] = {
    "api": 90,
    "gpu": 90,
    "server": 180,
    "electricity": 365,
    "exchange": 45,
    "other": 365,
}
"""Days after which a price of that kind is said to be old. Cloud prices of 2026 moved by tens of per cent in a quarter."""

HOURLY_PER_DEVICE_USD: Final = (0.05, 60.0)
"""What an hour of one rented accelerator can cost. Catalogues have listed an H100 at $0 and a B200 at $0.01."""
PER_MTOK_USD: Final = (0.001, 1000.0)
"""What a million tokens can cost. A price per 1,000 tokens taken for one per million is a thousandth of this."""


@cache
def dated(text: str) -> date | None:
    """The earliest day a date cell may mean: "2026-10-10", "2026-11", "2025-Q3", "2025-H1", "2026 (undated)"; None without one."""
    found = _DATE.search(text)
    if not found:
        return None
    year, month, day, half, part = found.groups()
    if half:
        return date(int(year), (int(part) - 1) * (6 if half == "H" else 3) + 1, 1)
    try:
        return date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return None


def day_text(text: str) -> str:
    """The date in a date cell, without the remarks beside it."""
    found = _DATE.search(text)
    return found.group(0) if found else text


def age_days(source: Source, as_of: date) -> int | None:
    """Days since the price was read; None where nobody wrote it down. Never negative."""
    read = dated(source.as_of)
    return None if read is None else max((as_of - read).days, 0)


def warnings_of(what: Message, source: Source, kind: str, as_of: date) -> list[Message]:
    """Unverified, undated or old: what to say beside the price."""
    found = []
    if not source.verified:
        found.append(msg("cost.warning.unverified", what=what))
    age = age_days(source, as_of)
    if age is None:
        found.append(msg("cost.warning.undated", what=what))
    elif age > MAX_AGE_DAYS[kind]:
        found.append(msg("cost.warning.old", what=what, as_of=day_text(source.as_of), age=Quantity(age, DAYS)))
    return found


def checked_hourly(usd_per_hour: float, devices: float, what: str) -> float:
    """The price of an instance hour, refused where its share per device cannot be true. Raises Refused."""
    low, high = HOURLY_PER_DEVICE_USD
    if not low <= usd_per_hour / devices <= high:
        raise Refused(msg("cost.refused.hourly", what=what, price=Quantity(usd_per_hour, "USD/h"), devices=devices))
    return usd_per_hour


def checked_per_mtok(usd_per_mtok: float, what: str) -> float:
    """The price of a million tokens, refused where it is none or looks like one per 1,000. Raises Refused."""
    low, high = PER_MTOK_USD
    if not low <= usd_per_mtok <= high:
        raise Refused(msg("cost.refused.per_mtok", what=what, price=Quantity(usd_per_mtok, "USD/Mtoken")))
    return usd_per_mtok


def per_mtok_of_per_ktok(usd_per_1000: float) -> float:
    """A price per 1,000 tokens as one per million."""
    return usd_per_1000 * 1000


_TO_USD: Final[Mapping[str, tuple[str, bool]]] = {
    "KRW": ("fx-usd-to-krw-kr", True),
    "JPY": ("fx-usd-to-jpy-jp", True),
    "EUR": ("fx-eur-to-usd-eu", False),
}
"""Currency -> (row of operating_costs, True where the row says units of the currency for one dollar)."""


def usd_per(catalogue: Catalogue, currency: str) -> tuple[float, Source]:
    """Dollars for one unit of a currency, with the day of the rate. Raises Refused for one without a rate."""
    if currency == "USD":
        return 1.0, Source("", "", verified=True)
    row_id, inverse = _TO_USD.get(currency, ("", False))
    row = catalogue.operating_costs.get(row_id)
    if row is None or row.value <= 0:
        raise Refused(msg("cost.refused.currency", currency=currency))
    return (1 / row.value if inverse else row.value), row.source


def won_per_usd(catalogue: Catalogue) -> Estimate:
    """Won for one dollar, as of the day of the rate."""
    row = catalogue.operating_costs[_TO_USD["KRW"][0]]
    rate = Input("rate", row.value, COUNT, Basis.DATASHEET, row.source)
    trace = Trace("cost.trace.exchange", "rate", (rate,))
    return exact(row.value, COUNT, Basis.DATASHEET, trace)


def fact(catalogue: Catalogue, row_id: str) -> OperatingCost | None:
    """A line of operating_costs, None where the catalogue does not hold it."""
    return catalogue.operating_costs.get(row_id)


def usd(row: OperatingCost) -> Estimate:
    """A purchase price in dollars as a figure; unverified ones are assumed with a wide band."""
    basis = Basis.DATASHEET if row.source.verified else Basis.ASSUMED
    spread = 0.15 if row.source.verified else 0.4
    return Estimate(row.value, row.value * (1 - spread), row.value * (1 + spread), USD, basis)
