"""A page that asks: its first question as cards, the others as rows below, why we ask, the rules that bear on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.present import design
from app.present.views import Callout, Tone
from app.session import Changed, value_of
from app.ui.blocks.bullets import CalloutView
from app.ui.blocks.column import BlockColumn
from app.ui.context import Ui
from app.ui.pages.base import Page, bring_into_sight
from app.ui.pages.notes import NotesPanel
from app.ui.pages.regulations import RegulationEditor
from app.ui.pages.stages import StageList
from app.ui.pages.stepper import Stepper
from app.ui.pages.views import rule_answered, view_of
from app.ui.theme import pad
from app.ui.walk import Stop, answered, asked_on, stops_of
from app.ui.widgets import answers
from app.ui.widgets.buttons import Button
from app.ui.widgets.choice import ChoiceGroup
from app.ui.widgets.form import QuestionForm
from app.ui.widgets.text import Text, hairline
from engine.questions import Kind, Question

if TYPE_CHECKING:
    from app.present.views import Page as PageView


class CardQuestion(QWidget):
    """One headline question with its cards. Beyond the page's first it carries its own title."""

    def __init__(self, ui: Ui, question: Question) -> None:
        super().__init__()
        self.ui = ui
        self.question = question
        self.setObjectName(f"cards-{question.path}")
        column = QVBoxLayout(self)
        pad(ui.theme, column, (0, 0, 0, 6), 10)
        self._title = Text(ui, "", design.HEADING, wrap=True)
        column.addWidget(self._title)
        choices = answers.choices_of(ui, question)
        self.group = ChoiceGroup(ui, question.path, choices, answers.unknown_choice(ui, question))
        self.group.chosen.connect(self._chosen)
        column.addWidget(self.group)
        self.retranslate()

    def retranslate(self) -> None:
        self._title.say(self.ui.t(self.question.title))
        self.group.say(answers.choices_of(self.ui, self.question), answers.unknown_choice(self.ui, self.question))
        self.group.setAccessibleName(self.ui.t(self.question.title))

    def show_title(self, on: bool) -> None:
        """Its own title, where the page's title says something else."""
        self._title.setVisible(on)

    def refresh(self) -> None:
        value = value_of(self.ui.session.workload, self.question.path)
        self.group.show_value(answers.from_document(self.question, value))

    def _chosen(self, value: object) -> None:
        self.ui.session.answer(self.question.path, answers.to_document(self.question, value), self)
        self.refresh()


class WhyPanel(QWidget):
    """Why we ask (folded to one line), and beside it the regulations that bear on the question."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self._question: Question | None = None
        row = QHBoxLayout(self)
        pad(ui.theme, row, (0, 2, 0, 0), 26)
        words = QVBoxLayout()
        pad(ui.theme, words, (0, 0, 0, 0), 3)
        self.button = Button(ui, "ui.why", name="why-we-ask", kind="quiet", icon="chevron-right")
        self.button.clicked.connect(self._toggle)
        self._why = Text(ui, "", design.NOTE, "ink2", wrap=True)
        self._background = Text(ui, "", design.NOTE, "ink2", wrap=True)
        self._background.hide()
        words.addWidget(self.button)
        for part in (self._why, self._background):
            part.setContentsMargins(ui.theme.px(7), 0, 0, 0)
            words.addWidget(part)
        words.addStretch(1)
        row.addLayout(words, 1)

    def show_question(self, question: Question) -> None:
        self._question = question
        self.retranslate()

    def retranslate(self) -> None:
        if self._question is not None:
            self._why.say(self._ui.t(self._question.why))
            self._background.say(self._ui.t(self._question.background))

    def _toggle(self) -> None:
        opened = self._background.isHidden()
        self._background.setVisible(opened)
        self.button.turn("chevron-down" if opened else "chevron-right")


class QuestionPage(Page):
    """Generated from the question list: nothing on it is written twice."""

    def __init__(self, ui: Ui, stop: Stop) -> None:
        super().__init__(ui, stop.key)
        self.stop = stop
        self.stepper = Stepper(ui, stop) if len(stops_of(stop.step)) > 1 else None
        if self.stepper is not None:
            self.column.insertWidget(0, self.stepper)
        self.cards: dict[str, CardQuestion] = {}
        self._cards_column = QVBoxLayout()
        pad(ui.theme, self._cards_column, (0, 0, 0, 0), 10)
        self.column.addLayout(self._cards_column)
        self.finding = CalloutView(ui)
        self._rule = hairline()
        self.why = WhyPanel(ui)
        self.form = QuestionForm(ui, stop.key, self._row_questions)
        self.extras = self.make_extras()
        self.blocks = BlockColumn(ui)
        self.notes = NotesPanel(ui, stop.step.value)
        for part in (self.finding, self._rule, self.why, self.form, *self.extras, self.blocks, self.notes):
            self.column.addWidget(part)
        self.finish()

    title_asks = True
    """The page's title is its first question."""

    def make_extras(self) -> list[QWidget]:
        """Editors of what is no single answer, between the rows and the findings."""
        if self.key == "rules.data":
            return [RegulationEditor(self.ui)]
        if self.key == "work":
            return [StageList(self.ui)]
        return []

    # which questions stand where

    def _asked(self) -> tuple[Question, ...]:
        workload = self.ui.session.workload
        return asked_on(self.stop, workload) if workload else ()

    def card_questions(self) -> list[Question]:
        """Choices among the large questions; a plain yes or no behind the first, numbers and lists are rows."""
        large = [q for q in self._asked() if q.headline and q.kind in (Kind.CHOICE, Kind.FLAG)]
        return [q for i, q in enumerate(large) if i == 0 or q.kind is Kind.CHOICE]

    def _row_questions(self) -> list[Question]:
        cards = {q.path for q in self.card_questions()}
        return [q for q in self._asked() if q.path not in cards and q.kind is not Kind.LIST]

    def lead_question(self) -> Question | None:
        asked = self._asked()
        return next((q for q in asked if q.headline), asked[0] if asked else None)

    # showing

    def refresh(self, changed: Changed | None = None) -> None:
        if self.ui.session.workload is None:
            return
        self._show_questions(changed)
        self.show_answer()

    def show_inputs(self, changed: Changed) -> None:
        if self.ui.session.workload is not None:
            self._show_questions(changed)

    def _show_questions(self, changed: Changed | None) -> None:
        self._match_cards()
        for card in self.cards.values():
            card.refresh()
        self.form.refresh(changed)
        self._show_head()
        if self.stepper is not None:
            self.stepper.refresh()
        self.notes.refresh()
        for extra in self.extras:
            extra.refresh()  # type: ignore[attr-defined]

    def show_answer(self) -> None:
        self.form.show_assumptions()
        view = view_of(self.ui, self.key)
        self._show_finding(view)
        self.blocks.show_blocks(view.blocks if view else ())
        self.blocks.setVisible(bool(view and view.blocks))

    def _show_head(self) -> None:
        t = self.ui.t
        question = self.lead_question()
        if question is None:
            return
        for index, card in enumerate(self.cards.values()):
            card.show_title(index > 0 or not self.title_asks)
        group = t(question.group_title)
        eyebrow = t.text(f"ui.eyebrow.{self.key}") if t.has(f"ui.eyebrow.{self.key}") else group
        if question.headline:
            self.say_head(eyebrow, t(question.title), t(question.group_lead))
        else:
            self.say_head(eyebrow, group, t(question.group_lead))
        self.why.show_question(question)
        self.why.setVisible(question.headline)
        self._rule.setVisible(question.headline)

    def _show_finding(self, view: PageView | None) -> None:
        """What the rule says about these answers, right under them."""
        said = rule_answered(self.ui, self.key)
        self.finding.setVisible(said and view is not None)
        if said and view is not None:
            self.finding.show_block(Callout(view.title, Tone.ACCENT))

    def _match_cards(self) -> None:
        """Cards of the questions asked now, in order."""
        wanted = self.card_questions()
        for path in [p for p in self.cards if p not in {q.path for q in wanted}]:
            gone = self.cards.pop(path)
            self._cards_column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for index, question in enumerate(wanted):
            if question.path not in self.cards:
                made = self.cards[question.path] = CardQuestion(self.ui, question)
                self._cards_column.insertWidget(index, made)

    # keys

    def _active(self) -> CardQuestion | None:
        """The group in focus, else the first that is open, else the first."""
        groups = list(self.cards.values())
        focused = [g for g in groups if g.group.focused]
        workload = self.ui.session.workload
        still_open = [g for g in groups if workload and not answered(workload, g.question)]
        return next(iter((*focused, *still_open, *groups)), None)

    def press(self, digit: int) -> bool:
        active = self._active()
        return active is not None and active.group.press(digit)

    def advance(self) -> bool:
        """To the next open card question after the one in focus."""
        groups = list(self.cards.values())
        at = next((i for i, g in enumerate(groups) if g.group.focused), None)
        workload = self.ui.session.workload
        if at is None or workload is None:
            return False
        for group in groups[at + 1 :]:
            if not answered(workload, group.question):
                group.group.cards[0].setFocus(Qt.FocusReason.TabFocusReason)
                return True
        return False

    def ask(self, path: str) -> None:
        card, row = self.cards.get(path), self.form.rows.get(path)
        wanted = card.group.cards[0] if card is not None else row.editor if row is not None else None
        if wanted is not None:
            wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)
            bring_into_sight(wanted)
