"""Charts as vector drawing: stacked bars, lines with bands, ranges, a heat map."""

from __future__ import annotations

from app.present.views import Heatmap, Line, LineChart, RangeChart, StackedBar, StackedBars, Tone
from app.report import fonts, theme
from app.report.flow.base import Block
from app.report.flow.scale import Scale, log_ticks, nice_ticks, pushed_apart, spanning
from app.report.text import clean, paragraph


def number(value: float) -> str:
    """A tick no view gave words for."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:,.3g}"


class Legend(Block):
    """Swatches with their words."""

    def __init__(self, entries: tuple[tuple[str, int], ...]) -> None:
        super().__init__()
        self.entries = entries
        self.keepWithNext = 1
        self.spaceAfter = 5.0

    def measure(self, _room: float) -> float:
        return theme.NOTE * 1.3

    def draw(self) -> None:
        x = 0.0
        for label, shade in self.entries:
            self.box(x, 1.5, 8, 8, theme.series(shade), 1.5)
            x += 12 + self.words(x + 12, 2.6, label) + 14


class Bars(Block):
    """What takes the room on each device; the shortfall is written where the bar passes the trough."""

    ROW, BAR = 22.0, 12.0

    def __init__(self, chart: StackedBars) -> None:
        super().__init__()
        self.chart = chart

    def measure(self, room: float) -> float:
        bars = self.chart.bars
        self.label = min(150.0, max(fonts.width(clean(b.label), fonts.SEMIBOLD, theme.NOTE) for b in bars) + 10)
        self.verdict = max(fonts.width(clean(b.verdict), fonts.SEMIBOLD, theme.NOTE) for b in bars) + 8
        longest = max(max(self._total(b), b.capacity or 0.0) for b in bars)
        self.scale = Scale(0.0, longest or 1.0, self.label, room - self.verdict)
        return self.ROW * len(bars)

    @staticmethod
    def _total(bar: StackedBar) -> float:
        return sum(s.value for s in bar.segments)

    def draw(self) -> None:
        for place, bar in enumerate(self.chart.bars):
            self._bar(bar, self.tall - (place + 1) * self.ROW + (self.ROW - self.BAR) / 2)

    def _bar(self, bar: StackedBar, y: float) -> None:
        font = fonts.SEMIBOLD if bar.chosen else fonts.REGULAR
        ink = theme.colour("ink1" if bar.chosen else "ink2")
        self.words(0, y + 3, bar.label, font=font, ink=ink, room=self.label - 6)
        if bar.capacity is not None:
            end = self.scale.at(bar.capacity)
            self.box(self.label, y, end - self.label, self.BAR, theme.colour("sunken"), 2)
        reached, filled = 0.0, self.label
        for segment in bar.segments:
            reached += segment.value
            edge = self.scale.at(reached)
            self.box(filled, y, edge - filled, self.BAR, theme.series(segment.series))
            filled = edge
        last = max(filled, self.scale.at(bar.capacity or 0.0))
        if bar.capacity is not None and reached > bar.capacity:
            mark = self.scale.at(bar.capacity)
            self.line(mark, y - 3, mark, y + self.BAR + 3, theme.colour("bad"), 1.4)
        tone = theme.colour("ink2") if bar.tone is Tone.PLAIN else theme.ink_and_tint(bar.tone)[0]
        strong = fonts.SEMIBOLD if bar.tone is not Tone.PLAIN else fonts.REGULAR
        self.words(last + 6, y + 3, bar.verdict, font=strong, ink=tone)


class Ranges(Block):
    """Rows of low..high with the value marked; a baseline across all of them."""

    ROW = 19.0

    def __init__(self, chart: RangeChart) -> None:
        super().__init__()
        self.chart = chart

    def measure(self, room: float) -> float:
        ranges = self.chart.ranges
        self.label = min(room * 0.42, max(fonts.width(clean(r.label), fonts.SEMIBOLD, theme.NOTE) for r in ranges) + 10)
        self.text = max(fonts.width(clean(r.text), fonts.MEDIUM, theme.NOTE) for r in ranges) + 8
        ends = [v for r in ranges for v in (r.low, r.high)]
        if self.chart.baseline is not None:
            ends.append(self.chart.baseline)
        spread = max(ends) - min(ends)
        low = 0.0 if min(ends) >= 0 and min(ends) < 0.6 * max(ends) else min(ends) - 0.05 * spread
        self.scale = Scale(low, max(ends) + 0.02 * spread or 1.0, self.label, room - self.text)
        self.head = 13.0 if self.chart.baseline is not None else 0.0
        return self.ROW * len(ranges) + self.head

    def draw(self) -> None:
        for place, row in enumerate(self.chart.ranges):
            y = self.tall - self.head - (place + 1) * self.ROW + 6
            chosen = row.tone is Tone.ACCENT
            self.words(
                0, y, row.label, font=fonts.SEMIBOLD if chosen else fonts.REGULAR,
                ink=theme.colour("ink1" if chosen else "ink2"), room=self.label - 6,
            )  # fmt: skip
            self.box(self.label, y + 2.6, self.wide - self.text - self.label, 1.2, theme.colour("sunken"))
            low, high = self.scale.at(row.low), self.scale.at(row.high)
            self.box(low, y - 0.6, max(high - low, 1.5), 7.6, theme.series(1 if chosen else 2), 2)
            if row.value is not None:
                self.box(self.scale.at(row.value) - 1, y - 2.2, 2, 10.8, theme.series(0))
            self.words(self.wide, y, row.text, font=fonts.MEDIUM, ink=theme.colour("ink1"), align="right")
        self._baseline()

    def _baseline(self) -> None:
        if self.chart.baseline is None:
            return
        x = self.scale.at(self.chart.baseline)
        self.canvas.setDash(2.5, 2)
        self.line(x, 0, x, self.tall - self.head + 2, theme.colour("ink2"), 0.9)
        self.canvas.setDash()
        text = self.chart.baseline_label or number(self.chart.baseline)
        half = fonts.width(clean(text), fonts.MEDIUM, theme.SMALL) / 2
        at = min(max(x, half), self.wide - half)
        self.words(at, self.tall - 8, text, font=fonts.MEDIUM, size=theme.SMALL, align="middle")


class Lines(Block):
    """Lines with their bands and their names at their ends; marks where something happens."""

    BELOW = 26.0
    ABOVE = 14.0

    def __init__(self, chart: LineChart) -> None:
        super().__init__()
        self.chart = chart
        self.height = 176.0

    def measure(self, room: float) -> float:
        chart = self.chart
        names = [fonts.width(clean(line.label), fonts.MEDIUM, theme.NOTE) for line in chart.lines]
        self.right = min(room * 0.36, max(names) + 16)
        ys = [v for line in chart.lines for v in (*line.y, *line.low, *line.high)] + [m.y for m in chart.marks]
        self.y = spanning(ys, self.BELOW, self.height - self.ABOVE, log=chart.log_y, from_zero=True)
        ticks = log_ticks(self.y.low, self.y.high) if chart.log_y else nice_ticks(self.y.low, self.y.high)
        self.y_ticks = chart.y_text or tuple((v, number(v)) for v in ticks)
        self.left = max(fonts.width(clean(text), fonts.REGULAR, theme.SMALL) for _, text in self.y_ticks) + 6
        self.x = spanning((v for line in chart.lines for v in line.x), self.left, room - self.right, log=chart.log_x)
        return self.height

    def draw(self) -> None:
        self._axes()
        for line in self.chart.lines:
            self._band(line)
        for line in self.chart.lines:
            self._line(line)
        self._names()
        for mark in self.chart.marks:
            self._mark(self.x.at(mark.x), self.y.at(mark.y), mark.label)

    def _axes(self) -> None:
        end = self.wide - self.right
        for value, text in self.y_ticks:
            if self.y.low * 0.999 <= value <= self.y.high * 1.001:
                at = self.y.at(value)
                self.line(self.left, at, end, at, theme.colour("sunken"), 0.7)
                self.words(self.left - 6, at - 2.6, text, size=theme.SMALL, ink=theme.colour("ink3"), align="right")
        self.line(self.left, self.BELOW, end, self.BELOW, theme.colour("line_strong"), 0.8)
        self._x_ticks()
        title = theme.colour("ink3")
        self.words(end, 2, self.chart.x_label, size=theme.SMALL, ink=title, align="right")
        self.words(0, self.height - 7, self.chart.y_label, size=theme.SMALL, ink=title)

    def _x_ticks(self) -> None:
        low, high = self.x.low, self.x.high
        ticks = log_ticks(low, high) if self.chart.log_x else nice_ticks(low, high)
        last = -1e9
        for value, text in self.chart.x_text or tuple((v, number(v)) for v in ticks):
            if not low * 0.999 <= value <= high * 1.001:
                continue
            at, half = self.x.at(value), fonts.width(clean(text), fonts.REGULAR, theme.SMALL) / 2
            if at - half < last + 4:
                continue
            last = at + half
            self.line(at, self.BELOW, at, self.BELOW - 3, theme.colour("line_strong"), 0.8)
            self.words(at, self.BELOW - 11, text, size=theme.SMALL, ink=theme.colour("ink3"), align="middle")

    def _points(self, line: Line, values: tuple[float, ...]) -> list[tuple[float, float]]:
        return [
            (self.x.at(x), self.y.at(y)) for x, y in zip(line.x, values, strict=True) if not self.chart.log_y or y > 0
        ]

    def _band(self, line: Line) -> None:
        if not line.low or not line.high:
            return
        upper, lower = self._points(line, line.high), self._points(line, line.low)
        if len(upper) < 2 or len(lower) < 2:
            return
        path = self.canvas.beginPath()
        path.moveTo(*upper[0])
        for point in (*upper[1:], *reversed(lower)):
            path.lineTo(*point)
        path.close()
        self.canvas.saveState()
        self.canvas.setFillColor(theme.series(line.series))
        self.canvas.setFillAlpha(0.14)
        self.canvas.drawPath(path, stroke=0, fill=1)
        self.canvas.restoreState()

    def _line(self, line: Line) -> None:
        points = self._points(line, line.y)
        if len(points) < 2:
            return
        path = self.canvas.beginPath()
        path.moveTo(*points[0])
        for point in points[1:]:
            path.lineTo(*point)
        self.canvas.saveState()
        self.canvas.setStrokeColor(theme.series(line.series))
        self.canvas.setLineWidth(1.7)
        self.canvas.setLineJoin(1)
        if line.dashed:
            self.canvas.setDash(4, 2.5)
        self.canvas.drawPath(path, stroke=1, fill=0)
        self.canvas.restoreState()

    def _names(self) -> None:
        """Each line's name at its end, pushed apart where lines end together."""
        ends = [(line, self._points(line, line.y)[-1]) for line in self.chart.lines if self._points(line, line.y)]
        wanted = [point[1] - 3 for _, point in ends]
        placed = pushed_apart(wanted, theme.NOTE + 2.5, self.BELOW - 4, self.height - self.ABOVE)
        for (line, point), y in zip(ends, placed, strict=True):
            self.box(point[0] + 4, y + 0.6, 5, 5, theme.series(line.series), 1)
            self.words(point[0] + 12, y, line.label, font=fonts.MEDIUM, size=theme.NOTE - 0.4, room=self.right - 11)

    def _mark(self, x: float, y: float, label: str) -> None:
        self.canvas.setFillColor(theme.colour("surface"))
        self.canvas.setStrokeColor(theme.colour("ink1"))
        self.canvas.setLineWidth(1.4)
        self.canvas.circle(x, y, 3.2, stroke=1, fill=1)
        wide = fonts.width(clean(label), fonts.SEMIBOLD, theme.SMALL) + 8
        left = min(max(self.left, x - wide / 2), self.wide - self.right - wide)
        above = y + 8 if y < self.height - self.ABOVE - 14 else y - 20
        self.box(left, above - 2.5, wide, 12, theme.colour("ink1"), 2.5)
        self.words(left + 4, above + 1, label, font=fonts.SEMIBOLD, size=theme.SMALL, ink=theme.colour("surface"))


class Pair(Block):
    """Two charts side by side, each under its own heading and sentence."""

    GUTTER = 22.0

    def __init__(self, left: LineChart, right: LineChart) -> None:
        super().__init__()
        self.charts = (left, right)
        self.height = 176.0
        """Of the drawings below their headings."""

    def measure(self, room: float) -> float:
        style = theme.styles()
        self.half = (room - self.GUTTER) / 2
        self.parts = [
            (paragraph(c.title, style.heading), paragraph(c.sentence, style.note), Lines(c)) for c in self.charts
        ]
        self.head = max(sum(p.wrap(self.half, 1e6)[1] for p in parts[:2]) for parts in self.parts) + 8
        for *_, chart in self.parts:
            chart.height = self.height
        return float(self.head + self.height)

    def draw(self) -> None:
        for place, (title, sentence, chart) in enumerate(self.parts):
            x = place * (self.half + self.GUTTER)
            top = self.tall - self.place(title, x, self.tall, self.half) - 2
            self.place(sentence, x, top, self.half)
            chart.wrap(self.half, 1e6)
            chart.drawOn(self.canvas, x, 0)


class Heat(Block):
    """Two questions against each other, the customer's own point outlined."""

    ROW, HEAD = 20.0, 16.0

    def __init__(self, chart: Heatmap) -> None:
        super().__init__()
        self.chart = chart

    def measure(self, room: float) -> float:
        labels = self.chart.row_labels
        self.label = max(fonts.width(clean(text), fonts.REGULAR, theme.NOTE) for text in labels) + 10
        self.cell = (room - self.label) / max(1, len(self.chart.column_labels))
        return self.ROW * len(labels) + self.HEAD

    def draw(self) -> None:
        chosen = None
        for place, (name, row) in enumerate(zip(self.chart.row_labels, self.chart.cells, strict=True)):
            y = self.tall - (place + 1) * self.ROW
            self.words(self.label - 8, y + 6, name, align="right")
            for column, cell in enumerate(row):
                x = self.label + column * self.cell
                ink, tint = theme.ink_and_tint(cell.tone)
                self.box(x + 1, y + 1, self.cell - 2, self.ROW - 2, tint, 2.5)
                self.words(x + self.cell / 2, y + 6, cell.text, font=fonts.SEMIBOLD, ink=ink, align="middle")
                if cell.chosen:
                    chosen = (x, y)
        for column, name in enumerate(self.chart.column_labels):
            x = self.label + (column + 0.5) * self.cell
            self.words(x, 3, name, size=theme.SMALL, align="middle", room=self.cell - 4)
        if chosen is not None:
            self.canvas.setStrokeColor(theme.colour("ink1"))
            self.canvas.setLineWidth(1.3)
            self.canvas.roundRect(*chosen, self.cell, self.ROW, 3.5, stroke=1, fill=0)
