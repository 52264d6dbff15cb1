"""Every page as a pure function of a scene. The window and the PDF draw what comes out of here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from app.present.pages import (
    capacity,
    concepts,
    cost,
    customer,
    hardware,
    ledger,
    memory,
    probe,
    proposal,
    readiness,
    rules,
    scenarios,
    speed,
    thirteen,
)
from app.present.pages.panel import verdict
from app.present.scene import Scene
from app.present.views import Page
from engine.advice.results import Rule

PageMaker = Callable[[Scene], Page]

PAGES: Final[Mapping[str, PageMaker]] = MappingProxyType(
    {
        "customer": customer.page,
        "readiness": readiness.page,
        **{f"rules.{rule.value}": partial(rules.page, rule=rule) for rule in Rule},
        "hardware": hardware.page,
        "memory": memory.page,
        "speed": speed.page,
        "capacity": capacity.page,
        "cost": cost.page,
        "proposal": proposal.page,
        "scenarios": scenarios.page,
        "probe": probe.page,
        "thirteen": thirteen.page,
        "ledger": ledger.page,
        "concepts": concepts.page,
    }
)
"""Key of a page -> its function, in the order of the walk."""


def build(key: str, scene: Scene) -> Page:
    """The page of that key. Raises KeyError."""
    return PAGES[key](scene)


__all__ = ["PAGES", "build", "verdict"]
