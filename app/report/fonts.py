"""The bundled Pretendard for ReportLab, registered once a process; and which characters it can print."""

from __future__ import annotations

from functools import cache
from typing import Final

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from app.host.paths import FONTS

REGULAR: Final = "Pretendard"
MEDIUM: Final = "Pretendard-Medium"
SEMIBOLD: Final = "Pretendard-SemiBold"
BOLD: Final = "Pretendard-Bold"
_FILES: Final = {REGULAR: "Regular", MEDIUM: "Medium", SEMIBOLD: "SemiBold", BOLD: "Bold"}


@cache
def register() -> frozenset[int]:
    """Make the fonts known to ReportLab; returns the code points they hold. Raises OSError when a file is missing."""
    for name, file in _FILES.items():
        pdfmetrics.registerFont(TTFont(name, str(FONTS / f"Pretendard-{file}.ttf")))
    pdfmetrics.registerFontFamily(REGULAR, normal=REGULAR, bold=SEMIBOLD, italic=REGULAR, boldItalic=SEMIBOLD)
    return frozenset(pdfmetrics.getFont(REGULAR).face.charToGlyph)


def width(text: str, font: str, size: float) -> float:
    """Width of a line in points."""
    return float(pdfmetrics.stringWidth(text, font, size))


def ascent(font: str, size: float) -> float:
    """From the top of a paragraph to its first baseline, in points."""
    return float(pdfmetrics.getAscent(font, size))
