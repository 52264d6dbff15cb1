"""Words made safe for a paragraph: markup escaped, characters the font does not hold replaced, no lonely last word."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any, Final
from xml.sax.saxutils import escape

from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Paragraph

from app.report import fonts

_STAND_IN: Final = "□"
_LONELY: Final = 5
"""A last word of at most so many characters is kept with the word before it."""
_SPACES: Final = re.compile(r"[ \t\r\n\f\v]+")
_JOINERS: Final = frozenset({0x200D, 0xFE0E, 0xFE0F})
MAX_CHARACTERS: Final = 20_000
"""A pasted novel is cut rather than laid out for minutes."""


def clean(text: str) -> str:
    """One line of printable characters: control characters out, what the font lacks as a box, spaces collapsed."""
    held = fonts.register()
    text = unicodedata.normalize("NFC", text[:MAX_CHARACTERS])
    out = []
    for character in text:
        point = ord(character)
        if point in _JOINERS or (unicodedata.category(character) in ("Cc", "Cf", "Cs") and not character.isspace()):
            continue
        if character.isspace():
            out.append("\u00a0" if point == 0xA0 else " ")
        else:
            out.append(character if point in held else _STAND_IN)
    squeezed = re.sub(f"{_STAND_IN}+", _STAND_IN, "".join(out))
    return _SPACES.sub(" ", squeezed).strip(" ")


def keep_last_words(text: str) -> str:
    """The last word stays with the one before it when it would look lost on a line of its own."""
    head, space, last = text.rpartition(" ")
    if space and len(last) <= _LONELY and len(head.rpartition(" ")[2]) <= 12 and " " in head:
        return f"{head}\u00a0{last}"
    return text


def paragraph(text: str, style: ParagraphStyle) -> Paragraph:
    """A paragraph of plain words; nothing in them is read as markup, so no parser is asked."""
    words = keep_last_words(clean(text))
    return Paragraph(words, style, frags=[_plain(style).clone(text=words)])


@lru_cache(maxsize=128)
def _plain(style: ParagraphStyle) -> Any:
    """How ReportLab describes unmarked words of a style."""
    return Paragraph("x", style).frags[0]


def marked(markup: str, style: ParagraphStyle) -> Paragraph:
    """A paragraph of our own markup, whose inserted words went through `inline`."""
    return Paragraph(markup, style)


def inline(text: str) -> str:
    """Words for use inside markup."""
    return escape(clean(text))


def fitted(text: str, font: str, size: float, room: float) -> str:
    """One line cut to `room` points with an ellipsis: for labels of charts, whose whole words stand in the table."""
    text = clean(text)
    if fonts.width(text, font, size) <= room:
        return text
    while text and fonts.width(text + "…", font, size) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def shortened(text: str, most: int) -> str:
    """At most so many characters, for names that a person may have pasted from anywhere."""
    shown = clean(text)
    return shown if len(shown) <= most else shown[: most - 1].rstrip() + "…"


def balanced(text: str, style: ParagraphStyle, room: float) -> Paragraph:
    """A title whose lines are about equally long: the narrowest width that needs no more lines."""
    made = paragraph(text, style)
    _, tall = made.wrap(room, 1e6)
    low, high = room * 0.4, room
    if tall <= style.leading * 1.5:
        return made
    for _ in range(7):
        middle = (low + high) / 2
        trial = paragraph(text, style)
        if trial.wrap(middle, 1e6)[1] > tall:
            low = middle
        else:
            high = middle
    narrowed = style.clone(f"{style.name}-balanced", rightIndent=max(0.0, room - high - 1))
    return paragraph(text, narrowed)
