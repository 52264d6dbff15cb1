"""The sweep's tables say what `fit` says."""

import numpy as np
import pytest

from engine.deployment import Deployment
from engine.memory.inverse import room
from engine.memory.need import need_of
from engine.memory.tables import memory_tables

MODELS = ("llama-3.1-8b", "gemma-3-27b", "qwen3.5-27b", "qwen3-30b-a3b", "deepseek-v3", "gpt-oss-20b", "solar-pro-2")
DEVICES = ("nvidia-h100-sxm", "nvidia-l40s", "nvidia-rtx-4090", "apple-m4-max")
DEGREES = (1, 2, 4, 8)


@pytest.mark.parametrize(
    ("engine", "formats"), [("vllm", ("bf16", "fp8")), ("llama.cpp", ("q4_k_m", "q8_0")), ("mlx", ("mlx-4bit",))]
)
def test_tables_agree_with_the_fit(catalogue, engine, formats):
    models = [catalogue.model(m) for m in MODELS]
    devices = [catalogue.device(d) for d in DEVICES]
    serving = catalogue.engine(engine)
    tables = memory_tables(models, [catalogue.weight_format(f) for f in formats], devices, serving, DEGREES)
    rng = np.random.default_rng(7)
    compared = 0
    for _ in range(120):
        m, f, d, t = (int(rng.integers(n)) for n in (len(MODELS) - 1, len(formats), len(DEVICES), len(DEGREES)))
        tokens, count = float(rng.integers(1, 100_000)), float(rng.integers(1, 40))
        value, high = tables.total_bytes(*(np.array([i]) for i in (m, f, t, d)), np.array([tokens]), np.array([count]))
        if np.isnan(value[0]):
            continue
        cut = {"pipeline_parallel" if engine == "llama.cpp" else "tensor_parallel": DEGREES[t]}
        need = need_of(
            Deployment(
                models[m],
                catalogue.weight_format(formats[f]),
                devices[d],
                serving,
                context_tokens=int(tokens),
                concurrency=int(count),
                device_count=DEGREES[t],
                **cut,
            )
        )
        expected = need.total(tokens, count)
        embedding = tables.weights[m, f, t] - need.weights[0]  # llama.cpp leaves it on the host of a discrete card
        assert 0 <= embedding <= need.host_bytes
        assert value[0] == pytest.approx(float(expected[0]) + embedding)
        assert high[0] == pytest.approx(float(expected[2]) + embedding, rel=1e-3)
        space = tables.room_bytes(*(np.array([i]) for i in (m, t, d)))
        assert space[0][0] == pytest.approx(room(need).value, rel=0.01)
        compared += 1
    assert compared >= 25


def test_unpublished_shapes_and_forbidden_splits_are_nan(catalogue):
    models = [catalogue.model("solar-pro-2"), catalogue.model("qwen2.5-7b")]
    bf16 = [catalogue.weight_format("bf16")]
    tables = memory_tables(models, bf16, [catalogue.device("nvidia-h100-sxm")], catalogue.engine("vllm"), (1, 7))
    assert np.isnan(tables.weights[0]).all()
    assert not np.isnan(tables.weights[1, 0, 0])
    assert np.isnan(tables.weights[1, 0, 1])


def test_many_at_once(catalogue):
    models = [m for m in catalogue.models.values() if m.n_layers]
    devices = list(catalogue.devices.values())
    tables = memory_tables(models, [catalogue.weight_format("bf16")], devices, catalogue.engine("vllm"), (1, 8))
    rng = np.random.default_rng(3)
    n = 20_000
    m, t, d = rng.integers(len(models), size=n), rng.integers(2, size=n), rng.integers(len(devices), size=n)
    fits = tables.fits(
        m, np.zeros(n, np.intp), t, d, rng.integers(1, 65_536, n).astype(float), rng.integers(1, 64, n).astype(float)
    )
    assert fits.shape == (n,)
    assert 0 < fits.mean() < 1
