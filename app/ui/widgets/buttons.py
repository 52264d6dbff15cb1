"""Buttons: a word, maybe an icon before it, maybe the key that does the same."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.present import design
from app.ui.context import Ui
from app.ui.icons import paint_icon


class Button(QPushButton):
    """A push button that re-says its key on a language switch and carries an icon and a key cap."""

    def __init__(
        self,
        ui: Ui,
        key: str = "",
        *,
        name: str,
        kind: str = "",
        icon: str = "",
        keycap: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._ui = ui
        self._key = key
        self._icon = icon
        self._cap = keycap
        self.setObjectName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        if kind:
            self.setProperty("kind", kind)
        across = QSizePolicy.Policy.Maximum if kind == "label" else QSizePolicy.Policy.Fixed
        self.setSizePolicy(across, QSizePolicy.Policy.Fixed)
        self.setAutoDefault(False)
        self.refont()
        self.retranslate()

    def say(self, text: str) -> None:
        self.setText(text)
        self.setAccessibleName(text)
        self.updateGeometry()

    def turn(self, icon: str) -> None:
        """Another icon before the word."""
        self._icon = icon
        self.update()

    def cap(self, text: str) -> None:
        """Another key cap, or none."""
        if text != self._cap:
            self._cap = text
            self.updateGeometry()
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses a focused button, as Space does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
            return
        super().keyPressEvent(event)

    def retranslate(self) -> None:
        if self._key:
            self.say(self._ui.t.text(self._key))

    def refont(self) -> None:
        strong = self.property("kind") == "primary"
        self.setFont(self._ui.theme.font(design.NOTE_STRONG if strong else design.NOTE))
        self.updateGeometry()

    def _room(self) -> tuple[int, int, int]:
        """Side padding, room of the icon, room of the cap."""
        theme = self._ui.theme
        quiet = self.property("kind") in ("quiet", "label")
        side = theme.px(7 if quiet else 12)
        icon = theme.px(21) if self._icon else 0
        cap = 0
        if self._cap:
            cap = QFontMetrics(theme.font(design.KEY)).horizontalAdvance(self._cap) + theme.px(11) + theme.px(8)
        return side, icon, cap

    def sizeHint(self) -> QSize:
        theme = self._ui.theme
        side, icon, cap = self._room()
        metrics = QFontMetrics(self.font())
        words = metrics.horizontalAdvance(self.text())
        quiet = self.property("kind") in ("quiet", "label")
        height = metrics.height() + theme.px(8 if quiet else 13)
        return QSize(words + 2 * side + icon + cap + 2, height)

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        return (
            QSize(min(hint.width(), self._ui.theme.px(60)), hint.height()) if self.property("kind") == "label" else hint
        )

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self.update()

    def _inks(self) -> tuple[str, str, str]:
        """Fill, edge, ink."""
        kind, under, down = self.property("kind") or "", self.underMouse() and self.isEnabled(), self.isDown()
        if not self.isEnabled():
            return ("", "", "ink3") if kind in ("quiet", "label") else ("sunken", "line", "ink3")
        if kind == "primary":
            fill = "accent_strong" if under or down else "accent"
            return fill, fill, "on_accent"
        if kind == "soft":
            return "accent_soft", "accent" if under else "accent_soft", "accent"
        if kind == "quiet":
            return ("accent_soft" if under else ""), "", "accent"
        if kind == "label":
            return ("sunken" if under else ""), "", "ink1"
        return (
            ("sunken" if down else "surface"),
            ("line_strong" if under else "line"),
            "bad" if kind == "danger" else "ink1",
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._ui.theme
        fill, edge, ink = self._inks()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        radius = theme.px(design.RADIUS_FIELD)
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("ink1" if self.property("kind") == "primary" else "accent"), 2))
        else:
            painter.setPen(QPen(theme.colour(edge), 1) if edge else Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(fill) if fill else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, radius, radius)
        side, icon, cap = self._room()
        colour = theme.colour(ink)
        if icon:
            size = theme.px(15)
            paint_icon(painter, self._icon, colour, QRectF(side, (self.height() - size) / 2, size, size))
        painter.setPen(colour)
        painter.setFont(self.font())
        words = QRectF(side + icon, 0, self.width() - 2 * side - icon - cap + 2, self.height())
        align = Qt.AlignmentFlag.AlignVCenter | (
            Qt.AlignmentFlag.AlignLeft
            if icon or cap or self.property("kind") in ("quiet", "label")
            else Qt.AlignmentFlag.AlignHCenter
        )
        shown = QFontMetrics(self.font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, int(words.width()) + 1)
        painter.drawText(words, int(align), shown)
        if cap:
            self._paint_cap(painter, side, cap)

    def _paint_cap(self, painter: QPainter, side: int, cap: int) -> None:
        theme = self._ui.theme
        font = theme.font(design.KEY)
        height = QFontMetrics(font).height() + theme.px(3)
        width = cap - theme.px(8)
        box = QRectF(self.width() - side + theme.px(2) - width, (self.height() - height) / 2, width, height)
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.setBrush(theme.colour("ground"))
        painter.drawRoundedRect(box, theme.px(4), theme.px(4))
        painter.setPen(theme.colour("ink3"))
        painter.setFont(font)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._cap)
