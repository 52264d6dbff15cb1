"""Own rows on the disk: added, overridden, removed, never half written."""

from __future__ import annotations

import attrs
import pytest

from app.store import own_catalogue
from app.store.own_catalogue import BadRows, catalogue, put_row, put_rows, remove_row, table_named
from engine.errors import DamagedDocument, UnknownId


def test_add_override_remove(tmp_path):
    put_row("devices", "nvidia-p4", {"bandwidth_gb_s": "200"}, tmp_path)
    put_row("devices", "nvidia-p4", {"tdp_w": "80", "source": "a quote"}, tmp_path)
    changed = catalogue(tmp_path).device("nvidia-p4")
    assert (changed.bandwidth.value, changed.power.value, changed.power.source.where) == (200e9, 80, "a quote")
    assert changed.power.source.as_of
    remove_row("devices", "nvidia-p4", tmp_path)
    assert catalogue(tmp_path).overridden == frozenset()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UnknownId):
        remove_row("devices", "nvidia-p4", tmp_path)


def test_a_bad_change_writes_nothing(tmp_path):
    put_row("devices", "nvidia-p4", {"bandwidth_gb_s": "200"}, tmp_path)
    before = (tmp_path / "devices.csv").read_bytes()
    with pytest.raises(BadRows) as caught:
        put_row("devices", "nvidia-p4", {"bandwidth_gb_s": "fast"}, tmp_path)
    assert caught.value.problems[0].column == "bandwidth_gb_s"
    with pytest.raises(UnknownId):
        put_row("devices", "nvidia-p4", {"bandwith": "1"}, tmp_path)
    assert (tmp_path / "devices.csv").read_bytes() == before


def test_a_model_comes_in_with_its_layers_and_goes_whole(tmp_path):
    model = {
        "id": "ours", "name": "Ours", "family": "Llama", "params_total": "1e9", "params_active": "1e9", "n_layers": "4",
        "hidden": "64", "n_heads": "4", "n_kv_heads": "4", "head_dim": "16", "attention": "mha",
    }  # fmt: skip
    layers = {"id": "ours-1", "model": "ours", "kind": "full", "n_layers": "4", "n_kv_heads": "2", "key_dim": "16"}
    put_rows({"models": [model], "model_cache": [layers]}, "ours", tmp_path)
    put_rows({"models": [model], "model_cache": [{**layers, "n_kv_heads": "1"}]}, "ours", tmp_path)
    (group,) = catalogue(tmp_path).model("ours").cache_groups
    assert group.n_kv_heads == 1


def test_tables_have_the_names_people_use():
    assert table_named("device") == table_named("devices") == "devices"
    with pytest.raises(UnknownId):
        table_named("divices")


def test_a_file_that_is_no_text_is_named(tmp_path):
    (tmp_path / "devices.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DamagedDocument):
        catalogue(tmp_path)


def test_the_folder_is_the_users(monkeypatch, tmp_path):
    monkeypatch.setenv("WAYPOST_HOME", str(tmp_path))
    assert own_catalogue.own_folder() == tmp_path / "catalogue"


@pytest.mark.parametrize("name", ["llama-2-7b", "qwen3-next-80b-a3b", "deepseek-v3", "gemma-3-27b", "llama-4-scout"])
def test_a_kept_model_reads_back_the_same(tmp_path, name):
    built_in = catalogue(tmp_path).model(name)
    mine = attrs.evolve(built_in, id="mine")
    own_catalogue.keep_model(mine, tmp_path)
    made = catalogue(tmp_path)
    assert attrs.evolve(made.model("mine"), source=mine.source) == mine
    assert ("models", "mine") in made.overridden
    own_catalogue.forget_model("mine", tmp_path)
    assert catalogue(tmp_path).overridden == frozenset()
    with pytest.raises(UnknownId):
        own_catalogue.forget_model("mine", tmp_path)
