"""Faults put in on purpose: each is noticed, and by the order or the tool that can notice it."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

from kernels import reference
from tests.kernels import compile as builds
from tests.kernels.conftest import Output, aligned, ordered

RANDOM = np.random.default_rng(21)


def reduced(shim, kernel: str) -> tuple[str, bool]:
    """(complaint, whether the sum is right) of a reduction of 5,000 elements."""
    a, partial = RANDOM.random(5_000, dtype=np.float32), Output(3, np.float32)
    complaint = shim.launch(kernel, 3, 256, 5_000, a, partial, shared=4 * 256)
    return complaint, bool(np.isclose(partial.array.sum(dtype=np.float64), a.sum(dtype=np.float64), rtol=1e-5))


@pytest.mark.parametrize("fault", ["no_barrier_in_loop", "no_barrier_after_load"])
def test_a_missing_barrier_gives_a_wrong_sum_in_one_order(library, monkeypatch, fault):
    seen = [reduced(ordered(library, monkeypatch, order), fault) for order in ("ascending", "descending")]
    assert [complaint for complaint, _ in seen] == ["", ""]
    assert not all(right for _, right in seen)


def test_a_barrier_in_a_branch_is_named_with_its_count(shim):
    complaint, _ = reduced(shim, "barrier_in_branch")
    assert complaint == "barrier not reached by all: 128 waiting, 128 finished of 256"


def test_a_neighbour_read_without_a_barrier_shows_in_the_reversed_order_only(library, monkeypatch):
    a = RANDOM.random(512, dtype=np.float32) + 1
    wanted = a + np.concatenate([[np.float32(0)], a[:-1]])
    right = {}
    for order in ("ascending", "descending"):
        out = Output(512, np.float32)
        assert ordered(library, monkeypatch, order).launch("neighbour_race", 1, 512, 512, a, out) == ""
        right[order] = int(np.isclose(out.array, wanted).sum())
    assert right["ascending"] == 512
    assert right["descending"] < 8


def test_lanes_lost_in_a_shuffle_give_a_wrong_product(shim):
    w, x = reference.matrix("bf16", 4, 1024, 3), reference.matrix("bf16", 1, 1024, 4)
    y = Output(4, np.float32)
    shim.launch("half_a_warp_lost", 1, 128, 4, 2048, aligned(w), aligned(x), y)
    assert not np.allclose(y.array, reference.bf16_pairs(w) @ reference.bf16_pairs(x)[0], rtol=1e-2, atol=1e-1)


def test_a_missing_bound_check_writes_past_the_guard(shim):
    n = 1_000
    a, b = (RANDOM.random(1_024, dtype=np.float32) for _ in range(2))
    with pytest.raises(AssertionError, match="wrote outside its output"):
        shim.launch("no_bound_check", 4, 256, n, a, b, Output(n, np.float32))


def ran(program, what: str) -> tuple[int, str]:
    environment = {"ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0", "TSAN_OPTIONS": "halt_on_error=1"}
    run = subprocess.run([program, what], capture_output=True, text=True, env=environment, timeout=120, check=False)
    return run.returncode, run.stdout + run.stderr


@pytest.fixture(scope="module")
def with_address_sanitizer(build_folder):
    return builds.program(build_folder, "address")


@pytest.fixture(scope="module")
def with_race_detector(build_folder):
    return builds.program(build_folder, "thread")


def test_no_kernel_steps_outside_its_memory(with_address_sanitizer):
    status, text = ran(with_address_sanitizer, "all")
    assert (status, "done 0" in text) == (0, True), text[-2000:]


def test_the_address_sanitizer_names_the_line_of_the_missing_bound_check(with_address_sanitizer):
    status, text = ran(with_address_sanitizer, "no_bound_check")
    assert status != 0
    assert "heap-buffer-overflow" in text
    assert "no_bound_check.cu:5" in text


def test_no_race_in_the_kernels_that_share_memory(with_race_detector):
    status, text = ran(with_race_detector, "few")
    assert (status, "done 0" in text) == (0, True), text[-2000:]


@pytest.mark.parametrize("fault", ["no_barrier_in_loop", "no_barrier_after_load", "neighbour_race"])
def test_the_race_detector_sees_each_missing_barrier(with_race_detector, fault):
    status, text = ran(with_race_detector, fault)
    assert status != 0
    assert "data race" in text


def test_every_planted_fault_still_finds_its_place():
    assert all(builds.planted(name) for name in builds.FAULTS)
