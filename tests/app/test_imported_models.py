"""A model read from its own files, kept among the user's rows, answers as before."""

import json

import pytest

from app.store.own_catalogue import catalogue, keep_model
from engine.imports import import_config, import_gguf
from engine.memory.kv_cache import CachePlan, cache_rule, kv_cache_bytes
from engine.memory.weights import weight_bytes
from tests.engine.imports.configs import CONFIGS
from tests.engine.imports.test_gguf import ARCHITECTURES


def same(kept, found, known):
    plan = CachePlan(cache_rule("llama.cpp", ""), "f16")
    for tokens in (1, 5000):
        assert float(kv_cache_bytes(kept, plan, tokens, 1)) == float(kv_cache_bytes(found, plan, tokens, 1))
    for size in ("bf16", "q4_k_m"):
        weight_format = known.weight_format(size)
        assert weight_bytes(kept, weight_format).total == weight_bytes(found, weight_format).total
    assert kept.params_active == found.params_active


@pytest.mark.parametrize("make", ARCHITECTURES)
def test_from_gguf(tmp_path, make):
    found = import_gguf(make(tmp_path)).model
    keep_model(found, tmp_path / "own")
    known = catalogue(tmp_path / "own")
    assert known.problems == ()
    same(known.model(found.id), found, known)


@pytest.mark.parametrize("name", CONFIGS)
def test_from_config(tmp_path, name):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIGS[name]), encoding="utf-8")
    found = import_config(path).model
    keep_model(found, tmp_path / "own")
    known = catalogue(tmp_path / "own")
    assert known.problems == ()
    same(known.model(found.id), found, known)
