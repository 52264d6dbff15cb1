"""The formulas: against simulation, monotonic, and the same for one row as for many."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.speed.batching import closed_loop_token_seconds, serve
from engine.speed.calibration import load_calibration
from engine.speed.case import case_of
from engine.speed.decode import cached_bytes, decode_step, touched_share
from engine.speed.expected import expected_by_kind
from engine.speed.speed import load_curve, speed

SERVED = [
    ("llama-3.3-70b", "fp8", "nvidia-h100-sxm", "vllm", {"device_count": 4, "tensor_parallel": 4}),
    ("gpt-oss-120b", "mxfp4", "nvidia-b200", "trt-llm", {}),
    ("deepseek-r1", "fp8", "nvidia-h200-sxm", "sglang", {"device_count": 8, "tensor_parallel": 8}),
    ("qwen3-8b", "q4_k_m", "nvidia-rtx-4090", "llama.cpp", {}),
    ("gemma-3-4b", "mlx-4bit", "apple-m4-pro", "mlx", {}),
]


def test_touched_experts_against_simulation() -> None:
    rng = np.random.default_rng(7)
    experts, chosen, trials = 128, 8, 400
    for tokens in (1, 4, 16, 64):
        hit = [
            len({e for _ in range(tokens) for e in rng.choice(experts, chosen, replace=False)}) for _ in range(trials)
        ]
        assert float(touched_share(experts, chosen, tokens)) == pytest.approx(np.mean(hit) / experts, rel=0.02)


def test_dense_models_touch_no_experts() -> None:
    assert float(touched_share(0.0, 0.0, 32.0)) == 0.0


def test_window_stops_the_cache_from_growing(deploy) -> None:
    """gpt-oss-20b: 12 of 24 layers see 128 tokens, 8 heads of 64, keys and values, 2 bytes."""
    case = case_of([deploy("gpt-oss-20b", "mxfp4", "nvidia-h100-sxm", "vllm")])
    a_layer_token = 8 * 64 * 2 * 2
    assert float(cached_bytes(case, 8192.0)[0]) == 12 * a_layer_token * 8192 + 12 * a_layer_token * 128


def test_latent_cache_is_one_vector_a_layer(deploy) -> None:
    """DeepSeek-V3.1 at 163,840 tokens: 61 x 576 x 2 bytes, 10.72 GiB in all (not 2.08)."""
    case = case_of([deploy("deepseek-v3.1", "fp8", "nvidia-h200-sxm", "vllm", device_count=8, tensor_parallel=8)])
    assert float(cached_bytes(case, 163_840.0)[0]) / 2**30 == pytest.approx(10.72, abs=0.01)


@given(step=st.floats(1e-4, 1.0), stolen=st.floats(0, 100.0), first=st.floats(1e-3, 100.0), output=st.floats(1, 1e4))
def test_closed_loop_balance_holds(step: float, stolen: float, first: float, output: float) -> None:
    token = float(closed_loop_token_seconds(step, stolen, first, output))
    busy = stolen / (first + output * token)
    assert token >= step * (1 - 1e-9)
    assert token * (1 - busy) == pytest.approx(step, rel=1e-3)


@pytest.mark.parametrize(("model", "form", "device", "engine", "more"), SERVED)
def test_more_bandwidth_is_never_slower(deploy, model, form, device, engine, more) -> None:
    d = deploy(model, form, device, engine, concurrency=8, **more)
    published = d.device.bandwidth.value
    slow, fast = (speed(evolve(d, measured_bandwidth_bytes_per_s=published * f)) for f in (1.0, 1.3))
    assert fast.decode_tokens_per_s.value >= slow.decode_tokens_per_s.value
    assert fast.throughput_tokens_per_s.value >= slow.throughput_tokens_per_s.value
    assert fast.time_per_output_token_s.value <= slow.time_per_output_token_s.value


@pytest.mark.parametrize(("model", "form", "device", "engine", "more"), SERVED)
def test_more_users_never_lower_the_total(deploy, model, form, device, engine, more) -> None:
    curve = load_curve(deploy(model, form, device, engine, **more), range(1, 257, 5))
    assert np.all(np.diff(curve.throughput_tokens_per_s) >= -1e-6 * curve.throughput_tokens_per_s[:-1])
    assert np.all(np.diff(curve.time_per_output_token_s) >= -1e-9)


@settings(max_examples=40, deadline=None)
@given(which=st.sampled_from(SERVED), prompt=st.floats(16, 30_000), users=st.integers(1, 200))
def test_longer_prompt_never_shortens_the_wait(deploy, which, prompt: float, users: int) -> None:
    model, form, device, engine, more = which
    d = deploy(model, form, device, engine, concurrency=users, prompt_tokens=prompt, **more)
    longer = evolve(d, prompt_tokens=prompt * 1.5)
    assert speed(longer).time_to_first_token_s.value >= speed(d).time_to_first_token_s.value * (1 - 1e-9)


def test_one_row_as_many_rows(deploy) -> None:
    deployments = [deploy(*w[:4], concurrency=n, **w[4]) for w in SERVED for n in (1, 7, 90)]
    calibration = load_calibration()
    for kind in ("decode", "prefill", "ttft", "tpot", "throughput"):
        together = case_of(deployments)
        many = expected_by_kind(together, calibration.constants(together), [kind] * len(deployments))
        for value, d in zip(many, deployments, strict=True):
            alone = case_of([d])
            assert value == pytest.approx(float(expected_by_kind(alone, calibration.constants(alone), [kind])[0]))


def test_prefix_cache_shortens_the_wait(deploy) -> None:
    d = deploy(*SERVED[0][:4], prompt_tokens=8000.0, **SERVED[0][4])
    kept = evolve(d, cached_prefix_share=0.8)
    assert speed(kept).time_to_first_token_s.value < 0.5 * speed(d).time_to_first_token_s.value


def test_speculation_gains_less_than_it_keeps(deploy) -> None:
    d = deploy(*SERVED[0][:4], **SERVED[0][4])
    plain, drafted = (speed(evolve(d, speculative_acceptance=a)).decode_tokens_per_s.value for a in (1.0, 2.5))
    assert plain * 1.2 < drafted < plain * 2.5


def test_layers_on_the_processor_slow_a_card_down(deploy) -> None:
    d = deploy("llama-3-8b", "q4_k_m", "nvidia-rtx-4090", "llama.cpp")
    half = evolve(d, offloaded_layer_share=0.5)
    assert speed(half).decode_tokens_per_s.value < 0.35 * speed(d).decode_tokens_per_s.value


def test_full_cache_makes_users_wait(deploy) -> None:
    d = deploy(
        "llama-3.3-70b", "fp8", "nvidia-h100-sxm", "vllm", device_count=2, tensor_parallel=2, prompt_tokens=8192.0,
        output_tokens=1024.0,
    )  # fmt: skip
    few, many = speed(evolve(d, concurrency=8)), speed(evolve(d, concurrency=64))
    assert many.time_to_first_token_s.value > 20 * few.time_to_first_token_s.value
    assert "speed.note.cache_full" in {n.key for n in many.notes}


def test_attention_data_parallelism_keeps_whole_attention(deploy) -> None:
    base = deploy("deepseek-r1", "nvfp4", "nvidia-b200", "trt-llm", device_count=8, concurrency=256)
    calibration = load_calibration()

    def cache_seconds(d) -> float:
        case = case_of([d])
        return float(decode_step(case, calibration.constants(case), 256.0, 4000.0).cache[0])

    cut = evolve(base, tensor_parallel=8)
    spread = evolve(base, tensor_parallel=1, data_parallel=8, expert_parallel=8)
    assert cache_seconds(spread) < 0.3 * cache_seconds(cut)


def test_load_is_the_unloaded_figure_for_one_user(deploy) -> None:
    d = deploy(*SERVED[0][:4], **SERVED[0][4])
    case = case_of([d])
    load = serve(case, load_calibration().constants(case))
    assert float(load.time_per_output_token_s[0]) == pytest.approx(float(load.step.seconds[0]))
    assert float(load.prompt_share[0]) == 0.0
    assert speed(d).unloaded
