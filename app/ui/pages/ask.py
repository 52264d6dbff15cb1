"""The thirteen questions customers ask, answered with the open session's own numbers, and the terms behind them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.present import design
from app.session import Changed
from app.ui.blocks.column import BlockColumn
from app.ui.context import Ui
from app.ui.found import Found
from app.ui.pages.base import Page, bring_into_sight
from app.ui.pages.views import view_of
from app.ui.theme import pad
from app.ui.widgets.fields import TextField
from app.ui.widgets.text import Text, surface
from engine.advice.concepts import CONCEPTS, Concept

if TYPE_CHECKING:
    from app.present.views import Block, Bullet, Table
    from app.present.views import Page as PageView

AT_ONCE = 6
"""Cards made in one turn of the event loop."""


class TermCard(QWidget):
    """One term in two or three sentences."""

    def __init__(self, ui: Ui, concept: Concept) -> None:
        super().__init__()
        self._ui = ui
        self.concept = concept
        self.setObjectName(f"term-{concept.id}")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        card = surface("card")
        outer.addWidget(card)
        column = QVBoxLayout(card)
        pad(ui.theme, column, (16, 13, 16, 14), 4)
        self._name = Text(ui, "", design.SUBHEADING, wrap=True)
        self._text = Text(ui, "", design.NOTE, "ink2", wrap=True)
        self._ask = Text(ui, "", design.NOTE, "ink1", wrap=True)
        for part in (self._name, self._text, self._ask):
            column.addWidget(part)
        column.addStretch(1)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.retranslate()

    def retranslate(self) -> None:
        t = self._ui.t
        self._name.say(t(self.concept.term))
        self._text.say(t(self.concept.text))
        self._ask.say(t.text("ui.ask.ask", question=t(self.concept.ask)))
        self.setAccessibleName(self._name.plain)
        self.setAccessibleDescription(self._text.plain)

    def holds(self, parts: list[str]) -> bool:
        text = f"{self._name.plain} {self._text.plain} {self.concept.id}".casefold()
        return all(part in text for part in parts)


class AskPage(Page):
    """Search above, answers, then the cards."""

    def __init__(self, ui: Ui, key: str) -> None:
        super().__init__(ui, key)
        self.search = TextField(ui, "ask-search", "ui.ask.search")
        self.search.setProperty("search", "true")
        self.search.textChanged.connect(self._searched)
        self.column.addWidget(self.search)
        self.blocks = BlockColumn(ui)
        self.column.addWidget(self.blocks)
        self._terms_title = Text(ui, style=design.HEADING, key="ui.ask.terms")
        self.column.addWidget(self._terms_title)
        holder = QWidget()
        self._grid = QGridLayout(holder)
        pad(ui.theme, self._grid, (0, 0, 0, 0), 12)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1)
        self.column.addWidget(holder)
        self.tables = BlockColumn(ui)
        self.column.addWidget(self.tables)
        self.cards: list[TermCard] = []
        self._more = QTimer(self)
        self._more.setInterval(0)
        self._more.timeout.connect(self._make_some)
        self._nothing = Text(ui, style=design.NOTE, ink="ink3", key="ui.finder.nothing", wrap=True)
        self.column.addWidget(self._nothing)
        self.finish()
        self.retranslate()
        self._make_some()
        self._more.start()

    def retranslate(self) -> None:
        self.search.setAccessibleName(self.ui.t.text("ui.ask.search"))

    def _make_some(self) -> None:
        """A few cards a turn: the page is on screen before the last of them is made."""
        made = len(self.cards)
        for concept in CONCEPTS[made : made + AT_ONCE]:
            self.cards.append(TermCard(self.ui, concept))
        if len(self.cards) == len(CONCEPTS):
            self._more.stop()
            self._show_tables()
        self._show_cards()

    def _show_cards(self) -> None:
        parts = self.search.text().casefold().split()
        cards = [card for card in self.cards if card.holds(parts)]
        self._place(cards)
        self._terms_title.setVisible(bool(cards))
        self._nothing.setVisible(not cards and not self.blocks.views)

    def _show_tables(self) -> None:
        """The field's tables under the cards, once the cards are there; those that hold what is searched."""
        if len(self.cards) < len(CONCEPTS):
            return
        parts = self.search.text().casefold().split()
        self.tables.show_blocks([block for block in tables(self.ui) if _says(block, parts)])

    def _place(self, cards: list[TermCard]) -> None:
        for card in self.cards:
            self._grid.removeWidget(card)
        for index, card in enumerate(cards):
            self._grid.addWidget(card, index // 2, index % 2)
        for card in self.cards:
            card.setVisible(card in cards)

    def refresh(self, changed: Changed | None = None) -> None:
        view = thirteen(self.ui)
        t = self.ui.t
        if view is None:
            self.say_head(t.text("ui.stop.ask"), t.text("ui.ask.title"), t.text("ui.ask.no_session"))
            self.blocks.show_blocks(())
        else:
            self.show_head_of(view)
        self._searched(self.search.text())

    def _searched(self, text: str) -> None:
        parts = text.casefold().split()
        view = thirteen(self.ui)
        if view is not None:
            self.blocks.show_blocks(_matching(view, parts))
        self._show_cards()
        self._show_tables()

    def ask(self, path: str) -> None:
        """Open at one term's card."""
        self.search.setText("")
        while self._more.isActive():
            self._make_some()
        found = [card for card in self.cards if card.concept.id == path]
        if found:
            found[0].setFocus(Qt.FocusReason.ShortcutFocusReason)
            bring_into_sight(found[0])


def _matching(view: PageView, parts: list[str]) -> tuple[Block, ...]:
    import attrs

    from app.present.views import Bullets

    if not parts:
        return view.blocks
    found: list[Block] = []
    for block in view.blocks:
        if isinstance(block, Bullets):
            items = tuple(b for b in block.items if all(p in f"{b.text} {b.detail}".casefold() for p in parts))
            if items:
                found.append(attrs.evolve(block, items=items, ordered=False))
    return tuple(found)


def thirteen(ui: Ui) -> PageView | None:
    """The questions with their answers; None while nothing is computed."""
    return view_of(ui, "ask")


def tables(ui: Ui) -> tuple[Table, ...]:
    """The field's tables in words; none while there is no catalogue to judge the features with."""
    from app.present.pages.concepts import tables as in_words  # the engine is read after the first paint

    return in_words(ui.session.catalogue, ui.t) if ui.session.catalogue is not None else ()


def _says(table: Table, parts: list[str]) -> bool:
    text = " ".join((table.title, *(cell.text for row in table.rows for cell in row))).casefold()
    return all(part in text for part in parts)


def _bullets(view: PageView | None) -> list[Bullet]:
    from app.present.views import Bullets

    return [b for block in view.blocks if isinstance(block, Bullets) for b in block.items] if view else []


def found_of(ui: Ui) -> list[Found]:
    """The questions and the terms for the finder."""
    t = ui.t
    asked = [
        Found(t.text("ui.finder.asked"), b.text, partial(ui.go.emit, b.page or "ask"), b.detail)
        for b in _bullets(thirteen(ui))
    ]
    terms = [
        Found(
            t.text("ui.finder.term"),
            t(concept.term),
            partial(ui.go.emit, f"term:{concept.id}"),
            t(concept.text),
            concept.id.replace("_", " "),
        )
        for concept in CONCEPTS
    ]
    return [*asked, *terms]
