"""Serving readiness: what is there, what is missing, and the work that follows."""

from __future__ import annotations

from typing import Final

from app.present.answers import answer_text, label
from app.present.cells import said
from app.present.pages import rollout
from app.present.scene import Scene
from app.present.views import Bullet, Bullets, Cell, Page, Table, Tone
from engine.edits import get
from engine.questions import Kind, Step, questions_of

GAPS: Final = tuple(f"readiness.{n}" for n in ("endpoint", "loading", "scaling", "conversion", "health"))


def page(scene: Scene) -> Page:
    t = scene.t
    missing = [p for p in GAPS if get(scene.workload, p) is False]
    unknown = [p for p in GAPS if get(scene.workload, p) is None]
    return Page(
        key="readiness",
        eyebrow=t(Step.READINESS.label),
        title=_title(scene, missing, unknown),
        lead=t.text("group.readiness.gaps.lead"),
        blocks=(*rollout.exposure(scene), state_table(scene), work_list(scene, "readiness.")),
    )


def _title(scene: Scene, missing: list[str], unknown: list[str]) -> str:
    t = scene.t
    if missing:
        names = ", ".join(label(p, t) for p in missing)
        return t.counted("present.readiness.missing", count=len(missing), names=names)
    if unknown:
        return t.counted("present.readiness.unknown", count=len(unknown))
    return t.text("present.readiness.complete")


def thresholds(scene: Scene) -> dict[str, str]:
    """Path of a reading -> the value from which someone is woken."""
    ready = scene.assessed.readiness
    return {} if ready is None else {r.path: scene.t(r.threshold) for r in ready.readings}


def state_table(scene: Scene) -> Table:
    """Every readiness question with its state: there, missing, or not known."""
    t, alarms = scene.t, thresholds(scene)
    rows: list[tuple[Cell, ...]] = []
    for asked in questions_of(Step.READINESS, scene.workload):
        value = get(scene.workload, asked.path)
        if asked.kind is Kind.FLAG:
            state = said(*_state(value, scene))
            meaning = t(asked.choice_hint("yes" if value else "no")) if value is not None else t(asked.unknown)
        else:
            tone = Tone.PLAIN if value is not None else Tone.WARN
            state = said(answer_text(asked.path, value, t), tone)
            meaning = t(asked.why) if value is not None else t(asked.unknown)
        meaning = alarms.get(asked.path, meaning)
        rows.append((said(t(asked.group_title), Tone.MUTED), said(t(asked.short), strong=True), state, said(meaning)))
    headers = tuple(t.text(f"present.column.{n}") for n in ("group", "item", "state", "meaning"))
    return Table(headers, _without_repeats(rows), t.text("present.readiness.state"))


def _state(value: bool | None, scene: Scene) -> tuple[str, Tone]:
    if value is None:
        return scene.t.text("question.not_known.short"), Tone.WARN
    return (scene.t.text("present.there"), Tone.GOOD) if value else (scene.t.text("present.missing"), Tone.BAD)


def _without_repeats(rows: list[tuple[Cell, ...]]) -> tuple[tuple[Cell, ...], ...]:
    """The group's name once, at its first row."""
    last, out = "", []
    for row in rows:
        out.append(row if row[0].text != last else (Cell(""), *row[1:]))
        last = row[0].text
    return tuple(out)


def work_list(scene: Scene, prefix: str = "") -> Bullets:
    """The list of work in its order; `prefix` keeps the items of one step."""
    t = scene.t
    items = tuple(
        Bullet(
            t(item.title),
            t(item.why),
            Tone.BAD if item.blocking else Tone.PLAIN,
            t.text("present.work.blocking") if item.blocking else "",
            item.path,
        )
        for item in sorted(scene.assessed.work_list, key=lambda i: i.order)
        if item.path.startswith(prefix)
    )
    return Bullets(t.text("present.work"), items, ordered=True, empty=t.text("present.work.none"))
