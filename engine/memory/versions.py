"""Comparing engine versions: "0.19.0", "b7000", "v0.9.1.post1" as tuples of numbers."""

from __future__ import annotations

import re
from typing import Final

_NUMBERS: Final = re.compile(r"\d+")


def version_key(version: str) -> tuple[int, ...]:
    """The numbers of a version in order; () for an empty one, which sorts before every other."""
    return tuple(int(n) for n in _NUMBERS.findall(version)[:4])


def at_least(version: str, since: str) -> bool:
    """Whether a version is not older than another; an unknown version is older than any that is named."""
    return version_key(version) >= version_key(since)
