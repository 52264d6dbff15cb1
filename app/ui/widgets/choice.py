"""A question asked large: one card a choice, a digit each, and "not known yet" always among them."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen
from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QEnterEvent, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.present import design
from app.ui.context import Ui
from app.ui.theme import pad
from app.ui.widgets.text import KeyCap, Text

UNKNOWN = "unknown"
NARROWEST = 190
"""Design units a card needs to be read."""


@frozen
class Choice:
    """One card: `value` as the document holds it (None: not known yet)."""

    value: object
    title: str
    hint: str = ""


class ChoiceCard(QAbstractButton):
    """A choice as a card. It shows what the document says; a click is only an intent."""

    def __init__(self, ui: Ui, choice: Choice, digit: int, *, open_end: bool = False) -> None:
        super().__init__()
        self._ui = ui
        self.choice = choice
        self._open_end = open_end
        self._hovered = False
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setObjectName(f"choice-{UNKNOWN if choice.value is None else choice.value}")
        self._title = Text(ui, choice.title, design.SUBHEADING if open_end else design.HEADING, wrap=not open_end)
        self._hint = Text(ui, choice.hint, design.NOTE, "ink2", wrap=True)
        self.digit = digit
        self._cap = KeyCap(ui, str(digit), self)
        self._cap.setVisible(digit <= 9)
        for part in (self._title, self._hint):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._lay_out()
        self.say(choice)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        theme = self._ui.theme
        if self._open_end:
            pad(theme, row, (16, 11, 12, 11), 8)
            row.addWidget(self._title)
            row.addWidget(self._hint, 1)
        else:
            pad(theme, row, (16, 15, 12, 15), 8)
            words = QVBoxLayout()
            pad(theme, words, (0, 0, 0, 0), 5)
            words.addWidget(self._title)
            words.addWidget(self._hint)
            words.addStretch(1)
            row.addLayout(words, 1)
        if self.digit <= 9:
            row.addWidget(self._cap, 0, Qt.AlignmentFlag.AlignVCenter if self._open_end else Qt.AlignmentFlag.AlignTop)

    def say(self, choice: Choice) -> None:
        """The same choice in other words."""
        self.choice = choice
        self._title.say(choice.title)
        self._hint.say(choice.hint)
        self._hint.setVisible(bool(choice.hint))
        self.setAccessibleName(choice.title)
        self.setAccessibleDescription(choice.hint)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space chooses; arrows are the group's, everything else the window's."""
        if event.key() == Qt.Key.Key_Space:
            super().keyPressEvent(event)
        else:
            event.ignore()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hovered = True
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = False
        self.update()
        super().leaveEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._ui.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        chosen = self.isChecked()
        strong = chosen or self.hasFocus()
        width = 2.0 if strong else 1.0
        edge = "accent" if strong or (self._hovered and self.isEnabled()) else "line"
        pen = QPen(theme.colour(edge), width)
        if self._open_end:
            pen.setStyle(Qt.PenStyle.DashLine)
            if not strong:
                pen.setColor(theme.colour("line_strong"))
        painter.setPen(pen)
        fill = "accent_soft" if chosen and not self._open_end else "ground" if self._open_end else "surface"
        painter.setBrush(theme.colour(fill))
        radius = theme.px(design.RADIUS_CARD)
        inset = width / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), radius, radius)


class ChoiceGroup(QWidget):
    """The cards of one question, two in a row, and the open end below."""

    chosen = Signal(object)
    """The value clicked or typed: an intent, not a state."""

    def __init__(self, ui: Ui, name: str, choices: Sequence[Choice], unknown: Choice) -> None:
        super().__init__()
        self._ui = ui
        self.setObjectName(f"group-{name}")
        self._grid = QGridLayout(self)
        pad(ui.theme, self._grid, (0, 0, 0, 0), 12)
        self.cards = [ChoiceCard(ui, choice, index) for index, choice in enumerate(choices, 1)]
        self.unknown = ChoiceCard(ui, unknown, 0, open_end=True)
        self._columns = 0
        self._place(_columns(len(choices)))
        for card in self.all_cards:
            card.clicked.connect(self._clicked)

    def _place(self, columns: int) -> None:
        if columns == self._columns:
            return
        for column in range(max(columns, self._columns)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        self._columns = columns
        for index, card in enumerate(self.cards):
            self._grid.addWidget(card, index // columns, index % columns)
        self._grid.addWidget(self.unknown, (len(self.cards) - 1) // columns + 1, 0, 1, columns)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fewer cards in a row where the room is narrow."""
        super().resizeEvent(event)
        room = event.size().width() // self._ui.theme.px(NARROWEST)
        self._place(max(1, min(_columns(len(self.cards)), room)))

    @property
    def all_cards(self) -> list[ChoiceCard]:
        return [*self.cards, self.unknown]

    def show_value(self, value: object) -> None:
        """Mark what the document says."""
        for card in self.all_cards:
            card.setChecked(card.choice.value == value)

    def say(self, choices: Sequence[Choice], unknown: Choice) -> None:
        for card, choice in zip(self.cards, choices, strict=True):
            card.say(choice)
        self.unknown.say(unknown)

    def press(self, digit: int) -> bool:
        """A digit key. False when no card has it."""
        if digit == 0:
            card = self.unknown
        elif digit <= min(9, len(self.cards)):
            card = self.cards[digit - 1]
        else:
            return False
        card.setFocus(Qt.FocusReason.ShortcutFocusReason)
        card.click()
        return True

    @property
    def focused(self) -> bool:
        return any(card.hasFocus() for card in self.all_cards)

    def _clicked(self) -> None:
        card = self.sender()
        if isinstance(card, ChoiceCard):
            self.chosen.emit(card.choice.value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys walk the cards; Space chooses (the card's own)."""
        step = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -self._columns,
            Qt.Key.Key_Down: self._columns,
        }.get(Qt.Key(event.key()))
        cards = self.all_cards
        at = next((i for i, card in enumerate(cards) if card.hasFocus()), None)
        if step is None or at is None or event.modifiers() & Qt.KeyboardModifier.AltModifier:
            super().keyPressEvent(event)
            return
        cards[min(max(at + step, 0), len(cards) - 1)].setFocus(Qt.FocusReason.TabFocusReason)


def _columns(count: int) -> int:
    """Three stand in a row, many stand in three columns, else two."""
    if count == 1:
        return 1
    return 3 if count in (3, 5, 6) or count > 8 else 2
