"""Scenarios: the consultation with a few answers changed, side by side with the base."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app import documents
from app.present import design
from app.present.tones import Tone
from app.session import Changed
from app.ui.blocks.column import BlockColumn
from app.ui.context import Ui
from app.ui.pages.base import Page
from app.ui.pages.views import view_of
from app.ui.theme import fix, pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.fields import TextField
from app.ui.widgets.picker import Item, Picker
from app.ui.widgets.row import QuestionRow
from app.ui.widgets.target import ScenarioAnswers
from app.ui.widgets.text import Text, surface
from engine.consultation import Scenario
from engine.messages import msg
from engine.questions import QUESTIONS, Kind, question

MOST = 3
"""Scenarios beside the base: four columns can be compared at a glance."""


class ScenarioCard(QWidget):
    """One scenario: its name, the answers it changes, what else to change."""

    def __init__(self, ui: Ui, scenario_id: str) -> None:
        super().__init__()
        self._ui = ui
        self.target = ScenarioAnswers(ui.session, scenario_id)
        self.rows: dict[str, QuestionRow] = {}
        self._opened: set[str] = set()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        card = surface("card")
        outer.addWidget(card)
        self._column = QVBoxLayout(card)
        pad(ui.theme, self._column, (14, 12, 14, 12), 3)
        head = QHBoxLayout()
        pad(ui.theme, head, (6, 0, 2, 4), 8)
        self.name = TextField(ui, f"scenario-name-{scenario_id}", "ui.scenario.name.hint")
        self.name.typed.connect(self._named)
        self.vary = Picker(ui, f"scenario-vary-{scenario_id}", self._questions)
        fix(ui.theme, self.vary, width=190)
        self.vary.chosen.connect(self._varied)
        self.copy = Button(ui, "ui.scenario.copy", name=f"scenario-copy-{scenario_id}", icon="copy")
        self.copy.clicked.connect(self._copied)
        self.remove = Button(ui, "ui.scenario.remove", name=f"scenario-remove-{scenario_id}", icon="trash")
        self.remove.clicked.connect(self._removed)
        head.addWidget(self.name, 1)
        for part in (self.vary, self.copy, self.remove):
            head.addWidget(part)
        self._column.addLayout(head)
        self._hint = Text(ui, style=design.NOTE, ink="ink3", key="ui.scenario.empty", wrap=True)
        self._column.addWidget(self._hint)
        self.retranslate()

    def retranslate(self) -> None:
        t = self._ui.t
        self.name.setAccessibleName(t.text("ui.scenario.name"))
        self.vary.setAccessibleName(t.text("ui.scenario.vary"))
        self.vary.show_value(None, "", t.text("ui.scenario.vary"))

    def _questions(self) -> list[Item]:
        """Everything that may be varied, by its short name."""
        t, workload = self._ui.t, self._ui.session.workload
        if workload is None:
            return []
        asked = [q for q in QUESTIONS if q.kind is not Kind.LIST and q.asked_if(workload)]
        return [Item(q.path, t(q.short), t(q.step.label), t(q.title)) for q in asked]

    def refresh(self) -> None:
        scenario = self.target.scenario
        if scenario is None:
            return
        self.name.show_value(scenario.name)
        own = [c.path for c in scenario.changes if c.workload == self._ui.session.workload_id]
        wanted = [*own, *(p for p in self._opened if p not in own)]
        known = [p for p in wanted if any(q.path == p and q.kind is not Kind.LIST for q in QUESTIONS)]
        for path in [p for p in self.rows if p not in known]:
            row = self.rows.pop(path)
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        for path in known:
            if path not in self.rows:
                self.rows[path] = QuestionRow(self._ui, question(path), self.target)
                self._column.addWidget(self.rows[path])
            self.rows[path].refresh()
        self._hint.setVisible(not known)

    def _varied(self, path: object) -> None:
        self._opened.add(str(path))
        self.refresh()
        self.rows[str(path)].editor.setFocus()

    def _named(self, name: str) -> None:
        session = self._ui.session
        after = documents.rename_scenario(session.consultation, self.target.scenario_id, name)
        session.edit(
            msg("ui.edit.scenario"), after, ("scenarios",), self, key=f"scenario-name-{self.target.scenario_id}"
        )

    def _copied(self) -> None:
        session, scenario = self._ui.session, self.target.scenario
        if scenario is not None:
            name = self._ui.t.text("ui.copy_of", name=scenario.name)
            after, _ = documents.add_scenario(session.consultation, name, scenario.changes)
            session.edit(msg("ui.edit.scenario_added"), after, ("scenarios",))

    def _removed(self) -> None:
        ui = self._ui
        ui.session.seal()
        after = documents.remove_scenario(ui.session.consultation, self.target.scenario_id)
        ui.session.edit(msg("ui.edit.scenario_removed"), after, ("scenarios",))
        ui.say(ui.t.text("ui.scenario.removed"), Tone.PLAIN, ui.t.text("ui.top.undo"), ui.session.undo)


class ScenariosPage(Page):
    def __init__(self, ui: Ui, key: str) -> None:
        super().__init__(ui, key)
        self.blocks = BlockColumn(ui)
        self.cards: dict[str, ScenarioCard] = {}
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
                self.cards[scenario.id] = ScenarioCard(self.ui, scenario.id)
                self._list.addWidget(self.cards[scenario.id])
            self.cards[scenario.id].refresh()
        self.add.setEnabled(len(scenarios) < MOST)
        self.add.setToolTip("" if len(scenarios) < MOST else t.text("ui.scenario.full", most=MOST))

    def _added(self) -> None:
        session = self.ui.session
        name = self.ui.t.text("ui.scenario.new", number=len(session.consultation.scenarios) + 1)
        after, made = documents.add_scenario(session.consultation, name)
        session.edit(msg("ui.edit.scenario_added"), after, ("scenarios",))
        if made in self.cards:
            self.cards[made].name.setFocus()
            self.cards[made].name.selectAll()
