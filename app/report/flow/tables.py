"""Tables that split with their header repeated; column widths from what stands in them."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Paragraph
from reportlab.platypus import Table as PlatypusTable

from app.present.views import Cell, Table, Tone
from app.report import fonts, theme
from app.report.text import clean, keep_last_words, paragraph

PAD = 5.0
NARROWEST = 30.0
INDENT = 8.0
WORD = 12
"""A toned cell of so few characters is a word, set strong; a toned list is not."""
LONG = 260.0
"""A column wider than this by its words shares what is left instead of taking it."""


def table(block: Table, room: float = theme.CONTENT_WIDTH) -> PlatypusTable:
    """A table of paragraphs with hairlines between the rows and no frame."""
    widths = column_widths(block, room)
    data = [_header(block)] if any(block.headers) else []
    data += [[_cell(cell, n in block.numeric) for n, cell in enumerate(row)] for row in block.rows]
    made = PlatypusTable(data, colWidths=widths, repeatRows=1 if any(block.headers) else 0, splitInRow=1)
    made.setStyle(_rules(bool(any(block.headers)), len(data)))
    made.spaceAfter = theme.GAP
    made.hAlign = "LEFT"
    return made


def _rules(headed: bool, rows: int) -> list[tuple[Any, ...]]:
    line, strong = theme.colour("line"), theme.colour("line_strong")
    commands: list[tuple[Any, ...]] = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ("RIGHTPADDING", (0, 0), (-1, -1), PAD * 1.6),
        ("RIGHTPADDING", (-1, 0), (-1, -1), 0),
        ("TOPPADDING", (0, 0), (-1, -1), 3.6),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 4.4),
        ("LINEBELOW", (0, 0), (-1, -1), theme.HAIRLINE, line),
    ]
    if headed:
        commands += [
            ("VALIGN", (0, 0), (-1, 0), "BOTTOM"),
            ("LINEBELOW", (0, 0), (-1, 0), theme.HAIRLINE, strong),
        ]
    return commands if rows else []


def _header(block: Table) -> list[Paragraph]:
    style = theme.styles()
    return [
        paragraph(text, style.header_right if n in block.numeric else style.header)
        for n, text in enumerate(block.headers)
    ]


def _cell(cell: Cell, right: bool) -> Paragraph:
    ink = None if cell.tone is Tone.PLAIN else theme.ink_and_tint(cell.tone)[0]
    words = escape(keep_last_words(clean(cell.text)))
    if cell.struck:
        words = f"<strike>{words}</strike>"
    if ink is not None:
        words = f'<font color="{ink.hexval().replace("0x", "#")}">{words}</font>'
    style = cell_style(cell, right)
    if cell.indent:
        style = style.clone(f"{style.name}-{cell.indent}", leftIndent=INDENT * cell.indent)
    return Paragraph(words, style)


def cell_style(cell: Cell, right: bool) -> ParagraphStyle:
    style = theme.styles()
    strong = cell.strong or (cell.tone in (Tone.GOOD, Tone.WARN, Tone.BAD) and len(cell.text) <= WORD)
    if right:
        return style.cell_right_strong if strong else style.cell_right
    return style.cell_strong if strong else style.cell


def column_widths(block: Table, room: float) -> list[float]:
    """Every column at least as wide as its longest word; what is left goes to the columns that would wrap."""
    columns = len(block.headers)
    texts = [[block.headers[n], *(row[n].text for row in block.rows)] for n in range(columns)]
    inward = [INDENT * max((row[n].indent for row in block.rows), default=0) for n in range(columns)]
    least = [max(map(_longest_word, column)) + more for column, more in zip(texts, inward, strict=True)]
    wanted = [min(LONG, max(map(_natural, column))) for column in texts]
    pads = [PAD * 1.6] * (columns - 1) + [0.0]
    least = [max(NARROWEST, w + p) for w, p in zip(least, pads, strict=True)]
    wanted = [max(low, w + p) for low, w, p in zip(least, wanted, pads, strict=True)]
    if sum(least) >= room:
        return [w * room / sum(least) for w in least]
    spare = room - sum(least)
    asked = sum(wanted) - sum(least)
    if asked <= spare:
        return _grown(wanted, room, [n for n in range(columns) if n not in block.numeric])
    return [low + (want - low) * spare / asked for low, want in zip(least, wanted, strict=True)]


def _grown(wanted: list[float], room: float, textual: list[int]) -> list[float]:
    """What is left over goes to the widest column of words, or evenly to columns that are all numbers."""
    left = room - sum(wanted)
    if not textual:
        return [w + left / len(wanted) for w in wanted]
    widest = max(textual, key=lambda n: wanted[n])
    return [w + (left if n == widest else 0.0) for n, w in enumerate(wanted)]


def _natural(text: str) -> float:
    return fonts.width(clean(text), fonts.SEMIBOLD, theme.NOTE) + 1


def _longest_word(text: str) -> float:
    words = clean(text).split() or [""]
    return min(150.0, max(fonts.width(w, fonts.SEMIBOLD, theme.NOTE) for w in words)) + 1
