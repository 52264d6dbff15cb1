"""The product's own SVG icons, drawn in any ink at any size. An icon always stands beside a word."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.host.paths import ICONS

APP_ICON: Final = "waypost"


@lru_cache(maxsize=128)
def _source(name: str) -> str:
    return (ICONS / f"{name}.svg").read_text(encoding="utf-8")


@lru_cache(maxsize=256)
def _renderer(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_source(name).replace("#000", colour).encode()))


def paint_icon(painter: QPainter, name: str, colour: QColor, box: QRectF) -> None:
    """Draw an icon into `box`."""
    _renderer(name, colour.name()).render(painter, box)


def pixmap(name: str, colour: QColor, size: int, ratio: float = 1.0) -> QPixmap:
    """An icon as a picture of `size` logical pixels."""
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    paint_icon(painter, name, colour, QRectF(0, 0, size, size))
    painter.end()
    return picture


def app_icon() -> QIcon:
    """The product's icon in the sizes a desktop asks for."""
    icon = QIcon()
    for size in (16, 32, 64, 128):
        picture = QPixmap(size, size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        QSvgRenderer(QByteArray(_source(APP_ICON).encode())).render(painter, QRectF(0, 0, size, size))
        painter.end()
        icon.addPixmap(picture)
    return icon
