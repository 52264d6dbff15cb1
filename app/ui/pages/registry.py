"""Page key -> page. Each module is read when its page is first shown."""

from __future__ import annotations

import importlib
from typing import Final

from app.ui.context import Ui
from app.ui.pages.base import Page
from app.ui.walk import STOPS, stop_of

SPECIAL: Final = {
    "history": ("history", "HistoryPage"),
    "customer": ("customer", "CustomerPage"),
    "readiness": ("readiness", "ReadinessPage"),
    "hardware": ("hardware", "HardwarePage"),
    "proposal": ("proposal", "ProposalPage"),
    "scenarios": ("scenarios", "ScenariosPage"),
    "probe": ("probe", "ProbePage"),
    "ask": ("ask", "AskPage"),
    "catalogue": ("catalogue", "CataloguePage"),
}
FIGURES: Final = ("memory", "speed", "capacity", "cost")


def make_page(ui: Ui, key: str) -> Page:
    """The page of that key. Raises KeyError."""
    if key in SPECIAL:
        module, name = SPECIAL[key]
        page: Page = getattr(importlib.import_module(f"app.ui.pages.{module}"), name)(ui, key)
        return page
    stop = stop_of(key)
    if stop is None or stop not in STOPS:
        raise KeyError(key)
    if key in FIGURES:
        from app.ui.pages.figures import FiguresPage

        return FiguresPage(ui, stop)
    from app.ui.pages.question import QuestionPage

    return QuestionPage(ui, stop)
