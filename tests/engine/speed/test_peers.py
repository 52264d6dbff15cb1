"""Faults found in other estimators (design notes, section 3 and 4.3), each with the right number."""

import pytest
from attrs import evolve

from engine.speed.case import case_of
from engine.speed.ceiling import decode_ceiling_tokens_per_s, least_step_bytes
from engine.speed.decode import cached_bytes
from engine.speed.rates import matrix_rates
from engine.speed.speed import speed
from engine.units import TERA


@pytest.mark.parametrize(
    ("device", "rate"),
    [("nvidia-h100-sxm", 989), ("nvidia-h100-pcie", 756.5), ("nvidia-a100-sxm-80gb", 312), ("nvidia-l40s", 362.05)],
)
def test_dense_matrix_rates_not_sparse_ones(catalogue, device: str, rate: float) -> None:
    """Row 51: sparse rates (1,979 for H100) or doubly halved ones (156 for A100) taken for dense."""
    rates = matrix_rates(catalogue.device(device), catalogue.weight_format("bf16"), "vllm")
    assert rates.kernels == pytest.approx(rate * TERA, rel=2e-3)
    assert rates.peak == rates.kernels


def test_grouped_heads_read_their_own_cache_only(deploy) -> None:
    """Row 41: flash attention charged with every query head. Llama-3-8B: 32 layers x 8 heads x 128 x 2 x 2 bytes a token."""
    case = case_of([deploy("llama-3-8b", "bf16", "nvidia-h100-sxm", "vllm")])
    assert float(cached_bytes(case, 1.0)[0]) == 131_072


def test_a_27b_model_in_4_bits_on_a_large_card(deploy) -> None:
    """Row 30: one constant for every card said 9 tokens/s; about 40 on an RTX 4090."""
    found = speed(deploy("gemma-3-27b", "q4_k_m", "nvidia-rtx-4090", "llama.cpp", prompt_tokens=128.0))
    assert 32 < found.decode_tokens_per_s.value < 50


def test_active_experts_decide_speed_and_not_memory(deploy) -> None:
    """Rows 27 and 29: 472 tokens/s promised where 150 to 180 came. Ceiling from the active bytes, expected well below."""
    found = speed(deploy("qwen3-30b-a3b", "q4_k_m", "nvidia-rtx-4090", "llama.cpp", prompt_tokens=128.0))
    case = case_of([deploy("qwen3-30b-a3b", "q4_k_m", "nvidia-rtx-4090", "llama.cpp")])
    assert float(least_step_bytes(case, 1.0, 0.0)[0]) < 3e9
    assert 120 < found.decode_tokens_per_s.value < 300


@pytest.mark.parametrize(
    ("engine", "seen"), [("trt-llm", (0.73, 0.61, 0.46, 0.29)), ("vllm", (0.68, 0.53, 0.37, 0.23))]
)
def test_share_of_bandwidth_falls_with_tensor_parallelism(deploy, engine: str, seen: tuple[float, ...]) -> None:
    """Section 4.3: what Llama-70B on H200 (a chip no row of the fit was of) reaches of the bandwidth at TP 1, 2, 4, 8; a
    constant share would promise 2-4 times too much.
    """
    shares = []
    for degree in (1, 2, 4, 8):
        d = deploy(
            "llama-3.1-70b", "fp8", "nvidia-h200-sxm", engine, device_count=degree, tensor_parallel=degree,
            concurrency=4, prompt_tokens=1024.0, output_tokens=1024.0,
        )  # fmt: skip
        token = speed(d).time_per_output_token_s.value
        ceiling = float(decode_ceiling_tokens_per_s(case_of([d]), 4.0, 1536.0)[0])
        shares.append(4.0 / token / ceiling)
    assert shares == sorted(shares, reverse=True)
    for share, measured in zip(shares, seen, strict=True):
        assert share == pytest.approx(measured, rel=0.3)


def test_first_token_under_load_is_several_prompts_late(deploy) -> None:
    """Section 4.3: measured TTFT over a solo prompt is 5 at 16 users and 7 at 64; solo figures must say they are unloaded."""
    d = deploy(
        "llama-3.1-70b", "fp8", "nvidia-h100-sxm", "vllm", device_count=4, tensor_parallel=4, prompt_tokens=8192.0,
        output_tokens=1024.0,
    )  # fmt: skip
    alone, busy = speed(d), speed(evolve(d, concurrency=64))
    assert alone.unloaded
    assert not busy.unloaded
    assert busy.time_to_first_token_s.value > 3 * alone.time_to_first_token_s.value


def test_time_per_token_leaves_the_first_one_out(deploy) -> None:
    """Row 26: TPOT is (whole time - TTFT) / (tokens - 1), so a one-token answer takes its TTFT and no more."""
    d = deploy("llama-3.1-8b", "bf16", "nvidia-h100-sxm", "vllm", output_tokens=101.0)
    found = speed(d)
    whole = found.time_to_first_token_s.value + 100 * found.time_per_output_token_s.value
    assert found.throughput_tokens_per_s.value == pytest.approx(101 / whole)


def test_mixed_steps_are_not_the_sum_of_their_worst_cases(deploy) -> None:
    """Row 23: a mixed step of 2,048-token prompts at 4 users on H200 was put at 45.64 ms where 15.09 came."""
    d = deploy("qwen3-32b", "fp8", "nvidia-h200-sxm", "vllm", concurrency=4, prompt_tokens=2048.0, output_tokens=512.0)
    assert speed(d).time_per_output_token_s.value < 0.0228


def test_sweep_and_single_answer_reproduce(deploy) -> None:
    """Row 32: the same question gives the same number, whatever was asked between."""
    d = deploy("llama-3.1-8b", "fp8", "nvidia-l40s", "vllm", concurrency=8)
    before = speed(d)
    speed(evolve(d, concurrency=200))
    assert speed(evolve(d, concurrency=8)) == before
