"""The parts of a document: workloads, stages, scenarios and notes, added, copied, renamed, taken out. A document in, one out."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Collection, Mapping
from typing import Any

import attrs

from engine.consultation import (
    Audience,
    Change,
    Consultation,
    Note,
    Scenario,
    Stage,
    Workload,
)
from engine.edits import get


def new_id() -> str:
    return uuid.uuid4().hex[:12]


def new_consultation(currency: str = "KRW") -> Consultation:
    """An empty document with one nameless workload, so that the first question can be answered at once."""
    return Consultation(id=uuid.uuid4().hex, currency=currency, workloads=(Workload(id=new_id()),))


def copy_of(consultation: Consultation, title: str) -> Consultation:
    """The same content under another id."""
    return attrs.evolve(consultation, id=uuid.uuid4().hex, title=title)


def add_workload(consultation: Consultation, name: str = "") -> tuple[Consultation, str]:
    """One more workload at the end; its id."""
    made = Workload(id=new_id(), name=name)
    return attrs.evolve(consultation, workloads=(*consultation.workloads, made)), made.id


def duplicate_workload(consultation: Consultation, workload_id: str, name: str) -> tuple[Consultation, str]:
    """A copy right after its original, with the origins of its answers. Raises KeyError."""
    original = consultation.workload(workload_id)
    made = attrs.evolve(original, id=new_id(), name=name)
    at = consultation.workloads.index(original) + 1
    workloads = (*consultation.workloads[:at], made, *consultation.workloads[at:])
    prefix = f"{workload_id}/"
    copied = {f"{made.id}/{k[len(prefix) :]}": v for k, v in consultation.origins.items() if k.startswith(prefix)}
    return attrs.evolve(consultation, workloads=workloads, origins={**consultation.origins, **copied}), made.id


def remove_workload(consultation: Consultation, workload_id: str) -> Consultation:
    """Without the workload and everything that speaks of it. The last one cannot be removed."""
    if len(consultation.workloads) < 2:
        return consultation
    return attrs.evolve(
        consultation,
        workloads=tuple(w for w in consultation.workloads if w.id != workload_id),
        origins={k: v for k, v in consultation.origins.items() if not k.startswith(f"{workload_id}/")},
        notes=tuple(n for n in consultation.notes if n.workload != workload_id),
        scenarios=tuple(
            attrs.evolve(s, changes=tuple(c for c in s.changes if c.workload != workload_id))
            for s in consultation.scenarios
        ),
    )


def rename_workload(consultation: Consultation, workload_id: str, name: str) -> Consultation:
    workloads = tuple(attrs.evolve(w, name=name) if w.id == workload_id else w for w in consultation.workloads)
    return attrs.evolve(consultation, workloads=workloads)


def add_scenario(consultation: Consultation, name: str, changes: tuple[Change, ...] = ()) -> tuple[Consultation, str]:
    """One more scenario; its id."""
    made = Scenario(new_id(), name, changes)
    return attrs.evolve(consultation, scenarios=(*consultation.scenarios, made)), made.id


def remove_scenario(consultation: Consultation, scenario_id: str) -> Consultation:
    return attrs.evolve(consultation, scenarios=tuple(s for s in consultation.scenarios if s.id != scenario_id))


def rename_scenario(consultation: Consultation, scenario_id: str, name: str) -> Consultation:
    scenarios = tuple(attrs.evolve(s, name=name) if s.id == scenario_id else s for s in consultation.scenarios)
    return attrs.evolve(consultation, scenarios=scenarios)


def vary(consultation: Consultation, scenario_id: str, path: str, value: Any, workload_id: str) -> Consultation:
    """Set one answer of a scenario; the base's own value takes the change out again."""
    base = get(consultation.workload(workload_id), path)

    def varied(scenario: Scenario) -> Scenario:
        kept = tuple(c for c in scenario.changes if (c.path, c.workload) != (path, workload_id))
        changed = kept if value == base else (*kept, Change(path, value, workload_id))
        return attrs.evolve(scenario, changes=changed)

    scenarios = tuple(varied(s) if s.id == scenario_id else s for s in consultation.scenarios)
    return attrs.evolve(consultation, scenarios=scenarios)


def _with_stages(
    consultation: Consultation, workload_id: str, change: Callable[[tuple[Stage, ...]], tuple[Stage, ...]]
) -> Consultation:
    workloads = tuple(
        attrs.evolve(w, stages=change(w.stages)) if w.id == workload_id else w for w in consultation.workloads
    )
    return attrs.evolve(consultation, workloads=workloads)


def add_stage(
    consultation: Consultation, workload_id: str, name: str, answers: Mapping[str, Any] | None = None
) -> tuple[Consultation, str]:
    """One more stage of a workload; its id."""
    made = Stage(new_id(), name, dict(answers or {}))
    return _with_stages(consultation, workload_id, lambda stages: (*stages, made)), made.id


def remove_stage(consultation: Consultation, workload_id: str, stage_id: str) -> Consultation:
    return _with_stages(consultation, workload_id, lambda stages: tuple(s for s in stages if s.id != stage_id))


def rename_stage(consultation: Consultation, workload_id: str, stage_id: str, name: str) -> Consultation:
    def renamed(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
        return tuple(attrs.evolve(s, name=name) if s.id == stage_id else s for s in stages)

    return _with_stages(consultation, workload_id, renamed)


def vary_stage(consultation: Consultation, workload_id: str, stage_id: str, path: str, value: Any) -> Consultation:
    """Set one answer of a stage; the workload's own value makes the stage inherit again."""
    base = get(consultation.workload(workload_id), path)

    def varied(stage: Stage) -> Stage:
        answers = {p: v for p, v in stage.answers.items() if p != path}
        return attrs.evolve(stage, answers=answers if value == base else {**answers, path: value})

    return _with_stages(
        consultation, workload_id, lambda stages: tuple(varied(s) if s.id == stage_id else s for s in stages)
    )


def put_note(
    consultation: Consultation, note_id: str | None, text: str, audience: Audience, step: str, workload: str | None
) -> Consultation:
    """Write a note: a new one, another text, or none any more where the text is empty."""
    notes = list(consultation.notes)
    at = next((i for i, note in enumerate(notes) if note.id == note_id), None)
    if at is None:
        if text.strip():
            notes.append(Note(_free_id(n.id for n in notes), text, audience, step, workload))
    elif text.strip():
        notes[at] = attrs.evolve(notes[at], text=text, audience=audience)
    else:
        del notes[at]
    return attrs.evolve(consultation, notes=tuple(notes))


def _free_id(taken: Any) -> str:
    used: Collection[str] = set(taken)
    return next(name for i in itertools.count(1) if (name := f"n{i}") not in used)
