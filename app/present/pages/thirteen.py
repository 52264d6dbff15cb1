"""The thirteen questions customers ask, each answered with the open session's own numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from app.present import make
from app.present.answers import label
from app.present.pages.hardware import best_of
from app.present.pages.hardware import name as chip_name
from app.present.pages.readiness import GAPS
from app.present.scene import Scene, whole
from app.present.views import Bullet, Bullets, Page
from engine.advice.results import Placement
from engine.cost.results import CostKind
from engine.edits import get
from engine.messages import Quantity

BLOCK: Final = 256
"""Threads a block in the worked example."""
MONITORS: Final = tuple(f"readiness.monitors_{n}" for n in ("latency", "errors", "utilisation", "quality"))

Answer = Callable[[Scene], str]


def page(scene: Scene) -> Page:
    t = scene.t
    items = tuple(
        Bullet(t.text(f"present.ask.{number}"), answer(scene), page=target)
        for number, (answer, target) in enumerate(ANSWERS, start=1)
    )
    return Page(
        key="thirteen",
        eyebrow=t.text("present.ask"),
        title=t.text("present.ask.title", name=scene.workload.name or scene.consultation.title),
        lead=t.text("present.ask.lead"),
        blocks=(Bullets("", items, ordered=True),),
    )


def _named(scene: Scene, paths: tuple[str, ...], value: bool | None) -> list[str]:
    return [label(p, scene.t) for p in paths if get(scene.workload, p) is value]


def from_file_to_service(scene: Scene) -> str:
    missing, unknown = _named(scene, GAPS, False), _named(scene, GAPS, None)
    if missing:
        return scene.t.counted("present.ask.1.missing", count=len(missing), names=", ".join(missing))
    if unknown:
        return scene.t.text("present.ask.1.unknown", names=", ".join(unknown))
    return scene.t.text("present.ask.1.complete")


def slow_when_busy(scene: Scene) -> str:
    capacity, t = scene.assessed.capacity, scene.t
    first = t.text(
        "present.ask.2.batching" if scene.workload.readiness.batching is not True else "present.ask.2.batched"
    )
    if capacity is None:
        return make.sentences([first, _gap(scene, "capacity")])
    numbers = t.text(
        "present.ask.2.numbers",
        batch=whole(capacity.batch_size) or 0,
        peak=capacity.demand.requests_per_s_peak,
        replicas=whole(capacity.replicas) or 0,
    )
    return f"{first} {numbers}"


def bad_version(scene: Scene) -> str:
    t, ready = scene.t, scene.workload.readiness
    missing = _named(scene, MONITORS, False) + _named(scene, MONITORS, None)
    text = t.text("present.ask.3.blind", names=", ".join(missing)) if missing else t.text("present.ask.3.watched")
    if None not in (ready.canary_share, ready.detection_minutes, ready.rollback_minutes):
        text += " " + t.text(
            "present.ask.3.rollout",
            share=Quantity(ready.canary_share or 0.0, "ratio"),
            detect=Quantity(ready.detection_minutes or 0.0, "min"),
            back=Quantity(ready.rollback_minutes or 0.0, "min"),
        )
    return text


def does_it_fit(scene: Scene) -> str:
    fit, deployment, t = scene.assessed.fit, scene.assessed.deployment, scene.t
    if fit is None or deployment is None:
        return _gap(scene, "fit")
    key = "fits" if fit.fits else "tight" if fit.tight else "short"
    sums = t.text(
        "present.ask.4.sum",
        model=make.model_line(deployment, t),
        weights=fit.weights_bytes,
        cache=fit.kv_cache_bytes,
        runtime=fit.runtime_bytes,
        total=fit.total_bytes,
        room=fit.device_memory_bytes,
    )
    left = make.quantity(abs(fit.headroom_bytes), "B", t)
    verdict = t.text(f"present.memory.{key}", machine=make.machine_of(deployment, t), room=left)
    advice = [t(fit.remedies[0].message)] if fit.remedies and not fit.fits else []
    return make.sentences([sums, verdict, *advice])


def what_to_read_on_a_data_sheet(scene: Scene) -> str:
    deployment, speed, t = scene.assessed.deployment, scene.assessed.speed, scene.t
    if deployment is None or speed is None or deployment.device.bandwidth is None:
        return t.text("present.ask.5.general")
    bandwidth = deployment.device.bandwidth
    return t.text(
        "present.ask.5.numbers",
        device=make.device_name(deployment.device, t),
        bandwidth=Quantity(bandwidth.value, bandwidth.unit),
        ceiling=speed.ceiling_tokens_per_s,
        bound=make.sentences([t(speed.bound_by)]),
    )


def slower_than_hoped(scene: Scene) -> str:
    speed, t = scene.assessed.speed, scene.t
    order = t.text("present.ask.6.order")
    if speed is None:
        return order
    band = t.band(speed.decode_tokens_per_s) or t.figure(speed.decode_tokens_per_s)
    return t.text("present.ask.6.expected", speed=speed.decode_tokens_per_s, band=band) + " " + order


def threads_and_memory(scene: Scene) -> str:
    deployment, t = scene.assessed.deployment, scene.t
    elements = deployment.model.vocab if deployment and deployment.model.vocab else 1_000_000
    blocks = math.ceil(elements / BLOCK)
    return t.text(
        "present.ask.7.example",
        elements=elements,
        block=BLOCK,
        blocks=blocks,
        spare=blocks * BLOCK - elements,
    )


def tpu_or_gpu(scene: Scene) -> str:
    return _family(scene, "tpu", "present.ask.8.general")


def token_ceiling(scene: Scene) -> str:
    speed, t = scene.assessed.speed, scene.t
    if speed is None:
        return _gap(scene, "speed")
    formula = make.short_formula(speed.ceiling_tokens_per_s.trace, t)
    shown = t.text("present.ask.9.formula", formula=formula) if formula else t.text("present.ask.9.general")
    return (
        shown
        + " "
        + t.text(
            "present.ask.9.numbers",
            ceiling=speed.ceiling_tokens_per_s,
            expected=speed.decode_tokens_per_s,
            first=speed.time_to_first_token_s,
        )
    )


def lpu_solves_all(scene: Scene) -> str:
    return _family(scene, "lpu", "present.ask.10.general")


def on_the_phone(scene: Scene) -> str:
    t = scene.t
    for ranked in scene.assessed.placement.ranked:
        if ranked.placement is Placement.ON_DEVICE:
            key = "present.ask.11.excluded" if ranked.excluded else "present.ask.11.possible"
            return make.sentences([t.text(key), *(t(message) for _, message in ranked.reasons[:3])])
    return t.text("present.ask.11.general")


def free_on_device(scene: Scene) -> str:
    cost, t = scene.assessed.cost, scene.t
    general = t.text("present.ask.12.general")
    if cost is None:
        return make.sentences([general, _gap(scene, "cost")])
    device = next((o for o in cost.options if o.kind is CostKind.ON_DEVICE), None)
    parts = [general]
    if device is not None and device.upfront_usd is not None:
        parts.append(t.text("present.ask.12.upfront", amount=device.upfront_usd))
    parts += [t(c.message) for c in cost.crossovers if CostKind.ON_DEVICE in (c.cheaper_above, c.cheaper_below)]
    if device is not None and device.user_battery_joules is not None:
        parts.append(t.text("present.ask.12.battery", energy=device.user_battery_joules))
    return make.sentences(parts)


def with_no_network(scene: Scene) -> str:
    placement, t = scene.assessed.placement, scene.t
    if placement.hybrid is not None:
        design = placement.hybrid
        return make.sentences([t(design.without_network), t(design.stays), t(design.goes)])
    if placement.chosen is Placement.ON_DEVICE:
        return t.text("present.ask.13.device")
    if placement.chosen is Placement.ON_PREMISE:
        return t.text("present.ask.13.premise")
    return t.text("present.ask.13.cloud")


def _family(scene: Scene, family: str, general: str) -> str:
    """What the chip ranking says of one family, beside the one it recommends."""
    t, chips = scene.t, scene.assessed.chips
    best = best_of(chips)
    found = next((c for c in chips if c.family == family), None)
    parts = [t.text(general)]
    if found is not None:
        parts += [t(reason) for reason in found.reasons[:2]]
        if found.count is not None:
            parts.append(t.text("present.ask.chips_needed", machines=chip_name(found, scene)))
    if best is not None and best is not found:
        parts.append(t.text("present.ask.best_chip", chip=chip_name(best, scene)))
    return make.sentences(parts)


def _gap(scene: Scene, room: str) -> str:
    return make.sentences([make.gap(scene, room).text])


ANSWERS: Final[tuple[tuple[Answer, str], ...]] = (
    (from_file_to_service, "readiness"),
    (slow_when_busy, "capacity"),
    (bad_version, "readiness"),
    (does_it_fit, "memory"),
    (what_to_read_on_a_data_sheet, "hardware"),
    (slower_than_hoped, "speed"),
    (threads_and_memory, "probe"),
    (tpu_or_gpu, "hardware"),
    (token_ceiling, "speed"),
    (lpu_solves_all, "hardware"),
    (on_the_phone, "rules.intelligence"),
    (free_on_device, "cost"),
    (with_no_network, "rules.offline"),
)
"""In the order customers ask them; with the page that shows the numbers."""
