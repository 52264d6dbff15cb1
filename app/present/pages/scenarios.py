"""Scenarios side by side: only what differs is marked, and each headline number shows its distance to the base."""

from __future__ import annotations

from typing import Final

from attrs import evolve

from app.present import make
from app.present.answers import answer_text, label
from app.present.cells import said
from app.present.changes import headline as figure_of
from app.present.pages.panel import headline
from app.present.scene import Scene
from app.present.views import Bullets, Cell, Page, Table, Tone
from engine.edits import get
from engine.estimate import Estimate
from engine.results import WorkloadAssessment

FIGURES: Final = ("cost", "memory", "speed", "ttft", "throughput", "replicas", "devices", "stability")
MORE_IS_BETTER: Final = frozenset({"speed", "throughput", "stability"})


def page(scene: Scene) -> Page:
    t, scenarios = scene.t, scene.scenarios
    eyebrow = t.text("present.scenarios")
    if not scenarios:
        empty = Bullets(t.text("present.scenarios"), (), empty=t.text("present.scenarios.how"))
        return Page("scenarios", eyebrow, t.text("present.scenarios.none"), "", (empty,))
    return Page("scenarios", eyebrow, title(scene), t.text("present.scenarios.lead"), (table(scene),))


def title(scene: Scene) -> str:
    """Does any scenario change the recommendation?"""
    base = scene.assessed.placement.chosen
    other = [s.name for s, assessed in scene.scenarios if assessed.placement.chosen is not base]
    if not other:
        return scene.t.counted("present.scenarios.same", count=len(scene.scenarios))
    return scene.t.text("present.scenarios.differ", names=", ".join(other))


def table(scene: Scene) -> Table:
    """Rows: what was changed, the verdict, then every headline number with its difference to the base."""
    t, scenarios = scene.t, scene.scenarios
    columns = [assessed for _, assessed in scenarios]
    rows = [*_answer_rows(scene, columns), _verdict_row(scene, columns)]
    rows += [row for key in FIGURES if (row := _figure_row(scene, key, columns)) is not None]
    headers = ("", t.text("present.scenarios.base"), *(s.name for s, _ in scenarios))
    numeric = frozenset(range(1, len(headers)))
    return Table(headers, tuple(rows), t.text("present.scenarios.table"), numeric)


def _answer_rows(scene: Scene, columns: list[WorkloadAssessment]) -> list[tuple[Cell, ...]]:
    """One row for each answer that some scenario changed."""
    t = scene.t
    paths = dict.fromkeys(
        change.path
        for scenario, _ in scene.scenarios
        for change in scenario.changes
        if change.workload == scene.workload_id
    )
    rows = []
    for path in paths:
        base = get(scene.workload, path)
        cells = [said(label(path, t), Tone.MUTED), Cell(answer_text(path, base, t))]
        for assessed in columns:
            value = get(assessed.workload, path)
            tone = Tone.WARN if value != base else Tone.MUTED
            cells.append(Cell(answer_text(path, value, t), tone, value != base))
        rows.append(tuple(cells))
    return rows


def _verdict_row(scene: Scene, columns: list[WorkloadAssessment]) -> tuple[Cell, ...]:
    t = scene.t
    base = headline(scene)
    cells = [said(t.text("present.column.verdict"), strong=True), Cell(base, strong=True)]
    for assessed in columns:
        text = headline(_standing_in(scene, assessed))
        cells.append(Cell(text, Tone.ACCENT if text != base else Tone.PLAIN, True))
    return tuple(cells)


def _standing_in(scene: Scene, assessed: WorkloadAssessment) -> Scene:
    """The same scene with a scenario's workload in place of the base's."""
    workloads = tuple(assessed if w.workload.id == assessed.workload.id else w for w in scene.assessment.workloads)
    return evolve(scene, assessment=evolve(scene.assessment, workloads=workloads))


def _figure_row(scene: Scene, key: str, columns: list[WorkloadAssessment]) -> tuple[Cell, ...] | None:
    t = scene.t
    base = figure_of(scene.assessed, key)
    values = [figure_of(assessed, key) for assessed in columns]
    if base is None and not any(values):
        return None
    cells = [said(t.text(f"present.figure.{key}"), Tone.MUTED), Cell(t.figure(base) if base else "–")]
    cells += [_delta_cell(key, base, value, scene) for value in values]
    return tuple(cells)


def _delta_cell(key: str, base: Estimate | None, value: Estimate | None, scene: Scene) -> Cell:
    """The scenario's figure with its difference in brackets, tinted by whether that is better."""
    t = scene.t
    if value is None:
        return Cell("–", Tone.MUTED)
    if base is None or value.value == base.value:
        return Cell(t.figure(value))
    difference = value.value - base.value
    better = (difference > 0) is (key in MORE_IS_BETTER)
    text = f"{t.figure(value)} ({make.signed(difference, value.unit, t)})"
    return Cell(text, Tone.GOOD if better else Tone.BAD)
