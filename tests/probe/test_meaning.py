"""A model on the machine that was measured: measured figures where they are the right ones, and no ceiling that can be beaten."""

from __future__ import annotations

import pytest
from attrs import evolve

from app.host.paths import CATALOGUE
from engine import rooms
from engine.catalogue import load_catalogue
from engine.estimate import Basis
from engine.messages import Message
from engine.probe.meaning import engines_reach, meaning, measured_flop_per_s, on_measured_machine, small_deployment
from engine.probe.results import DeviceFacts, Reading, Status
from engine.units import GIB
from tests.probe.test_devices import a_run

L40S = DeviceFacts("x", "NVIDIA L40S", "cuda", compute_capability="8.9", memory_bytes=44.3 * GIB)
ON_GPU = (
    Reading("read", Status.OK, 8.0e11, "B/s", 7.9e11, 8.1e11, 7),
    Reading("mma.bf16", Status.OK, 1.7e14, "FLOP/s"),
    Reading("blas.fp8", Status.OK, 5.0e14, "FLOP/s"),
)
ON_HOST = (
    Reading("cpu.read", Status.OK, 3.0e10, "B/s", 2.8e10, 3.1e10, 7),
    Reading("cpu.sgemm", Status.OK, 1e10, "FLOP/s"),
)


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue(CATALOGUE)


def answer(room, deployment):
    found = room(deployment)
    return None if isinstance(found, Message) else found


def asked(run, deployment, catalogue):
    return meaning(run, deployment, catalogue, lambda d: answer(rooms.fit_of, d), lambda d: answer(rooms.speed_of, d))


def test_the_models_own_lengths_on_one_measured_device(catalogue):
    run = a_run(*ON_GPU, device=L40S)
    own = evolve(small_deployment(run, catalogue), device_count=4, tensor_parallel=4, context_tokens=9000)
    here = on_measured_machine(run, own, catalogue)
    assert (here.device.id, here.device_count, here.tensor_parallel, here.context_tokens) == ("nvidia-l40s", 1, 1, 9000)
    assert here.measured_bandwidth_bytes_per_s == 8.0e11


@pytest.mark.parametrize(
    ("format_id", "rate"), [("bf16", 1.7e14), ("fp8", 5.0e14), ("fp16", None), ("q4_k_m", None), ("awq-int4", None)]
)
def test_a_measured_rate_only_for_exactly_that_precision(catalogue, format_id, rate):
    run = a_run(*ON_GPU, device=L40S)
    assert measured_flop_per_s(run, catalogue.weight_format(format_id)) == rate


def test_a_processor_gives_its_bandwidth_and_no_matrix_rate(catalogue):
    found = asked(a_run(*ON_HOST), None, catalogue)
    assert found.deployment.measured_flop_per_s is None
    assert found.deployment.device.fp16 is None
    assert not found.own_model
    assert found.fit.fits
    weights = found.fit.weights_bytes.value
    assert found.ceiling_tokens_per_s.value == pytest.approx(3.0e10 / weights, rel=0.25)


def test_the_ceiling_is_the_measured_bandwidth_over_the_bytes_of_a_token_where_no_room_answers(catalogue):
    run = a_run(*ON_HOST)
    found = meaning(run, None, catalogue, lambda d: answer(rooms.fit_of, d), lambda _d: None)
    weights = found.fit.weights_bytes.value
    assert found.ceiling_tokens_per_s.value == pytest.approx(3.0e10 / weights)
    assert (found.ceiling_tokens_per_s.low, found.ceiling_tokens_per_s.high) == (
        pytest.approx(2.8e10 / weights),
        pytest.approx(3.1e10 / weights),
    )
    assert found.ceiling_tokens_per_s.basis is Basis.MEASURED


def test_what_engines_reach_lies_below_the_ceiling_and_says_that_it_is_assumed(catalogue):
    ceiling = asked(a_run(*ON_HOST), None, catalogue).ceiling_tokens_per_s
    found = engines_reach(ceiling)
    assert found.high == pytest.approx(0.85 * ceiling.value)
    assert found.low == pytest.approx(0.60 * ceiling.value)
    assert found.basis is Basis.ASSUMED


def test_expected_stays_below_the_ceiling_on_what_was_measured(catalogue):
    for run in (a_run(*ON_GPU, device=L40S), a_run(*ON_HOST)):
        found = asked(run, None, catalogue)
        if found.speed is not None:
            assert found.speed.decode_tokens_per_s.value <= found.ceiling_tokens_per_s.high


def test_nothing_measured_means_nothing(catalogue):
    assert asked(a_run(), None, catalogue) is None


def test_memory_that_something_else_holds_is_not_promised(catalogue):
    free = asked(a_run(*ON_GPU, device=evolve(L40S, memory_free_bytes=44 * GIB)), None, catalogue)
    full = asked(a_run(*ON_GPU, device=evolve(L40S, memory_free_bytes=1 * GIB)), None, catalogue)
    assert free.fit.fits
    assert not full.fit.fits
    assert full.deployment.device.id == "nvidia-l40s"
