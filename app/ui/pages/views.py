"""The pages of app.present by the window's page keys. They are read late, so that the first paint waits for none of them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

from app.ui.context import Ui

if TYPE_CHECKING:
    from app.present.views import Page, Verdict

MODULES: Final = {
    "customer": "customer",
    "readiness": "readiness",
    "hardware": "hardware",
    "memory": "memory",
    "speed": "speed",
    "capacity": "capacity",
    "cost": "cost",
    "proposal": "proposal",
    "scenarios": "scenarios",
}


def view_of(ui: Ui, key: str) -> Page | None:
    """The page's finding and blocks for the workload on show; None where nothing is computed or nothing is said."""
    scene = ui.scene()
    if scene is None:
        return None
    step, _, group = key.partition(".")
    if step == "rules":
        from app.present.pages import rules  # noqa: PLC0415
        from engine.advice.results import Rule  # noqa: PLC0415

        return rules.page(scene, Rule(group))
    if step not in MODULES:
        return None
    page: Page = importlib.import_module(f"app.present.pages.{MODULES[step]}").page(scene)
    return page


def rule_answered(ui: Ui, key: str) -> bool:
    """The rule of that page has something to say about the answers."""
    assessed = ui.session.assessed_workload
    step, _, group = key.partition(".")
    if assessed is None or step != "rules":
        return False
    return any(f.rule.value == group and f.answered for f in assessed.placement.rules)


def panel_of(ui: Ui) -> Verdict | None:
    """The verdict panel, with what the last edit of this workload changed."""
    scene, session = ui.scene(), ui.session
    if scene is None:
        return None
    from app.present.pages.panel import verdict  # noqa: PLC0415

    path = ""
    if session.last_change is not None and len(session.last_change.fields) == 1:
        path = next(iter(session.last_change.fields)).partition("/")[2]
    return verdict(scene, session.before_last, path)
