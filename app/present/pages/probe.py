"""What was measured on the machine at hand: the readings with their spread, and what could not be measured and why."""

from __future__ import annotations

from typing import Final

from app.present import make
from app.present.scene import Scene
from app.present.views import Block, Bullet, Bullets, Callout, Cell, Figures, Page, Table, Tone
from engine.errors import WaypostError
from engine.probe.documents import from_dict
from engine.probe.items import ITEMS, Group
from engine.probe.results import ProbeRun, Reading, Status

HEADLINES: Final = ("read", "gemv.bf16", "h2d.pinned", "launch.back_to_back")
"""Readings shown large, as far as they were measured."""


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
    eyebrow = t.text("present.probe")
    if run is None:
        return Page("probe", eyebrow, t.text("present.probe.none"), t.text("present.probe.how"))
    blocks: list[Block] = []
    if run.outcome.advice is not None:
        blocks.append(Callout(t(run.outcome.advice), Tone.WARN))
    head = figures(run, scene)
    if head.items:
        blocks.append(head)
    blocks.append(readings(run, scene))
    blocks += not_measured(run, scene)
    return Page("probe", eyebrow, title(run, scene), lead(run, scene), tuple(blocks))


def title(run: ProbeRun, scene: Scene) -> str:
    """The device and what it reads, or why nothing was measured."""
    device, read = run.measured_device(), run.reading("read")
    if device is None or read is None or not read.measured:
        return scene.t(run.outcome.message)
    return scene.t.text("present.probe.title", device=device.name, read=read.estimate())


def lead(run: ProbeRun, scene: Scene) -> str:
    parts = [run.started.replace("T", " ").removesuffix("Z")]
    parts += [f"{name} {version}" for name, version in sorted(run.versions.items()) if version]
    return " · ".join(parts)


def figures(run: ProbeRun, scene: Scene) -> Figures:
    found = [run.reading(item) for item in HEADLINES]
    views = tuple(
        make.figure(r.item, item_name(r, scene), r.estimate(), scene.t, r.size) for r in found if r and r.measured
    )
    return Figures(views)


def readings(run: ProbeRun, scene: Scene) -> Table:
    """Everything measured, group by group: median, slowest to fastest batch, size and method."""
    t = scene.t
    rows: list[tuple[Cell, ...]] = []
    for group in Group:
        own = [r for r in run.readings if r.measured and r.item in ITEMS and ITEMS[r.item].group is group]
        for place, reading in enumerate(own):
            estimate = reading.estimate()
            rows.append(
                (
                    Cell(group_name(group, scene) if place == 0 else "", Tone.MUTED),
                    Cell(item_name(reading, scene)),
                    Cell(t.figure(estimate), strong=True),
                    Cell(t.band(estimate) or "–", Tone.MUTED),
                    Cell(reading.size or "–", Tone.MUTED),
                )
            )
    headers = tuple(t.text(f"present.column.{n}") for n in ("group", "item", "measured", "band", "size"))
    return Table(
        headers, tuple(rows), t.text("present.probe.readings"), frozenset({2, 3}), t.text("present.probe.empty")
    )


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
    key = f"probe.group.{group.value}"
    return scene.t.text(key) if scene.t.has(key) else group.value
