"""Lists of sentences: work items, reasons, flips. A line that belongs to a question leads there."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.present import design
from app.present.views import Bullet, Bullets, Callout, Tone
from app.ui.context import Ui
from app.ui.theme import pad
from app.ui.widgets.text import Chip, Text


class BulletRow(QAbstractButton):
    """One sentence with its detail and tag."""

    def __init__(self, ui: Ui, number: int | None) -> None:
        super().__init__()
        self._ui = ui
        self._number = number
        self.bullet = Bullet("")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        row = QHBoxLayout(self)
        pad(ui.theme, row, (26, 6, 8, 6), 10)
        words = QVBoxLayout()
        pad(ui.theme, words, (0, 0, 0, 0), 2)
        self._text = Text(ui, "", design.BODY, wrap=True)
        self._detail = Text(ui, "", design.NOTE, "ink2", wrap=True)
        words.addWidget(self._text)
        words.addWidget(self._detail)
        self._tag = Chip(ui)
        row.addLayout(words, 1)
        row.addWidget(self._tag, 0, Qt.AlignmentFlag.AlignTop)
        for part in (self._text, self._detail, self._tag):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def show_bullet(self, bullet: Bullet) -> None:
        self.bullet = bullet
        self._text.say(bullet.text)
        self._detail.say(bullet.detail)
        self._detail.setVisible(bool(bullet.detail))
        self._tag.say(bullet.tag, bullet.tone)
        leads = bool(bullet.path or bullet.page)
        self.setEnabled(leads)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if leads else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor if leads else Qt.CursorShape.ArrowCursor)
        self.setAccessibleName(bullet.text)
        self.setAccessibleDescription(" ".join(filter(None, (bullet.tag, bullet.detail))))
        self.setObjectName(f"bullet-{bullet.path or bullet.page}" if leads else "bullet")

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._ui.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.isEnabled() and (self.underMouse() or self.hasFocus()):
            painter.setPen(QPen(theme.colour("accent"), 1.5) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("ground"))
            radius = theme.px(design.RADIUS_FIELD)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), radius, radius)
        line = self._text.geometry()
        ink = theme.tone(self.bullet.tone)[0]
        if self._number is not None:
            painter.setFont(theme.font(design.NOTE_STRONG))
            painter.setPen(ink)
            box = QRectF(0, line.top(), theme.px(19), self._text.fontMetrics().height())
            painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), str(self._number))
            return
        side = theme.px(6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        middle = line.top() + self._text.fontMetrics().height() / 2
        painter.drawEllipse(QRectF(theme.px(9), middle - side / 2, side, side))


class BulletList(QWidget):
    """The rows of one block."""

    opened = Signal(str)

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self.rows: list[BulletRow] = []
        self._column = QVBoxLayout(self)
        pad(ui.theme, self._column, (0, 0, 0, 0), 0)
        self._empty = Text(ui, "", design.NOTE, "ink3", wrap=True)
        self._column.addWidget(self._empty)
        self._ordered = False

    def show_block(self, block: Bullets) -> None:
        if len(block.items) != len(self.rows) or block.ordered != self._ordered:
            self._rebuild(len(block.items), block.ordered)
        for row, bullet in zip(self.rows, block.items, strict=True):
            row.show_bullet(bullet)
        self._empty.say(block.empty)
        self._empty.setVisible(not block.items and bool(block.empty))

    def _rebuild(self, count: int, ordered: bool) -> None:
        for row in self.rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._ordered = ordered
        self.rows = [BulletRow(self._ui, index + 1 if ordered else None) for index in range(count)]
        for row in self.rows:
            row.clicked.connect(self._go)
            self._column.addWidget(row)

    def _go(self) -> None:
        row = self.sender()
        if isinstance(row, BulletRow):
            bullet = row.bullet
            self._ui.go.emit(f"question:{bullet.path}" if bullet.path else bullet.page)


class CalloutView(QWidget):
    """A sentence in a tint."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self._tone = Tone.PLAIN
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        column = QVBoxLayout(self)
        pad(ui.theme, column, (14, 11, 14, 11), 3)
        self._title = Text(ui, "", design.NOTE_STRONG, "ink1", wrap=True)
        self._text = Text(ui, "", design.NOTE, "ink1", wrap=True)
        column.addWidget(self._title)
        column.addWidget(self._text)

    def show_block(self, block: Callout) -> None:
        self._tone = block.tone
        self._title.say(block.title)
        self._title.setVisible(bool(block.title))
        self._title.ink(block.tone.value if block.tone in (Tone.ACCENT, Tone.GOOD, Tone.WARN, Tone.BAD) else "ink1")
        self._text.say(block.text)
        self.setAccessibleName(block.title or block.text)
        self.setAccessibleDescription(block.text)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._ui.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.tone(self._tone)[1])
        radius = theme.px(10)
        painter.drawRoundedRect(QRectF(self.rect()), radius, radius)
