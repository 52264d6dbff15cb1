"""What every drawn block shares: a size, chips, rules, text helpers on the canvas."""

from __future__ import annotations

from typing import Any

from reportlab.lib.colors import Color
from reportlab.platypus import Flowable, Paragraph

from app.present.views import Tone
from app.report import fonts, theme
from app.report.text import clean, fitted, paragraph


class Block(Flowable):  # type: ignore[misc]
    """A flowable of fixed height at full width. Subclasses set `tall` in `measure` and draw from the top down."""

    def __init__(self) -> None:
        super().__init__()
        self.wide = 0.0
        self.tall = 0.0
        self.spaceAfter = theme.GAP

    def wrap(self, room: float, _height: float) -> tuple[float, float]:
        self.wide = room
        self.tall = self.measure(room)
        return room, self.tall

    def measure(self, room: float) -> float:
        raise NotImplementedError

    @property
    def canvas(self) -> Any:
        return self.canv

    def words(
        self,
        x: float,
        y: float,
        text: str,
        *,
        font: str = fonts.REGULAR,
        size: float = theme.NOTE,
        ink: Color | None = None,
        align: str = "left",
        room: float | None = None,
    ) -> float:
        """One line with its baseline at y; returns its width."""
        shown = clean(text) if room is None else fitted(text, font, size, room)
        self.canvas.setFont(font, size)
        self.canvas.setFillColor(ink or theme.colour("ink2"))
        draw = {"left": "drawString", "right": "drawRightString", "middle": "drawCentredString"}[align]
        getattr(self.canvas, draw)(x, y, shown)
        return fonts.width(shown, font, size)

    def line(self, x1: float, y1: float, x2: float, y2: float, ink: Color | None = None, width: float = 0.6) -> None:
        self.canvas.setStrokeColor(ink or theme.colour("line"))
        self.canvas.setLineWidth(width)
        self.canvas.line(x1, y1, x2, y2)

    def box(self, x: float, y: float, wide: float, tall: float, fill: Color, radius: float = 0.0) -> None:
        self.canvas.setFillColor(fill)
        if radius and wide > 2 * radius and tall >= 2 * radius:
            self.canvas.roundRect(x, y, wide, tall, radius, stroke=0, fill=1)
        else:
            self.canvas.rect(x, y, wide, tall, stroke=0, fill=1)

    def chip(self, x: float, y: float, text: str, tone: Tone, size: float = theme.SMALL, align: str = "left") -> float:
        """A word in a tint with its baseline at y; returns its width."""
        ink, tint = theme.ink_and_tint(tone)
        wide = chip_width(text, size)
        left = x - wide if align == "right" else x
        self.box(left, y - size * 0.38, wide, size * 1.55, tint, 2.6)
        self.words(left + 4, y, text, font=fonts.SEMIBOLD, size=size, ink=ink)
        return wide

    def place(self, made: Paragraph, x: float, top: float, room: float) -> float:
        """A paragraph with its upper edge at `top`; returns its height."""
        _, tall = made.wrap(room, 1e6)
        made.drawOn(self.canvas, x, top - tall)
        return float(tall)


def chip_width(text: str, size: float = theme.SMALL) -> float:
    return fonts.width(clean(text), fonts.SEMIBOLD, size) + 8


def height_of(text: str, style: Any, room: float) -> float:
    """How tall the words get at a width."""
    return float(paragraph(text, style).wrap(room, 1e6)[1])


class Heading(Block):
    """A block's title, kept with what follows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.keepWithNext = 1
        self.spaceAfter = 4.0

    def measure(self, room: float) -> float:
        self.made = paragraph(self.text, theme.styles().heading)
        return float(self.made.wrap(room, 1e6)[1])

    def draw(self) -> None:
        self.made.drawOn(self.canvas, 0, 0)
