"""Two questions against each other: a grid of tinted cells with the answer written in each."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.present import design
from app.present.views import Heatmap, Tone
from app.ui.blocks.canvas import CENTRE, RIGHT, Canvas


class HeatmapView(Canvas[Heatmap]):
    ROW = 32

    def content_height(self) -> int:
        theme = self.ui.theme
        return theme.px(self.ROW) * (len(self.block.row_labels) + 1) if self.block else 0

    def draw(self, painter: QPainter) -> None:
        block = self.block
        if block is None or not block.column_labels:
            return
        theme = self.ui.theme
        row = theme.px(self.ROW)
        labels = max((self.width_of(name, design.NOTE) for name in block.row_labels), default=0) + theme.px(12)
        cell = (self.width() - labels) / len(block.column_labels)
        outlined: QRectF | None = None
        for i, line in enumerate(block.cells):
            left = QRectF(0, i * row, labels - theme.px(10), row)
            self.write(painter, left, block.row_labels[i], design.NOTE, theme.colour("ink2"), RIGHT)
            for j, item in enumerate(line):
                box = QRectF(labels + j * cell, i * row, cell, row).adjusted(1.5, 1.5, -1.5, -1.5)
                ink, tint = theme.tone(item.tone)
                if item.tone is Tone.PLAIN:
                    ink = theme.colour("ink1")
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(tint)
                painter.drawRoundedRect(box, theme.px(5), theme.px(5))
                self.write(painter, box, item.text, design.NOTE_STRONG, ink, CENTRE)
                outlined = box if item.chosen else outlined
        for j, name in enumerate(block.column_labels):
            box = QRectF(labels + j * cell, len(block.row_labels) * row, cell, row)
            self.write(painter, box, name, design.NOTE, theme.colour("ink2"), CENTRE)
        if outlined is not None:
            painter.setPen(QPen(theme.colour("ink1"), theme.px(1.5)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(outlined.adjusted(-1, -1, 1, 1), theme.px(6), theme.px(6))
