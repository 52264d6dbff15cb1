"""The catalogue: every row with its figures, sources and dates, and the user's own rows on top."""

from __future__ import annotations

from app.session import Changed
from app.ui.context import Ui
from app.ui.pages.base import Page


class CataloguePage(Page):
    def __init__(self, ui: Ui, key: str) -> None:
        super().__init__(ui, key)
        self.finish()

    def refresh(self, changed: Changed | None = None) -> None:
        t = self.ui.t
        self.say_head(t.text("ui.stop.catalogue"), t.text("ui.catalogue.title"), t.text("ui.catalogue.lead"))
