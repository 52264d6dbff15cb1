"""Painted blocks made of bars: stacked memory bars, rankings, ranges."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.present import design
from app.present.views import RangeChart, Rank, Ranking, StackedBar, StackedBars, Tone
from app.ui.blocks.canvas import LEFT, RIGHT, Canvas
from app.ui.context import Ui


class BarsView(Canvas[StackedBars]):
    """What takes the room on each device: segments in a trough as long as the device's memory."""

    ROW = 34
    BAR = 20

    def content_height(self) -> int:
        return self.ui.theme.px(self.ROW) * len(self.block.bars) if self.block else 0

    def draw(self, painter: QPainter) -> None:
        block = self.block
        if block is None or not block.bars:
            return
        theme = self.ui.theme
        gap = theme.px(10)
        labels = max(self.width_of(b.label, design.NOTE_STRONG) for b in block.bars) + gap
        labels = min(labels, int(self.width() * 0.34))
        verdicts = min(max(self.width_of(b.verdict, design.NOTE) for b in block.bars) + gap, int(self.width() * 0.34))
        room = self.width() - labels - verdicts
        longest = max(max(b.capacity or 0.0, total(b)) for b in block.bars) or 1.0
        row = theme.px(self.ROW)
        for index, bar in enumerate(block.bars):
            self._draw_bar(painter, bar, QRectF(labels, index * row, room, row), room / longest)

    def _draw_bar(self, painter: QPainter, bar: StackedBar, box: QRectF, scale: float) -> None:
        theme = self.ui.theme
        height = theme.px(self.BAR)
        top = box.top() + (box.height() - height) / 2
        style = design.NOTE_STRONG if bar.chosen else design.NOTE
        self.write(
            painter,
            QRectF(0, box.top(), box.left() - theme.px(8), box.height()),
            bar.label,
            style,
            theme.colour("ink1"),
        )
        if bar.capacity:
            painter.setPen(QPen(theme.colour("line"), 1))
            painter.setBrush(theme.colour("sunken"))
            trough = QRectF(box.left(), top - 1, max(2.0, bar.capacity * scale), height + 2)
            painter.drawRoundedRect(trough, theme.px(3), theme.px(3))
        left = box.left()
        for segment in bar.segments:
            width = segment.value * scale
            painter.fillRect(QRectF(left, top, max(width, 0.5), height), theme.series(segment.series))
            left += width
        end = max(left, box.left() + (bar.capacity or 0.0) * scale)
        if bar.capacity and total(bar) > bar.capacity:
            mark = box.left() + bar.capacity * scale
            painter.setPen(QPen(theme.colour("bad"), theme.px(2)))
            painter.drawLine(QPointF(mark, top - theme.px(3)), QPointF(mark, top + height + theme.px(3)))
        if bar.chosen:
            painter.setPen(QPen(theme.colour("ink1"), theme.px(1.5)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(
                QRectF(box.left() - 2, top - 3, end - box.left() + 4, height + 6), theme.px(4), theme.px(4)
            )
        ink = theme.tone(bar.tone)[0]
        words = QRectF(end + theme.px(8), box.top(), self.width() - end - theme.px(8), box.height())
        self.write(painter, words, bar.verdict, style, ink)


def total(bar: StackedBar) -> float:
    return sum(segment.value for segment in bar.segments)


class RankingView(Canvas[Ranking]):
    """Who leads and by how much; the excluded struck out, their reason under them where there is room for reasons."""

    def __init__(self, ui: Ui, *, compact: bool = False) -> None:
        super().__init__(ui)
        self._compact = compact

    def _row(self, rank: Rank) -> int:
        theme = self.ui.theme
        if self._compact or not rank.reason:
            return theme.px(24 if self._compact else 32)
        return theme.px(50)

    def content_height(self) -> int:
        return sum(map(self._row, self.block.ranks)) if self.block else 0

    def draw(self, painter: QPainter) -> None:
        block = self.block
        if block is None or not block.ranks:
            return
        theme = self.ui.theme
        gap = theme.px(12)
        widest = max(self.width_of(r.label, design.NOTE_STRONG) for r in block.ranks)
        labels = min(widest + gap, int(self.width() * (0.46 if self._compact else 0.34)))
        texts = min(max(self.width_of(r.text, design.NOTE_STRONG) for r in block.ranks) + gap, int(self.width() * 0.3))
        top = 0
        for rank in block.ranks:
            box = QRectF(0, top, self.width(), theme.px(24 if self._compact else 32))
            self._draw_rank(painter, rank, box, labels, texts)
            if rank.reason and not self._compact:
                words = QRectF(0, box.bottom() - theme.px(4), self.width(), theme.px(20))
                self.write(painter, words, rank.reason, design.SMALL, theme.colour("ink3"))
            top += self._row(rank)

    def _draw_rank(self, painter: QPainter, rank: Rank, box: QRectF, labels: int, texts: int) -> None:
        theme = self.ui.theme
        ink = theme.colour("ink3" if rank.excluded else "ink1" if rank.chosen else "ink2")
        style = design.NOTE_STRONG if rank.chosen else design.NOTE
        name = QRectF(0, box.top(), labels - theme.px(8), box.height())
        self.write(painter, name, rank.label, style, ink, struck=rank.excluded)
        height = theme.px(7)
        trough = QRectF(labels, box.center().y() - height / 2, box.width() - labels - texts, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("line"))
        painter.drawRoundedRect(trough, height / 2, height / 2)
        if not rank.excluded and rank.score > 0:
            bar = QRectF(trough.left(), trough.top(), max(height, trough.width() * min(rank.score, 1.0)), height)
            painter.setBrush(theme.series(0 if rank.chosen else 1))
            painter.drawRoundedRect(bar, height / 2, height / 2)
        words = QRectF(box.width() - texts + theme.px(4), box.top(), texts - theme.px(4), box.height())
        self.write(painter, words, rank.text, style, ink, RIGHT)


class RangesView(Canvas[RangeChart]):
    """Low to high with the value marked, against one baseline."""

    ROW = 30

    def content_height(self) -> int:
        return self.ui.theme.px(self.ROW) * len(self.block.ranges) if self.block else 0

    def draw(self, painter: QPainter) -> None:
        block = self.block
        if block is None or not block.ranges:
            return
        theme = self.ui.theme
        gap = theme.px(12)
        labels = min(max(self.width_of(r.label, design.NOTE) for r in block.ranges) + gap, int(self.width() * 0.36))
        texts = min(max(self.width_of(r.text, design.NOTE) for r in block.ranges) + gap, int(self.width() * 0.34))
        room = self.width() - labels - texts
        ends = [e for r in block.ranges for e in (r.low, r.high, r.value if r.value is not None else r.low)]
        if block.baseline is not None:
            ends.append(block.baseline)
        low, high = min(ends), max(ends)
        span = (high - low) or 1.0
        row = theme.px(self.ROW)

        def across(value: float) -> float:
            return labels + room * (value - low) / span

        if block.baseline is not None:
            painter.setPen(QPen(theme.colour("line_strong"), 1, Qt.PenStyle.DashLine))
            x = across(block.baseline)
            painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
        for index, item in enumerate(block.ranges):
            box = QRectF(0, index * row, self.width(), row)
            self.write(
                painter, QRectF(0, box.top(), labels - gap, row), item.label, design.NOTE, theme.colour("ink1"), LEFT
            )
            self._draw_range(
                painter, (across(item.low), across(item.high)), item.value and across(item.value), box, item.tone
            )
            words = QRectF(self.width() - texts + theme.px(4), box.top(), texts - theme.px(4), row)
            ink = theme.colour("ink2") if item.tone is Tone.PLAIN else theme.tone(item.tone)[0]
            self.write(painter, words, item.text, design.NOTE, ink, RIGHT)

    def _draw_range(
        self, painter: QPainter, ends: tuple[float, float], mark: float | None, box: QRectF, tone: Tone
    ) -> None:
        theme = self.ui.theme
        height = theme.px(12)
        fill = (
            QColor(theme.series(0 if tone is Tone.ACCENT else 1))
            if tone in (Tone.PLAIN, Tone.ACCENT)
            else theme.tone(tone)[0]
        )
        bar = QRectF(ends[0], box.center().y() - height / 2, max(2.0, ends[1] - ends[0]), height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawRoundedRect(bar, theme.px(3), theme.px(3))
        if mark:
            painter.setPen(QPen(theme.colour("ink1"), theme.px(2)))
            painter.drawLine(QPointF(mark, bar.top() - theme.px(2)), QPointF(mark, bar.bottom() + theme.px(2)))
