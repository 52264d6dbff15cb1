"""Scenarios: the consultation with a few answers changed, side by side with the base."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.present import design
from app.session import Changed, parts
from app.ui.blocks.column import BlockColumn
from app.ui.context import Ui
from app.ui.pages.base import Page
from app.ui.pages.views import view_of
from app.ui.theme import pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.target import ScenarioAnswers
from app.ui.widgets.text import Text
from app.ui.widgets.variation import VariationCard
from engine.consultation import Scenario
from engine.messages import msg
from engine.questions import Question

MOST = 3
"""Scenarios beside the base: four columns can be compared at a glance."""


def _anything(_question: Question) -> bool:
    return True


class ScenariosPage(Page):
    def __init__(self, ui: Ui, key: str) -> None:
        super().__init__(ui, key)
        self.blocks = BlockColumn(ui)
        self.cards: dict[str, VariationCard] = {}
        self.column.addWidget(self.blocks)
        head = QHBoxLayout()
        pad(ui.theme, head, (0, 4, 0, 0), 8)
        head.addWidget(Text(ui, style=design.HEADING, key="ui.scenario.title"), 1)
        self.add = Button(ui, "ui.scenario.add", name="scenario-add", icon="plus")
        self.add.clicked.connect(self._added)
        head.addWidget(self.add)
        self.column.addLayout(head)
        self._list = QVBoxLayout()
        pad(ui.theme, self._list, (0, 0, 0, 0), 12)
        self.column.addLayout(self._list)
        self.finish()

    def refresh(self, changed: Changed | None = None) -> None:
        t = self.ui.t
        view = view_of(self.ui, self.key)
        if view is not None:
            self.show_head_of(view)
            self.blocks.show_blocks(view.blocks)
        else:
            self.say_head(t.text("ui.stop.scenarios"), t.text("ui.page.computing"))
        self.blocks.setVisible(view is not None)
        scenarios: tuple[Scenario, ...] = self.ui.session.consultation.scenarios
        for gone in [i for i in self.cards if i not in {s.id for s in scenarios}]:
            card = self.cards.pop(gone)
            self._list.removeWidget(card)
            card.hide()
            card.deleteLater()
        for scenario in scenarios:
            if scenario.id not in self.cards:
                self.cards[scenario.id] = VariationCard(
                    self.ui, "ui.scenario", scenario.id, ScenarioAnswers(self.ui, scenario.id), _anything
                )
                self._list.addWidget(self.cards[scenario.id])
            self.cards[scenario.id].refresh()
        self.add.setEnabled(len(scenarios) < MOST)
        self.add.setToolTip("" if len(scenarios) < MOST else t.text("ui.scenario.full", most=MOST))

    def _added(self) -> None:
        session = self.ui.session
        name = self.ui.t.text("ui.scenario.new", number=len(session.consultation.scenarios) + 1)
        after, made = parts.add_scenario(session.consultation, name)
        session.edit(msg("ui.edit.scenario_added"), after, ("scenarios",))
        if made in self.cards:
            self.cards[made].name.setFocus()
            self.cards[made].name.selectAll()
