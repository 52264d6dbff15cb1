"""The processor's child and torch's child as the parent runs them, and the small rules they share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import psutil
import pytest
from attrs import evolve

from engine.messages import Message, msg
from engine.probe.items import ITEMS, Child, Group, chosen
from engine.probe.results import Conditions, DeviceFacts, Ending, OutcomeCode, Status
from engine.probe.runner import ProbeOptions, child_environment, run
from engine.units import GIB, MIB
from kernels import host_bench
from kernels.child_host import array_elements
from kernels.device import safety
from kernels.device.matrix_items import why_not
from kernels.device.surroundings import device_id
from kernels.readings import reading_of, spread_of, without
from kernels.schedule import Schedule
from kernels.torch_bench import find_backend, supports


def test_a_machine_without_a_gpu_gets_a_measured_processor():
    found = run(ProbeOptions(quick=True, children=(Child.HOST,)))
    assert found.outcome.code is OutcomeCode.NOT_ASKED
    assert {"cpu.read", "cpu.copy", "cpu.sgemm"} <= {r.item for r in found.readings if r.measured}
    assert found.host.threads >= 1
    assert found.host.memory_bytes > 0
    assert found.children[0].ending is Ending.DONE
    for reading in found.readings:
        assert reading.low <= reading.value <= reading.high
        assert reading.n >= 3


def test_the_processors_lessons_are_curves():
    found = run(
        ProbeOptions(quick=False, children=(Child.HOST,), only=frozenset({"cpu.vector_add", "cpu.working_set"}))
    )
    assert found.lesson("cpu_threads").series_of("one_thread").x[0] == 1024
    assert all(y > 0 for y in found.lesson("working_set").series_of("one_thread").y)


def test_torch_without_an_accelerator_says_why_and_measures_the_processor():
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("torch sees a GPU here")
    found = run(ProbeOptions(quick=False, children=(Child.TORCH,), only=frozenset({"blas.bf16", "cpu.bf16"})))
    assert found.children[0].ending is Ending.DONE
    assert found.value("cpu.bf16") > 0
    assert any(note.key.startswith("probe.reason.torch") for note in found.notes)
    assert found.versions["torch"] == torch.__version__


def test_torchs_items_run_and_are_checked_where_the_processor_can_stand_in():
    pytest.importorskip("torch")
    command = [sys.executable, "-m", "tests.kernels.torch_items"]
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=True, env=child_environment(os.environ)
    )
    found = json.loads(ran.stdout)
    for item in ("torch.copy", "blas.fp32", "blas.fp16", "blas.bf16", "attention.math"):
        assert found[item][0] == "ok", found[item]
        assert found[item][1] > 0
    assert found["blas.tf32"][0] == "unsupported"


@pytest.mark.parametrize("threads", [1, 3])
def test_the_processors_streams_compute_what_they_say(threads):
    a, b = host_bench.random_floats(50_001, 1), host_bench.random_floats(50_001, 2)
    out = np.zeros_like(a)
    with host_bench.Workers(threads) as workers:
        host_bench.copy_once(workers, a, out)()
        assert np.array_equal(out, a)
        host_bench.triad_once(workers, a, b, out, 0.4)()
        assert np.allclose(out, a + np.float32(0.4) * b)
        host_bench.add_once(workers, a, b, out)()
        assert np.array_equal(out, a + b)
        host_bench.read_once(workers, a)()


def test_the_processors_arrays_leave_memory_to_others():
    assert 3 * 4 * array_elements() <= psutil.virtual_memory().available / 8


def test_a_reading_is_the_median_with_its_band_and_says_when_it_is_unsteady():
    steady = reading_of("read", [1.0, 1.0, 1.01, 0.99, 1.0], work=100.0, method="events")
    assert (steady.value, steady.low, steady.high, steady.n) == (
        100.0,
        pytest.approx(100 / 1.01),
        pytest.approx(100 / 0.99),
        5,
    )
    assert steady.notes == ()
    shaky = reading_of("read", [1.0, 1.5, 0.7, 1.2, 1.1], work=100.0, method="events")
    assert [n.key for n in shaky.notes] == ["probe.note.unsteady"]
    time = reading_of("launch.graph", [2e-6, 3e-6, 4e-6], method="events")
    assert (time.value, time.unit) == (3e-6, "s")


@pytest.mark.parametrize("times", [[], [0.0], [float("nan")], [-1.0, 1.0]])
def test_times_that_are_no_times_are_no_reading(times):
    with pytest.raises(ValueError, match="no usable times"):
        reading_of("read", times, work=1.0, method="events")


def test_the_spread_is_the_middle_half_over_the_median():
    assert spread_of([1, 2, 3, 4, 5]) == pytest.approx(2 / 3)
    assert spread_of([2, 2, 2]) == 0


def test_lessons_are_dropped_first_and_facts_never():
    clock = [0.0]
    items = chosen(Child.DEVICE, quick=False)
    schedule = Schedule(items, 6.0, now=lambda: clock[0])
    lesson, last = ITEMS["break_even"], ITEMS["mma.bf16"]
    assert schedule.allows(lesson)
    clock[0] = 4.0
    assert not schedule.allows(lesson)
    assert schedule.allows(last)
    clock[0] = 6.1
    assert not schedule.allows(last)
    assert schedule.budget_s(last) == pytest.approx(0.02)


def test_the_whole_probe_is_planned_within_its_limit():
    device = sum(i.budget_s for i in chosen(Child.DEVICE, quick=False))
    quick = sum(i.budget_s for i in chosen(Child.DEVICE, quick=True))
    assert device < 9
    assert quick < 4
    assert [i.group for i in chosen(Child.DEVICE, quick=False)][-1] is Group.MATRIX


def test_only_wins_over_quick_and_skip_over_both():
    assert [i.id for i in chosen(Child.DEVICE, True, only=frozenset({"triad", "read"}))] == ["read", "triad"]
    assert chosen(Child.DEVICE, True, frozenset({"read"}), frozenset({"read"})) == ()


FACTS = DeviceFacts("x", "A device", "cuda", integrated=False)


@pytest.mark.parametrize(
    ("free_gib", "display", "allowed_gib"),
    [(140, False, 4), (24, True, 2), (8, True, 2), (4, True, 1), (1.2, True, 0.2), (0.9, True, 0), (0.9, False, 0.225)],
)
def test_the_probe_takes_a_quarter_and_leaves_room(free_gib, display, allowed_gib):
    assert safety.allowance_bytes(free_gib * GIB, FACTS, display) == pytest.approx(allowed_gib * GIB, abs=MIB)


def test_shared_memory_is_taken_from_what_the_machine_has_left():
    allowed = safety.allowance_bytes(100 * GIB, evolve(FACTS, integrated=True), True)
    assert allowed <= min(2 * GIB, 0.16 * psutil.virtual_memory().available)


@pytest.mark.parametrize(
    ("temperature", "slowdown", "hot"),
    [(None, 90, False), (86, None, False), (87, None, True), (84, 87, True), (80, 95, False)],
)
def test_heat(temperature, slowdown, hot):
    facts = evolve(FACTS, slowdown_temperature_c=slowdown)
    assert safety.too_hot(Conditions(temperature_c=temperature), facts) is hot


@pytest.mark.parametrize(
    ("capability", "precision", "key"),
    [
        ("9.0", "fp8", "emulated"),
        ("9.0", "int4", "emulated"),
        ("12.0", "int4", "emulated"),
        ("10.0", "bf16", "needs_tcgen05"),
        ("11.0", "fp8", "needs_tcgen05"),
        ("7.0", "bf16", "no_instruction"),
        ("8.6", "fp8", "no_instruction"),
    ],
)
def test_why_a_precision_has_no_number(capability, precision, key):
    assert why_not(capability, precision).key == f"probe.reason.{key}"


@pytest.mark.parametrize(
    ("architectures", "capability", "supported"),
    [
        (["sm_75", "sm_80", "sm_86", "sm_90"], (8, 9), True),
        (["sm_75", "sm_80", "sm_86", "sm_90"], (12, 0), False),
        (["sm_75", "sm_90", "compute_90"], (12, 0), True),
        (["sm_75", "sm_80"], (6, 1), False),
        (["sm_90a", "sm_120"], (9, 0), True),
        ([], (8, 0), False),
    ],
)
def test_whether_torch_has_code_for_a_device(architectures, capability, supported):
    assert supports(architectures, capability) is supported


def a_torch(*, cuda="13.0", hip=None, mps=False, xpu=False, devices=(), architectures=("sm_80", "sm_90")):
    """As much of torch as the search for an accelerator looks at; `devices` are (name, capability, uuid)."""
    known = [SimpleNamespace(name=n, major=c[0], minor=c[1], uuid=u, total_memory=8e9) for n, c, u in devices]
    chosen = []
    return SimpleNamespace(
        chosen=chosen,
        version=SimpleNamespace(cuda=cuda, hip=hip),
        cuda=SimpleNamespace(
            is_available=lambda: bool(known) and not xpu,
            device_count=lambda: len(known),
            get_device_properties=lambda i: known[i],
            get_arch_list=lambda: list(architectures),
            set_device=chosen.append,
            mem_get_info=lambda: (7e9, 8e9),
        ),
        backends=SimpleNamespace(mps=SimpleNamespace(is_available=lambda: mps)),
        mps=SimpleNamespace(recommended_max_memory=lambda: 20e9),
        xpu=SimpleNamespace(is_available=lambda: xpu, get_device_properties=lambda i: known[i]),
    )


TWO = (("First", (8, 6), "aaaa"), ("Second", (9, 0), "bbbb"))


def test_torch_takes_the_device_that_was_asked_for():
    torch = a_torch(devices=TWO)
    found = find_backend(torch, avoid_cuda=False, wanted=device_id("GPU-bbbb"))
    assert (found.label, found.device, found.name, torch.chosen) == ("Second", "cuda:1", "cuda", [1])
    assert find_backend(a_torch(devices=TWO), avoid_cuda=False).label == "First"


@pytest.mark.parametrize(
    ("torch", "avoid_cuda", "expected"),
    [
        (a_torch(cuda=None, hip="6.4", devices=(("MI300X", (9, 4), ""),)), True, "rocm"),
        (a_torch(cuda=None, mps=True), False, "mps"),
        (a_torch(cuda=None, xpu=True, devices=(("B580", (0, 0), ""),)), False, "xpu"),
        (a_torch(devices=TWO), True, "probe.reason.torch_avoids_cuda"),
        (a_torch(cuda=None), False, "probe.reason.torch_without_gpu"),
        (a_torch(), False, "probe.reason.torch_sees_no_gpu"),
        (a_torch(devices=(("Old", (6, 1), ""),)), False, "probe.reason.torch_too_new"),
    ],
)
def test_which_accelerator_torch_has_or_why_none(torch, avoid_cuda, expected):
    found = find_backend(torch, avoid_cuda)
    assert (found.key if isinstance(found, Message) else found.name) == expected


def test_an_item_without_a_number_keeps_its_unit_and_its_reason():
    reading = without("read", Status.SKIPPED, msg("probe.reason.no_time"), "x" * 5000)
    assert (reading.unit, reading.measured, len(reading.detail)) == ("B/s", False, 2000)
