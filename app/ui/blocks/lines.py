"""Lines over an axis, with pyqtgraph: labels at the lines' ends, bands, marks; no frame, no grid, nothing the wheel can move.

Curves are made once and moved with setData.
"""

from __future__ import annotations

import math
from itertools import zip_longest
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.present import design
from app.present.numbers import plain
from app.present.views import Line, LineChart
from app.ui.context import Ui
from app.ui.theme import pad
from app.ui.widgets.text import Text


class _Plot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """A plot that stands still: no menu, and the wheel scrolls the page."""

    def __init__(self) -> None:
        super().__init__(background=None, enableMenu=False)
        self.viewport().setAutoFillBackground(False)
        self.setStyleSheet("background: transparent;")
        # pyqtgraph makes its menu as a window of its own, which nobody would ever close
        menu = self.getPlotItem().ctrlMenu
        menu.setParent(self)
        menu.hide()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


SWATCH = 22
"""Room of the line's colour before its name."""


class EndLabels(QWidget):
    """The lines' names beside their ends, pushed apart where they would overlap."""

    def __init__(self, ui: Ui, plot: pg.PlotWidget) -> None:
        super().__init__()
        self._ui = ui
        self._plot = plot
        self._ends: list[tuple[str, float, int]] = []

    def show_ends(self, ends: list[tuple[str, float, int]]) -> None:
        """(label, y in the plot's own coordinates, series)"""
        self._ends = ends
        theme = self._ui.theme
        metrics = QFontMetrics(theme.font(design.NOTE_STRONG))
        widest = max((metrics.horizontalAdvance(label) for label, _, _ in ends), default=0)
        self.setFixedWidth(min(widest + theme.px(SWATCH + 12), theme.px(200)))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._ui.theme
        painter = QPainter(self)
        font = theme.font(design.NOTE_STRONG)
        painter.setFont(font)
        metrics = QFontMetrics(font)
        height = metrics.height()
        box = self._plot.getViewBox()
        placed: list[tuple[float, str, int]] = []
        for label, y, series in self._ends:
            scene = box.mapViewToScene(QPointF(0, y))
            placed.append((self._plot.mapFromScene(scene).y() - height / 2, label, series))
        for top, label, series in spread(sorted(placed), height, self.height()):
            middle, swatch = top + height / 2, theme.px(SWATCH)
            painter.setPen(pg.mkPen(theme.series(series), width=theme.px(2.5)))
            painter.drawLine(QPointF(theme.px(3), middle), QPointF(swatch - theme.px(6), middle))
            painter.setPen(line_ink(self._ui, series))
            shown = metrics.elidedText(label, Qt.TextElideMode.ElideRight, self.width() - swatch)
            painter.drawText(QRectF(swatch, top, self.width(), height), int(Qt.AlignmentFlag.AlignVCenter), shown)


def spread(placed: list[tuple[float, str, int]], height: float, room: float) -> list[tuple[float, str, int]]:
    """Labels sorted by their top, moved down where they overlap and back up where they leave the room."""
    tops = [max(0.0, top) for top, _, _ in placed]
    for i in range(1, len(tops)):
        tops[i] = max(tops[i], tops[i - 1] + height)
    limit = room - height
    for i in range(len(tops) - 1, -1, -1):
        tops[i] = max(0.0, min(tops[i], limit))
        limit = tops[i] - height
    return [(top, label, series) for top, (_, label, series) in zip(tops, placed, strict=True)]


def line_ink(ui: Ui, series: int) -> QColor:
    """Words beside a pale line are darker than the line, so that they can be read."""
    colour = ui.theme.series(series)
    if design.contrast(colour.name(), ui.theme.palette.surface) >= 4.5:
        return colour
    return ui.theme.colour("ink2")


class LinesView(QWidget):
    """A line chart as one widget."""

    HEIGHT = 250

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self._block: LineChart | None = None
        self._curves: list[pg.PlotDataItem] = []
        self._bands: list[tuple[pg.PlotDataItem, pg.PlotDataItem, pg.FillBetweenItem]] = []
        self._marks: list[tuple[pg.ScatterPlotItem, pg.TextItem]] = []
        column = QVBoxLayout(self)
        pad(ui.theme, column, (0, 0, 0, 0), 4)
        self._y_label = Text(ui, "", design.SMALL, "ink3")
        column.addWidget(self._y_label)
        self._plot = _Plot()
        self._plot.setMouseEnabled(x=False, y=False)
        self._plot.hideButtons()
        self._plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot.setFrameShape(self._plot.Shape.NoFrame)
        self._labels = EndLabels(ui, self._plot)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._plot, 1)
        row.addWidget(self._labels)
        column.addLayout(row)
        self._x_label = Text(ui, "", design.SMALL, "ink3")
        column.addWidget(self._x_label, 0, Qt.AlignmentFlag.AlignHCenter)
        ui.theme.changed.connect(self._restyle)
        self._restyle()

    # state

    def show_block(self, block: LineChart) -> None:
        """Move the curves; make or drop only what the new block has more or less of."""
        if self._block is not None and (self._block.log_x, self._block.log_y) != (block.log_x, block.log_y):
            self._drop_all()
        self._block = block
        self.setAccessibleName(block.title)
        self.setAccessibleDescription(block.sentence)
        self._plot.setAccessibleName(block.title)
        self._plot.setLogMode(block.log_x, block.log_y)
        self._x_label.say(block.x_label)
        self._y_label.say(block.y_label)
        self._match_counts(block)
        for line, curve in zip(block.lines, self._curves, strict=True):
            curve.setData(np.asarray(line.x), np.asarray(line.y))
        self._show_bands(block)
        self._show_axes(block)
        self._show_marks(block)
        self._restyle()
        self._labels.show_ends(self._ends(block))

    def _ends(self, block: LineChart) -> list[tuple[str, float, int]]:
        ends = []
        for line in block.lines:
            if line.y:
                y = float(np.log10(line.y[-1])) if block.log_y and line.y[-1] > 0 else line.y[-1]
                ends.append((line.label, y, line.series))
        return ends

    def _drop_all(self) -> None:
        self._plot.clear()
        self._curves, self._bands, self._marks = [], [], []

    def _match_counts(self, block: LineChart) -> None:
        banded = sum(1 for line in block.lines if line.low)
        if (len(self._curves), len(self._bands), len(self._marks)) == (len(block.lines), banded, len(block.marks)):
            return
        self._drop_all()
        for _ in range(banded):
            low, high = pg.PlotDataItem(pen=None), pg.PlotDataItem(pen=None)
            fill = pg.FillBetweenItem(low, high)
            for item in (low, high, fill):
                self._plot.addItem(item)
            self._bands.append((low, high, fill))
        for _ in block.lines:
            curve = pg.PlotDataItem(antialias=True)
            self._plot.addItem(curve)
            self._curves.append(curve)
        for _ in block.marks:
            dot, words = pg.ScatterPlotItem(), pg.TextItem(anchor=(0.5, 1.2))
            self._plot.addItem(dot)
            self._plot.addItem(words, ignoreBounds=True)
            self._marks.append((dot, words))

    def _show_bands(self, block: LineChart) -> None:
        banded = [line for line in block.lines if line.low]
        for line, (low, high, _) in zip(banded, self._bands, strict=True):
            low.setData(np.asarray(line.x), np.asarray(line.low))
            high.setData(np.asarray(line.x), np.asarray(line.high))

    def _show_marks(self, block: LineChart) -> None:
        for mark, (dot, words) in zip(block.marks, self._marks, strict=True):
            x, y = _logged(mark.x, block.log_x), _logged(mark.y, block.log_y)
            dot.setData([x], [y])
            words.setText(mark.label)
            left, right = self._plot.getViewBox().viewRange()[0]
            along = (x - left) / ((right - left) or 1.0)
            words.setAnchor((min(max(along * 1.2 - 0.1, 0.0), 1.0), 1.35 if self._free_above(block, x, y) else -0.35))
            words.setPos(x, y)

    def _free_above(self, block: LineChart, x: float, y: float) -> bool:
        """Whether fewer lines pass just above a point than just below it: its words go where there is room."""
        levels = []
        for line in block.lines:
            if line.x:
                xs = [_logged(v, block.log_x) for v in line.x]
                levels.append(float(np.interp(x, xs, [_logged(v, block.log_y) for v in line.y])))
        low, high = self._plot.getViewBox().viewRange()[1]
        if y > high - 0.14 * (high - low):
            return False
        span = (max(levels) - min(levels)) or 1.0
        near = [level - y for level in levels if 0.02 * span < abs(level - y) < 0.3 * span]
        return sum(d > 0 for d in near) <= sum(d < 0 for d in near)

    def _show_axes(self, block: LineChart) -> None:
        xs = [x for line in block.lines for x in line.x]
        ys = [y for line in block.lines for y in (*line.y, *line.high)]
        spans = {"bottom": _ends(xs, log=block.log_x), "left": _ends(ys, log=block.log_y)}
        for name, texts, logged in (("bottom", block.x_text, block.log_x), ("left", block.y_text, block.log_y)):
            axis = self._plot.getAxis(name)
            ends = spans[name]
            shown = texts or [(value, plain(value, self._ui.language)) for value in ticks(*ends, log=logged)]
            axis.setTicks([[(_logged(value, logged), text) for value, text in shown]])
        if not xs or not ys:
            return
        self._plot.setXRange(_logged(min(xs), block.log_x), _logged(max(xs), block.log_x), padding=0.012)
        low = _logged(min(y for y in ys if y > 0), True) if block.log_y else min(0.0, *ys)
        self._plot.setYRange(low, _logged(max(ys), block.log_y), padding=0.06)

    # looks

    def _restyle(self) -> None:
        theme = self._ui.theme
        self._plot.setFixedHeight(theme.px(self.HEIGHT))
        font = theme.font(design.SMALL)
        for name in ("bottom", "left"):
            axis = self._plot.getAxis(name)
            axis.setPen(pg.mkPen(theme.colour("line"), width=1))
            axis.setTextPen(theme.colour("ink3"))
            axis.setStyle(tickFont=font, tickLength=0, tickTextOffset=theme.px(6))
        self._plot.getAxis("left").setPen(pg.mkPen(None))
        widest = (
            max((QFontMetrics(font).horizontalAdvance(t) for _, t in self._block.y_text), default=0)
            if self._block
            else 0
        )
        self._plot.getAxis("left").setWidth(max(theme.px(44), widest + theme.px(12)))
        self._plot.getAxis("bottom").setHeight(theme.px(26))
        self._colour()
        self._labels.update()

    def _colour(self) -> None:
        theme = self._ui.theme
        if self._block is None:
            return
        for line, curve in zip_longest(self._block.lines, self._curves):
            if line is not None and curve is not None:
                curve.setPen(_pen(self._ui, line))
        banded = [line for line in self._block.lines if line.low]
        for line, (_, _, fill) in zip(banded, self._bands, strict=False):
            tint = theme.series(line.series)
            tint.setAlpha(36)
            fill.setBrush(tint)
        for dot, words in self._marks:
            dot.setBrush(theme.colour("surface"))
            dot.setPen(pg.mkPen(theme.colour("ink1"), width=theme.px(2)))
            dot.setSize(theme.px(10))
            words.setColor(theme.colour("ink1"))
            words.setFont(theme.font(design.NOTE_STRONG))

    def refont(self) -> None:
        self._restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._labels.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self._labels.update()


def _ends(values: list[float], *, log: bool) -> tuple[float, float]:
    """Lowest and highest that can be shown; a linear axis begins at nothing."""
    shown = [v for v in values if v > 0] if log else values
    if not shown:
        return (1.0, 10.0) if log else (0.0, 1.0)
    return (min(shown), max(shown)) if log else (min(0.0, *shown), max(shown))


def ticks(low: float, high: float, *, log: bool) -> list[float]:
    """Few round values between two ends: 1, 2, 5 steps, or decades where there are many."""
    if high <= low:
        return [low]
    if not log:
        step = 10 ** math.floor(math.log10((high - low) / 4))
        step *= next(k for k in (1, 2, 5, 10) if (high - low) / (step * k) <= 5)
        first = math.ceil(low / step)
        return [k * step for k in range(first, math.floor(high / step) + 1)]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    factors = (1,) if len(decades) > 4 else (1, 3) if len(decades) > 2 else (1, 2, 5)
    return [f * 10.0**d for d in decades for f in factors if low <= f * 10.0**d <= high]


def _pen(ui: Ui, line: Line) -> Any:
    width = ui.theme.px(1.5 if line.dashed else 2.5)
    style = Qt.PenStyle.DashLine if line.dashed else Qt.PenStyle.SolidLine
    return pg.mkPen(ui.theme.series(line.series), width=width, style=style)


def _logged(value: float, logged: bool) -> float:
    return float(np.log10(value)) if logged and value > 0 else value
