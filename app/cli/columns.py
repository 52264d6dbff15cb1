"""Text tables that line up with Korean in them and fold where the terminal ends."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

_WIDE: Final = ("W", "F")
_GAP: Final = "  "
_NARROWEST: Final = 14
"""No column is folded to less than this many places."""
_LONGEST_KEPT: Final = 40
"""Words up to this length are never cut: an id must stay one word."""


def width(text: str) -> int:
    """Places a text takes on a terminal: Hangul two, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in _WIDE else 1 for c in text)


def columns(rows: Iterable[Sequence[str]], headers: Sequence[str] = (), room: int = 120) -> Iterator[str]:
    """The lines of a table; a rule follows the headers."""
    lines = [tuple(headers)] * bool(headers) + [tuple(row) for row in rows]
    if not lines:
        return
    count = max(map(len, lines))
    cells = [[line[i] for line in lines if i < len(line)] for i in range(count)]
    least = [
        min(_LONGEST_KEPT, max((width(w) for cell in column for w in cell.split()), default=0)) for column in cells
    ]
    widths = _fitted([max(map(width, column), default=0) for column in cells], least, room)
    for n, line in enumerate(lines):
        folded = [fold(cell, widths[i]) for i, cell in enumerate(line)]
        for parts in zip_longest(*folded, fillvalue=""):
            padded = (part + " " * (widths[i] - width(part)) for i, part in enumerate(parts))
            yield _GAP.join(padded).rstrip()
        if headers and n == 0:
            yield _GAP.join("-" * w for w in widths)


def _fitted(widths: list[int], least: list[int], room: int) -> list[int]:
    """Widths that fit `room` together: the widest columns give way first, none so far that a word (an id) is cut."""
    fitted = list(widths)
    while sum(fitted) + len(_GAP) * (len(fitted) - 1) > room:
        able = [i for i, w in enumerate(fitted) if w > max(_NARROWEST, least[i])]
        if not able:
            break
        fitted[max(able, key=fitted.__getitem__)] -= 1
    return fitted


def fold(text: str, room: int) -> list[str]:
    """The text in pieces of at most `room` places, broken at spaces where there are any."""
    if width(text) <= room:
        return [text]
    lines, line = [], ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if width(joined) <= room:
            line = joined
            continue
        if line:
            lines.append(line)
        while width(word) > room:
            piece = _cut(word, room)
            lines.append(piece)
            word = word[len(piece) :]  # noqa: PLW2901  (what is left of it)
        line = word
    if line:
        lines.append(line)
    return lines


def _cut(word: str, room: int) -> str:
    taken = ""
    for letter in word:
        if taken and width(taken + letter) > room:
            break
        taken += letter
    return taken
