"""An answer of the document in words: a choice by its card, a number with its unit, an id by its name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.present.translator import Translator
from engine.consultation import OwnedDevices
from engine.edits import get
from engine.errors import UnknownId
from engine.messages import Name, Quantity, msg
from engine.questions import Kind, Question, question


def answer_text(path: str, value: Any, t: Translator) -> str:
    """The answer as a reader says it; "" would be a lie, so an open answer is said to be open."""
    if value is None or value == ():
        return t.text("question.not_known.short")
    try:
        asked = question(path)
    except UnknownId:
        return t.value(value)
    if asked.kind is Kind.FLAG:
        return t(asked.choice_title("yes" if value else "no"))
    if asked.kind is Kind.CHOICE:
        return t(asked.choice_title(str(value)))
    if asked.kind in (Kind.NUMBER, Kind.SHARE):
        return t.figure(Quantity(float(value), asked.unit))
    if asked.kind is Kind.CATALOGUE:
        return t.value(Name(asked.table, str(value)))
    if asked.kind is Kind.LIST:
        return ", ".join(_item(asked, item, t) for item in value)
    return str(value)


def _item(asked: Question, item: Any, t: Translator) -> str:
    if isinstance(item, OwnedDevices):
        return t(msg("present.owned", device=Name("device", item.device), count=item.count))
    return t.value(Name(asked.table, str(item)))


def label(path: str, t: Translator) -> str:
    """The short name of a question; a path no question has shows its own words."""
    key = f"question.{path}.short"
    return t.text(key) if t.has(key) else path.rsplit(".", 1)[-1].replace("_", " ")


def answered(document: Any, questions: Iterable[Question]) -> tuple[tuple[Question, Any], ...]:
    """The questions that have an answer, with it."""
    pairs = ((q, get(document, q.path)) for q in questions)
    return tuple((q, value) for q, value in pairs if value is not None and value != ())
