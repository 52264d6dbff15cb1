"""What the curves teach, as pictures: copies, branches, block sizes, shared memory, and who works on which element."""

from __future__ import annotations

from typing import Final

from app.present.pages.speed import ticks
from app.present.scene import Scene
from app.present.views import Block, Callout, Cell, Line, LineChart, Mark, Table, Tone
from engine.messages import Quantity
from engine.probe.lessons import BreakEven, IndexWalk, best_of, break_even, fit
from engine.probe.results import Lesson, ProbeRun, Series

EVEN_LINES: Final = ("gpu_copies", "gpu_kernel", "cpu_one", "cpu_all")
SHOWN_BLOCK: Final = 2
SHOWN_THREAD: Final = 10


def blocks(run: ProbeRun, scene: Scene) -> list[Block]:
    """The lessons this run has curves for; the index walk always."""
    made = (
        copy_against_compute(run, scene),
        example(run, scene),
        threads_on_the_processor(run, scene),
        _bars(run, scene, "divergence", "ratio"),
        _bars(run, scene, "bank_conflicts", "ratio"),
        _bars(run, scene, "block_size", "share"),
        working_set(run, scene),
        shared_against_global(run, scene),
        index_walk(scene),
    )
    return [block for block in made if block is not None]


def copy_against_compute(run: ProbeRun, scene: Scene) -> LineChart | None:
    """Time by size with and without the copies, and the size from which the device pays off."""
    lesson = run.lesson("break_even")
    if lesson is None:
        return None
    host = [key for key in ("cpu_one", "cpu_all") if lesson.series_of(key) is not None]
    device = "gpu_copies" if lesson.series_of("gpu_copies") is not None else "gpu_kernel"
    return _crossing_chart(lesson, device, host, "break_even", EVEN_LINES, scene)


def threads_on_the_processor(run: ProbeRun, scene: Scene) -> LineChart | None:
    """The same question without a device: from which size all threads beat one."""
    lesson = run.lesson("cpu_threads")
    if lesson is None or lesson.series_of("all_threads") is None or run.lesson("break_even") is not None:
        return None
    return _crossing_chart(lesson, "all_threads", ["one_thread"], "cpu_threads", ("one_thread", "all_threads"), scene)


def _crossing_chart(
    lesson: Lesson, slow_start: str, quick_start: list[str], key: str, shown: tuple[str, ...], scene: Scene
) -> LineChart | None:
    t = scene.t
    curves = [s for name in shown if (s := lesson.series_of(name)) is not None and len(s.x) > 1]
    if not curves:
        return None
    found = break_even(lesson, slow_start, quick_start)
    xs = sorted({x for s in curves for x in s.x})
    return LineChart(
        t.text(f"probe.lesson.{key}"),
        _crossing_sentence(found, key, scene),
        t.text("probe.axis.elements"),
        t.text("probe.axis.time"),
        tuple(Line(t.text(f"probe.line.{s.key}"), s.x, s.y, n) for n, s in enumerate(curves)),
        _crossing_mark(found, lesson, quick_start, scene),
        log_x=True,
        log_y=True,
        x_text=ticks(xs, "1", scene),
        y_text=_time_ticks([y for s in curves for y in s.y], scene),
    )


def _crossing_sentence(found: BreakEven | None, key: str, scene: Scene) -> str:
    t = scene.t
    if found is None:
        return t.text(f"probe.lesson.{key}.unknown")
    if found.size is None:
        return t.text(f"probe.lesson.{key}.never")
    if found.size == 0:
        return t.text(f"probe.lesson.{key}.always")
    sentence = t.text(f"probe.lesson.{key}.from", size=_rounded(found.size))
    if found.confirmed is None:
        return sentence
    return f"{sentence} {t.text('probe.lesson.confirmed' if found.confirmed else 'probe.lesson.not_confirmed')}"


def _rounded(size: float) -> int:
    """Two significant digits: a fit knows no more."""
    step: int = 10 ** max(0, len(str(int(size))) - 2)
    return round(size / step) * step


def _crossing_mark(found: BreakEven | None, lesson: Lesson, quick: list[str], scene: Scene) -> tuple[Mark, ...]:
    if found is None or not found.size:
        return ()
    curves = [s for key in quick if (s := lesson.series_of(key)) is not None]
    best = best_of(*curves)
    if not best.x or not best.x[0] <= found.size <= best.x[-1]:
        return ()
    seconds = fit(best.x, best.y).seconds(found.size)
    return (Mark(found.size, seconds, scene.t.number(float(_rounded(found.size)), "1")),)


def _time_ticks(values: list[float], scene: Scene) -> tuple[tuple[float, str], ...]:
    """Powers of ten between the smallest and the largest time, in words."""
    low, high = min(values), max(values)
    powers = [10.0**e for e in range(-7, 2)]
    return tuple((p, scene.t.number(p, "s")) for p in powers if low / 10 < p < high * 10)


def example(run: ProbeRun, scene: Scene) -> Table | None:
    """One million additions four ways."""
    lesson = run.lesson("example")
    if lesson is None:
        return None
    t = scene.t
    known = [s for key in ("kernel", "pinned", "pageable", "cpu") if (s := lesson.series_of(key)) is not None and s.y]
    if not known:
        return None
    base = next((s.y[0] for s in known if s.key == "cpu"), known[-1].y[0])
    rows = tuple(
        (
            Cell(t.text(f"probe.example.{s.key}")),
            Cell(t.number(s.y[0], "s"), strong=True),
            Cell(_against(s, base, scene)),
        )
        for s in known
    )
    headers = (t.text("probe.example.way"), t.text("probe.axis.time"), t.text("probe.example.against"))
    return Table(headers, rows, t.text("probe.lesson.example"), frozenset({1, 2}))


def _against(series: Series, base: float, scene: Scene) -> str:
    return "–" if series.key == "cpu" else f"{scene.t.number(base / series.y[0], '1')} ×"


def _bars(run: ProbeRun, scene: Scene, key: str, series: str) -> LineChart | None:
    """A lesson with one curve over powers of two."""
    lesson = run.lesson(key)
    curve = lesson.series_of(series) if lesson is not None else None
    if curve is None or len(curve.x) < 2:
        return None
    t = scene.t
    worst = curve.y[0] if key == "block_size" else curve.y[-1]
    shown = Quantity(worst, "ratio" if key == "block_size" else "1")
    lines = [Line(t.text(f"probe.line.{key}"), curve.x, curve.y, 0)]
    if key == "divergence":
        lines.append(Line(t.text("probe.line.proportional"), curve.x, curve.x, 3, dashed=True))
    return LineChart(
        t.text(f"probe.lesson.{key}"),
        t.text(f"probe.lesson.{key}.sentence", worst=shown),
        t.text(f"probe.axis.{key}"),
        t.text(f"probe.axis.{key}.y"),
        tuple(lines),
        log_x=True,
        x_text=tuple((x, f"{x:.0f}") for x in curve.x),
    )


def working_set(run: ProbeRun, scene: Scene) -> LineChart | None:
    """Read rate of one thread by the size it reads again and again: where the caches end."""
    lesson = run.lesson("working_set")
    curve = lesson.series_of("one_thread") if lesson is not None else None
    if curve is None or len(curve.x) < 2:
        return None
    t = scene.t
    return LineChart(
        t.text("probe.lesson.working_set"),
        t.text(
            "probe.lesson.working_set.sentence", best=Quantity(max(curve.y), "B/s"), last=Quantity(curve.y[-1], "B/s")
        ),
        t.text("probe.axis.working_set"),
        t.text("probe.axis.rate"),
        (Line(t.text("probe.line.one_thread"), curve.x, curve.y, 0),),
        log_x=True,
        x_text=tuple((x, t.number(x, "B")) for x in curve.x[::2]),
        y_text=tuple((y, t.number(y, "B/s")) for y in (max(curve.y), max(curve.y) / 2)),
    )


def shared_against_global(run: ProbeRun, scene: Scene) -> Callout | None:
    """How many times faster shared memory is than global memory on this device, and what that is good for."""
    shared, read = run.value("shared"), run.value("read")
    if shared is None or read is None:
        return None
    t = scene.t
    ratio = Quantity(shared / read, "1")
    text = t.text(
        "probe.lesson.shared.sentence", ratio=ratio, shared=Quantity(shared, "B/s"), read=Quantity(read, "B/s")
    )
    return Callout(text, Tone.ACCENT, t.text("probe.lesson.shared"))


def index_walk(scene: Scene) -> Table:
    """blockIdx * blockDim + threadIdx with numbers in it, and what is left over at the end."""
    t, walk = scene.t, IndexWalk()
    last = walk.blocks - 1
    spare_from = walk.block_size - walk.spare_threads
    rows = (
        (
            SHOWN_BLOCK,
            SHOWN_THREAD,
            f"{SHOWN_BLOCK} × {walk.block_size} + {SHOWN_THREAD}",
            walk.element(SHOWN_BLOCK, SHOWN_THREAD),
        ),
        (last, spare_from - 1, f"{last:,} × {walk.block_size} + {spare_from - 1}", walk.element(last, spare_from - 1)),
    )
    cells = [(Cell(f"{b:,}"), Cell(f"{s:,}"), Cell(formula), Cell(f"{e:,}", strong=True)) for b, s, formula, e in rows]
    idle = t.text("probe.walk.idle", threads=walk.spare_threads)
    cells.append(
        (Cell(f"{last:,}"), Cell(f"{spare_from}–{walk.block_size - 1}"), Cell("i < n"), Cell(idle, Tone.MUTED))
    )
    headers = tuple(t.text(f"probe.walk.{name}") for name in ("block", "thread", "formula", "element"))
    title = t.text(
        "probe.walk.title", n=walk.elements, size=walk.block_size, blocks=walk.blocks, spare=walk.spare_threads
    )
    return Table(headers, tuple(cells), title, frozenset({0, 1, 3}))
