"""Reading a PDF back: words, places of characters, fonts, bookmarks."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import pypdfium2
from pypdf import PdfReader


def pages(data: bytes) -> list[str]:
    """The text of every page, spaces collapsed."""
    document = pypdfium2.PdfDocument(data)
    try:
        return [squeezed(page.get_textpage().get_text_range()) for page in document]
    finally:
        document.close()


def text(data: bytes) -> str:
    return " ".join(pages(data))


def squeezed(words: str) -> str:
    return re.sub(r"\s+", " ", words.replace("\u00a0", " ").replace("\ufffe", "-")).strip()


def reader(data: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(data))


def bookmarks(data: bytes) -> list[tuple[int, str]]:
    """Level and title of each outline entry."""

    def walk(entries: list, level: int) -> Iterator[tuple[int, str]]:
        for entry in entries:
            if isinstance(entry, list):
                yield from walk(entry, level + 1)
            else:
                yield level, entry.title

    return list(walk(reader(data).outline, 0))


def letters_outside(data: bytes, left: float, right: float, bottom: float, top: float) -> list[tuple[int, str]]:
    """Page number and character of every glyph that stands outside a box, in points."""
    found = []
    document = pypdfium2.PdfDocument(data)
    try:
        for number, page in enumerate(document, start=1):
            words = page.get_textpage()
            for index in range(words.count_chars()):
                box = words.get_charbox(index)
                if box[0] < left or box[2] > right or box[1] < bottom or box[3] > top:
                    found.append((number, words.get_text_range(index, 1)))
    finally:
        document.close()
    return [(n, c) for n, c in found if c.strip()]
