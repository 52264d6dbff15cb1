"""Words on the screen: labels in the design's type styles, tinted words, key caps, hairlines."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from app.present import design
from app.present.design import TypeStyle
from app.present.tones import Tone
from app.ui.context import Ui

_JOINER: Final = "\u2060"
_INSIDE_WORD = re.compile(r"(?<=[가-힣\d%)])(?=[가-힣])")


def keep_words(text: str) -> str:
    """Korean broken between words only: Qt would break a line between any two syllables."""
    return _INSIDE_WORD.sub(_JOINER, text)


def plain(text: str) -> str:
    return text.replace(_JOINER, "")


class Text(QLabel):
    """A label. With `key` it says that text again whenever the language changes."""

    def __init__(
        self,
        ui: Ui,
        text: str = "",
        style: TypeStyle = design.BODY,
        ink: str = "ink1",
        *,
        key: str = "",
        wrap: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._ui = ui
        self._style = style
        self._key = key
        self.setProperty("ink", ink)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        if wrap:
            policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
            policy.setHeightForWidth(True)
            self.setSizePolicy(policy)
        self.refont()
        self.say(ui.t.text(key) if key else text)

    @property
    def plain(self) -> str:
        return plain(self.text())

    def say(self, text: str) -> None:
        """Show other words."""
        shown = keep_words(text) if self.wordWrap() else text
        if shown != self.text():
            self.setText(shown)
            self.setAccessibleName(text)

    def ink(self, ink: str) -> None:
        """Another ink of the palette."""
        if self.property("ink") != ink:
            self.setProperty("ink", ink)
            self.style().unpolish(self)
            self.style().polish(self)

    def strike(self, on: bool) -> None:
        font = self.font()
        font.setStrikeOut(on)
        self.setFont(font)

    def restyle(self, style: TypeStyle) -> None:
        self._style = style
        self.refont()

    def refont(self) -> None:
        struck = self.font().strikeOut()
        font = self._ui.theme.font(self._style)
        font.setStrikeOut(struck)
        self.setFont(font)

    def retranslate(self) -> None:
        if self._key:
            self.say(self._ui.t.text(self._key))


class Elided(Text):
    """One line that ends in … where the room ends; the whole text is its tool tip."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.setFont(self.font())
        shown = QFontMetrics(self.font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        self.setToolTip(self.text() if shown != self.text() else "")
        painter.drawText(self.rect(), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), shown)

    def minimumSizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        return QSize(min(metrics.horizontalAdvance(self.text()), metrics.averageCharWidth() * 8), metrics.height())


class Chip(QWidget):
    """A word in a tint: meaning in the word, not in the colour alone."""

    def __init__(self, ui: Ui, text: str = "", tone: Tone = Tone.PLAIN, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ui = ui
        self._text = text
        self._tone = tone
        self._flat = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text)

    @property
    def plain(self) -> str:
        return self._text

    def say(self, text: str, tone: Tone, *, flat: bool = False) -> None:
        """Another word. `flat`: without the tint, for what is so common that it should not shout."""
        if (text, tone, flat) != (self._text, self._tone, self._flat):
            self._text, self._tone, self._flat = text, tone, flat
            self.setAccessibleName(text)
            self.updateGeometry()
            self.update()
        self.setVisible(bool(text))

    def refont(self) -> None:
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        theme = self._ui.theme
        metrics = QFontMetrics(theme.font(design.SMALL if self._flat else design.CHIP))
        side = theme.px(2 if self._flat else 14)
        return QSize(metrics.horizontalAdvance(self._text) + side, metrics.height() + theme.px(4))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._ui.theme
        ink, tint = theme.tone(self._tone)
        painter = QPainter(self)
        if self._flat:
            painter.setPen(theme.colour("ink3"))
            painter.setFont(theme.font(design.SMALL))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._text)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tint)
        radius = theme.px(design.RADIUS_SMALL)
        painter.drawRoundedRect(QRectF(self.rect()), radius, radius)
        painter.setPen(ink)
        painter.setFont(theme.font(design.CHIP))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._text)


class KeyCap(QWidget):
    """The key that does it, as a small cap."""

    def __init__(self, ui: Ui, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ui = ui
        self._text = text
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text)

    def refont(self) -> None:
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        theme = self._ui.theme
        metrics = QFontMetrics(theme.font(design.KEY))
        height = metrics.height() + theme.px(4)
        return QSize(max(height, metrics.horizontalAdvance(self._text) + theme.px(11)), height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._ui.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.setBrush(theme.colour("surface"))
        radius = theme.px(4)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.setPen(theme.colour("ink3"))
        painter.setFont(theme.font(design.KEY))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._text)


def hairline(parent: QWidget | None = None) -> QFrame:
    line = QFrame(parent)
    line.setProperty("surface", "line")
    line.setFixedHeight(1)
    return line


def surface(name: str, parent: QWidget | None = None) -> QFrame:
    """A frame that the style sheet paints as that surface."""
    frame = QFrame(parent)
    frame.setProperty("surface", name)
    return frame
