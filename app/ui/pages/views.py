"""The pages of app.present by the window's page keys. They are read late, so that the first paint waits for none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from app.ui.context import Ui

if TYPE_CHECKING:
    from app.present.views import Page, Verdict

KEYS: Final = {"ask": "thirteen"}
"""Pages that app.present calls by another name."""


def view_of(ui: Ui, key: str) -> Page | None:
    """The page's finding and blocks for the workload on show; None where nothing is computed or nothing is said."""
    scene = ui.scene()
    if scene is None:
        return None
    from app.present.pages import PAGES

    name = KEYS.get(key, key)
    if name not in PAGES:
        return None
    made = ui.views_of(scene)
    at = (name, scene.workload_id)
    if at not in made:
        made[at] = PAGES[name](scene)
    return made[at]


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
    from app.present.pages.panel import verdict

    path = ""
    if session.last_change is not None and len(session.last_change.fields) == 1:
        path = next(iter(session.last_change.fields)).partition("/")[2]
    return verdict(scene, session.before_last, path)
