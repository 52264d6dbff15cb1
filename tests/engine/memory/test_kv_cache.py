"""The cache, against worked oracles, published pools and the faults users report of other tools."""

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.catalogue import load_catalogue
from engine.errors import Refused
from engine.memory.kv_cache import CachePlan, cache_rule, kv_cache_bytes, page_tokens
from engine.units import GIB, MIB
from tests.engine.memory.conftest import CATALOGUE


@lru_cache(maxsize=1)
def built_in():
    """Hypothesis prints its arguments: no catalogue among them."""
    return load_catalogue(CATALOGUE)


def plan(engine="", version="", kv_format="f16", **degrees):
    return CachePlan(cache_rule(engine, version), kv_format, **degrees)


def cache(catalogue, model, tokens, sequences=1, **options):
    return float(kv_cache_bytes(catalogue.model(model), plan(**options), tokens, sequences))


@pytest.mark.parametrize(
    ("model", "tokens", "gib"),
    [
        ("gemma-3-27b", 131_072, 10.41),  # windows ignored: 81.4 GB (unsloth PR 4757)
        ("deepseek-v3.1", 163_840, 10.72),  # said 2.08 GB there
        ("llama-3-8b", 8_192, 1.0),  # gpu_poor: 8 GiB, no grouped queries
        ("qwen3-0.6b", 32_768, 3.5),  # whichllm: 0.07; half with head_dim = hidden / heads
        ("llama-3.1-8b", 131_072, 16.0),
    ],
)
def test_oracles_as_the_model_defines_them(catalogue, model, tokens, gib):
    assert cache(catalogue, model, tokens) / GIB == pytest.approx(gib, abs=0.005)


def test_thirty_six_layers_of_eight_heads(catalogue):
    """Osmantic/ODS 3324: 4.5 GiB at 32K and 36 GiB at 256K."""
    assert cache(catalogue, "qwen3-8b", 32_768) / GIB == pytest.approx(4.5)
    assert cache(catalogue, "qwen3-8b", 262_144) / GIB == pytest.approx(36.0)


def test_mistral_small_per_token(catalogue):
    assert cache(catalogue, "mistral-small-3-24b", 1) == 163_840


def test_qwen3_6_27b(catalogue):
    """16 full layers (llmfit: 64 GiB, LM Studio: 75 GB with weights); the linear layers keep 149.6 MiB a sequence."""
    state = cache(catalogue, "qwen3.6-27b", 0)
    assert state / MIB == pytest.approx(149.625)
    assert cache(catalogue, "qwen3.6-27b", 131_072, kv_format="fp8") - state == 4_294_967_296
    assert (cache(catalogue, "qwen3.6-27b", 262_144) - state) / GIB == 16.0
    assert 4 * state / MIB == pytest.approx(598.5)  # LM Studio's log with four slots


def test_gpt_oss_20b_windows_and_pages(catalogue):
    windowed = cache(catalogue, "gpt-oss-20b", 8_192, 32)
    assert windowed / GIB == pytest.approx(6.09, abs=0.005)
    assert cache(catalogue, "gpt-oss-20b", 8_192, 32, engine="vllm", version="0.19.0") / GIB == pytest.approx(12.0)
    assert cache(catalogue, "gpt-oss-20b", 9_001) - cache(catalogue, "gpt-oss-20b", 9_000) == 24_576
    assert cache(catalogue, "gpt-oss-20b", 131_072) / GIB == pytest.approx(3.0, abs=0.06)  # gguf-parser 32: 6.00


def test_vllm_stops_charging_windows_past_window_and_chunk(catalogue):
    """Windowed layers need window - 1 + 8192 tokens; the old manager charged them the whole length (RFC 11382)."""
    old = cache(catalogue, "gemma-3-27b", 131_072, engine="vllm", version="0.8.0")
    new = cache(catalogue, "gemma-3-27b", 131_072, engine="vllm", version="0.19.0")
    assert old / GIB == pytest.approx(62.0)
    assert new == (10 * 131_072 + 60 * 9_216) * 8_192


@pytest.mark.parametrize(
    ("model", "pool_gib", "pool_tokens"),
    [("llama-3.1-8b", 58.11, 476_016), ("qwen2.5-7b", 58.53, 1_096_000), ("mistral-small-3-24b", 28.20, 184_832)],
)
def test_pools_vllm_printed(catalogue, model, pool_gib, pool_tokens):
    """vLLM 0.19 on H100: what a pool of that size holds."""
    size = cache(catalogue, model, 8_192, pool_tokens / 8_192, engine="vllm", version="0.19.0")
    assert size / GIB == pytest.approx(pool_gib, rel=5e-4)


@pytest.mark.parametrize(
    ("model", "ranks", "layers", "token_bytes"),
    [
        ("gemma-3-27b", 1, 10 + 60, 2 * 16 * 128 * 2),  # 52 windowed layers in six groups of ten
        ("gemma-2-9b", 1, 42, 2 * 8 * 256 * 2),  # 21 and 21: two equal groups
        ("gpt-oss-20b", 2, 24, 2 * 4 * 64 * 2),
        ("deepseek-v2-lite", 1, 27, 576 * 2),
        ("qwen2.5-7b", 4, 28, 2 * 1 * 128 * 2),
    ],
)
def test_vllm_pages_by_hand(catalogue, model, ranks, layers, token_bytes):
    """8,192 tokens lie within window and chunk, so every allocated layer claims all of them."""
    size = cache(catalogue, model, 8_192, engine="vllm", version="0.19.0", tensor_parallel=ranks)
    assert size == layers * token_bytes * 8_192


def test_kv_heads_are_repeated_where_they_are_fewer_than_the_ranks(catalogue):
    one = cache(catalogue, "qwen2.5-7b", 8_192)
    assert cache(catalogue, "qwen2.5-7b", 8_192, tensor_parallel=4) == one / 4
    assert cache(catalogue, "qwen2.5-7b", 8_192, tensor_parallel=8) == one / 4


def test_the_latent_is_not_divided(catalogue):
    assert cache(catalogue, "deepseek-v3", 8_192, tensor_parallel=8) == cache(catalogue, "deepseek-v3", 8_192)


def test_llama_cpp_pads_and_kept_mla_values_until_2026(catalogue):
    assert cache(catalogue, "llama-3-8b", 1, engine="llama.cpp", version="b8000") == 256 * 131_072
    before = cache(catalogue, "deepseek-v3", 4_096, engine="llama.cpp", version="b7000")
    after = cache(catalogue, "deepseek-v3", 4_096, engine="llama.cpp", version="b8000")
    assert before == 2 * after


def test_block_scales_of_kv_formats(catalogue):
    wide = cache(catalogue, "llama-3-8b", 8_192)
    assert cache(catalogue, "llama-3-8b", 8_192, kv_format="q8_0") == wide / 2 * 34 / 32
    assert cache(catalogue, "llama-3-8b", 8_192, kv_format="q4_0") == wide / 2 * 18 / 32


def test_gemma_4_and_3n(catalogue):
    """Full layers of Gemma 4 have fewer and wider heads; the last 15 layers of Gemma 3n own no cache."""
    assert cache(catalogue, "gemma-4-31b", 100_001) - cache(catalogue, "gemma-4-31b", 100_000) == 10 * 4 * 1024 * 2
    assert cache(catalogue, "gemma-3n-e4b", 1) == 20 * 2 * 512 * 2


@pytest.mark.parametrize(("model", "tokens"), [("qwen3.5-27b", 784), ("qwen3-next-80b-a3b", 544)])
def test_a_page_of_attention_is_stretched_to_a_linear_state(catalogue, model, tokens):
    """vLLM sets attention blocks of 784 and 544 tokens for these, so that a page holds a state."""
    assert page_tokens(catalogue.model(model), plan("vllm", "0.22")) == tokens


def test_arrays_broadcast(catalogue):
    model = catalogue.model("gemma-3-27b")
    grid = kv_cache_bytes(model, plan(), np.array([[1024], [65536]]), np.array([1, 4, 16]))
    assert grid.shape == (2, 3)
    assert grid[1, 2] == 16 * float(kv_cache_bytes(model, plan(), 65_536, 1))


@settings(deadline=None)
@given(
    tokens=st.integers(1, 200_000),
    more=st.integers(1, 50_000),
    users=st.integers(1, 64),
    name=st.sampled_from(
        ["llama-3.1-8b", "gemma-3-27b", "gpt-oss-20b", "qwen3.5-27b", "deepseek-v4-pro", "llama-4-scout"]
    ),
    engine=st.sampled_from(["", "vllm", "llama.cpp", "sglang", "trt-llm", "mlx"]),
    ranks=st.sampled_from([1, 2, 4, 8]),
)
def test_more_never_needs_less(tokens, more, users, name, engine, ranks):
    catalogue = built_in()
    options = {"engine": engine, "version": "", "tensor_parallel": ranks}
    base = cache(catalogue, name, tokens, users, **options)
    assert cache(catalogue, name, tokens + more, users, **options) >= base > 0
    assert cache(catalogue, name, tokens, users + 1, **options) > base
    assert cache(catalogue, name, tokens, users, **{**options, "tensor_parallel": 2 * ranks}) <= base * (1 + 1e-12)
    assert cache(catalogue, name, tokens, users, **{**options, "kv_format": "f32"}) >= base
    assert (
        cache(catalogue, name, tokens, users, **{**options, "kv_format": "q4_0"}) <= base * 1.01
    )  # a page is whole tokens


def test_every_model_has_a_cache(catalogue):
    for model in catalogue.models.values():
        if model.n_layers and model.id != "solar-pro-2":
            assert float(kv_cache_bytes(model, plan("vllm"), 4_096, 1)) > 0, model.id
    with pytest.raises(Refused):
        kv_cache_bytes(catalogue.model("solar-pro-2"), plan(), 1, 1)
