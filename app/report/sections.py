"""What the proposal holds, in order. Every section is a page of `app.present`: the window and the paper cannot disagree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from attrs import evolve, frozen

from app.present import make
from app.present.pages import (
    capacity,
    cost,
    ledger,
    memory,
    probe,
    proposal,
    readiness,
    rollout,
    rules,
    scenarios,
    speed,
)
from app.present.pages.customer import notes, workload_name
from app.present.pages.panel import headline, headline_figures, ranking
from app.present.scene import Scene
from app.present.traces import input_name
from app.present.views import Block, Bullets, Callout, Figures, Page, Tone
from app.report.method import method
from engine.advice.results import Rule


@frozen
class Section:
    """A page of the proposal. `level` 0 opens a chapter; `fresh` begins on a new sheet."""

    key: str
    page: Page
    level: int = 1
    fresh: bool = True
    name: str = ""
    """Name in contents and bookmarks where the eyebrow says more."""


def sections(scenes: tuple[Scene, ...]) -> Iterator[Section]:
    """All sections: a chapter a workload, then what is common to them."""
    for scene in scenes:
        own = _workload(scene)
        yield from (_named(section, scene) for section in own) if len(scenes) > 1 else own
    yield from _common(scenes)


def _named(section: Section, scene: Scene) -> Section:
    """The workload's name before the section's, where a proposal holds several workloads."""
    if not section.level:
        return section
    eyebrow = f"{workload_name(scene)} · {section.page.eyebrow}"
    return evolve(section, page=evolve(section.page, eyebrow=eyebrow), name=section.page.eyebrow)


def _workload(scene: Scene) -> Iterator[Section]:
    yield Section("recommendation", recommendation(scene), level=0)
    yield Section("why", why(scene), fresh=False)
    yield Section("change", what_would_change(scene), fresh=False)
    rooms: tuple[tuple[str, Callable[[Scene], Page]], ...] = (
        ("fit", memory.page),
        ("speed", speed_page),
        ("capacity", capacity_page),
        ("cost", cost.page),
    )
    known = [room for room, _ in rooms if getattr(scene.assessed, room) is not None]
    for room, page in rooms:
        if room in known:
            yield Section(room, page(scene))
    if len(known) < len(rooms):
        yield Section("gaps", gaps(scene, [room for room, _ in rooms if room not in known]), fresh=not known)
    if scene.scenarios:
        yield Section("scenarios", scenarios.page(scene))
    yield Section("work", work(scene))
    yield Section("open", open_page(scene), fresh=False)


def recommendation(scene: Scene) -> Page:
    """The recommendation in one sentence and one picture."""
    t, assessed = scene.t, scene.assessed
    blocks: list[Block] = [
        *proposal.conflict(scene),
        *proposal.contradictions(scene),
        Figures(headline_figures(scene)),
        ranking(scene),
        *proposal.hybrid(scene),
        *proposal.stages(scene),
        *notes(scene),
    ]
    return Page("recommendation", workload_name(scene), headline(scene), t(assessed.placement.headline), tuple(blocks))


SHOWN_RULES: Final = tuple(Rule)


def why(scene: Scene) -> Page:
    """Rule by rule: one table of all, then what each does to the recommended place."""
    t = scene.t
    answered = sum(f.answered for f in scene.assessed.placement.rules)
    title = t.text("report.why.title", answered=answered, count=len(scene.assessed.placement.rules))
    blocks: list[Block] = [rules.summary(scene)]
    figures = tuple(
        make.figure(key, input_name(key, t), estimate, t)
        for finding in scene.assessed.placement.rules
        for key, estimate in finding.figures
        if not key.startswith("advice.figure.boundaries")
    )
    if figures:
        blocks.append(Figures(figures[:8], t.text("report.why.figures")))
    if scene.workload.data.regulations:
        blocks += [rules.regulations(scene), rules.orientation(scene)]
    return Page("why", t.text("report.why"), title, "", tuple(blocks))


def what_would_change(scene: Scene) -> Page:
    """The nearest changes that turn the verdict, and when to look again."""
    t = scene.t
    found = scene.assessed.flips
    key = "report.change.title" if found else "report.change.none"
    title = t.counted(key, count=len(found))
    return Page("change", t.text("report.change"), title, "", (proposal.flips(scene), proposal.review(scene)))


def speed_page(scene: Scene) -> Page:
    """The speed page without the load chart, which stands with the capacity."""
    page, load = speed.page(scene), speed.load_chart(scene)
    return evolve(page, blocks=tuple(b for b in page.blocks if load is None or b != load))


def capacity_page(scene: Scene) -> Page:
    """The capacity page without what only helps while planning: the curve in numbers and the hours that idle."""
    page = capacity.page(scene)
    if scene.assessed.capacity is None:
        return page
    left_out = (capacity.curve_table(scene), capacity.idle_chart(scene))
    return evolve(page, blocks=tuple(b for b in page.blocks if b not in left_out))


def gaps(scene: Scene, missing: list[str]) -> Page:
    """Rooms without an answer, each with what it needs."""
    t = scene.t
    blocks = tuple(evolve(make.gap(scene, room), title=t.text(f"report.room.{room}")) for room in missing)
    names = ", ".join(t.text(f"report.room.{room}") for room in missing)
    return Page("gaps", t.text("report.gaps"), t.text("report.gaps.title", names=names), "", blocks)


def work(scene: Scene) -> Page:
    t, items = scene.t, scene.assessed.work_list
    first = sum(item.blocking for item in items)
    key = "report.work.title" if items else "report.work.none"
    listed = evolve(readiness.work_list(scene), title="")
    blocks: list[Block] = [*rollout.exposure(scene), listed]
    return Page("work", t.text("present.work"), t.counted(key, count=len(items), first=first), "", tuple(blocks))


def open_page(scene: Scene) -> Page:
    t = scene.t
    asked = proposal.open_questions(scene)
    key = "report.open.title" if asked.items else "report.open.none"
    bullets: Bullets = evolve(asked, title="")
    return Page("open", t.text("present.open"), t.counted(key, count=len(asked.items)), "", (bullets,))


def _common(scenes: tuple[Scene, ...]) -> Iterator[Section]:
    t = scenes[0].t
    if probe.run_of(scenes[0]) is not None:
        yield Section("probe", probe.page(scenes[0]), level=0)
    for n, scene in enumerate(scenes):
        page = ledger.page(scene)
        eyebrow = f"{page.eyebrow} · {workload_name(scene)}" if len(scenes) > 1 else page.eyebrow
        yield Section("ledger", evolve(page, eyebrow=eyebrow), level=0, fresh=n == 0)
    page, attached = method(scenes), Callout(t.text("report.attached.text"), Tone.ACCENT, t.text("report.attached"))
    yield Section("method", evolve(page, blocks=(*page.blocks, attached)), level=0)
