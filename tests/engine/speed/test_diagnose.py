"""Complaints with a known cause: the ranking puts it first, and the check names it."""

import pytest
from attrs import evolve

from engine.speed.diagnose import Observation, diagnose
from engine.speed.speed import speed


@pytest.fixture
def card(deploy):
    return deploy("llama-3-8b", "q4_k_m", "nvidia-rtx-4090", "llama.cpp")


@pytest.fixture
def server(deploy):
    return deploy("llama-3.3-70b", "fp8", "nvidia-h100-sxm", "vllm", device_count=4, tensor_parallel=4, concurrency=16)


def first(found) -> str:
    return found.suspects[0].name


def test_a_machine_that_gives_what_it_can(card) -> None:
    expected = speed(card).decode_tokens_per_s.value
    found = diagnose(card, Observation(tokens_per_s=0.95 * expected, utilisation=0.97))
    assert found.verdict.key == "speed.diagnose.as_expected"
    assert first(found) == "decode"
    assert found.of_expected.value == pytest.approx(0.95)
    assert found.of_ceiling.value < found.of_expected.value


def test_layers_on_the_processor(card) -> None:
    found = diagnose(card, Observation(tokens_per_s=11.0, utilisation=0.2, layers_on_device_share=0.5))
    assert found.verdict.key == "speed.diagnose.slow"
    assert first(found) == "layers_on_cpu"


def test_a_large_gap_without_readings_points_at_the_processor(card) -> None:
    assert first(diagnose(card, Observation(tokens_per_s=9.0))) == "layers_on_cpu"


def test_requests_one_after_the_other(server) -> None:
    expected = 1 / speed(server).time_per_output_token_s.value
    found = diagnose(server, Observation(tokens_per_s=expected / 1.5, utilisation=0.3, batches=False))
    assert first(found) == "batching"


def test_a_queue_shows_in_the_first_token(server) -> None:
    result = speed(server)
    seen = Observation(
        tokens_per_s=1 / result.time_per_output_token_s.value,
        time_to_first_token_s=20 * result.time_to_first_token_s.value,
        waiting_requests=30,
    )
    assert first(diagnose(server, seen)) == "queue"


def test_throttled_clock(card) -> None:
    expected = speed(card).decode_tokens_per_s.value
    seen = Observation(
        tokens_per_s=0.6 * expected, clock_share=0.45, power_share=1.0, utilisation=0.99, layers_on_device_share=1.0
    )
    assert first(diagnose(card, seen)) == "power"


def test_copies(card) -> None:
    expected = speed(card).decode_tokens_per_s.value
    seen = Observation(tokens_per_s=0.5 * expected, copy_time_share=0.55, layers_on_device_share=1.0, utilisation=0.4)
    assert first(diagnose(card, seen)) == "copies"


def test_link_without_a_bridge(deploy) -> None:
    d = deploy("llama-3.3-70b", "awq-int4", "nvidia-rtx-4090", "vllm", device_count=4, tensor_parallel=4)
    seen = Observation(tokens_per_s=speed(d).decode_tokens_per_s.value * 0.4, utilisation=0.3)
    assert first(diagnose(d, seen)) == "link"


def test_faster_than_physics_is_called_impossible(card) -> None:
    found = diagnose(card, Observation(tokens_per_s=2 * speed(card).ceiling_tokens_per_s.value))
    assert found.verdict.key == "speed.diagnose.impossible"


def test_weights_are_shares_and_ranked(card) -> None:
    found = diagnose(card, Observation(tokens_per_s=20.0, clock_share=0.7, copy_time_share=0.3))
    weights = [s.weight for s in found.suspects]
    assert sum(weights) == pytest.approx(1.0)
    assert weights == sorted(weights, reverse=True)


def test_total_of_all_users_is_taken_apart(server) -> None:
    one = diagnose(server, Observation(tokens_per_s=30.0)).of_ceiling.value
    assert diagnose(server, Observation(total_tokens_per_s=480.0)).of_ceiling.value == pytest.approx(one)
    assert diagnose(evolve(server, concurrency=1), Observation()).of_ceiling is None
