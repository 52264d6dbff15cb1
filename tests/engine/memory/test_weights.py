"""Weight bytes: worked numbers, published file sizes, and every model in every format."""

import math

import pytest

from engine.memory.format_rules import FormatRule, stored_as
from engine.memory.gguf_mix import more_bits, row_bytes
from engine.memory.tensors import KINDS, inventory
from engine.memory.weights import BITS, weight_bytes
from engine.units import GIB, GIGA


@pytest.mark.parametrize(("size", "expected"), [("fp32", 28.0), ("fp16", 14.0), ("int8", 7.0)])
def test_seven_billion_parameters(size, expected):
    """The handbook: 7 B parameters are 28, 14 and 7 GB at FP32, FP16 and INT8."""
    assert 7e9 * BITS[size][0] / 8 / GIGA == pytest.approx(expected)


def test_two_billion_parameters():
    """The handbook: 2 B are 4 GB at 16 bit and 1 GB at 4 bit (without scales)."""
    assert 2e9 * BITS["bf16"][0] / 8 / GIGA == pytest.approx(4.0)
    assert pytest.approx(1.0) == 2e9 * 4 / 8 / GIGA
    assert 1.0 < 2e9 * BITS["int4-g128"][0] / 8 / GIGA < 1.05


def test_llama_2_7b_is_a_seven_billion_model(catalogue):
    model = catalogue.model("llama-2-7b")
    assert weight_bytes(model, catalogue.weight_format("fp16")).total == pytest.approx(2 * 6_738_415_616)
    assert weight_bytes(model, catalogue.weight_format("fp32")).total == pytest.approx(4 * 6_738_415_616)


def test_rows_that_are_no_multiple_of_a_block_fall_back():
    assert row_bytes("Q4_K", 4096) == 4096 / 256 * 144
    assert row_bytes("Q4_K", 2880) == 2880 / 32 * 22  # Q5_0
    assert row_bytes("Q6_K", 2880) == 2880 / 32 * 34  # Q8_0
    assert row_bytes("Q4_K", 100) == 200  # F16
    assert row_bytes("IQ3_S", 2880) == 2880 / 32 * 18  # IQ4_NL


def test_layers_with_more_bits():
    """32 layers: the first four, the last four, and every third of those between."""
    chosen = [layer for layer in range(32) if more_bits(layer, 32)]
    assert chosen == [0, 1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28, 29, 30, 31]


@pytest.mark.parametrize(
    ("model", "size", "gib"),
    [
        ("llama-2-7b", "q4_0", 3.56),
        ("llama-2-7b", "q4_k_m", 3.80),
        ("llama-2-7b", "q8_0", 6.67),
        ("gpt-oss-120b", "mxfp4", 59.02),
        ("deepseek-v3", "q4_k_m", 376.65),
        ("qwen3-30b-a3b", "q4_k_m", 17.28),
    ],
)
def test_file_sizes_printed_by_llama_cpp(catalogue, model, size, gib):
    """Sizes llama-bench prints for these files (ggml-org/llama.cpp README and discussions)."""
    engine = catalogue.engine("llama.cpp")
    assert weight_bytes(catalogue.model(model), catalogue.weight_format(size), engine).total / GIB == pytest.approx(
        gib, rel=0.01
    )


def test_every_model_in_every_format_is_finite_and_positive(catalogue):
    for model in catalogue.models.values():
        if not model.n_layers:
            continue
        for weight_format in catalogue.weight_formats.values():
            for engine in (None, catalogue.engine("llama.cpp")):
                size = weight_bytes(model, weight_format, engine)
                assert math.isfinite(size.total), (model.id, weight_format.id)
                assert 0 < size.always <= size.total * (1 + 1e-12), (model.id, weight_format.id)
                assert size.routed + size.embedding <= size.total
                tensors = inventory(model)
                per_weight = 8 * size.total / (tensors.total - (0 if size.beside_in_total else tensors.beside))
                assert 1.4 < per_weight <= 32.0, (model.id, weight_format.id)


def test_wider_is_never_smaller(catalogue):
    order = ("bnb-nf4-dq", "nvfp4", "fp8", "bf16", "fp32")
    gguf = (
        "iq1_s",
        "iq2_xxs",
        "iq2_s",
        "iq3_xxs",
        "iq3_s",
        "iq4_xs",
        "q4_k_s",
        "q4_k_m",
        "q5_k_m",
        "q6_k",
        "q8_0",
        "bf16",
    )
    for model in catalogue.models.values():
        if model.n_layers and model.id not in ("gemma-4-31b", "gemma-4-26b-a4b"):
            for names in (order, gguf):
                sizes = [weight_bytes(model, catalogue.weight_format(n)).total for n in names]
                if model.id.startswith("gpt-oss") and names is gguf:
                    continue  # rows of 2880: narrow K-quants fall back to wider blocks
                assert sizes == sorted(sizes), (model.id, names)


def test_a_file_size_wins(catalogue):
    model, size = catalogue.model("qwen3-30b-a3b"), catalogue.weight_format("ud-q4_k_xl")
    told = weight_bytes(model, size, None, 17.7 * GIB)
    assert told.total == pytest.approx(17.7 * GIB)
    guessed = weight_bytes(model, size)
    assert told.routed / told.total == pytest.approx(guessed.routed / guessed.total)


def test_gguf_keeps_the_vision_tower_in_a_file_of_its_own(catalogue):
    model = catalogue.model("gemma-4-31b")
    text = weight_bytes(model, catalogue.weight_format("bf16"), catalogue.engine("llama.cpp"))
    whole = weight_bytes(model, catalogue.weight_format("bf16"))
    assert text.total / GIB == pytest.approx(57.18, rel=1e-3)
    assert whole.total - text.total == pytest.approx(whole.beside, rel=5e-3)


def test_nvfp4_keeps_what_its_checkpoints_keep(catalogue):
    assert stored_as(FormatRule("nvfp4", "vllm", "deepseek-v3"), "mla_q_a") == "bf16"
    assert stored_as(FormatRule("nvfp4", "vllm", "deepseek-v3"), "attention_output") == "nvfp4"
    assert stored_as(FormatRule("nvfp4", "vllm", "llama-3.1-8b"), "attention_q") == "nvfp4"
    assert stored_as(FormatRule("nvfp4", "vllm", "llama-3.1-8b"), "lm_head") == "bf16"


def test_format_rules_name_real_things(catalogue):
    from engine.memory.format_rules import _exceptions

    for (size, engine, model, kind), way in _exceptions().items():
        assert size in catalogue.weight_formats
        assert engine == "*" or engine.startswith("other:") or engine in catalogue.engines
        assert model == "*" or model in catalogue.models
        assert kind in KINDS or kind == "projections"
        assert way in BITS
