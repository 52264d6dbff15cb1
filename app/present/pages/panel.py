"""The panel that stays in sight: the verdict, the headline numbers, what just changed, what to ask next."""

from __future__ import annotations

from attrs import evolve

from app.present import make
from app.present.answers import label
from app.present.changes import what_changed
from app.present.paying import option_of
from app.present.scene import Scene
from app.present.views import Callout, Figures, FigureView, Rank, Ranking, Tone, Verdict
from engine.advice.results import Placement, PlacementVerdict, RankedPlacement, VerdictKind
from engine.consultation import Workload
from engine.edits import get
from engine.questions import QUESTIONS, Question
from engine.results import Assessment, WorkloadAssessment

STEADY: float = 0.8
"""Share of plausible inputs from which a verdict is called steady."""


def verdict(scene: Scene, before: Assessment | None = None, changed_path: str = "") -> Verdict:
    """The panel for the scene's workload. `before`: the assessment ahead of the last answer, for "what just changed"."""
    t, assessed = scene.t, scene.assessed
    placement = assessed.placement
    text, tone = stability(placement, scene)
    title, question, detail, path = next_question(scene)
    return Verdict(
        eyebrow=t.text("present.verdict.eyebrow"),
        title=headline(scene),
        stability=text,
        stability_tone=tone,
        answered=t.text(
            "present.verdict.answered",
            answered=placement.answered,
            asked=placement.asked,
            assumed=len(assessed.assumptions),
        ),
        ranking=ranking(scene),
        changed=_changed(scene, before, changed_path),
        figures=Figures(headline_figures(scene)),
        next_title=title,
        next_question=question,
        next_detail=detail,
        next_path=path,
    )


def headline(scene: Scene) -> str:
    """The recommendation in one line: "온프레미스, L40S 2장"."""
    t, assessed = scene.t, scene.assessed
    placement = assessed.placement
    if placement.kind is VerdictKind.OPEN:
        return t.text("present.verdict.open")
    if placement.chosen is None:
        return t.text("present.verdict.conflict")
    where = t.value(placement.chosen)
    if placement.batch:
        where = t.text("present.verdict.batch", where=where)
    if assessed.deployment is None or placement.chosen is Placement.CLOUD_API:
        return where
    machines = make.machine_of(assessed.deployment, t)
    copies = replicas_with_spares(assessed)
    if copies > 1 and assessed.deployment.device.kind not in ("phone-soc",):
        machines = t.text("present.verdict.copies", machines=machines, count=copies)
    return f"{where}, {machines}"


def replicas_with_spares(assessed: WorkloadAssessment) -> int:
    """How many copies stand in all; 1 while the load is not known."""
    capacity = assessed.capacity
    return round(capacity.replicas.value) + capacity.spares if capacity else 1


def stability(placement: PlacementVerdict, scene: Scene) -> tuple[str, Tone]:
    """How far the verdict can be leaned on: simulated where it was, else what kind of verdict it is."""
    t = scene.t
    if placement.stability is None or placement.chosen is None:
        tone = {VerdictKind.CLEAR: Tone.GOOD, VerdictKind.CONFLICT: Tone.BAD}.get(placement.kind, Tone.WARN)
        return t.value(placement.kind), tone
    tone = Tone.GOOD if placement.stability.value >= STEADY else Tone.WARN
    return t.text("present.verdict.stability", share=placement.stability), tone


def ranking(scene: Scene) -> Ranking:
    """Placements in order, the excluded struck out with what excludes them."""
    t = scene.t
    standing = [r for r in scene.assessed.placement.ranked if not r.excluded]
    ranks = []
    for ranked in scene.assessed.placement.ranked:
        place = standing.index(ranked) + 1 if ranked in standing else 0
        ranks.append(_rank(ranked, place, scene))
    return Ranking(t.text("present.ranking"), tuple(ranks))


def _rank(ranked: RankedPlacement, place: int, scene: Scene) -> Rank:
    t = scene.t
    text = t.text("present.rank.excluded")
    if place:
        text = t.text("present.rank.first") if place == 1 else str(place)
    return Rank(
        label=t.value(ranked.placement),
        score=ranked.score,
        text=text,
        excluded=ranked.excluded,
        chosen=ranked.placement is scene.assessed.placement.chosen,
        reason=t(ranked.reasons[0][1]) if ranked.reasons else "",
    )


def headline_figures(scene: Scene) -> tuple[FigureView, ...]:
    """Memory, one user's speed, first token, monthly cost: the four numbers that stay in sight.

    Where somebody else's API is recommended, the first three speak of serving it oneself and say so.
    """
    t, assessed = scene.t, scene.assessed
    found: list[FigureView] = []
    if assessed.fit is not None:
        found.append(memory_figure(assessed, scene))
    if assessed.speed is not None:
        found += speed_figures(assessed, scene)
    if assessed.placement.chosen is Placement.CLOUD_API:
        found = [evolve(f, label=t.text("present.figure.self_hosted", name=f.label)) for f in found]
    option = option_of(assessed)
    if option is not None:
        under = t.value(option.kind) if option.per_month_usd else t.text("present.cost.price_missing")
        found.append(make.figure("cost", t.text("present.figure.cost"), option.per_month_usd, t, under))
    return tuple(found)


def memory_figure(assessed: WorkloadAssessment, scene: Scene) -> FigureView:
    t, fit = scene.t, assessed.fit
    assert fit is not None
    need, room = t.figure(fit.total_bytes), t.figure(fit.device_memory_bytes)
    number, unit = need.rsplit(" ", 1)
    value = f"{number} / {room}" if room.endswith(f" {unit}") else f"{need} / {room}"
    parts = t.text(
        "present.memory.parts", weights=fit.weights_bytes, cache=fit.kv_cache_bytes, runtime=fit.runtime_bytes
    )
    per_device = t.text("present.figure.memory")
    return make.figure("memory", per_device, fit.total_bytes, t, parts, value)


def speed_figures(assessed: WorkloadAssessment, scene: Scene) -> list[FigureView]:
    t, speed = scene.t, assessed.speed
    assert speed is not None
    prompt = assessed.deployment.prompt_tokens if assessed.deployment else 0.0
    ceiling = make.short_formula(speed.ceiling_tokens_per_s.trace, t)
    under = t.text("present.speed.ceiling_is", ceiling=speed.ceiling_tokens_per_s)
    first = "present.speed.unloaded" if speed.unloaded else "present.speed.loaded"
    return [
        make.figure(
            "speed",
            t.text("present.figure.speed"),
            speed.decode_tokens_per_s,
            t,
            f"{under} ({ceiling})" if ceiling else under,
        ),
        make.figure(
            "ttft",
            t.text("present.figure.ttft"),
            speed.time_to_first_token_s,
            t,
            t.text(first, tokens=make.quantity(round(prompt), "token", t)),
        ),
    ]


def next_question(scene: Scene) -> tuple[str, str, str, str]:
    """Title, question, what it may change, and its path; empty strings when nothing is left to ask.

    Where no open question can turn the verdict, the first open one is still named, with that said.
    """
    t, asked = scene.t, scene.assessed.next_question
    if asked is None:
        left = unanswered(scene.workload)
        if not left:
            return "", "", "", ""
        return t.text("present.next.also"), t(left[0].title), t.text("present.next.small"), left[0].path
    key = f"question.{asked.path}"
    words = t.text(key) if t.has(key) else label(asked.path, t)
    return t.text("present.next"), words, t(asked.message), asked.path


def unanswered(workload: Workload) -> list[Question]:
    """The open questions that are asked of this workload, the headline ones first."""
    left = [q for q in QUESTIONS if q.asked_if(workload) and get(workload, q.path) in (None, ())]
    return sorted(left, key=lambda q: not q.headline)


def _changed(scene: Scene, before: Assessment | None, path: str) -> Callout | None:
    if before is None:
        return None
    return what_changed(before, scene, path)
