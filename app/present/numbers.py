"""Numbers in words of one language: units chosen for reading, digits no finer than the band.

Memory is shown in GiB, rates and file sizes in decimal units, each with its own name. Babel's compact form is not used: it turns
128,000 into 13만, which is a wrong token ceiling. 만 and 억 appear only where nothing is lost (counts) or on money, whose exact
figure stays available.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

from attrs import evolve, frozen

from engine.estimate import Estimate
from engine.units import GIB, GIGA, KIB, MEGA, MIB, TERA

MAN: Final = 1e4
EOK: Final = 1e8


@frozen
class Shown:
    """A value in its display unit. `unit` is a suffix as printed, `before` a sign set in front (₩, $)."""

    value: float
    unit: str
    digits: int
    before: str = ""
    factor: float = 1.0
    """Display value over stored value."""
    scale_word: str = ""
    """만, 억, M, B: stands between the number and the unit."""


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
_ONE: Final = {"tokens": "token", "requests": "request", "users": "user", "days": "day", "months": "month",
               "years": "year"}  # fmt: skip
_JOINED: Final = ("초", "명", "건", "분", "일", "년", "개월", "시간", "원")
"""Korean counters stand next to their number."""
_SIGN: Final = {"USD": "$", "KRW": "₩", "EUR": "€", "JPY": "¥"}
_WHOLE: Final = ("token", "user", "request")
"""Counted things: a ceiling of these is never rounded."""
_LARGE: Final = {"ko": ((EOK, "억"), (MAN, "만")), "en": ((1e9, " billion"), (1e6, " million"))}


def plain(value: float, language: str, digits: int | None = None) -> str:
    """A bare number with the language's separators; at most three significant decimals unless told."""
    if digits is None:
        digits = 0 if value == int(value) else _decimals(value)
    if value and abs(value) < 10.0**-digits / 2:
        digits = _decimals(value, 2)
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    return _formatted(float(value), pattern, language)


@lru_cache(maxsize=8192)
def _formatted(value: float, pattern: str, language: str) -> str:
    """A page says most of its numbers again with every answer."""
    from babel.numbers import format_decimal  # half the words' start; the first paint has no figures

    return format_decimal(value, format=pattern, locale=language)


def _decimals(value: float, significant: int = 3) -> int:
    if value == 0 or not math.isfinite(value):
        return 0
    return max(0, significant - 1 - math.floor(math.log10(abs(value))))


def _needed(value: float, significant: int = 3) -> int:
    """Decimals that say the value to `significant` figures, without zeros at the end."""
    digits = _decimals(value, significant)
    while digits and round(value, digits - 1) == round(value, digits):
        digits -= 1
    return digits


def _scaled(value: float, steps: tuple[tuple[float, str], ...]) -> tuple[float, str]:
    for size, name in steps:
        if abs(value) >= size:
            return size, name
    return steps[-1]


_SCALES: Final[dict[str, tuple[tuple[float, str], ...]]] = {
    "B": ((1024 * GIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB"), (1, "B")),
    "B/s": ((TERA, "TB/s"), (GIGA, "GB/s"), (MEGA, "MB/s"), (1, "B/s")),
    "FLOP/s": ((1e15, "PFLOP/s"), (TERA, "TFLOP/s"), (GIGA, "GFLOP/s"), (1, "FLOP/s")),
    "W": ((1e6, "MW"), (1e3, "kW"), (1, "W")),
    "J": ((3.6e6, "kWh"), (3600, "Wh"), (1, "J")),
}


def shown(value: float, unit: str, language: str) -> Shown:
    """The value in the unit a reader expects."""
    names = _SUFFIX[language]
    if unit in _SCALES:
        size, name = _scaled(value, _SCALES[unit])
        return Shown(value / size, name, _needed(value / size), factor=1 / size)
    if unit == "s":
        return _seconds(value, names)
    if unit == "min" and abs(value) >= 120:
        longer = _seconds(value * 60, names)
        return evolve(longer, factor=longer.factor * 60)
    if unit == "ratio":
        return Shown(value * 100, "%", _needed(value * 100, 2), factor=100)
    if unit[:3] in _SIGN:
        return _money(value, unit, language)
    if language == "ko" and unit in ("token", "user", "request") and _exact_in_man(value):
        return Shown(value / MAN, names[unit], 0 if value % MAN == 0 else 1, factor=1 / MAN, scale_word="만")
    return Shown(value, names.get(unit, unit), 0 if abs(value) >= 100 else _needed(value))


def _exact_in_man(value: float) -> bool:
    """True where 만 with one decimal says the same number: 32,000 yes, 32,768 no."""
    return abs(value) >= MAN and abs(value) < EOK and value % 1000 == 0


def _seconds(value: float, names: dict[str, str]) -> Shown:
    """Days, hours and minutes from two on, seconds from a half, milliseconds below, microseconds under a tenth of one."""
    for size, name in ((86_400.0, "day"), (3_600.0, "h"), (60.0, "min")):
        if abs(value) >= 2 * size:
            return Shown(value / size, names[name], _needed(value / size), factor=1 / size)
    if abs(value) >= 0.5 or value == 0:
        return Shown(value, names["s"], _needed(value))
    if abs(value) < 1e-4:
        return Shown(value * 1e6, "µs", _needed(value * 1e6), factor=1e6)
    return Shown(value * 1e3, names["ms"], _needed(value * 1e3), factor=1e3)


def _money(value: float, unit: str, language: str) -> Shown:
    """Three significant figures; won in 만 and 억 for a Korean reader, thousands and millions for the others."""
    currency, per = unit[:3], _SUFFIX[language].get(unit[3:], unit[3:])
    size = abs(value)
    if currency == "KRW" and language == "ko":
        step, word = (EOK, "억") if size >= EOK else (MAN, "만") if size >= MAN else (1.0, "")
        return _rounded(value, step, word, "원" + per, "")
    step, word = (1e9, "B") if size >= 1e9 else (1e6, "M") if size >= 1e6 else (1.0, "")
    if value == 0:
        return Shown(0.0, per, 0, before=_SIGN[currency])
    if size < 1000 and currency in ("USD", "EUR"):
        cents = 2 if round(value * 100, 6) == round(value * 100) else max(2, _decimals(value))
        return Shown(value, per, cents, before=_SIGN[currency])
    return _rounded(value, step, word, per, _SIGN[currency])


def _rounded(value: float, step: float, word: str, unit: str, before: str) -> Shown:
    digits = 2 if 0 < abs(value / step) < 10 and step > 1 else 1 if abs(value / step) < 100 and step > 1 else 0
    if step == 1.0 and 0 < abs(value) < 100:
        digits = _decimals(value)
    return Shown(value / step, unit, digits, before, 1 / step, word)


def axis_amount(value: float, currency: str, language: str) -> str:
    """A round amount for an axis: "1억", "100만", "₩1M"."""
    korean = currency == "KRW" and language == "ko"
    steps = ((EOK, "억"), (MAN, "만")) if korean else ((1e9, "B"), (1e6, "M"), (1e3, "K"))
    sign = "" if korean else _SIGN.get(currency, "")
    for size, word in steps:
        if value >= size:
            return f"{sign}{value / size:,g}{word}"
    return f"{sign}{value:,g}"


def unscaled(value: float, unit: str, language: str) -> Shown:
    """Without 만, 억 or M, to the last digit that exists: whole won, cents, bytes."""
    if unit[:3] in _SIGN:
        whole = unit[:3] in ("KRW", "JPY") or abs(value) >= 1e5
        per = _SUFFIX[language].get(unit[3:], unit[3:])
        return Shown(value, per, 0 if whole and abs(value) >= 10 else max(2, _decimals(value)), before=_SIGN[unit[:3]])
    if unit in (*_WHOLE, "1"):
        return Shown(value, _SUFFIX[language][unit], 0 if value == int(value) else _decimals(value))
    return shown(value, unit, language)


def no_finer_than_band(estimate: Estimate, seen: Shown, language: str) -> Shown:
    """The same figure with the digits its band can carry: two significant figures of the band's width.

    Two figures of the value itself always stay: a band of several decades does not round it away.
    """
    width = abs((estimate.high - estimate.low) * seen.factor)
    if width == 0 or estimate.unit in _WHOLE:
        return seen
    place = math.floor(math.log10(width)) - 1
    if seen.value:
        place = min(place, math.floor(math.log10(abs(seen.value))) - 1)
    if place <= 0:
        ends = [end * seen.factor for end in (estimate.value, estimate.low, estimate.high)]
        digits = _shared_digits(ends, min(_decimals(seen.value), -place))
        cents = digits == 1 and seen.before and not seen.scale_word  # $4.70, never $4.7
        return evolve(seen, digits=2 if cents else digits)
    step = 10.0**place
    rounded = evolve(seen, value=round(seen.value / step) * step, digits=0)
    return _large(rounded, language) if estimate.unit == "1" else rounded


def _shared_digits(values: list[float], digits: int) -> int:
    """Decimals without which one of the values would read differently."""
    while digits and all(round(v, digits - 1) == round(v, digits) for v in values):
        digits -= 1
    return digits


def _large(seen: Shown, language: str) -> Shown:
    """A big count that its band has already rounded: 17,000,000,000 becomes 170억, 17 billion."""
    for size, word in _LARGE[language]:
        if abs(seen.value) >= size:
            value = seen.value / size
            return evolve(seen, value=value, digits=_needed(value), factor=seen.factor / size, scale_word=word)
    return seen


def with_unit(seen: Shown, language: str) -> str:
    """ "690만 원/월", "31.4 GiB", "86 %", "$1.24M"."""
    number = ("-" if seen.value < 0 else "") + seen.before + plain(abs(seen.value), language, seen.digits)
    number += seen.scale_word
    unit = seen.unit
    if language == "en" and number == "1":
        unit = _ONE.get(unit, unit)
    if not unit:
        return number
    counter = unit.split("/", 1)[0] in _JOINED and language == "ko"
    joined = unit.startswith("/") or (counter and not seen.scale_word)
    return f"{number}{unit}" if joined else f"{number} {unit}"


def band(estimate: Estimate, language: str, seen: Shown) -> str:
    """ "31–44": both ends in the display unit of the value, without repeating the unit."""
    ends = [plain(end * seen.factor, language, seen.digits) for end in (estimate.low, estimate.high)]
    return f"{ends[0]}–{ends[1]}{seen.scale_word}" if ends[0] != ends[1] else ""
