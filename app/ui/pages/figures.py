"""Memory, speed, capacity, cost: what goes in above, what comes out below; the finding is the title."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.present.views import Callout, Tone
from app.session import Changed
from app.ui.blocks.bullets import CalloutView
from app.ui.blocks.column import BlockColumn
from app.ui.context import Ui
from app.ui.pages.base import Page, bring_into_sight
from app.ui.pages.notes import NotesPanel
from app.ui.pages.views import view_of
from app.ui.walk import Stop
from app.ui.widgets.form import QuestionForm
from engine.messages import msg
from engine.questions import Question, questions_of


class FiguresPage(Page):
    """The first group's fields stand above the numbers, the others below them."""

    compact = True
    forms_first = False

    def __init__(self, ui: Ui, stop: Stop) -> None:
        super().__init__(ui, stop.key)
        self.stop = stop
        self.forms = [
            QuestionForm(
                ui,
                f"{stop.key}-{group}",
                partial(self._asked, group),
                partial(self._group_title, group),
                compact=self.compact,
            )
            for group in stop.groups
        ]
        self.blocks = BlockColumn(ui)
        self.gap = CalloutView(ui)
        self.notes = NotesPanel(ui, stop.step.value)
        first = len(self.forms) if self.forms_first else 1
        parts: list[QWidget] = [*self.forms[:first], self.gap, self.blocks, *self.forms[first:], self.notes]
        for part in parts:
            self.column.addWidget(part)
        self.finish()

    def _asked(self, group: str) -> list[Question]:
        workload = self.ui.session.workload
        return [q for q in questions_of(self.stop.step, workload) if q.group == group] if workload else []

    def _group_title(self, group: str) -> str:
        return self.ui.t(msg(f"group.{self.stop.step.value}.{group}"))

    def refresh(self, changed: Changed | None = None) -> None:
        self.show_inputs(changed)
        self.show_answer()

    def show_inputs(self, changed: Changed | None) -> None:
        for form in self.forms:
            form.refresh(changed)
        self.notes.refresh()

    def show_answer(self) -> None:
        for form in self.forms:
            form.show_assumptions()
        view = view_of(self.ui, self.key)
        if view is not None:
            self.show_head_of(view)
            self.blocks.show_blocks(view.blocks)
        else:
            t = self.ui.t
            self.say_head(t(self.stop.step.label), t.text("ui.page.computing"))
            self.gap.show_block(Callout(t.text("ui.page.computing.why"), Tone.PLAIN))
        self.gap.setVisible(view is None)
        self.blocks.setVisible(view is not None)

    def ask(self, path: str) -> None:
        for form in self.forms:
            if path in form.rows:
                form.rows[path].editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
                bring_into_sight(form.rows[path])
