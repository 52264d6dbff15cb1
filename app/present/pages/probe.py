"""The probe's page: what was found, against the data sheet, what it means for this consultation's model, what it teaches.

`page_of(run, scene)` takes any run, so that the window can draw one that is still growing (engine.probe.collect.Collector.run).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.present import make
from app.present.pages import probe_lessons, probe_parts
from app.present.scene import Scene
from app.present.views import (
    Block,
    Bullet,
    Bullets,
    Callout,
    Cell,
    Figures,
    FigureView,
    Page,
    Range,
    RangeChart,
    Table,
    Tone,
)
from engine.deployment import Deployment
from engine.errors import WaypostError
from engine.messages import Quantity
from engine.probe.compare import Comparison, Judgement, compare
from engine.probe.documents import from_dict
from engine.probe.items import ITEMS, Group
from engine.probe.meaning import Meaning, engines_reach, meaning
from engine.probe.results import Ending, OutcomeCode, ProbeRun, Reading, Status

HEADLINES: Final = (
    ("read", "torch.copy", "cpu.read"),
    ("gemv.bf16",),
    ("blas.bf16", "wgmma.bf16", "mma.bf16", "blas.fp16", "mma.fp16", "fma.fp32", "cpu.sgemm"),
    ("h2d.pinned", "cpu.copy"),
)
"""Four large figures, each the first of its list that was measured."""

TONES: Final = {
    Judgement.WITHIN: Tone.GOOD,
    Judgement.ABOVE: Tone.GOOD,
    Judgement.BELOW: Tone.WARN,
    Judgement.IMPLAUSIBLE: Tone.BAD,
    Judgement.NO_REFERENCE: Tone.MUTED,
}
CHARTED: Final = frozenset(
    {Group.BANDWIDTH, Group.DECODE, Group.COPIES, Group.LESSONS, Group.MATRIX, Group.LIBRARY, Group.ATTENTION}
)


def run_of(scene: Scene) -> ProbeRun | None:
    """The probe run taken into the consultation; None where there is none, or where it cannot be read."""
    stored = scene.consultation.probe
    if stored is None:
        return None
    try:
        return from_dict(stored)
    except WaypostError:
        return None


def page(scene: Scene) -> Page:
    t, run = scene.t, run_of(scene)
    if run is None:
        return Page("probe", t.text("present.probe"), t.text("present.probe.none"), t.text("present.probe.how"))
    return page_of(run, scene)


def page_of(run: ProbeRun, scene: Scene) -> Page:
    """The page of any run, finished or growing."""
    compared = compare(run, scene.catalogue)
    blocks: list[Block] = [*callouts(run, scene)]
    head = figures(run, compared, scene)
    blocks += [head] if head.items else []
    blocks += [block for block in (against_datasheet(compared, scene), reasons(compared, scene)) if block is not None]
    blocks += what_it_means(run, scene)
    blocks += probe_lessons.blocks(run, scene)
    blocks.append(readings(run, compared, scene))
    if any(c.lead and c.judgement is not Judgement.NO_REFERENCE for c in compared):
        blocks.append(Callout(scene.t.text("probe.page.lead"), Tone.MUTED))
    blocks += not_measured(run, scene)
    blocks.append(probe_parts.conditions(run, scene))
    return Page("probe", scene.t.text("present.probe"), title(run, compared, scene), lead(run, scene), tuple(blocks))


def title(run: ProbeRun, compared: Sequence[Comparison], scene: Scene) -> str:
    """The device, what it reads and which share of its data sheet that is; or why nothing was measured."""
    device, read = run.measured_device(), run.reading("read")
    if device is None or read is None or not _names_a_reading(run):
        return scene.t(run.outcome.message)
    share = next((c.share for c in compared if c.reading.item == "read"), None)
    if share is None:
        return scene.t.text("present.probe.title", device=device.name, read=read.estimate())
    shown = Quantity(share, "ratio")
    return scene.t.text("probe.page.title", device=device.name, read=read.estimate(), share=shown)


def _names_a_reading(run: ProbeRun) -> bool:
    """Whether the title is a figure of a device; else it is the outcome's own sentence."""
    return run.measured_device() is not None and run.value("read") is not None


def lead(run: ProbeRun, scene: Scene) -> str:
    parts = [run.started.replace("T", " ").removesuffix("Z") + " UTC"]
    parts.append(scene.t.text("probe.page.took", seconds=Quantity(run.seconds, "s")))
    if run.quick:
        parts.append(scene.t.text("probe.page.quick"))
    return " · ".join(parts)


def callouts(run: ProbeRun, scene: Scene) -> list[Block]:
    """What happened where it was not simply measured, and what a reader must know of this machine."""
    t = scene.t
    found: list[Block] = []
    if run.outcome.code is not OutcomeCode.MEASURED:
        said_above = not _names_a_reading(run)
        parts = (
            "" if said_above else t(run.outcome.message),
            t(run.outcome.advice) if run.outcome.advice is not None else "",
        )
        found += [Callout(make.sentences(parts), Tone.WARN)] if any(parts) else []
    ended = [c for c in run.children if c.ending is not Ending.DONE and c.message is not None]
    found += [Callout(t(c.message), Tone.WARN, t.text(f"probe.child.name.{c.child}")) for c in ended if c.message]
    found += [Callout(t(note), Tone.MUTED) for note in run.notes]
    return found


def figures(run: ProbeRun, compared: Sequence[Comparison], scene: Scene) -> Figures:
    """The four figures one looks for first, each with its share of the data sheet."""
    by_item = {c.reading.item: c for c in compared}
    views: list[FigureView] = []
    for choices in HEADLINES:
        reading = next((r for item in choices if (r := run.reading(item)) is not None and r.measured), None)
        if reading is None:
            continue
        note = _share_words(by_item.get(reading.item), scene) or reading.size
        views.append(make.figure(reading.item, item_name(reading, scene), reading.estimate(), scene.t, note))
    return Figures(tuple(views))


def _share_words(comparison: Comparison | None, scene: Scene) -> str:
    if comparison is None or comparison.share is None or comparison.reference_name is None:
        return ""
    share = Quantity(comparison.share, "ratio")
    return scene.t.text("probe.page.share", share=share, reference=comparison.reference_name)


def against_datasheet(compared: Sequence[Comparison], scene: Scene) -> RangeChart | None:
    """One row an item: the band good code reaches, as a share of the reference, and where this machine lies."""
    t = scene.t
    rows = []
    for c in compared:
        if c.share is None or c.reference is None or ITEMS[c.reading.item].group not in CHARTED:
            continue
        low, high = (c.low or 0.0) / c.reference * 100, (c.high or 0.0) / c.reference * 100
        share = t.figure(Quantity(c.share, "ratio"))
        text = f"{t.figure(c.reading.estimate())} · {share} ({low:.0f}–{high:.0f} %)"
        rows.append(Range(item_name(c.reading, scene), low, high, c.share * 100, text, TONES[c.judgement]))
    if not rows:
        return None
    held = sum(1 for c in compared if c.share is not None and c.judgement in (Judgement.WITHIN, Judgement.ABOVE))
    sentence = t.text("probe.page.chart_sentence", held=held, of=sum(1 for c in compared if c.share is not None))
    return RangeChart(
        t.text("probe.page.chart"), sentence, "%", tuple(rows), 100.0, t.text("probe.page.chart_baseline")
    )


def reasons(compared: Sequence[Comparison], scene: Scene) -> Bullets | None:
    """Why something lies below its band (or above what is possible)."""
    t = scene.t
    found = []
    for c in compared:
        if c.judgement not in (Judgement.BELOW, Judgement.IMPLAUSIBLE):
            continue
        detail = t(c.why) if c.why is not None else t.text("probe.why.unknown")
        if (
            c.at_clock is not None
            and c.judgement is Judgement.BELOW
            and c.share is not None
            and c.at_clock > 1.05 * c.share
        ):
            detail = make.sentences((detail, t.text("probe.why.at_clock", share=Quantity(c.at_clock, "ratio"))))
        found.append(Bullet(item_name(c.reading, scene), detail, TONES[c.judgement]))
    return Bullets(t.text("probe.page.reasons"), tuple(found)) if found else None


def what_it_means(run: ProbeRun, scene: Scene) -> list[Block]:
    """The consultation's model on the measured machine: does it fit, its ceiling, what to expect."""
    t = scene.t
    found = meaning(run, _deployment(scene), scene.catalogue, scene.fit, scene.speed)
    if found is None:
        return []
    deployment = found.deployment
    views = [make.figure("probe.bandwidth", t.text("probe.meaning.bandwidth"), found.bandwidth, t)]
    if found.fit is not None:
        needed = t.text("probe.meaning.of", room=found.fit.device_memory_bytes)
        views.append(make.figure("probe.memory", t.text("probe.meaning.memory"), found.fit.total_bytes, t, needed))
    if found.ceiling_tokens_per_s is not None:
        views.append(make.figure("probe.ceiling", t.text("present.figure.ceiling"), found.ceiling_tokens_per_s, t))
        expected = (
            found.speed.decode_tokens_per_s if found.speed is not None else engines_reach(found.ceiling_tokens_per_s)
        )
        views.append(make.figure("probe.expected", t.text("probe.meaning.expected"), expected, t))
    name = deployment.device.name if deployment.device.segment == "measured" else make.device_name(deployment.device, t)
    heading = t.text("probe.meaning.title", model=make.model_line(deployment, t), device=name)
    return [Figures(tuple(views), heading), Callout(meaning_sentence(found, scene), _fit_tone(found))]


def _deployment(scene: Scene) -> Deployment | None:
    """What the consultation deploys; None where nobody has said and on the bare command line."""
    return next((w.deployment for w in scene.assessment.workloads if w.workload.id == scene.workload_id), None)


def meaning_sentence(found: Meaning, scene: Scene) -> str:
    t = scene.t
    parts = []
    if found.fit is not None:
        key = "fits" if found.fit.fits else "tight" if found.fit.tight else "does_not_fit"
        parts.append(t.text(f"probe.meaning.{key}"))
    if found.speed is None and found.ceiling_tokens_per_s is not None:
        parts.append(t.text("probe.meaning.rule_of_thumb"))
    if not found.own_model:
        parts.append(t.text("probe.meaning.stands_in"))
    return make.sentences(parts) or t.text("probe.meaning.no_answer")


def _fit_tone(found: Meaning) -> Tone:
    if found.fit is None:
        return Tone.MUTED
    return Tone.GOOD if found.fit.fits else Tone.WARN if found.fit.tight else Tone.BAD


def readings(run: ProbeRun, compared: Sequence[Comparison], scene: Scene) -> Table:
    """Everything measured, group by group: median, slowest to fastest batch, judgement, size."""
    t, by_reading = scene.t, {id(c.reading): c for c in compared}
    rows: list[tuple[Cell, ...]] = []
    for group in Group:
        own = [r for r in run.readings if r.measured and r.item in ITEMS and ITEMS[r.item].group is group]
        for place, reading in enumerate(own):
            estimate = reading.estimate()
            rows.append(
                (
                    Cell(group_name(group, scene) if place == 0 else "", Tone.MUTED),
                    Cell(item_name(reading, scene)),
                    Cell(_value(reading, scene), strong=True),
                    Cell(t.band(estimate) or "–", Tone.MUTED),
                    _judgement(by_reading.get(id(reading)), scene),
                    Cell(reading.size or "–", Tone.MUTED),
                )
            )
    names = ("group", "item", "measured", "band")
    headers = (
        *(t.text(f"present.column.{n}") for n in names),
        t.text("probe.page.judgement"),
        t.text("present.column.size"),
    )
    return Table(
        headers, tuple(rows), t.text("present.probe.readings"), frozenset({2, 3}), t.text("present.probe.empty")
    )


def _value(reading: Reading, scene: Scene) -> str:
    """A figure; a lesson's factor as "31.2 ×" and not as 3,120 %."""
    item = ITEMS[reading.item]
    if item.unit == "ratio" and item.id in ("bank_conflicts", "divergence") and reading.value is not None:
        return f"{scene.t.number(reading.value, '1')} ×"
    return scene.t.figure(reading.estimate())


def _judgement(comparison: Comparison | None, scene: Scene) -> Cell:
    if comparison is None or comparison.judgement is Judgement.NO_REFERENCE:
        return Cell("–", Tone.MUTED)
    text = scene.t.text(f"probe.judgement.{comparison.judgement.value}")
    if comparison.lead:
        text = f"{text} *"
    return Cell(text, TONES[comparison.judgement])


def not_measured(run: ProbeRun, scene: Scene) -> tuple[Bullets, ...]:
    """What was left out, with the reason the probe gave."""
    t = scene.t
    items = tuple(
        Bullet(item_name(r, scene), t(r.reason))
        for r in run.readings
        if r.status in (Status.SKIPPED, Status.UNSUPPORTED, Status.FAILED) and r.reason is not None
    )
    return (Bullets(t.text("present.probe.left_out"), items),) if items else ()


def item_name(reading: Reading, scene: Scene) -> str:
    key = f"probe.item.{reading.item}"
    return scene.t.text(key) if scene.t.has(key) else reading.item


def group_name(group: Group, scene: Scene) -> str:
    return scene.t.text(f"probe.group.{group.value}")
