"""Concept cards: the field's terms, what each means and what to ask about it, in the order one would read them."""

from __future__ import annotations

from app.present.scene import Scene
from app.present.translator import Translator
from app.present.views import Bullet, Bullets, Page
from engine.advice.concepts import CONCEPTS, GROUPS, Concept


def card(concept: Concept, t: Translator) -> Bullet:
    """One term: its name and what it means."""
    return Bullet(t(concept.term), t(concept.text))


def page(scene: Scene) -> Page:
    """All cards by group."""
    t = scene.t
    blocks = tuple(
        Bullets(t.text(f"concept_group.{group}"), tuple(card(c, t) for c in CONCEPTS if c.group == group))
        for group in GROUPS
    )
    title = t.text("present.concepts.title", count=len(CONCEPTS))
    return Page("concepts", t.text("present.concepts"), title, t.text("present.concepts.lead"), blocks)
