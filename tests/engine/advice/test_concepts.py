"""The cards: complete in both languages, pointing at pages and cards that exist."""

from __future__ import annotations

import pytest

from app.present.translator import LANGUAGES, texts
from engine.advice.concepts import CONCEPTS, GROUPS, concept
from engine.flow import pages

WANTED = {
    "inference", "serving", "batching", "latency_throughput", "replica", "load_balancer", "online_batch", "canary", "rollback",
    "vram", "memory_bandwidth", "tensor_core", "precision", "cuda", "cudnn", "nvlink", "thread_block_grid", "warp",
    "divergence", "sm", "host_device", "global_shared_memory", "systolic_array", "mxu", "hbm", "sram", "memory_bound",
    "prefill", "decode", "ttft", "kv_cache", "speculative_decoding", "deterministic_execution", "quantisation", "pruning",
    "distillation", "on_premise", "edge", "hybrid", "federated_learning",
}  # fmt: skip


def test_every_wanted_term_has_one_card():
    ids = [card.id for card in CONCEPTS]
    assert len(ids) == len(set(ids))
    assert set(ids) >= WANTED


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_has_words(language):
    known = texts(language)
    for card in CONCEPTS:
        assert {card.term.key, card.text.key, card.ask.key} <= set(known), card.id
    assert {f"concept_group.{group}" for group in GROUPS} <= set(known)


def test_cards_point_at_pages_and_cards_that_exist():
    for card in CONCEPTS:
        assert card.page in pages(), card.id
        for other in card.related:
            assert concept(other).id == other
        assert card.id not in card.related


def test_an_unknown_card_is_an_error():
    with pytest.raises(KeyError):
        concept("blockchain")
