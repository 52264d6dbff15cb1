"""The assumption ledger: every value nobody said, with its basis, source and date; the heaviest first."""

from __future__ import annotations

from app.present import dates
from app.present.answers import answer_text
from app.present.cells import said
from app.present.make import BASIS_TONE
from app.present.scene import Scene
from app.present.traces import source_line
from app.present.views import Cell, Page, Table, Tone
from engine.assumptions import Assumption
from engine.estimate import Estimate

HEAVY = 0.1
"""Moves the monthly cost by more than a tenth: worth asking before the others."""


def page(scene: Scene) -> Page:
    t, entries = scene.t, scene.assessed.assumptions
    heavy = sum(entry.impact >= HEAVY for entry in entries)
    key = "none" if not entries else "title" if heavy else "light"
    return Page(
        key="ledger",
        eyebrow=t.text("present.ledger"),
        title=t.counted(f"present.ledger.{key}", count=len(entries), heavy=heavy),
        lead=t.text("present.ledger.lead"),
        blocks=(table(scene),),
    )


def table(scene: Scene, most: int | None = None) -> Table:
    """The ledger; `most` keeps only the heaviest."""
    t = scene.t
    ordered = sorted(scene.assessed.assumptions, key=lambda entry: -entry.impact)[:most]
    rows = tuple(
        (
            said(t(entry.label), strong=entry.impact >= HEAVY),
            Cell(value_text(entry, scene)),
            Cell(t.text(f"basis.{entry.basis.value}"), BASIS_TONE[entry.basis]),
            Cell(source_text(entry, scene), Tone.MUTED),
            Cell(_date(entry, scene), Tone.MUTED),
        )
        for entry in ordered
    )
    headers = tuple(t.text(f"present.column.{n}") for n in ("assumption", "value", "basis", "source", "date"))
    return Table(headers, rows, "", frozenset({1}), t.text("present.ledger.none"))


def value_text(entry: Assumption, scene: Scene) -> str:
    """The value as it was used, with its band."""
    t = scene.t
    if not isinstance(entry.value, Estimate):
        return answer_text(entry.path, entry.value, t)
    band = t.band(entry.value)
    return f"{t.figure(entry.value)} ({band})" if band else t.figure(entry.value)


def source_text(entry: Assumption, scene: Scene) -> str:
    if entry.source is not None and entry.source.where:
        return source_line(entry.source, scene.t)
    if entry.why is not None:
        return scene.t(entry.why)
    return scene.t.text("present.ledger.own")


def _date(entry: Assumption, scene: Scene) -> str:
    if entry.source is not None and entry.source.as_of:
        return dates.as_of(entry.source.as_of, scene.t.language)
    return scene.assessment.catalogue_version
