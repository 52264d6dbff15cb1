"""Concept cards and the field's tables: terms, what each means, which feature runs where, which chip is for what."""

from __future__ import annotations

from app.present.cells import said
from app.present.scene import Scene
from app.present.translator import Translator
from app.present.views import Block, Bullet, Bullets, Page, Table, Tone
from engine.advice.concepts import CONCEPTS, GROUPS, Concept
from engine.advice.facts import facts_of
from engine.advice.rules import Context
from engine.advice.tables import TABLES, TextTable, precision_table, where_features_run
from engine.catalogue import Catalogue


def card(concept: Concept, t: Translator) -> Bullet:
    """One term: its name and what it means."""
    return Bullet(t(concept.term), t(concept.text))


def page(scene: Scene) -> Page:
    """All cards by group, then the tables."""
    t = scene.t
    cards = tuple(
        Bullets(t.text(f"concept_group.{group}"), tuple(card(c, t) for c in CONCEPTS if c.group == group))
        for group in GROUPS
    )
    title = t.text("present.concepts.title", count=len(CONCEPTS))
    blocks: tuple[Block, ...] = (*cards, *tables(scene.catalogue, t))
    return Page("concepts", t.text("present.concepts"), title, t.text("present.concepts.lead"), blocks)


def tables(catalogue: Catalogue, t: Translator) -> tuple[Table, ...]:
    """What a table says better than a sentence; where features run is judged by the rules as they are."""
    return (features(catalogue, t), precision(t), *(_words(table, t) for table in TABLES))


def features(catalogue: Catalogue, t: Translator) -> Table:
    """Features everybody knows, with the place the rules give them and the first reason."""
    context = Context(facts_of(catalogue), catalogue.regulations)
    rows = []
    for feature, verdict in where_features_run(context):
        chosen = verdict.chosen
        reasons = next((r.reasons for r in verdict.ranked if r.placement is chosen), ())
        place = t.value(chosen) if chosen is not None else t.text("verdict_kind.open")
        rows.append(
            (said(t(feature.name), strong=True), said(place, Tone.ACCENT), said(t(reasons[0][1]) if reasons else ""))
        )
    headers = tuple(t.text(f"table.features.column.{name}") for name in ("feature", "place", "reason"))
    return Table(headers, tuple(rows), t.text("table.features"))


def precision(t: Translator) -> Table:
    """Weights of seven billion parameters by number format."""
    rows = tuple(
        (
            said(row.format, strong=True),
            said(t.value(row.bits)),
            said(t.text("table.precision.gb", value=row.gigabytes)),
        )
        for row in precision_table()
    )
    headers = tuple(t.text(f"table.precision.column.{name}") for name in ("format", "bits", "weights"))
    return Table(headers, rows, t.text("table.precision"), frozenset({1, 2}))


def _words(table: TextTable, t: Translator) -> Table:
    rows = tuple(
        (said(t(table.name(row)), strong=True), *(said(t(table.cell(row, column))) for column in table.columns))
        for row in table.rows
    )
    return Table(("", *(t(table.header(column)) for column in table.columns)), rows, t(table.title))
