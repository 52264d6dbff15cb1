"""Speed: the ceiling of physics, the expected value with its band, the wait before the first word, and the load."""

from __future__ import annotations

from typing import Final

from attrs import evolve

from app.present import make
from app.present.pages.panel import speed_figures
from app.present.scene import Scene
from app.present.views import (
    Block,
    Bullets,
    Callout,
    Figures,
    FigureView,
    Line,
    LineChart,
    Mark,
    Page,
    Range,
    RangeChart,
    Tone,
)
from engine.questions import Step
from engine.speed.results import SpeedResult

PROMPTS: Final = (512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072)


def page(scene: Scene) -> Page:
    t, assessed = scene.t, scene.assessed
    eyebrow = t(Step.SPEED.label)
    if assessed.speed is None or assessed.deployment is None:
        return Page("speed", eyebrow, t.text("present.speed.unknown"), "", (make.gap(scene, "speed"),))
    speed = assessed.speed
    blocks: list[Block] = [Figures(figures(scene)), ceiling_and_expected(scene)]
    blocks += [chart for chart in (first_token_chart(scene), load_chart(scene)) if chart is not None]
    if not speed.calibrated:
        blocks.insert(0, Callout(t.text("present.speed.uncalibrated"), Tone.WARN))
    if speed.notes:
        blocks.append(Bullets(t.text("present.good_to_know"), make.bullets_of(speed.notes, t)))
    title = t.text("present.speed.title", speed=speed.decode_tokens_per_s, first=t.figure(speed.time_to_first_token_s))
    return Page("speed", eyebrow, title, t(speed.bound_by), tuple(blocks))


def figures(scene: Scene) -> tuple[FigureView, ...]:
    """One user's speed always stands beside the wait for the first token."""
    t, speed, deployment = scene.t, scene.assessed.speed, scene.assessed.deployment
    assert speed is not None
    assert deployment is not None
    at_load = t.text("present.speed.at_concurrency", count=deployment.concurrency)
    return (
        make.figure("ceiling", t.text("present.figure.ceiling"), speed.ceiling_tokens_per_s, t),
        *speed_figures(scene.assessed, scene),
        make.figure("tpot", t.text("present.figure.tpot"), speed.time_per_output_token_s, t, at_load),
        make.figure("throughput", t.text("present.figure.throughput"), speed.throughput_tokens_per_s, t, at_load),
        make.figure("prefill", t.text("present.figure.prefill"), speed.prefill_tokens_per_s, t),
    )


def ceiling_and_expected(scene: Scene) -> RangeChart:
    """One row a machine: the expected band of one user's speed against the ceiling of the chosen one."""
    t, assessed = scene.t, scene.assessed
    speed, deployment = assessed.speed, assessed.deployment
    assert speed is not None
    assert deployment is not None
    ranges = [_range(make.machine_of(deployment, t), speed, scene, Tone.ACCENT)]
    for option in assessed.chips:
        device = scene.catalogue.devices.get(option.device or "")
        same = device is not None and device.id == deployment.device.id
        if option.excluded or device is None or same or option.decode_tokens_per_s is None:
            continue
        expected = option.decode_tokens_per_s
        name = make.machine(device, round(option.count.value) if option.count else 1, t)
        ranges.append(Range(name, expected.low, expected.high, expected.value, t.figure(expected)))
        if len(ranges) == 6:
            break
    sentence = t.text("present.speed.sentence", ceiling=speed.ceiling_tokens_per_s, expected=speed.decode_tokens_per_s)
    return RangeChart(
        t.text("present.speed.chart"), sentence, t.text("present.unit.token_s"), tuple(ranges),
        speed.ceiling_tokens_per_s.value,
        t.text("present.speed.ceiling_is", ceiling=speed.ceiling_tokens_per_s),
    )  # fmt: skip


def _range(label: str, speed: SpeedResult, scene: Scene, tone: Tone) -> Range:
    expected = speed.decode_tokens_per_s
    band = scene.t.band(expected)
    text = f"{scene.t.figure(expected)} ({band})" if band else scene.t.figure(expected)
    return Range(label, expected.low, expected.high, expected.value, text, tone)


def first_token_chart(scene: Scene) -> LineChart | None:
    """Wait for the first token against prompt length, the customer's own lengths marked."""
    deployment = scene.assessed.deployment
    if deployment is None:
        return None
    limit = deployment.context_tokens
    lengths = sorted({*(p for p in PROMPTS if p <= limit), round(deployment.prompt_tokens)})
    points = []
    for length in lengths:
        answer = scene.speed(evolve(deployment, prompt_tokens=float(length)))
        if answer is None:
            continue
        points.append((float(length), answer.time_to_first_token_s))
    if len(points) < 2:
        return None
    t = scene.t
    line = Line(
        label=t.text("present.figure.ttft"),
        x=tuple(x for x, _ in points),
        y=tuple(e.value for _, e in points),
        series=0,
        low=tuple(e.low for _, e in points),
        high=tuple(e.high for _, e in points),
    )
    lines = [line]
    target = scene.workload.targets.time_to_first_token_s
    if target is not None:
        flat = (target, target)
        lines.append(Line(t.text("present.target"), (points[0][0], points[-1][0]), flat, 3, dashed=True))
    own = next((e for x, e in points if x == round(deployment.prompt_tokens)), None)
    marks = () if own is None else (Mark(float(round(deployment.prompt_tokens)), own.value, t.figure(own)),)
    return LineChart(
        t.text("present.speed.first_token_chart"),
        t.text("present.speed.first_token_sentence"),
        t.text("present.axis.prompt"),
        t.text("present.axis.seconds"),
        tuple(lines),
        marks,
        log_x=True,
        x_text=ticks([x for x, _ in points], "token", scene),
    )


def ticks(values: list[float], unit: str, scene: Scene, most: int = 6) -> tuple[tuple[float, str], ...]:
    """At most `most` of the values with their words, evenly picked."""
    step = max(1, -(-len(values) // most))
    return tuple((v, axis_number(v, unit, scene)) for v in values[::step])


def axis_number(value: float, unit: str, scene: Scene) -> str:
    """A number for an axis: the unit stands in the axis's title."""
    text = scene.t.number(value, unit)
    for word in (" 토큰", " tokens", " token", " users", " user", " 명", "명"):
        text = text.removesuffix(word)
    return text


def load_chart(scene: Scene) -> LineChart | None:
    """Everyone's total against one user's speed as the batch grows."""
    capacity = scene.assessed.capacity
    if capacity is None or len(capacity.curve) < 2:
        return None
    t = scene.t
    x = tuple(float(p.concurrency) for p in capacity.curve)
    total = tuple(p.throughput_tokens_per_s for p in capacity.curve)
    each = tuple(1 / p.time_per_output_token_s if p.time_per_output_token_s else 0.0 for p in capacity.curve)
    batch = capacity.batch_size.value
    nearest = min(capacity.curve, key=lambda p: abs(p.concurrency - batch))
    mark = Mark(
        float(nearest.concurrency),
        nearest.throughput_tokens_per_s,
        t.text("present.speed.kept_batch", count=nearest.concurrency),
    )
    return LineChart(
        t.text("present.speed.load_chart"),
        t.text("present.speed.load_sentence"),
        t.text("present.axis.concurrency"),
        t.text("present.unit.token_s"),
        (
            Line(t.text("present.speed.everyone"), x, total, 0),
            Line(t.text("present.speed.each"), x, each, 1),
        ),
        (mark,),
        log_x=True,
        log_y=True,
        x_text=ticks(list(x), "1", scene),
    )
