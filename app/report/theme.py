"""The design tokens on paper: points instead of design units, light colours, paragraph styles."""

from __future__ import annotations

from functools import cache
from typing import Final

from attrs import frozen
from reportlab.lib.colors import Color, HexColor
from reportlab.lib.enums import TA_LEFT, TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm

from app.present import design
from app.present.design import LIGHT, UNIT_POINTS, TypeStyle
from app.present.views import Tone
from app.report import fonts

PAGE_WIDTH, PAGE_HEIGHT = A4
MARGIN: Final = 20 * mm
FOOTER: Final = 15 * mm
CONTENT_WIDTH: Final = PAGE_WIDTH - 2 * MARGIN
CONTENT_HEIGHT: Final = PAGE_HEIGHT - 2 * MARGIN

GAP: Final = 12.0
"""Between two blocks."""
INSIDE: Final = 6.0
RADIUS: Final = design.RADIUS_FIELD * UNIT_POINTS
HAIRLINE: Final = 0.6

TITLE: Final = design.TITLE.size * UNIT_POINTS
HEADING: Final = design.HEADING.size * UNIT_POINTS * 0.95
BODY: Final = 9.6
NOTE: Final = 8.4
SMALL: Final = 7.6
NUMBER: Final = 15.0


@cache
def colour(token: str) -> Color:
    """A colour of the light palette by its token, or "#RRGGBB"."""
    return HexColor(token if token.startswith("#") else getattr(LIGHT, token))


def ink_and_tint(tone: Tone) -> tuple[Color, Color]:
    ink, tint = design.tone_colours(LIGHT, tone)
    return colour(ink), colour(tint)


def series(number: int) -> Color:
    return colour(LIGHT.series[number % len(LIGHT.series)])


def _weight(style: TypeStyle) -> str:
    return {700: fonts.BOLD, 600: fonts.SEMIBOLD, 500: fonts.MEDIUM}.get(style.weight, fonts.REGULAR)


def _style(name: str, font: str, size: float, ink: str, leading: float = 1.45, **more: object) -> ParagraphStyle:
    return ParagraphStyle(
        name,
        fontName=font,
        fontSize=size,
        leading=size * leading,
        textColor=colour(ink),
        alignment=more.pop("alignment", TA_LEFT),
        splitLongWords=1,
        allowWidows=0,
        allowOrphans=0,
        **more,
    )


@frozen
class Styles:
    """Paragraph styles. Korean breaks between words only (never inside one), as ReportLab's default wrapping does."""

    cover: ParagraphStyle
    cover_sub: ParagraphStyle
    title: ParagraphStyle
    eyebrow: ParagraphStyle
    lead: ParagraphStyle
    heading: ParagraphStyle
    body: ParagraphStyle
    strong: ParagraphStyle
    note: ParagraphStyle
    note_strong: ParagraphStyle
    small: ParagraphStyle
    number: ParagraphStyle
    cell: ParagraphStyle
    cell_strong: ParagraphStyle
    cell_right: ParagraphStyle
    cell_right_strong: ParagraphStyle
    header: ParagraphStyle
    header_right: ParagraphStyle
    code: ParagraphStyle


@cache
def styles() -> Styles:
    """The styles, after the fonts are registered."""
    fonts.register()
    return Styles(
        cover=_style("cover", fonts.BOLD, 30, "ink1", 1.25),
        cover_sub=_style("cover_sub", fonts.MEDIUM, 14, "ink2", 1.4),
        title=_style("title", _weight(design.TITLE), TITLE, "ink1", 1.32),
        eyebrow=_style("eyebrow", fonts.SEMIBOLD, NOTE, "accent", 1.3),
        lead=_style("lead", fonts.REGULAR, BODY + 0.6, "ink2", 1.5),
        heading=_style("heading", _weight(design.HEADING), HEADING, "ink1", 1.35),
        body=_style("body", fonts.REGULAR, BODY, "ink1", 1.5),
        strong=_style("strong", fonts.SEMIBOLD, BODY, "ink1", 1.45),
        note=_style("note", fonts.REGULAR, NOTE, "ink2", 1.45),
        note_strong=_style("note_strong", fonts.SEMIBOLD, NOTE, "ink1", 1.45),
        small=_style("small", fonts.REGULAR, SMALL, "ink3", 1.4),
        number=_style("number", _weight(design.NUMBER_LARGE), NUMBER, "ink1", 1.25),
        cell=_style("cell", fonts.REGULAR, NOTE, "ink1", 1.4),
        cell_strong=_style("cell_strong", fonts.SEMIBOLD, NOTE, "ink1", 1.4),
        cell_right=_style("cell_right", fonts.REGULAR, NOTE, "ink1", 1.4, alignment=TA_RIGHT),
        cell_right_strong=_style("cell_right_strong", fonts.SEMIBOLD, NOTE, "ink1", 1.4, alignment=TA_RIGHT),
        header=_style("header", fonts.MEDIUM, SMALL, "ink3", 1.35),
        header_right=_style("header_right", fonts.MEDIUM, SMALL, "ink3", 1.35, alignment=TA_RIGHT),
        code=_style("code", fonts.REGULAR, NOTE, "ink1", 1.45, backColor=colour("sunken"), borderPadding=5),
    )
