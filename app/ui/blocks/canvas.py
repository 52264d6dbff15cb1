"""What painted charts share: a fixed height by content, a sentence for the screen reader, text helpers."""

from __future__ import annotations

from typing import Generic, TypeVar

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.present.design import TypeStyle
from app.ui.context import Ui

B = TypeVar("B")

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter


class Canvas(QWidget, Generic[B]):
    """A painted block. Subclasses give `content_height` and `draw`."""

    def __init__(self, ui: Ui, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.ui = ui
        self.block: B | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(policy)
        self.setMouseTracking(True)

    def show_block(self, block: B) -> None:
        """Paint another state of the same block; nothing is rebuilt."""
        self.block = block
        self.setAccessibleName(getattr(block, "title", ""))
        self.setAccessibleDescription(getattr(block, "sentence", ""))
        self.updateGeometry()
        self.update()

    def content_height(self) -> int:
        """Pixels the block needs at this width."""
        raise NotImplementedError

    def draw(self, painter: QPainter) -> None:
        raise NotImplementedError

    def refont(self) -> None:
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(self.ui.theme.px(320), self.content_height() if self.block is not None else 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.ui.theme.px(160), self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.block is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.draw(painter)

    # text

    def font_of(self, style: TypeStyle) -> QFont:
        return self.ui.theme.font(style)

    def width_of(self, text: str, style: TypeStyle) -> int:
        return QFontMetrics(self.font_of(style)).horizontalAdvance(text)

    def line_height(self, style: TypeStyle) -> int:
        return QFontMetrics(self.font_of(style)).height()

    def write(
        self,
        painter: QPainter,
        box: QRectF,
        text: str,
        style: TypeStyle,
        ink: QColor,
        align: Qt.AlignmentFlag = LEFT,
        *,
        struck: bool = False,
    ) -> None:
        """One line in a box, ended by … where it does not fit."""
        font = self.font_of(style)
        font.setStrikeOut(struck)
        painter.setFont(font)
        painter.setPen(ink)
        room = max(0, int(box.width()) + 1)
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, room)
        painter.drawText(box, int(align), shown)
