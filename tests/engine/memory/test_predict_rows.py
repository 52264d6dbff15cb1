"""Rows in the shared vocabulary: what is read from which cell, and what is refused. The rows here are made up."""

import pytest

from engine.errors import Refused, UnknownId
from engine.memory.predict_rows import predict
from engine.memory.weights import weight_bytes
from engine.units import GIB

ROW = {
    "kind": "memory_weights", "model": "llama-3.1-8b", "format": "bf16", "kv_format": "", "device": "nvidia-h100-sxm",
    "devices": "1",
    "tp": "1", "pp": "1", "ep": "1", "dp": "1", "engine": "vllm", "engine_version": "0.19.0", "context_tokens": "8192",
    "concurrency": "4", "method": "", "zero_stage": "", "sequence_length": "", "micro_batch": "", "note": "",
}  # fmt: skip


def row(**cells):
    return {**ROW, **cells}


def test_weights_of_a_device_and_of_a_file(catalogue):
    assert predict(row(), catalogue).value == pytest.approx(14.99, abs=0.01)
    assert predict(row(tp="2"), catalogue).value == pytest.approx(7.51, abs=0.01)
    file = predict(row(engine="llama.cpp", format="q4_k_m", device="", engine_version=""), catalogue).value
    inside = weight_bytes(
        catalogue.model("llama-3.1-8b"), catalogue.weight_format("q4_k_m"), catalogue.engine("llama.cpp")
    )
    assert 0.001 < file - inside.total / GIB < 0.02  # the header


def test_a_noted_file_size_is_an_input(catalogue):
    told = row(engine="llama.cpp", format="ud-q4_k_xl", note="file_gib=4.64; other words")
    assert predict(told, catalogue).value == pytest.approx(4.64)


def test_cache_takes_fractions_of_sequences(catalogue):
    found = predict(row(kind="memory_kv", concurrency="58.1074"), catalogue)
    assert found.value == pytest.approx(58.1074)
    assert found.low <= found.value <= found.high


def test_total_is_the_sum_without_graphs(catalogue):
    total = predict(row(kind="memory_total", concurrency="58.1074"), catalogue).value
    assert total == pytest.approx(0.95 * 79.19, rel=0.002)


def test_training_reads_its_options(catalogue):
    cells = {"kind": "memory_training", "engine": "other:torchtune", "sequence_length": "2048", "micro_batch": "2"}
    full = predict(row(method="full+adamw+no-checkpointing", **cells), catalogue).value
    lean = predict(row(method="lora+adamw+full-checkpointing", **cells), catalogue).value
    assert full > 4 * lean


@pytest.mark.parametrize(
    "cells",
    [{"kind": "memory_kv", "context_tokens": ""}, {"kind": "memory_training", "method": "lora"}, {"kind": "decode"}],
)
def test_what_cannot_be_predicted_is_refused(catalogue, cells):
    with pytest.raises(Refused):
        predict(row(**cells), catalogue)


def test_unknown_models_are_named(catalogue):
    with pytest.raises(UnknownId):
        predict(row(model="llama-9"), catalogue)


def test_unknown_frameworks_are_answered(catalogue):
    assert predict(row(kind="memory_total", engine="other:somebody"), catalogue).value > 15


def test_attention_data_parallelism_spreads_the_experts(catalogue):
    """DP 8 without a stated EP: attention repeated, experts over all eight."""
    repeated = predict(row(model="deepseek-v3", format="fp8", dp="8"), catalogue).value
    split = predict(row(model="deepseek-v3", format="fp8", tp="8"), catalogue).value
    assert split < repeated < 1.3 * split


def test_devices_without_degrees_are_tensor_parallel(catalogue):
    assert predict(row(devices="4", tp="", pp="", dp=""), catalogue) == predict(row(devices="4", tp="4"), catalogue)


def test_options_of_a_training_run(catalogue):
    cells = {"kind": "memory_training", "engine": "transformers", "sequence_length": "2048", "micro_batch": "1"}
    adam = predict(row(method="full+adamw+full-checkpointing", **cells), catalogue).value
    eight = predict(row(method="full+paged-adamw-8bit+full-checkpointing", **cells), catalogue).value
    pure = predict(row(method="full+adamw+bf16-true+full-checkpointing", **cells), catalogue).value
    assert adam - eight == pytest.approx(6 * 8.03e9 / GIB * 1.08, rel=0.01)
    assert adam - pure == pytest.approx(8 * 8.03e9 / GIB * 1.08, rel=0.01)
