"""Questions and answers as the window's words: choices of a question, items of a catalogue list, numbers in fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.ui.context import Ui
from app.ui.parsing import NumberRule, parse, rule_for
from app.ui.widgets.choice import Choice
from app.ui.widgets.picker import Item
from engine.consultation import Origin
from engine.messages import Name, Quantity
from engine.questions import Kind, Question


def to_document(question: Question, shown: object) -> Any:
    """The document's value of a card's value: yes and no become truth."""
    if question.kind is Kind.FLAG and shown is not None:
        return shown == "yes"
    return shown


def from_document(question: Question, value: Any) -> object:
    """The card's value of the document's."""
    if question.kind is Kind.FLAG and value is not None:
        return "yes" if value else "no"
    return None if value is None else str(value)


def choices_of(ui: Ui, question: Question) -> list[Choice]:
    """The cards of a question, in its order."""
    t = ui.t

    def hint(value: str) -> str:
        message = question.choice_hint(value)
        return t(message) if t.has(message.key) else ""

    return [Choice(value, t(question.choice_title(value)), hint(value)) for value in question.choices]


def unknown_choice(ui: Ui, question: Question, *, short: bool = False) -> Choice:
    """ "Not known yet", with what leaving it open does."""
    key = "question.not_known.short" if short else "question.not_known"
    return Choice(None, ui.t.text(key), ui.t(question.unknown))


def items_of(ui: Ui, question: Question) -> list[Item]:
    """What a catalogue or long choice question may be answered with; the open end first."""
    t = ui.t
    first = Item(None, t.text("question.not_known"), t(question.unknown))
    if question.kind is Kind.CATALOGUE:
        return [first, *catalogue_items(ui, question.table)]
    return [first, *(Item(c.value, c.title, c.hint) for c in choices_of(ui, question))]


def catalogue_items(ui: Ui, table: str) -> list[Item]:
    """Every id of a catalogue table by its name."""
    catalogue = ui.session.catalogue
    if catalogue is None:
        return []
    return [Item(i, ui.t.value(Name(table, i)), _detail(ui, table, i), i) for i in catalogue.ids(table)]


def _detail(ui: Ui, table: str, item: str) -> str:
    """A word that tells look-alikes apart."""
    catalogue, t = ui.session.catalogue, ui.t
    if catalogue is None:
        return ""
    if table in ("device", "target") and item in catalogue.devices:
        memory = catalogue.devices[item].driver_memory or catalogue.devices[item].memory
        return t.figure(Quantity(memory.value, "B")) if memory else ""
    if table == "model" and item in catalogue.models:
        return f"{catalogue.models[item].params_total / 1e9:.3g}B"
    return ""


def said(ui: Ui, question: Question, value: Any) -> str:
    """A document value as the fields show it."""
    t = ui.t
    if value is None:
        return ""
    if question.kind in (Kind.NUMBER, Kind.SHARE):
        return write_number(ui, rule_for(question, ui.t.currency), float(value))
    if question.kind is Kind.CATALOGUE:
        return t.value(Name(question.table, str(value)))
    if question.kind is Kind.FLAG:
        return t.text("flag.yes" if value else "flag.no")
    if question.kind is Kind.CHOICE:
        return t(question.choice_title(str(value)))
    return str(value)


def read_number(ui: Ui, rule: NumberRule, text: str) -> float | None:
    """What was typed, in SI. Raises InvalidInput."""
    return parse(text, rule, currency=ui.t.currency, usd_rate=ui.t.usd_rate)


def write_number(ui: Ui, rule: NumberRule, value: float) -> str:
    """A value as a field shows it: exact enough that reading it again gives the same answer."""
    if rule.dimension == "ratio":
        return f"{_digits(value * 100)} %"
    if rule.dimension == "B":
        for size, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
            if value >= size:
                return f"{_digits(value / size)} {name}"
        return f"{_digits(value)} B"
    if rule.dimension == "s":
        for size, word in ((86_400.0, "day"), (3_600.0, "h"), (60.0, "min"), (1.0, "s")):
            if value >= size * (1 if size == 1.0 else 2):
                return _joined(ui, _digits(value / size), word)
        return f"{_digits(value * 1e3)} ms"
    if rule.dimension.startswith("USD"):
        return _money(ui, rule, value)
    return _joined(ui, _digits(value), rule.dimension) if rule.entry else _digits(value)


def _money(ui: Ui, rule: NumberRule, value: float) -> str:
    t = ui.t
    in_krw = t.currency == "KRW"
    amount = value * t.usd_rate if in_krw else value
    digits = f"{amount:,.0f}" if in_krw and amount >= 100 else _digits(amount)
    rest = rule.dimension[3:]
    return (f"₩{digits}" if in_krw else f"${digits}") + rest


def _joined(ui: Ui, digits: str, unit: str) -> str:
    """ "800명", "32,000 tokens": the unit word as the figures have it."""
    whole = ui.t.figure(Quantity(2.0, unit))
    return whole.replace("2", digits, 1) if whole.startswith("2") else f"{digits} {unit}"


def _digits(value: float) -> str:
    """Up to six significant digits, without an exponent and without zeros that say nothing."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    text = f"{value:,.6g}"
    if "e" in text:
        text = f"{value:,.8f}".rstrip("0").rstrip(".")
    return text


def origin_tag(ui: Ui, origin: Origin) -> str:
    return ui.t.text(f"ui.origin.{origin.value}")


def example_of(ui: Ui, rule: NumberRule) -> str:
    """A hint in an empty field, in its entry unit."""
    samples = {"ms": 0.3, "MB": 200e6, "GB": 20e9, "%": 0.3}
    value = samples.get(rule.entry)
    if value is None and rule.dimension == "s":
        value = 600.0 if rule.entry == "min" else 2.0
    return ui.t.text("ui.field.example", example=write_number(ui, rule, value)) if value is not None else ""


def match_items(items: Sequence[Item], value: object) -> Item | None:
    return next((item for item in items if item.value == value), None)
