"""What people type into a number field, in SI. Pure: no Qt.

Accepts separators, 천 / 만 / 억 / 조, k / M / G / T, and the unit words of the field's dimension in both languages. A bare
number is in the field's entry unit, which the field shows; nothing is guessed from the size of a number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from engine.errors import InvalidInput
from engine.messages import msg
from engine.questions.types import Kind, Question
from engine.units import GIB, GIGA, KIB, KILO, MEGA, MIB, SECONDS_PER_DAY, SECONDS_PER_HOUR, TERA

_SCALE: Final[Mapping[str, float]] = {"천": 1e3, "만": 1e4, "억": 1e8, "조": 1e12}
_LETTER: Final[Mapping[str, float]] = {"k": 1e3, "m": 1e6, "g": 1e9, "b": 1e9, "t": 1e12}

_TIME: Final[Mapping[str, float]] = {
    "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "밀리초": 1e-3, "s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0, "초": 1.0,
    "min": 60.0, "minute": 60.0, "minutes": 60.0, "분": 60.0, "h": SECONDS_PER_HOUR, "hr": SECONDS_PER_HOUR,
    "hour": SECONDS_PER_HOUR, "hours": SECONDS_PER_HOUR, "시간": SECONDS_PER_HOUR, "d": SECONDS_PER_DAY,
    "day": SECONDS_PER_DAY, "days": SECONDS_PER_DAY, "일": SECONDS_PER_DAY,
}  # fmt: skip
_BYTES: Final[Mapping[str, float]] = {
    "b": 1.0, "바이트": 1.0, "kb": KILO, "mb": MEGA, "메가": MEGA, "gb": GIGA, "기가": GIGA, "tb": TERA, "테라": TERA, "pb": 1e15,
    "kib": KIB, "mib": MIB, "gib": GIB, "tib": 1024.0 * GIB,
}  # fmt: skip


def _in_terms_of(base: str) -> dict[str, float]:
    return {name: size / _TIME[base] for name, size in _TIME.items()}


_MONTH_DAYS: Final = 365 / 12
_UNITS: Final[Mapping[str, Mapping[str, float]]] = {
    "s": _TIME,
    "min": _in_terms_of("min"),
    "h": _in_terms_of("h"),
    "day": {
        **_in_terms_of("day"), "week": 7.0, "weeks": 7.0, "주": 7.0, "month": _MONTH_DAYS, "months": _MONTH_DAYS,
        "개월": _MONTH_DAYS, "달": _MONTH_DAYS, "year": 365.0, "years": 365.0, "년": 365.0,
    },
    "month": {"month": 1.0, "months": 1.0, "개월": 1.0, "달": 1.0, "year": 12.0, "years": 12.0, "년": 12.0},
    "year": {"year": 1.0, "years": 1.0, "년": 1.0, "month": 1 / 12, "months": 1 / 12, "개월": 1 / 12},
    "B": _BYTES,
    "ratio": {"%": 0.01, "퍼센트": 0.01, "percent": 0.01, "배": 1.0, "x": 1.0},
    "token": {"token": 1.0, "tokens": 1.0, "토큰": 1.0, "tok": 1.0},
    "user": {"user": 1.0, "users": 1.0, "명": 1.0, "people": 1.0, "대": 1.0},
    "1/day": {"건": 1.0, "건/일": 1.0, "회": 1.0, "a day": 1.0, "/day": 1.0, "per day": 1.0, "번": 1.0},
    "request/s": {"건/초": 1.0, "건": 1.0, "/s": 1.0, "requests/s": 1.0, "rps": 1.0, "qps": 1.0},
    "m/s": {"m/s": 1.0, "km/h": 1 / 3.6, "kph": 1 / 3.6, "mph": 0.44704},
    "1": {"개": 1.0, "장": 1.0, "대": 1.0, "명": 1.0, "회": 1.0, "건": 1.0, "x": 1.0, "배": 1.0, "%": 0.01},
}  # fmt: skip

_ENTRY: Final[Mapping[str, str]] = {
    "immediacy.latency_budget_s": "ms", "immediacy.round_trip_s": "ms", "immediacy.outage_s": "min",
    "targets.time_per_output_token_s": "ms", "updates.download_limit_bytes": "MB", "circumstances.data_gravity_bytes": "GB",
}  # fmt: skip
"""Fields whose bare number is in another unit than SI."""

_NUMBER = re.compile(r"[+-]?(?:\d[\d,\s_]*)?(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)
_CURRENCY = re.compile(r"^(?:us)?\$|^₩|^￦|^krw|^usd|(?:원|krw|usd|달러|\$)(?=$|/|\s)", re.IGNORECASE)


@frozen
class NumberRule:
    """How one field reads numbers. `entry` is the unit of a bare number, `dimension` the SI unit behind it."""

    dimension: str
    entry: str
    entry_factor: float
    """SI value of one entry unit."""


def rule_for(question: Question, currency: str = "USD") -> NumberRule:
    """The reading rule of a question. Money is entered in the session's currency."""
    unit = question.unit
    if unit == "ratio" and question.kind is Kind.NUMBER and (question.minimum or 0) >= 1:
        return NumberRule("1", "", 1.0)
    if unit == "ratio":
        return NumberRule("ratio", "%", 0.01)
    if unit.startswith("USD"):
        return NumberRule(unit, unit.replace("USD", currency, 1), 1.0)
    entry = _ENTRY.get(question.path)
    if entry is not None:
        return NumberRule(unit, entry, _UNITS[unit][entry.lower() if unit == "B" else entry])
    if unit == "B":
        return NumberRule(unit, "GB", GIGA)
    return NumberRule(unit, "" if unit == "1" else unit, 1.0)


def parse(text: str, rule: NumberRule, *, currency: str = "USD", usd_rate: float = 1.0) -> float | None:
    """The value in SI (money in USD), or None for an empty field. Raises InvalidInput when it cannot be read."""
    wanted = text.strip()
    if not wanted:
        return None
    factor = rule.entry_factor
    if rule.dimension.startswith("USD"):
        wanted, factor = _money(wanted, currency, usd_rate)
    value, rest = _magnitude(wanted)
    if value is None:
        raise InvalidInput(msg("ui.field.not_a_number", text=text.strip()[:40]))
    if rest:
        value, factor = _with_unit(value, rest, rule, factor, text)
    result = value * factor
    if not math.isfinite(result):
        raise InvalidInput(msg("ui.field.not_a_number", text=text.strip()[:40]))
    return result


def _money(text: str, currency: str, usd_rate: float) -> tuple[str, float]:
    """The text without its currency sign, and USD per unit of the currency meant."""
    found = _CURRENCY.search(text)
    sign = found.group(0).lower() if found else ""
    dollars = "$" in sign or "usd" in sign or "달러" in sign or (not sign and currency == "USD")
    bare = _CURRENCY.sub("", text).replace("/kWh", "").replace("/kwh", "")
    if dollars:
        return bare, 1.0
    if usd_rate <= 0 or (usd_rate == 1.0 and currency == "USD"):
        raise InvalidInput(msg("ui.field.no_rate"))
    return bare, 1 / usd_rate


def _magnitude(text: str) -> tuple[float | None, str]:
    """Number with its Korean steps ("1억 2천만"), and what stands behind it."""
    total, rest, seen = 0.0, text.strip(), False
    while rest:
        found = _NUMBER.match(rest)
        digits = re.sub(r"[,\s_]", "", found.group(0)) if found else ""
        if not digits or digits in "+-":
            break
        try:
            part = float(digits)
        except ValueError:
            return None, text
        rest = rest[found.end() :].lstrip() if found else rest
        step, rest = _steps(rest)
        if seen and step == 1.0:
            return None, text
        total, seen = total + part * step, True
        if step == 1.0:
            break
    return (total if seen else None), rest.strip()


def _steps(rest: str) -> tuple[float, str]:
    step = 1.0
    while rest and rest[0] in _SCALE:
        step *= _SCALE[rest[0]]
        rest = rest[1:].lstrip()
    return step, rest


def _with_unit(value: float, rest: str, rule: NumberRule, factor: float, text: str) -> tuple[float, float]:
    """The value and the SI size of its unit word."""
    words = _UNITS.get(rule.dimension, {})
    lowered = rest.lower()
    if lowered in words:
        return value, words[lowered]
    if lowered[0] in _LETTER and rule.dimension in ("token", "user", "1/day", "request/s", "1"):
        behind = lowered[1:].strip()
        if not behind or behind in words:
            return value * _LETTER[lowered[0]], words.get(behind, factor)
    if rule.dimension.startswith("USD") and lowered in _LETTER:
        return value * _LETTER[lowered], factor
    raise InvalidInput(msg("ui.field.unit_unknown", text=text.strip()[:40], unit=rest[:12]))
