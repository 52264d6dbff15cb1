"""Numbers as cards: label, value, how it came about, band and basis."""

from __future__ import annotations

from reportlab.platypus import Paragraph

from app.present.views import Figures, FigureView
from app.report import fonts, theme
from app.report.flow.base import Block, chip_width
from app.report.text import clean, paragraph

PAD = 8.0
SMALLEST = 9.5
LINE = theme.SMALL * 1.8
CHIP = theme.SMALL - 0.6
_COLUMNS = {1: 3, 2: 3, 3: 3, 5: 5, 6: 3, 9: 5, 10: 5}
"""Cards in a row by how many there are; four otherwise."""


class FigureRow(Block):
    """Up to four cards side by side, equally tall."""

    def __init__(self, items: tuple[FigureView, ...], columns: int) -> None:
        super().__init__()
        self.items, self.columns = items, columns
        self.spaceAfter = theme.INSIDE

    def measure(self, room: float) -> float:
        self.card = (room - theme.INSIDE * (self.columns - 1)) / self.columns
        self.inner = self.card - 2 * PAD
        return max(self._height(item) for item in self.items)

    def _height(self, item: FigureView) -> float:
        style = theme.styles()
        label = paragraph(item.label, style.note).wrap(self.inner, 1e6)[1]
        value = self._value(item).wrap(self.inner, 1e6)[1]
        formula = paragraph(item.formula, style.small).wrap(self.inner, 1e6)[1] if item.formula else 0
        foot = LINE * (2 if self._stacked(item) else 1) if item.band or item.basis else 0
        return float(PAD + label + 1 + value + 2 + formula + foot + PAD)

    def _value(self, item: FigureView) -> Paragraph:
        """The number as large as one line allows."""
        style = theme.styles().number
        wide = fonts.width(clean(item.value), style.fontName, style.fontSize)
        if wide <= self.inner:
            return paragraph(item.value, style)
        size = max(SMALLEST, style.fontSize * self.inner / wide * 0.995)
        return paragraph(item.value, style.clone(f"number-{size:.1f}", fontSize=size))

    def draw(self) -> None:
        for place, item in enumerate(self.items):
            self._card(place * (self.card + theme.INSIDE), item)

    def _card(self, x: float, item: FigureView) -> None:
        style = theme.styles()
        self.canvas.setStrokeColor(theme.colour("line"))
        self.canvas.setLineWidth(theme.HAIRLINE)
        self.canvas.roundRect(x, 0, self.card, self.tall, theme.RADIUS, stroke=1, fill=0)
        top = self.tall - PAD
        top -= self.place(paragraph(item.label, style.note), x + PAD, top, self.inner) + 1
        top -= self.place(self._value(item), x + PAD, top, self.inner) + 2
        if item.formula:
            self.place(paragraph(item.formula, style.small), x + PAD, top, self.inner)
        self._foot(x + PAD, item)

    def _stacked(self, item: FigureView) -> bool:
        """True where band and basis do not fit side by side."""
        if not item.band or not item.basis:
            return False
        band = fonts.width(clean(item.band), fonts.MEDIUM, theme.SMALL)
        return band + 4 + chip_width(item.basis, CHIP) > self.inner

    def _foot(self, x: float, item: FigureView) -> None:
        """Band at the left, basis as a word in its tint at the right; one above the other in a narrow card."""
        if item.basis:
            self.chip(x + self.inner, PAD, item.basis, item.basis_tone, CHIP, "right")
        if item.band:
            y = PAD + LINE if self._stacked(item) else PAD
            ink = theme.colour("ink2")
            self.words(x, y, item.band, font=fonts.MEDIUM, size=theme.SMALL, ink=ink, room=self.inner)


def figure_rows(block: Figures) -> list[FigureRow]:
    """Rows of cards of one width, chosen so that no row is left with a single straggler."""
    items = block.items
    columns = _COLUMNS.get(len(items), 4)
    rows = [FigureRow(items[i : i + columns], columns) for i in range(0, len(items), columns)]
    if rows:
        rows[-1].spaceAfter = theme.GAP
    return rows
