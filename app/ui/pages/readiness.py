"""Serving readiness: what lies between a model file and a service. What is missing becomes the work list."""

from __future__ import annotations

from app.ui.context import Ui
from app.ui.pages.figures import FiguresPage
from app.ui.pages.views import view_of
from app.ui.walk import stop_of
from engine.questions import questions_of


class ReadinessPage(FiguresPage):
    """As the figure pages; with nothing answered yet its title asks."""

    compact = False
    forms_first = True

    def __init__(self, ui: Ui, key: str) -> None:
        stop = stop_of(key)
        assert stop is not None
        super().__init__(ui, stop)

    def show_answer(self) -> None:
        super().show_answer()
        workload, t = self.ui.session.workload, self.ui.t
        if workload is not None and (
            view_of(self.ui, self.key) is None or workload.readiness == type(workload.readiness)()
        ):
            asked = questions_of(self.stop.step, workload)[0]
            self.say_head(t(self.stop.step.label), t.text("ui.readiness.ask"), t(asked.group_lead))
