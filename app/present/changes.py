"""What the last answer changed: the difference of two assessments, in a sentence or two."""

from __future__ import annotations

from app.present import make
from app.present.answers import answer_text, label
from app.present.paying import monthly_cost
from app.present.scene import Scene
from app.present.views import Callout, Tone
from engine.advice.results import Placement
from engine.edits import get
from engine.estimate import Estimate
from engine.questions import QUESTIONS
from engine.results import Assessment, WorkloadAssessment

NOTICEABLE = 0.02
"""A figure that moved less than this share is not worth a word in a meeting."""


def what_changed(before: Assessment, scene: Scene, path: str = "") -> Callout | None:
    """The callout under the verdict, or None when the last edit did not touch this workload."""
    try:
        old = before.workload(scene.workload_id)
    except KeyError:
        return None
    new, t = scene.assessed, scene.t
    if old == new:
        return None
    answers = changed_answers(old, new, path)
    effects = effects_of(old, new, scene)
    if not answers and not effects:
        return None
    said = "; ".join(
        t.text(
            "present.changed.answer",
            question=label(p, t),
            before=answer_text(p, get(old.workload, p), t),
            after=answer_text(p, get(new.workload, p), t),
        )
        for p in answers[:2]
    )
    text = " ".join(part for part in (f"{said}." if said else "", *effects) if part)
    if not effects:
        text = f"{text} {t.text('present.changed.nothing')}"
    return Callout(text, Tone.WARN if effects else Tone.PLAIN, t.text("present.changed"))


def changed_answers(old: WorkloadAssessment, new: WorkloadAssessment, first: str = "") -> list[str]:
    """Paths of the answers that differ, the one just given first."""
    paths = [q.path for q in QUESTIONS if get(old.workload, q.path) != get(new.workload, q.path)]
    return sorted(paths, key=lambda p: p != first)


def effects_of(old: WorkloadAssessment, new: WorkloadAssessment, scene: Scene) -> list[str]:
    """Sentences: placements that fell or came back, another recommendation, other machines, moved figures."""
    t = scene.t
    found: list[str] = []
    gone, back = _excluded(new) - _excluded(old), _excluded(old) - _excluded(new)
    if gone:
        found.append(t.text("present.changed.excluded", placements=_in_order(gone)))
    if back:
        found.append(t.text("present.changed.back", placements=_in_order(back)))
    if old.placement.chosen is not new.placement.chosen and new.placement.chosen is not None:
        was = old.placement.chosen
        found.append(
            t.text("present.changed.verdict", before=was, after=new.placement.chosen)
            if was is not None
            else t.text("present.changed.first_verdict", after=new.placement.chosen)
        )
    if old.deployment and new.deployment:
        machines = [make.machine_of(d, t) for d in (old.deployment, new.deployment)]
        if machines[0] != machines[1]:
            found.append(t.text("present.changed.machine", before=machines[0], after=machines[1]))
    return found + _moved(old, new, scene)


def _moved(old: WorkloadAssessment, new: WorkloadAssessment, scene: Scene) -> list[str]:
    t = scene.t
    found = []
    for key in ("cost", "memory", "speed", "ttft", "replicas"):
        was, now = headline(old, key), headline(new, key)
        if was is None or now is None or not _noticeably(was, now):
            continue
        found.append(
            t.text(
                "present.changed.figure",
                name=t.text(f"present.figure.{key}"),
                before=t.figure(was),
                after=t.figure(now),
            )
        )
    return found


def _noticeably(was: Estimate, now: Estimate) -> bool:
    return abs(now.value - was.value) > NOTICEABLE * max(abs(was.value), abs(now.value))


def headline(assessed: WorkloadAssessment, key: str) -> Estimate | None:
    """One of the headline figures by name: cost, memory, speed, ttft, replicas, throughput."""
    fit, speed, capacity = assessed.fit, assessed.speed, assessed.capacity
    found: dict[str, Estimate | None] = {
        "cost": monthly_cost(assessed),
        "memory": fit.total_bytes if fit else None,
        "speed": speed.decode_tokens_per_s if speed else None,
        "ttft": speed.time_to_first_token_s if speed else None,
        "throughput": speed.throughput_tokens_per_s if speed else None,
        "replicas": capacity.replicas if capacity else None,
        "devices": capacity.devices if capacity else None,
        "stability": assessed.placement.stability,
    }
    return found[key]


def _excluded(assessed: WorkloadAssessment) -> set[Placement]:
    return {r.placement for r in assessed.placement.ranked if r.excluded}


def _in_order(placements: set[Placement]) -> tuple[Placement, ...]:
    return tuple(p for p in Placement if p in placements)
