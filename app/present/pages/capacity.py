"""Capacity: how many replicas keep the promise at the busiest hour, what idles, and how long a new one takes."""

from __future__ import annotations

from app.present import make
from app.present.cells import number, said
from app.present.pages.speed import load_chart, ticks
from app.present.scene import Scene, whole
from app.present.views import Block, Bullets, Callout, Cell, Figures, FigureView, Line, LineChart, Page, Table, Tone
from engine.consultation import Waiting
from engine.questions import Step


def page(scene: Scene) -> Page:
    t, capacity = scene.t, scene.assessed.capacity
    eyebrow = t(Step.CAPACITY.label)
    if capacity is None:
        return Page("capacity", eyebrow, t.text("present.capacity.unknown"), "", (make.gap(scene, "capacity"),))
    blocks: list[Block] = []
    if not capacity.meets_targets:
        blocks.append(Callout(t.text("present.capacity.missed"), Tone.BAD))
    blocks.append(Figures(figures(scene)))
    blocks += [chart for chart in (wait_chart(scene), load_chart(scene)) if chart is not None]
    if capacity.notes:
        blocks.append(Bullets(t.text("present.good_to_know"), make.bullets_of(capacity.notes, t)))
    blocks += [*topologies(scene), *splits(scene), curve_table(scene), *start(scene)]
    idle = idle_chart(scene)
    if idle is not None:
        blocks.append(idle)
    return Page("capacity", eyebrow, title(scene), lead(scene), tuple(blocks))


def title(scene: Scene) -> str:
    t, capacity = scene.t, scene.assessed.capacity
    assert capacity is not None
    replicas, deployment = whole(capacity.replicas) or 0, scene.assessed.deployment
    machines = make.machine(deployment.device, whole(capacity.devices) or 0, t) if deployment else ""
    key = "present.capacity.title.spares" if capacity.spares else "present.capacity.title"
    return t.counted(key, replicas, spares=capacity.spares, machines=machines)


def lead(scene: Scene) -> str:
    """The promise in words: at what share of requests it holds, or that nobody waits."""
    t, capacity = scene.t, scene.assessed.capacity
    assert capacity is not None
    share = make.quantity(capacity.percentile, "ratio", t)
    if scene.workload.profile.waiting is Waiting.BATCH:
        return t.text("present.capacity.lead.batch")
    return t.text("present.capacity.lead", share=share)


def figures(scene: Scene) -> tuple[FigureView, ...]:
    t, capacity = scene.t, scene.assessed.capacity
    assert capacity is not None
    demand = capacity.demand
    named = (
        ("peak", demand.requests_per_s_peak),
        ("concurrency", demand.concurrency_peak),
        ("batch", capacity.batch_size),
        ("replicas", capacity.replicas),
        ("devices", capacity.devices),
        ("utilisation", capacity.utilisation),
        ("queue_wait", capacity.queue_wait_s),
        ("load_time", capacity.load_time_s),
        ("power", capacity.power_w),
        ("rack", capacity.rack_units),
    )
    return tuple(make.figure(k, t.text(f"present.figure.{k}"), e, t) for k, e in named if e is not None)


def wait_chart(scene: Scene) -> LineChart | None:
    """Waiting time of one replica as more are served at once, against the promise."""
    capacity, t = scene.assessed.capacity, scene.t
    if capacity is None or len(capacity.curve) < 2:
        return None
    x = tuple(float(p.concurrency) for p in capacity.curve)
    lines = [Line(t.text("present.capacity.first"), x, tuple(p.time_to_first_token_s for p in capacity.curve), 0)]
    lines.append(Line(t.text("present.capacity.whole"), x, tuple(p.end_to_end_s for p in capacity.curve), 1))
    target = scene.workload.targets.time_to_first_token_s
    if target is not None:
        lines.append(Line(t.text("present.target"), (x[0], x[-1]), (target, target), 3, dashed=True))
    return LineChart(
        t.text("present.capacity.wait_chart"),
        t.text("present.capacity.wait_sentence"),
        t.text("present.axis.concurrency"),
        t.text("present.axis.seconds"),
        tuple(lines),
        log_x=True,
        log_y=True,
        x_text=ticks(list(x), "1", scene),
    )


def topologies(scene: Scene) -> tuple[Table, ...]:
    """Replicas, machines, power and rack space that still keep the promise when something is lost."""
    t, capacity = scene.t, scene.assessed.capacity
    if capacity is None or not capacity.topologies:
        return ()
    rows = tuple(
        (
            said(t(way.name), strong=way.replicas == whole(capacity.replicas)),
            Cell(str(way.replicas)),
            Cell(str(way.devices)),
            Cell("–" if way.power_w is None else make.quantity(way.power_w, "W", t)),
            Cell("–" if way.rack_units is None else make.quantity(way.rack_units, "1", t)),
            Cell(str(way.sites)),
        )
        for way in capacity.topologies
    )
    names = ("topology", "replicas", "devices", "power", "rack", "sites")
    headers = tuple(t.text(f"present.column.{n}") for n in names)
    return (Table(headers, rows, t.text("present.capacity.topologies"), frozenset(range(1, 6))),)


def splits(scene: Scene) -> tuple[Table, ...]:
    """The same load on other splits of the devices: few large replicas against many small ones."""
    t, capacity = scene.t, scene.assessed.capacity
    if capacity is None or len(capacity.parallel) < 2:
        return ()
    rows = tuple(
        (
            said(str(way.devices_per_replica), strong=way.devices_per_replica == capacity.devices_per_replica),
            Cell(str(way.replicas)),
            Cell(str(way.devices)),
            Cell(make.quantity(way.at_peak.time_to_first_token_s, "s", t)),
            Cell(make.quantity(way.at_peak.time_per_output_token_s, "s", t)),
            said(*_kept(way.meets_targets, scene)),
        )
        for way in capacity.parallel
    )
    names = ("per_replica", "replicas", "devices", "ttft", "tpot", "promise")
    headers = tuple(t.text(f"present.column.{n}") for n in names)
    return (Table(headers, rows, t.text("present.capacity.splits"), frozenset(range(5))),)


def _kept(meets: bool, scene: Scene) -> tuple[str, Tone]:
    key, tone = ("kept", Tone.GOOD) if meets else ("broken", Tone.BAD)
    return scene.t.text(f"present.capacity.{key}"), tone


def start(scene: Scene) -> tuple[Table, ...]:
    """From start to first answer of one replica, part by part: what autoscaling has to wait for."""
    t, capacity = scene.t, scene.assessed.capacity
    if capacity is None or not capacity.load_parts:
        return ()
    rows = tuple(
        (said(t(name)), number(part, t), Cell(t.band(part) or "–", Tone.MUTED)) for name, part in capacity.load_parts
    )
    total = (said(t.text("present.total"), strong=True), number(capacity.load_time_s, t, strong=True))
    rows = (*rows, (*total, Cell(t.band(capacity.load_time_s) or "–", Tone.MUTED)))
    headers = tuple(t.text(f"present.column.{n}") for n in ("part", "time", "band"))
    return (Table(headers, rows, t.text("present.figure.load_time"), frozenset({1, 2})),)


def idle_chart(scene: Scene) -> LineChart | None:
    """Replica hours left free in each hour of the day: room for work nobody waits for."""
    t, capacity = scene.t, scene.assessed.capacity
    if capacity is None or len(capacity.idle_by_hour) != 24 or not any(capacity.idle_by_hour):
        return None
    hours = tuple(float(hour) for hour in range(24))
    return LineChart(
        t.text("present.capacity.idle"),
        t.text("present.capacity.idle.sentence"),
        t.text("present.axis.hour"),
        t.text("present.axis.free"),
        (Line(t.text("present.capacity.free"), hours, tuple(capacity.idle_by_hour), 1),),
        x_text=tuple((float(hour), str(hour)) for hour in (0, 6, 12, 18, 23)),
    )


def curve_table(scene: Scene) -> Table:
    """The batching curve in numbers: latency against throughput, the batch that keeps the promise marked."""
    t, capacity = scene.t, scene.assessed.capacity
    assert capacity is not None
    kept = whole(capacity.batch_size) or 0
    rows = []
    for point in capacity.curve:
        tone = Tone.GOOD if point.concurrency <= kept else Tone.MUTED
        cells = (
            make.quantity(point.requests_per_s, "request/s", t),
            make.quantity(point.throughput_tokens_per_s, "token/s", t),
            make.quantity(point.time_to_first_token_s, "s", t),
            make.quantity(point.time_per_output_token_s, "s", t),
            make.quantity(point.end_to_end_s, "s", t),
        )
        rows.append((Cell(str(point.concurrency), tone, point.concurrency == kept), *(Cell(c) for c in cells)))
    names = ("concurrency", "requests", "throughput", "ttft", "tpot", "end_to_end")
    return Table(
        tuple(t.text(f"present.figure.{n}") for n in names),
        tuple(rows),
        t.text("present.capacity.curve"),
        frozenset(range(6)),
        t.text("present.capacity.curve.empty"),
    )
