"""Dates in words, and how old a figure is. A source's date may be a day, a month, a quarter or a year."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from babel.dates import format_date

_PARTS: Final = re.compile(r"^\s*(\d{4})(?:-(\d{2}|Q[1-4]|H[12]))?(?:-(\d{2}))?")
STALE_MONTHS: Final = 6
"""A price older than this is marked."""


def spoken(day: date, language: str) -> str:
    """ "2026년 12월 1일", "1 December 2026"."""
    return format_date(day, "y년 M월 d일" if language == "ko" else "d MMMM y", locale=language)


def as_of(text: str, language: str) -> str:
    """A source's date for reading: "2026-10" becomes "2026년 10월"; what is no date stays as it is."""
    found = _PARTS.match(text)
    if not found:
        return text
    year, part, day = found.groups()
    if day:
        return f"{year}-{part}-{day}"
    if part is None:
        return f"{year}년" if language == "ko" else year
    if part.startswith(("Q", "H")):
        return f"{year} {part}"
    return f"{year}년 {int(part)}월" if language == "ko" else f"{year}-{part}"


def months_old(text: str, today: date) -> int | None:
    """Whole months between a source's date and today; None where the source gives no date. A year counts from its middle."""
    found = _PARTS.match(text)
    if not found:
        return None
    year, part, _ = found.groups()
    months = {None: 6, "Q1": 2, "Q2": 5, "Q3": 8, "Q4": 11, "H1": 3, "H2": 9}
    month = months[part] if part in months else int(part)
    return max(0, (today.year - int(year)) * 12 + today.month - month)


def stale(text: str, today: date) -> bool:
    """True for a price that should be asked for again; a price without a date is stale."""
    age = months_old(text, today)
    return age is None or age > STALE_MONTHS
