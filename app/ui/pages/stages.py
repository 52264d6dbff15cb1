"""Stages of a workload: parts that may run elsewhere, each with the few answers in which it differs."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.present import design
from app.session import parts
from app.ui.context import Ui
from app.ui.theme import pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.target import StageAnswers
from app.ui.widgets.text import Text
from app.ui.widgets.variation import VariationCard
from engine.messages import msg
from engine.questions import Question, Step


class StageList(QWidget):
    """All stages of the workload on show; none is the usual case and says what they are for."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self.cards: dict[str, VariationCard] = {}
        self._column = QVBoxLayout(self)
        pad(ui.theme, self._column, (0, 8, 0, 0), 10)
        head = QHBoxLayout()
        pad(ui.theme, head, (0, 0, 0, 0), 8)
        words = QVBoxLayout()
        pad(ui.theme, words, (0, 0, 0, 0), 2)
        words.addWidget(Text(ui, style=design.HEADING, key="ui.stage.title"))
        words.addWidget(Text(ui, style=design.NOTE, ink="ink2", key="ui.stage.lead", wrap=True))
        head.addLayout(words, 1)
        self.add = Button(ui, "ui.stage.add", name="stage-add", icon="plus")
        self.add.clicked.connect(self._added)
        head.addWidget(self.add)
        self._column.addLayout(head)

    def refresh(self) -> None:
        workload = self._ui.session.workload
        stages = workload.stages if workload else ()
        for gone in [i for i in self.cards if i not in {s.id for s in stages}]:
            card = self.cards.pop(gone)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        for stage in stages:
            if stage.id not in self.cards:
                made = VariationCard(self._ui, "ui.stage", stage.id, StageAnswers(self._ui, stage.id), _judged_by_rules)
                self.cards[stage.id] = made
                self._column.addWidget(made)
            self.cards[stage.id].refresh()

    def _added(self) -> None:
        session = self._ui.session
        count = len(session.workload.stages) if session.workload else 0
        name = self._ui.t.text("ui.stage.new", number=count + 1)
        after, made = parts.add_stage(session.consultation, session.workload_id, name)
        session.edit(msg("ui.edit.stage_added"), after, (f"{session.workload_id}/stages",))
        if made in self.cards:
            self.cards[made].name.setFocus()
            self.cards[made].name.selectAll()


def _judged_by_rules(question: Question) -> bool:
    """Stages differ in what the rules ask and in what the work is."""
    return question.step in (Step.RULES, Step.CUSTOMER)
