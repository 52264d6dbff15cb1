"""Memory: does it fit, on what else would it fit, and the questions asked backwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import evolve

from app.present import make
from app.present.pages.panel import memory_figure
from app.present.scene import Scene
from app.present.views import (
    Block,
    Bullet,
    Bullets,
    Figures,
    FigureView,
    HeatCell,
    Heatmap,
    Page,
    Segment,
    StackedBar,
    StackedBars,
    Tone,
)
from engine.catalogue import Device
from engine.deployment import Deployment
from engine.memory.results import FitResult
from engine.questions import Step
from engine.units import GIB

COMPARED: Final = (
    "nvidia-rtx-4090", "nvidia-l40s", "nvidia-a100-sxm-80gb", "nvidia-h100-sxm", "nvidia-h200-sxm",
)  # fmt: skip
"""Well-known cards a customer measures by, beside the chosen one."""
COMPARED_ALONE: Final = {
    "phone-soc": (
        "apple-a19-pro", "qualcomm-snapdragon-8-elite-gen-5", "mediatek-dimensity-9500", "samsung-exynos-2600",
        "google-tensor-g5",
    ),
    "apple-soc": ("apple-m4", "apple-m5", "apple-m4-pro", "apple-m5-max", "apple-m3-ultra"),
}  # fmt: skip
"""The same for machines that are not joined: compared with their own kind."""
COUNTS: Final = (1, 2, 4, 8)
CONTEXTS: Final = (4_096, 8_192, 16_384, 32_768, 65_536, 131_072)
CONCURRENCIES: Final = (1, 4, 16, 64)
BARS: Final = 6
MOST_DEGREES: Final = 16
ALONE: Final = ("phone-soc", "apple-soc", "apu", "edge")
"""Kinds of machine that are not joined: asked about one at a time."""


def page(scene: Scene) -> Page:
    t, assessed = scene.t, scene.assessed
    eyebrow = t(Step.MEMORY.label)
    if assessed.fit is None or assessed.deployment is None:
        return Page("memory", eyebrow, t.text("present.memory.unknown"), "", (make.gap(scene, "fit"),))
    blocks: list[Block] = [Figures(figures(scene)), bars(scene)]
    chart = heatmap(scene)
    if chart is not None:
        blocks.append(chart)
    blocks += [backwards(scene), *notes(scene)]
    return Page("memory", eyebrow, title(scene), make.model_line(assessed.deployment, t), tuple(blocks))


def title(scene: Scene) -> str:
    """The finding: it fits and how much is left, it is tight, or how much is missing."""
    t, fit, deployment = scene.t, scene.assessed.fit, scene.assessed.deployment
    assert fit is not None
    assert deployment is not None
    where = make.machine_of(deployment, t)
    left = make.quantity(abs(fit.headroom_bytes), "B", t)
    key = "fits" if fit.fits else "tight" if fit.tight else "short"
    return t.text(f"present.memory.{key}", machine=where, room=left)


def figures(scene: Scene) -> tuple[FigureView, ...]:
    t, fit = scene.t, scene.assessed.fit
    assert fit is not None
    parts = [("weights", fit.weights_bytes), ("kv_cache", fit.kv_cache_bytes), ("runtime", fit.runtime_bytes)]
    if fit.host_bytes is not None:
        parts.append(("host", fit.host_bytes))
    shown = tuple(make.figure(key, t.text(f"present.memory.{key}"), e, t) for key, e in parts)
    return (memory_figure(scene.assessed, scene), *shown)


def bars(scene: Scene) -> StackedBars:
    """What takes the room on each device, per device, with the shortfall written where it happens."""
    t, fit, deployment = scene.t, scene.assessed.fit, scene.assessed.deployment
    assert fit is not None
    assert deployment is not None
    drawn = [_bar(scene, deployment, fit, chosen=True)]
    for other in _others(scene, deployment):
        if len(drawn) == BARS:
            break
        found = scene.fit(other)
        if found is not None:
            drawn.append(_bar(scene, other, found, chosen=False))
    legend = tuple(
        (t.text("present.legend", name=t.text(f"present.memory.{name}"), value=estimate), series)
        for series, (name, estimate) in enumerate(
            (("weights", fit.weights_bytes), ("kv_cache", fit.kv_cache_bytes), ("runtime", fit.runtime_bytes))
        )
    )
    return StackedBars(t.text("present.memory.bars"), _sentence(drawn, scene), "GiB", tuple(drawn), legend)


def _bar(scene: Scene, deployment: Deployment, fit: FitResult, *, chosen: bool) -> StackedBar:
    t = scene.t
    parts = (
        ("weights", fit.weights_bytes),
        ("kv_cache", fit.kv_cache_bytes),
        ("runtime", fit.runtime_bytes),
    )
    segments = tuple(
        Segment(t.text(f"present.memory.{name}"), estimate.value / GIB, series)
        for series, (name, estimate) in enumerate(parts)
    )
    left = make.quantity(abs(fit.headroom_bytes), "B", t)
    key, tone = ("spare", Tone.PLAIN) if fit.fits else ("is_tight", Tone.WARN) if fit.tight else ("lacking", Tone.BAD)
    return StackedBar(
        label=make.machine_of(deployment, t),
        segments=segments,
        capacity=fit.device_memory_bytes.value / GIB,
        verdict=t.text(f"present.memory.{key}", room=left),
        tone=tone,
        chosen=chosen,
    )


def _others(scene: Scene, deployment: Deployment) -> Iterator[Deployment]:
    """The chosen device in other numbers, then what the customer owns, then the well-known cards."""
    devices: list[Device] = [deployment.device]
    known = COMPARED_ALONE.get(deployment.device.kind, COMPARED)
    ids = (*(o.device for o in scene.workload.hardware.owned), *known)
    devices += [scene.catalogue.devices[i] for i in dict.fromkeys(ids) if i in scene.catalogue.devices]
    seen = {(deployment.device.id, deployment.device_count)}
    for place, device in enumerate(devices):
        for count in _counts(device)[:3] if place == 0 else (1,):
            if (device.id, count) not in seen:
                seen.add((device.id, count))
                yield on(deployment, device, count)


def _counts(device: Device) -> tuple[int, ...]:
    return (1,) if device.kind in ALONE else COUNTS


def on(deployment: Deployment, device: Device, count: int) -> Deployment:
    """The same work on another machine, split over all of its devices."""
    return evolve(
        deployment,
        device=device,
        device_count=count,
        tensor_parallel=count,
        pipeline_parallel=1,
        data_parallel=1,
        expert_parallel=1,
        measured_bandwidth_bytes_per_s=None,
        measured_flop_per_s=None,
    )


def _sentence(drawn: list[StackedBar], scene: Scene) -> str:
    t = scene.t
    fitting = [b.label for b in drawn if b.tone is Tone.PLAIN]
    if not fitting:
        return t.text("present.memory.bars.none")
    return t.text("present.memory.bars.fitting", machines=", ".join(fitting))


def heatmap(scene: Scene) -> Heatmap | None:
    """Context against people at once: how many of the chosen device it takes."""
    deployment = scene.assessed.deployment
    if deployment is None or deployment.device.kind in ALONE:
        return None
    t = scene.t
    contexts = _with_own(CONTEXTS, deployment.context_tokens, deployment.model.max_context)
    people = _with_own(CONCURRENCIES, deployment.concurrency, None)
    rows = []
    for users in people:
        line, least = [], 0
        for context in contexts:
            found = _fewest(scene, deployment, context, users, least)
            least = COUNTS.index(found) if found else len(COUNTS)
            own = context == deployment.context_tokens and users == deployment.concurrency
            line.append(_heat_cell(found, own, scene))
        rows.append(tuple(line))
    return Heatmap(
        t.text("present.memory.heatmap", device=make.device_name(deployment.device, t)),
        t.text("present.memory.heatmap.sentence"),
        tuple(t.number(users, "user") for users in people),
        tuple(t.number(context, "token") for context in contexts),
        tuple(rows),
    )


def _with_own(steps: tuple[int, ...], own: int, limit: int | None) -> tuple[int, ...]:
    return tuple(sorted({s for s in steps if limit is None or s <= limit} | {own}))


def _fewest(scene: Scene, deployment: Deployment, context: int, users: int, start: int) -> int | None:
    """The smallest number of devices that holds it, looking from `start` on: more context never needs fewer."""
    for count in _counts(deployment.device)[start:]:
        asked = evolve(on(deployment, deployment.device, count), context_tokens=context, concurrency=users)
        if scene.holds(asked):
            return count
    return None


def _heat_cell(found: int | None, chosen: bool, scene: Scene) -> HeatCell:
    if found is None:
        return HeatCell("–", Tone.BAD, chosen)
    text = make.counted(scene.assessed.deployment.device, found, scene.t) if scene.assessed.deployment else str(found)
    return HeatCell(text, Tone.GOOD if found == COUNTS[0] else Tone.WARN, chosen)


def backwards(scene: Scene) -> Bullets:
    """The questions asked backwards: longest context, most people, what would make it fit."""
    t, fit = scene.t, scene.assessed.fit
    assert fit is not None
    items = []
    if fit.max_context_tokens is not None:
        items.append(Bullet(t.text("present.memory.max_context", tokens=fit.max_context_tokens)))
    deployment = scene.assessed.deployment
    joined = deployment is not None and deployment.device.kind not in ALONE
    if fit.max_concurrency is not None and joined:
        items.append(Bullet(t.text("present.memory.max_concurrency", count=fit.max_concurrency)))
    if fit.valid_tensor_parallel and joined:
        degrees = ", ".join(str(d) for d in fit.valid_tensor_parallel if d <= MOST_DEGREES)
        items.append(Bullet(t.text("present.memory.degrees", degrees=degrees)))
    tone = Tone.PLAIN if fit.fits else Tone.WARN
    items += [Bullet(t(r.message), tone=tone, tag=t.text("present.memory.remedy")) for r in fit.remedies]
    return Bullets(t.text("present.memory.backwards"), tuple(items))


def notes(scene: Scene) -> tuple[Block, ...]:
    """What a careful reader must know about the figures."""
    fit = scene.assessed.fit
    if fit is None or not fit.notes:
        return ()
    return (Bullets(scene.t.text("present.good_to_know"), make.bullets_of(fit.notes, scene.t)),)
