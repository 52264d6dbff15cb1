"""The tensors add up to the published count, and a token reads what it should."""

import pytest
from attrs import evolve

from engine.errors import Refused
from engine.memory.tensors import KINDS, inventory


def shaped(catalogue):
    return [m for m in catalogue.models.values() if m.n_layers]


def test_the_catalogue_reads_without_a_problem(catalogue):
    assert catalogue.problems == ()


def test_kinds_are_known(catalogue):
    assert {g.kind for m in shaped(catalogue) for g in inventory(m).groups} <= KINDS


def test_sums_match_the_published_count(catalogue):
    """Mistral Large 4 is counted without its head in the catalogue; every other model to 0.01 %."""
    off = {m.id: inventory(m).total / m.params_total - 1 for m in shaped(catalogue)}
    assert {i: e for i, e in off.items() if abs(e) > 1e-4} == {"mistral-large-4": pytest.approx(0.0012, abs=2e-4)}


def test_what_no_shape_explains_is_small(catalogue):
    assert {m.id: s for m in shaped(catalogue) if (s := inventory(m).unexplained_share) > 1e-4} == {}


def test_llama_3_1_8b_by_hand(catalogue):
    tensors = inventory(catalogue.model("llama-3.1-8b"))
    assert tensors.elements({"attention_q"}) == 32 * 4096 * 4096
    assert tensors.elements({"attention_k", "attention_v"}) == 2 * 32 * 1024 * 4096
    assert tensors.elements({"mlp_gate", "mlp_up", "mlp_down"}) == 3 * 32 * 4096 * 14336
    assert tensors.embedding == tensors.head == 128256 * 4096
    assert tensors.active == tensors.always == tensors.total - 128256 * 4096
    assert tensors.routed == 0


def test_a_tied_head_is_read_whole(catalogue):
    tensors = inventory(catalogue.model("llama-3.2-1b"))
    assert tensors.head == tensors.embedding == 128256 * 2048
    assert tensors.always == tensors.total


def test_experts_of_qwen3_30b_a3b(catalogue):
    tensors = inventory(catalogue.model("qwen3-30b-a3b"))
    assert tensors.one_expert == 3 * 2048 * 768
    assert tensors.routed_per_layer == 128 * tensors.one_expert
    assert tensors.routed_layers == 48
    assert tensors.active == tensors.always + 48 * 8 * tensors.one_expert


def test_maverick_has_experts_in_every_second_layer(catalogue):
    assert inventory(catalogue.model("llama-4-maverick")).routed_layers == 24


def test_active_is_within_the_published_active_count(catalogue):
    """`params_active` counts embedding rows and towers; what a token multiplies with is never more."""
    for model in shaped(catalogue):
        assert 0 < inventory(model).active <= model.params_active * 1.02, model.id


def test_a_model_without_a_shape_is_refused(catalogue):
    with pytest.raises(Refused) as refused:
        inventory(catalogue.model("solar-pro-2"))
    assert refused.value.message.key == "memory.refused.shape_unpublished"


def test_an_unexplained_rest_is_its_own_group(catalogue):
    model = evolve(catalogue.model("llama-3.1-8b"), params_total=8.1e9)
    assert inventory(model).unexplained_share == pytest.approx(1 - 8030261248 / 8.1e9)
