"""The probe's page: any run becomes a page without a gap, its lessons are drawn, and what is odd is said."""

from __future__ import annotations

import pytest
from attrs import evolve

from app.host.paths import CATALOGUE
from app.present.pages import probe, probe_lessons, probe_parts
from app.present.views import Bullets, Callout, Figures, LineChart, RangeChart, Table, Tone, as_table
from engine.catalogue import load_catalogue
from engine.messages import Quantity, msg
from engine.probe.outcome import refused
from engine.probe.results import (
    ChildReport,
    Conditions,
    DeviceFacts,
    DriverAnswer,
    Ending,
    HostFacts,
    Lesson,
    Outcome,
    OutcomeCode,
    ProbeRun,
    Reading,
    Series,
    Status,
    Surroundings,
)
from engine.units import GIB
from tests.app import handmade

SIZES = tuple(float(2**k) for k in range(10, 24, 2))


@pytest.fixture(scope="module")
def book():
    return load_catalogue(CATALOGUE)


@pytest.fixture(params=["ko", "en"])
def scene(request, book):
    return handmade.scene(handmade.assessment("bank-documents", book), request.param, book)


def curve(key: str, fixed_s: float, rate: float) -> Series:
    return Series(key, SIZES, tuple(fixed_s + n / rate for n in SIZES))


def whole_run(**changes: object) -> ProbeRun:
    device = DeviceFacts(
        "x", "NVIDIA L40S", "cuda", "8.9", 142, memory_bytes=44.3 * GIB, memory_free_bytes=40 * GIB, memory_bus_bits=384,
        memory_clock_max_hz=9001e6, sm_clock_max_hz=2520e6, power_limit_w=350, power_default_limit_w=350, on_battery=False,
    )  # fmt: skip
    busy = Conditions(2200e6, 9001e6, 71, 340, ("power_cap",), 4, 16)
    readings = (
        Reading("context", Status.OK, 0.3, "s", 0.3, 0.3, 1),
        Reading("read", Status.OK, 8.0e11, "B/s", 7.9e11, 8.1e11, 7, 0.01, "events", conditions=busy),
        Reading("write", Status.OK, 9.5e11, "B/s", 9.4e11, 9.6e11, 7, 0.01, "events", conditions=busy),
        Reading("gemv.bf16", Status.OK, 7.4e11, "B/s", 7.3e11, 7.5e11, 7, 0.01, "events", conditions=busy),
        Reading("h2d.pinned", Status.OK, 2.6e10, "B/s", 2.5e10, 2.7e10, 7, 0.01, "events", conditions=busy),
        Reading("launch.graph", Status.OK, 1.4e-6, "s", 1.3e-6, 1.5e-6, 7, 0.01, "events of a graph"),
        Reading("shared", Status.OK, 4.2e13, "B/s", 4.1e13, 4.3e13, 7, 0.01, "events"),
        Reading("divergence", Status.OK, 31.0, "ratio", 31.0, 31.0, 6),
        Reading("mma.bf16", Status.OK, 2.0e14, "FLOP/s", 1.9e14, 2.1e14, 7, 0.02, "events", conditions=busy),
        Reading(
            "mma.fp4", Status.UNSUPPORTED, reason=msg("probe.reason.no_instruction", precision="FP4", capability="8.9")
        ),
    )
    lessons = (
        Lesson(
            "break_even", (curve("gpu_copies", 3e-5, 2e9), curve("gpu_kernel", 5e-6, 6e10), curve("cpu_one", 1e-6, 1e9))
        ),
        Lesson("example", (Series("kernel", (1e6,), (1e-5,)), Series("cpu", (1e6,), (5e-4,)))),
        Lesson("divergence", (Series("ratio", (1, 2, 4, 8, 16, 32), (1, 2, 4, 8, 16, 31)),)),
        Lesson("block_size", (Series("share", (32, 64, 128, 256), (0.7, 0.9, 1, 1)),)),
        Lesson("bank_conflicts", (Series("ratio", (1, 2, 8, 32), (1, 1.8, 7, 28)),)),
    )
    made = ProbeRun(
        started="2026-11-30T08:15:00Z",
        seconds=12.5,
        quick=False,
        outcome=Outcome(OutcomeCode.MEASURED, msg("probe.outcome.measured", name="NVIDIA L40S")),
        host=HostFacts("A processor", 8, 16, 64e9, 50e9, "Linux 6.1", "x86_64"),
        devices=(device,),
        device="x",
        readings=readings,
        lessons=lessons,
        versions={"driver": "580.95", "cuda": "13.0", "kernels": "sm_89"},
    )
    return evolve(made, **changes)


def test_a_whole_run_has_no_gap_in_either_language(scene):
    page = probe.page_of(whole_run(), scene)
    text = repr(page)
    assert "[probe." not in text
    assert "[present." not in text
    kinds = [type(b) for b in page.blocks]
    assert kinds.count(LineChart) >= 4
    assert RangeChart in kinds
    for chart in (b for b in page.blocks if isinstance(b, LineChart | RangeChart)):
        assert chart.sentence
        assert as_table(chart).rows


def test_the_bar_is_the_expected_band_and_the_mark_this_machine(scene):
    chart = next(b for b in probe.page_of(whole_run(), scene).blocks if isinstance(b, RangeChart))
    read = chart.ranges[0]
    assert (read.low, read.high) == (pytest.approx(87), pytest.approx(98))
    assert read.value == pytest.approx(8.0e11 / 864e9 * 100)
    assert read.tone is Tone.GOOD
    assert chart.baseline == 100


def test_a_value_above_the_peak_is_never_good_and_says_why(scene):
    page = probe.page_of(whole_run(), scene)
    chart = next(b for b in page.blocks if isinstance(b, RangeChart))
    assert chart.ranges[1].tone is Tone.BAD
    why = next(b for b in page.blocks if isinstance(b, Bullets))
    assert [i.tone for i in why.items] == [Tone.BAD, Tone.WARN]


def test_what_it_means_uses_the_measured_bandwidth(scene):
    page = probe.page_of(whole_run(), scene)
    block = next(b for b in page.blocks if isinstance(b, Figures) and b.title)
    assert block.items[0].basis == scene.t.text("basis.measured")
    assert any(item.key == "probe.memory" for item in block.items)


def test_a_machine_without_a_gpu_still_gets_a_page_with_its_own_figures(scene):
    answer = refused(DriverAnswer("library", -1), Surroundings())
    readings = (
        Reading("cpu.read", Status.OK, 3.0e10, "B/s", 2.9e10, 3.1e10, 7, 0.01, "host clock"),
        Reading("cpu.sgemm", Status.OK, 1.1e11, "FLOP/s", 1.0e11, 1.2e11, 7, 0.01, "host clock"),
    )
    lessons = (
        Lesson("cpu_threads", (curve("one_thread", 1e-6, 1e9), curve("all_threads", 5e-5, 4e9))),
        Lesson("working_set", (Series("one_thread", (16384, 1e6, 6e7), (5e10, 4e10, 2e10)),)),
    )
    run = whole_run(outcome=answer, devices=(), device="", readings=readings, lessons=lessons)
    page = probe.page_of(run, scene)
    assert page.title == scene.t(answer.message)
    assert isinstance(page.blocks[0], Callout)
    assert sum(isinstance(b, LineChart) for b in page.blocks) == 2
    assert any(isinstance(b, Figures) and b.title for b in page.blocks)
    assert "[" not in page.title


def test_an_early_end_is_said_with_what_it_was_at(scene):
    report = ChildReport(
        "device", Ending.SILENT, 5.0, None, "triad",
        msg("probe.child.silent", item=msg("probe.item.triad"), limit=Quantity(5.0, "s"), code="?"),
    )  # fmt: skip
    page = probe.page_of(whole_run(children=(report,)), scene)
    said = [b.text for b in page.blocks if isinstance(b, Callout)]
    assert any(scene.t.text("probe.item.triad") in text for text in said)


def test_a_run_without_a_consultation_is_a_page_too(scene):
    empty = evolve(scene, assessment=evolve(scene.assessment, workloads=()), workload_id="")
    blocks = probe.page_of(whole_run(), empty).blocks
    assert any(scene.t.text("probe.meaning.stands_in") in b.text for b in blocks if isinstance(b, Callout))


def test_a_growing_run_is_a_page_at_every_step(scene):
    run = whole_run()
    for count in range(len(run.readings) + 1):
        page = probe.page_of(evolve(run, readings=run.readings[:count], lessons=()), scene)
        assert page.title


def test_the_crossing_stands_on_the_chart(scene):
    chart = probe_lessons.copy_against_compute(whole_run(), scene)
    assert chart is not None
    (mark,) = chart.marks
    by_hand = (3e-5 - 1e-6) / (1 / 1e9 - 1 / 2e9)
    assert mark.x == pytest.approx(by_hand, rel=0.01)


@pytest.mark.parametrize(("device", "key"), [((3e-5, 5e8), "never"), ((5e-7, 2e9), "always"), ((3e-5, 2e9), "from")])
def test_never_and_always_are_said(scene, device, key):
    lesson = Lesson("break_even", (curve("gpu_copies", *device), curve("cpu_one", 1e-6, 1e9)))
    chart = probe_lessons.copy_against_compute(whole_run(lessons=(lesson,)), scene)
    template = scene.t.text(f"probe.lesson.break_even.{key}", size="{size}")
    assert chart.sentence.startswith(template.split("{size}")[0][:8])


def test_the_index_walk_of_the_worked_example(scene):
    table = probe_lessons.index_walk(scene)
    assert table.rows[0][3].text == "522"
    assert table.rows[1][3].text == "999,999"
    assert "3,907" in table.title
    assert "192" in table.title


def test_runs_stand_side_by_side_and_a_change_is_marked(scene):
    newer = whole_run(started="2026-12-01T09:00:00Z")
    slower = tuple(
        evolve(r, value=r.value * 0.8, low=None, high=None) if r.item == "read" else r for r in newer.readings
    )
    table = probe_parts.history([evolve(newer, readings=slower), whole_run()], scene)
    assert len(table.rows) == 2
    assert "(-20 %)" in table.rows[0][2].text
    assert table.rows[0][2].tone is Tone.WARN
    assert table.rows[1][2].tone is Tone.PLAIN


def test_conditions_show_clock_power_source_and_what_held_it_back(scene):
    table = probe_parts.conditions(whole_run(), scene)
    text = " ".join(row[1].text for row in table.rows)
    assert "2,200" in text
    assert "350 W" in text
    assert scene.t.text("probe.throttle.power_cap") in text
    assert isinstance(table, Table)


def test_every_input_of_a_measured_figure_has_a_word(scene):
    estimates = [r.estimate() for r in whole_run().readings if r.measured]
    names = {i.name for e in estimates if e.trace for i in e.trace.inputs}
    assert {n for n in names if not scene.t.has(f"trace.{n}")} == set()
    assert {e.trace.key for e in estimates if not scene.t.has(e.trace.key)} == set()
