"""Training memory: the arithmetic everybody checks first, what sharding divides, published runs, properties."""

from functools import lru_cache

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.catalogue import load_catalogue
from engine.errors import Refused
from engine.memory.device_memory import visible_memory
from engine.memory.training import METHODS, TrainingQuestion, fewest_shards, layer_bytes, trainable, training_memory
from engine.units import GIB
from tests.engine.memory.conftest import CATALOGUE


@lru_cache(maxsize=1)
def built_in():
    return load_catalogue(CATALOGUE)


def asked(model="llama-2-7b", size="bf16", **options):
    c = built_in()
    return TrainingQuestion(c.model(model), c.weight_format(size), **options)


def parts(question):
    return {name: e.value for name, e in training_memory(question).parts}


def test_sixteen_bytes_a_parameter():
    """Full training with AdamW in mixed precision: 4 + 4 + 8 bytes a parameter before any activation."""
    found = parts(asked(method="full", checkpointing=True))
    states = found["weights"] + found["gradients"] + found["optimizer"]
    assert states / 6_738_415_616 == pytest.approx(16.0)


def test_eight_bytes_in_pure_bf16():
    found = parts(asked(method="full", mixed_precision=False))
    assert (found["weights"] + found["gradients"] + found["optimizer"]) / 6_738_415_616 == pytest.approx(8.0)


def test_lora_trains_a_sliver():
    """Rank 8 on query and value of Llama-2-7B: 4.2 million parameters (arXiv 2106.09685)."""
    assert trainable(asked(method="lora", lora_rank=8)) == 32 * 8 * 4 * 4096
    assert parts(asked(method="lora"))["optimizer"] < 0.1 * GIB


def test_zero_stages_divide_in_order():
    """Stage 1 the optimizer, 2 the gradients too, 3 the weights too (arXiv 1910.02054)."""
    one, two, three = (parts(asked(method="full", zero_stage=stage, shards=8)) for stage in (1, 2, 3))
    whole = parts(asked(method="full"))
    assert one["optimizer"] == whole["optimizer"] / 8
    assert one["gradients"] == whole["gradients"]
    assert two["gradients"] == whole["gradients"] / 8
    assert three["weights"] < two["weights"]


def test_four_bit_weights_are_not_sharded_under_deepspeed():
    sharded = parts(asked("llama-3.1-70b", "bnb-nf4", method="qlora", zero_stage=3, shards=8))
    whole = parts(asked("llama-3.1-70b", "bnb-nf4", method="qlora", zero_stage=3, shards=8, deepspeed=True))
    assert whole["weights"] > 3 * sharded["weights"]


def test_the_vocabulary_matters():
    """Same step, four times the vocabulary: the logits grow by it."""
    small, large = parts(asked("llama-2-7b")), parts(asked("llama-3.1-8b"))
    assert large["logits"] / small["logits"] == pytest.approx(128_256 / 32_000)


def test_what_a_layer_saves_by_hand():
    """Llama-2-7B, LoRA, norms in FP32: two inputs, one norm output, q k v and attention output in 16 bits, three MLP widths."""
    question = asked(method="lora", framework="other:litgpt")
    sixteen_bit = 2 * (2 * 4096 + 4096 + 3 * 4096 + 4096 + 3 * 11_008)
    assert layer_bytes(question)[0] == sixteen_bit + 16 * 4096
    per_sequence = 32 * 1304 * (sixteen_bit + 16 * 4096)
    assert parts(evolve(question, sequence_length=1304, micro_batch=2))["activations"] == 2 * per_sequence


def test_trained_layers_save_their_inputs_too():
    frozen, trained = layer_bytes(asked(method="adapter"))[0], layer_bytes(asked(method="full"))[0]
    assert trained - frozen == 2 * (2 * 4096 + 11_008)


def test_checkpointing_keeps_inputs_and_one_layer():
    plain, lean = parts(asked(method="full")), parts(asked(method="full", checkpointing=True))
    assert lean["activations"] == 2048 * (32 * 2 * 4096 + layer_bytes(asked(method="full"))[0])
    assert plain["activations"] == 2048 * 32 * layer_bytes(asked(method="full"))[0]


def test_an_unknown_method_is_refused():
    with pytest.raises(Refused) as refused:
        training_memory(asked(method="prayer"))
    assert refused.value.message.key == "memory.refused.training_method"
    with pytest.raises(Refused):
        training_memory(asked("solar-pro-2"))


@settings(deadline=None, max_examples=80)
@given(
    method=st.sampled_from(METHODS),
    model=st.sampled_from(["llama-2-7b", "qwen3-30b-a3b", "gemma-3-4b", "deepseek-v2-lite"]),
    tokens=st.integers(128, 16_384),
    batch=st.integers(1, 8),
    stage=st.sampled_from([0, 1, 2, 3]),
    ranks=st.sampled_from([1, 2, 4, 8]),
)
def test_properties(method, model, tokens, batch, stage, ranks):
    size = "bnb-nf4" if method.startswith("q") else "bf16"
    question = asked(
        model, size, method=method, sequence_length=tokens, micro_batch=batch, zero_stage=stage, shards=ranks
    )
    total = training_memory(question).total_bytes
    assert total.low <= total.value <= total.high
    assert training_memory(evolve(question, sequence_length=tokens + 64)).total_bytes.value > total.value
    assert training_memory(evolve(question, micro_batch=batch + 1)).total_bytes.value > total.value
    assert training_memory(evolve(question, tensor_parallel=2)).total_bytes.value < total.value
    more = training_memory(evolve(question, shards=2 * ranks)).total_bytes.value
    # gathering layers costs something the first time weights are sharded
    assert more <= total.value or (stage == 3 and ranks == 1)
    if tokens * batch > 4096:
        assert training_memory(evolve(question, checkpointing=True)).total_bytes.value < total.value
    assert layer_bytes(question)[0] > 0


def test_without_flash_attention_memory_grows_with_the_square():
    def activations(tokens, flash):
        return parts(asked(method="full", sequence_length=tokens, flash_attention=flash))["activations"]

    assert activations(4096, True) == pytest.approx(2 * activations(2048, True))
    assert activations(4096, False) > 3 * activations(2048, False)


def test_fused_steps_save_what_they_say():
    whole = parts(asked(method="full"))
    assert parts(asked(method="full", fused_optimizer=True))["gradients"] == whole["gradients"] / 32
    assert parts(asked(method="full", fused_loss=True))["logits"] == 0


def test_fewest_shards():
    """16 bytes x 70 B over 80 GB cards: more than 16 of them, and what is named fits."""
    c = built_in()
    room = visible_memory(c.device("nvidia-h100-sxm"))
    question = asked("llama-3.1-70b", method="full", checkpointing=True, sequence_length=4096)
    fewest = fewest_shards(question, room)
    assert fewest == 32
    assert fewest_shards(question, room, most=8) is None
