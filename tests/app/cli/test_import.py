"""`waypost import`: a model's own files become a model every command knows."""

from __future__ import annotations

import json

import pytest

CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632,
    "num_hidden_layers": 22, "num_attention_heads": 32, "num_key_value_heads": 4, "vocab_size": 32000,
    "max_position_embeddings": 2048, "torch_dtype": "bfloat16", "tie_word_embeddings": False,
}  # fmt: skip
PARAMETERS = 1_100_048_384
"""TinyLlama 1.1B, counted by hand: 2 x 32000 x 2048 + 22 x (2 x 2048^2 + 2 x 2048 x 256 + 3 x 2048 x 5632 + 2 x 2048) + 2048."""


@pytest.fixture
def config(tmp_path):
    folder = tmp_path / "TinyLlama-1.1B"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    return folder / "config.json"


def test_a_config_becomes_a_model(waypost, config):
    ran = waypost("import", config, "--id", "tiny", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["params_total"] == pytest.approx(PARAMETERS, rel=0.001)
    assert (ran.json["n_layers"], ran.json["n_kv_heads"], ran.json["max_context"]) == (22, 4, 2048)
    fit = waypost(
        "fit", "--model", "tiny", "--format", "bf16", "--device", "nvidia-rtx-4090", "--context", "2048", "--json"
    ).json
    assert fit["weights_bytes"]["value"] == pytest.approx(2 * PARAMETERS, rel=0.002)
    assert fit["kv_cache_bytes"]["value"] == pytest.approx(2048 * 22 * 2 * 4 * 64 * 2, rel=0.02)
    shown = waypost("catalogue", "show", "model", "tiny", "--json").json
    assert shown["own"] is True
    assert waypost("catalogue", "remove", "model", "tiny").code == 0
    assert waypost("catalogue", "check", "--json").json["own_rows"] == 0


def test_a_second_import_replaces_the_first(waypost, config):
    for name in ("One", "Two"):
        assert waypost("import", config, "--id", "tiny", "--name", name).code == 0
    assert waypost("catalogue", "show", "model", "tiny", "--json").json["name"] == "Two"


def test_show_keeps_nothing(waypost, config, home):
    ran = waypost("import", config, "--show", "--lang", "ko")
    assert ran.code == 0
    assert "[" not in ran.out
    assert not (home / "catalogue").exists()


def test_a_built_in_model_is_not_replaced_by_accident(waypost, config):
    assert "--id" in waypost("import", config, "--id", "llama-2-7b").refused()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"hidden_size": -1}', '{"a": ' * 9000, "\0\0"])
def test_a_bad_file_is_a_sentence(waypost, tmp_path, content, home):
    file = tmp_path / "config.json"
    file.write_text(content, encoding="utf-8")
    assert "config.json" in waypost("import", file).refused()
    assert not (home / "catalogue").exists()


@pytest.mark.parametrize("name", ["x.gguf", "x.safetensors", "x.safetensors.index.json", "x.txt"])
def test_other_bad_files_are_sentences(waypost, tmp_path, name):
    (tmp_path / name).write_bytes(b"\xff" * 64)
    waypost("import", tmp_path / name).refused()


def test_no_file_and_an_empty_folder(waypost, tmp_path):
    assert "none" in waypost("import", tmp_path / "none.gguf").refused()
    waypost("import", tmp_path).refused()
