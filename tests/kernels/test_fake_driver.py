"""The whole probe against a driver that fails on purpose: every scenario ends in a sentence with the earlier results kept.

The child is the shipped one, NVIDIA's bindings and the pack's images included; only the two driver libraries are ours.
"""

from __future__ import annotations

import os
import time

import pytest

from app.present.translator import Translator
from engine.probe.items import Child
from engine.probe.results import Ending, OutcomeCode, ProbeRun, Status
from engine.probe.runner import ProbeOptions, run
from tests.kernels import compile as builds

pytest.importorskip("cuda.bindings")
pytest.importorskip("pynvml")

FEW = frozenset({"copy", "triad", "write"})


@pytest.fixture(scope="session")
def driver_folder(build_folder):
    return builds.fake_driver(build_folder)


@pytest.fixture(scope="session")
def kernels_file(build_folder):
    return builds.driver_kernels(build_folder)


@pytest.fixture
def probe(monkeypatch, driver_folder, kernels_file):
    """Run the device child against the fake driver set up like this."""

    def go(*, only=FEW, silence_s=3.0, deadline_s=20.0, library=None, options=None, **settings) -> ProbeRun:
        monkeypatch.setenv("LD_LIBRARY_PATH", os.fspath(library or driver_folder))
        monkeypatch.setenv("OMP_NUM_THREADS", "1")
        monkeypatch.setenv("FAKE_CUDA_KERNELS", os.fspath(kernels_file))
        monkeypatch.setenv("FAKE_CUDA_SMS", "1")
        monkeypatch.setenv("FAKE_CUDA_FREE", "800")
        for name, value in settings.items():
            monkeypatch.setenv(name if name == "CUDA_VISIBLE_DEVICES" else f"FAKE_{name}", str(value))
        chosen = options or ProbeOptions(
            quick=False, children=(Child.DEVICE,), only=frozenset(only), silence_s=silence_s, deadline_s=deadline_s
        )
        found = run(chosen)
        assert said(found)
        return found

    return go


def said(found: ProbeRun) -> bool:
    """Every sentence of the run has words in both languages, with nothing left open."""
    messages = [found.outcome.message, found.outcome.advice, *found.notes]
    messages += [m for r in found.readings for m in (r.reason, *r.notes)]
    messages += [c.message for c in found.children]
    for language in ("ko", "en"):
        speak = Translator(language)
        for message in filter(None, messages):
            text = speak(message)
            assert "[" not in text, text
            assert "{" not in text, text
    return True


def test_a_healthy_device_is_measured(probe):
    found = probe()
    assert found.outcome.code is OutcomeCode.MEASURED
    assert {r.item for r in found.readings if r.measured} == {"context", "load", *FEW}
    assert found.children[0].ending is Ending.DONE
    facts = found.measured_device()
    assert (facts.name, facts.compute_capability, facts.multiprocessors) == ("Fake GPU", "8.9", 1)
    assert facts.missing["ecc"] == "Not Supported"
    assert found.versions["driver"] == "580.95.05"
    assert found.versions["kernels"] == "sm_89"
    assert "0 allocations left" in found.children[0].details


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"CUDA_INIT": 803}, OutcomeCode.DRIVER_MISMATCH),
        ({"CUDA_INIT": 804}, OutcomeCode.COMPATIBILITY),
        ({"CUDA_INIT": 999}, OutcomeCode.DRIVER_LOST),
        ({"CUDA_INIT": 802}, OutcomeCode.DRIVER_ERROR),
        ({"CUDA_INIT": 34}, OutcomeCode.DRIVER_ERROR),
        ({"CUDA_DEVICES": 0, "CUDA_VISIBLE_DEVICES": '"0"'}, OutcomeCode.HIDDEN),
        ({"CUDA_CC": "3.5"}, OutcomeCode.TOO_OLD),
        ({"CUDA_CONTEXT": 2}, OutcomeCode.DRIVER_ERROR),
        ({"CUDA_CONTEXT": 46}, OutcomeCode.DRIVER_ERROR),
    ],
)
def test_a_driver_that_says_no(probe, settings, code):
    found = probe(**settings)
    assert found.outcome.code is code
    assert found.outcome.advice is not None
    assert found.children[0].ending is Ending.DONE
    assert found.devices, "the management library's own answer is shown beside CUDA's"


def test_no_device_in_a_container_or_outside_it(probe):
    assert probe(CUDA_INIT=100).outcome.code in (OutcomeCode.NO_DEVICE, OutcomeCode.CONTAINER)


def test_no_driver_at_all(probe, tmp_path):
    found = probe(library=tmp_path)
    assert found.outcome.code in (OutcomeCode.NO_DRIVER, OutcomeCode.CONTAINER)
    assert found.surroundings.management != "ok"


def test_a_driver_from_before_cuda_12(probe, build_folder):
    assert probe(library=builds.old_driver(build_folder)).outcome.code is OutcomeCode.DRIVER_TOO_OLD


def test_a_library_that_is_no_library(probe, tmp_path):
    (tmp_path / "libcuda.so.1").write_text("not an ELF file")
    assert probe(library=tmp_path).outcome.message.key == "probe.outcome.library_broken"


@pytest.mark.parametrize(
    ("where", "step"), [("CUDA_INIT_HANG", "driver"), ("CUDA_CONTEXT_HANG", "context"), ("NVML_HANG", "management")]
)
def test_a_device_that_does_not_wake_up(probe, where, step):
    begin = time.monotonic()
    found = probe(silence_s=0.7, **{where: 1})
    assert found.outcome.code is OutcomeCode.ASLEEP
    assert found.children[0].item == step
    assert time.monotonic() - begin < 20


def test_a_kernel_that_hangs_ends_by_the_silence_limit_and_keeps_what_was_before(probe):
    found = probe(silence_s=3.0, CUDA_HANG="stream_triad")
    assert found.outcome.code is OutcomeCode.PARTLY
    assert found.children[0].ending is Ending.SILENT
    assert found.children[0].item == "triad"
    assert found.value("copy") is not None
    assert found.value("write") is None


def test_a_kernel_that_crashes_the_process(probe):
    found = probe(CUDA_CRASH="stream_triad")
    report = found.children[0]
    assert (report.ending, report.exit_code, report.item) == (Ending.CRASHED, -6, "triad")
    assert report.message.params["code"] == "SIGABRT"
    assert "Fatal Python error: Aborted" in report.details
    assert found.value("copy") is not None


@pytest.mark.parametrize(("fault", "reason"), [("CUDA_FAULT", "illegal_address"), ("CUDA_TDR", "launch_timeout")])
def test_an_error_that_loses_the_context_ends_the_child(probe, fault, reason):
    found = probe(**{fault: "stream_triad"})
    assert found.outcome.code is OutcomeCode.PARTLY
    assert found.children[0].ending is Ending.DONE
    assert found.reading("triad").reason.key == f"probe.reason.{reason}"
    assert found.value("copy") is not None
    assert found.reading("write") is None


def test_a_wrong_result_has_no_number(probe):
    found = probe(CUDA_SKIP="stream_copy")
    assert found.reading("copy").status is Status.FAILED
    assert found.reading("copy").reason.key == "probe.reason.wrong_result"
    assert found.value("write") is not None


@pytest.mark.parametrize(("limit", "expected"), [(100, True), (2, False)])
def test_refused_memory_is_halved_twice_and_then_a_sentence(probe, limit, expected):
    found = probe(CUDA_ALLOC_LIMIT=limit)
    assert (found.value("copy") is not None) is expected
    assert found.outcome.code is (OutcomeCode.MEASURED if expected else OutcomeCode.UNMEASURED)
    if not expected:
        assert found.reading("copy").reason.key == "probe.reason.no_memory"
        assert any(n.key == "probe.note.no_block" for n in found.notes)


def test_a_device_that_is_full_gives_facts_and_no_faults(probe):
    found = probe(CUDA_FREE=100)
    assert found.devices
    assert found.reading("copy").status is Status.SKIPPED


@pytest.mark.parametrize(("limit", "size"), [(4096, "64 MiB"), (33, "32 MiB"), (17, "16 MiB"), (3, "")])
def test_pinned_memory_steps_down_and_is_never_taken_for_device_memory(probe, limit, size):
    found = probe(only={"h2d.pinned", "write"}, CUDA_PIN_LIMIT=limit)
    reading = found.reading("h2d.pinned")
    assert reading.size == size
    if not size:
        assert reading.reason.key == "probe.reason.pinned_refused"
    assert found.value("write") is not None


def test_an_image_the_driver_refuses_falls_to_the_next(probe):
    found = probe(CUDA_MAX_ABI=6, CUDA_VERSION=12090)
    assert found.versions["kernels"] != "sm_89"
    assert found.outcome.code is OutcomeCode.MEASURED


def test_no_image_at_all_says_that_the_driver_is_too_old(probe):
    found = probe(CUDA_MAX_ABI=6, CUDA_MAX_PTX="7.0", CUDA_VERSION=12090)
    assert found.outcome.code is OutcomeCode.DRIVER_TOO_OLD


@pytest.mark.parametrize(
    ("capability", "native", "not_native"),
    [
        ("7.5", {"mma.fp16", "mma.int8", "mma.int4"}, {"mma.bf16", "mma.fp8"}),
        ("8.6", {"mma.bf16", "mma.fp16", "mma.fp16_half", "mma.tf32", "mma.int8", "mma.int4"}, {"mma.fp8", "mma.fp4"}),
        (
            "9.0",
            {"mma.bf16", "wgmma.bf16", "wgmma.fp16", "wgmma.tf32", "wgmma.fp8", "wgmma.int8"},
            {"mma.fp8", "mma.int4"},
        ),
        ("10.0", set(), {"mma.bf16", "mma.fp8", "mma.fp4"}),
        ("12.0", {"mma.bf16", "mma.fp8", "mma.fp4"}, {"mma.int4"}),
    ],
)
def test_a_matrix_rate_is_shown_only_where_the_instruction_is_the_hardwares_own(probe, capability, native, not_native):
    found = probe(only=native | not_native, CUDA_CC=capability)
    for item in native:
        assert found.reading(item).measured, (item, found.reading(item))
    for item in not_native:
        assert found.reading(item).status is Status.UNSUPPORTED, (item, found.reading(item))
        assert found.value(item) is None


def test_lessons_come_as_curves(probe):
    wanted = {
        "shared",
        "bank_conflicts",
        "divergence",
        "block_size",
        "vector_add",
        "break_even",
        "gemv.bf16",
        "gemv.int4",
        "reduction",
    }
    found = probe(only=wanted | {"read", "fma.fp32", "launch.graph"})
    assert {r.item for r in found.readings if r.status is Status.OK} >= wanted, [
        (r.item, r.reason) for r in found.readings if r.status is not Status.OK
    ]
    assert {lesson.key for lesson in found.lessons} == {
        "bank_conflicts",
        "divergence",
        "block_size",
        "example",
        "break_even",
    }
    assert found.lesson("divergence").series_of("ratio").x == (1, 2, 4, 8, 16, 32)


def test_heat_stops_the_work_and_says_so(probe):
    found = probe(NVML_TEMPERATURE=93)
    assert found.reading("copy").reason.key == "probe.reason.too_hot"


def test_conditions_are_read_while_the_device_works(probe):
    found = probe(NVML_REASONS=0x44, NVML_PCIE="5x8")
    seen = found.reading("copy").conditions
    assert seen.throttle == ("power_cap", "hardware_thermal")
    assert (seen.pcie_generation, seen.pcie_lanes) == (5, 8)


def test_a_bare_management_library_takes_nothing_with_it(probe):
    found = probe(NVML_BARE=1)
    assert found.value("copy") is not None
    assert found.measured_device().missing["power_limit_w"] == "Not Supported"


def test_a_slice_of_a_device_is_named_and_knows_its_own_memory(probe):
    found = probe(NVML_MIG=1)
    assert found.measured_device().mig_slice
    assert any(n.key == "probe.note.mig_slice" for n in found.notes)


def test_an_external_device_is_asked_for_before_it_is_touched(probe):
    asked = probe(NVML_PCIE="3x4")
    assert asked.outcome.code is OutcomeCode.EXTERNAL
    assert asked.devices, "what the management library said is shown"
    assert asked.readings == ()
    options = ProbeOptions(quick=False, children=(Child.DEVICE,), only=frozenset({"copy"}), accept_external=True)
    accepted = probe(options=options, NVML_PCIE="3x4")
    assert accepted.value("copy") is not None
    assert any(n.key == "probe.note.narrow_link" for n in accepted.notes)


def test_the_device_asked_for_is_the_one_measured(probe):
    both = probe(only={"write"}, CUDA_DEVICES=2, NVML_DEVICES=2)
    other = next(d.id for d in both.devices if d.id != both.device)
    options = ProbeOptions(quick=False, children=(Child.DEVICE,), only=frozenset({"write"}), device=other)
    assert probe(options=options, CUDA_DEVICES=2, NVML_DEVICES=2).device == other


def test_nothing_that_identifies_the_machine_is_said(probe):
    from engine.probe.documents import to_dict

    text = repr(to_dict(probe(CUDA_INIT=803)))
    assert "GPU-10" not in text
    assert os.uname().nodename not in text
    assert "1010101010" not in text
