"""The probe: what it will touch, the run, what it found."""

from __future__ import annotations

from app.session import Changed
from app.ui.context import Ui
from app.ui.pages.base import Page


class ProbePage(Page):
    def __init__(self, ui: Ui, key: str) -> None:
        super().__init__(ui, key)
        self.finish()

    def refresh(self, changed: Changed | None = None) -> None:
        t = self.ui.t
        self.say_head(t.text("ui.stop.probe"), t.text("ui.probe.title"), t.text("ui.probe.lead"))
