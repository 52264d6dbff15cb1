"""Numbers in words of one language: units chosen for reading, digits no finer than the band.

Memory is shown in GiB, rates and file sizes in decimal units, each with its own name. Babel's compact form is not used: it turns
128,000 into 13만, which is a wrong token ceiling.
"""

from __future__ import annotations

import math
from typing import Final

from attrs import frozen
from babel.numbers import format_decimal

from engine.estimate import Estimate
from engine.units import GIB, GIGA, KIB, MEGA, MIB, TERA


@frozen
class Shown:
    """A value in its display unit. `unit` is a suffix as printed, `before` a sign set in front (₩, $)."""

    value: float
    unit: str
    digits: int
    before: str = ""
    factor: float = 1.0
    """Display value over stored value."""


_SUFFIX: Final[dict[str, dict[str, str]]] = {
    "ko": {
        "token": "토큰", "token/s": "토큰/초", "request/s": "건/초", "request": "건", "user": "명", "s": "초", "ms": "ms",
        "min": "분", "h": "시간", "day": "일", "month": "개월", "year": "년", "1": "", "ratio": "%", "m": "m", "m/s": "m/s",
        "1/day": "건/일", "B/token": "B/토큰", "/month": "/월", "/request": "/건", "/Mtoken": "/백만 토큰", "/h": "/시간",
        "/kWh": "/kWh",
    },
    "en": {
        "token": "tokens", "token/s": "tokens/s", "request/s": "requests/s", "request": "requests", "user": "users",
        "s": "s", "ms": "ms", "min": "min", "h": "h", "day": "days", "month": "months", "year": "years", "1": "",
        "ratio": "%", "m": "m", "m/s": "m/s", "1/day": "a day", "B/token": "B/token", "/month": "/month",
        "/request": "/request", "/Mtoken": "/M tokens", "/h": "/h", "/kWh": "/kWh",
    },
}  # fmt: skip
_JOINED: Final = ("초", "명", "건", "분", "일", "년", "개월", "시간")
"""Korean counters stand next to their number."""
_SIGN: Final = {"USD": "$", "KRW": "₩", "EUR": "€", "JPY": "¥"}


def plain(value: float, language: str, digits: int | None = None) -> str:
    """A bare number with the language's separators; at most three significant decimals unless told."""
    if digits is None:
        digits = 0 if value == int(value) else _decimals(value)
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    return format_decimal(value, format=pattern, locale=language)


def _decimals(value: float, significant: int = 3) -> int:
    if value == 0 or not math.isfinite(value):
        return 0
    return max(0, significant - 1 - math.floor(math.log10(abs(value))))


def _scaled(value: float, steps: tuple[tuple[float, str], ...]) -> tuple[float, str]:
    for size, name in steps:
        if abs(value) >= size:
            return size, name
    return steps[-1]


def shown(value: float, unit: str, language: str) -> Shown:
    """The value in the unit a reader expects."""
    names = _SUFFIX[language]
    if unit == "B":
        size, name = _scaled(value, ((1024 * GIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB"), (1, "B")))
        return _in(value, size, name)
    if unit == "B/s":
        size, name = _scaled(value, ((TERA, "TB/s"), (GIGA, "GB/s"), (MEGA, "MB/s"), (1, "B/s")))
        return _in(value, size, name)
    if unit == "FLOP/s":
        size, name = _scaled(value, ((1e15, "PFLOP/s"), (TERA, "TFLOP/s"), (GIGA, "GFLOP/s"), (1, "FLOP/s")))
        return _in(value, size, name)
    if unit == "W":
        size, name = _scaled(value, ((1e6, "MW"), (1e3, "kW"), (1, "W")))
        return _in(value, size, name)
    if unit == "J":
        size, name = _scaled(value, ((3.6e6, "kWh"), (3600, "Wh"), (1, "J")))
        return _in(value, size, name)
    if unit == "s":
        return _seconds(value, names)
    if unit == "ratio":
        return Shown(value * 100, "%", _decimals(value * 100, 2), factor=100)
    if unit[:3] in _SIGN:
        return _money(value, unit, names)
    return Shown(value, names.get(unit, unit), 0 if value == int(value) or abs(value) >= 100 else _decimals(value))


def _in(value: float, size: float, name: str) -> Shown:
    return Shown(value / size, name, _decimals(value / size), factor=1 / size)


def _seconds(value: float, names: dict[str, str]) -> Shown:
    for size, name in ((86_400.0, "day"), (3_600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms")):
        if abs(value) >= size * (1 if size <= 1 else 2):
            return Shown(value / size, names[name], _decimals(value / size, 2 if size != 1.0 else 3), factor=1 / size)
    return Shown(value * 1e3, names["ms"], _decimals(value * 1e3, 2), factor=1e3)


def _money(value: float, unit: str, names: dict[str, str]) -> Shown:
    currency, rest = unit[:3], unit[3:]
    whole = currency in ("KRW", "JPY")
    digits = 0 if (whole and abs(value) >= 10) or abs(value) >= 1000 else max(0 if whole else 2, _decimals(value))
    rounded = value
    if abs(value) >= 1000:
        step = 10 ** (math.floor(math.log10(abs(value))) - 2)
        rounded = round(value / step) * step
    return Shown(rounded, names.get(rest, rest), digits, before=_SIGN[currency])


def with_unit(shown_value: Shown, language: str) -> str:
    """ "₩6,900,000/월", "31.4 GiB", "86 %"."""
    number = shown_value.before + plain(shown_value.value, language, shown_value.digits)
    if shown_value.value < 0 and shown_value.before:
        number = "-" + shown_value.before + plain(-shown_value.value, language, shown_value.digits)
    if not shown_value.unit:
        return number
    joined = shown_value.unit.startswith("/") or (language == "ko" and shown_value.unit in _JOINED)
    glue = "" if joined else " "
    return f"{number}{glue}{shown_value.unit}"


def band(estimate: Estimate, language: str, shown_value: Shown) -> str:
    """ "31-44": both ends in the display unit of the value, without repeating the unit."""
    scale = shown_value.value / estimate.value if estimate.value else shown_value.factor
    ends = [plain(end * scale, language, shown_value.digits) for end in (estimate.low, estimate.high)]
    return f"{ends[0]}–{ends[1]}"
