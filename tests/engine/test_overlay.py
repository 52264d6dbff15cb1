"""The user's own rows on top of the built-in catalogue."""

from __future__ import annotations

import pytest

from app.host.paths import CATALOGUE
from engine.catalogue import load_catalogue
from engine.catalogue.overlay import OWN_SOURCE

BUILT_IN = load_catalogue(CATALOGUE)


def with_own(**tables):
    return load_catalogue(CATALOGUE, tables)


def test_one_cell_overrides_and_the_rest_stays_built_in():
    made = with_own(devices="id,bandwidth_gb_s,source,as_of\nnvidia-p4,200,quote 17,2026-08-01\n")
    p4, before = made.device("nvidia-p4"), BUILT_IN.device("nvidia-p4")
    assert (p4.bandwidth.value, p4.bandwidth.source.where, p4.bandwidth.source.as_of) == (
        200e9,
        "quote 17",
        "2026-08-01",
    )
    assert (p4.memory, p4.power, p4.name) == (before.memory, before.power, before.name)
    assert made.overridden == {("devices", "nvidia-p4")}
    assert made.problems == ()


def test_a_new_device_stands_alone_and_its_blanks_are_unknown():
    made = with_own(devices="id,name,vendor,kind,segment,memory_gb\nours,Our chip,Us,npu,edge,12\n")
    ours = made.device("ours")
    assert (ours.memory.value, ours.memory.source.where, ours.bandwidth) == (12e9, OWN_SOURCE, None)
    assert len(made.devices) == len(BUILT_IN.devices) + 1


def test_an_overridden_price_does_not_keep_the_old_source():
    price = with_own(api_prices="id,output_usd_per_mtok\nopenai-gpt-6-astra,40\n").api_prices["openai-gpt-6-astra"]
    assert (price.output_usd_per_mtok, price.source.where) == (40, OWN_SOURCE)
    assert price.input_usd_per_mtok == BUILT_IN.api_prices["openai-gpt-6-astra"].input_usd_per_mtok


def test_own_layers_replace_all_built_in_ones_of_that_model():
    name = "llama-2-7b"
    made = with_own(
        model_cache="id,model,kind,n_layers,n_kv_heads,key_dim,value_dim\n"
        f"a,{name},full,16,8,64,64\nb,{name},full,16,4,64,64\n"
    )
    assert [(g.n_layers, g.n_kv_heads) for g in made.model(name).cache_groups] == [(16, 8), (16, 4)]
    assert made.model("llama-2-13b") == BUILT_IN.model("llama-2-13b")


def test_the_version_changes_with_the_rows():
    first = with_own(api_prices="id,output_usd_per_mtok\nopenai-gpt-6-astra,40\n").version
    second = with_own(api_prices="id,output_usd_per_mtok\nopenai-gpt-6-astra,41\n").version
    assert first.startswith(BUILT_IN.version + "+own.")
    assert len({first, second, BUILT_IN.version, with_own(api_prices="").version}) == 3


@pytest.mark.parametrize(
    ("table", "text", "column", "key"),
    [
        ("devices", "id,bandwidth_gbs\nnvidia-p4,200\n", "bandwidth_gbs", "catalogue.unknown_column"),
        ("devices", "id,bandwidth_gb_s\nnvidia-p4,fast\n", "bandwidth_gb_s", "catalogue.not_a_number"),
        ("devices", "id,bandwidth_gb_s\nnvidia-p4,-1\n", "bandwidth_gb_s", "catalogue.too_small"),
        ("devices", "id,bandwidth_gb_s\nnvidia-p4,nan\n", "bandwidth_gb_s", "catalogue.not_a_number"),
        ("devices", "id,bandwidth_gb_s\nnew-one,200\n", "name", "catalogue.empty"),
        ("devices", "id,tdp_w\nnvidia-p4,1,2\n", "", "catalogue.wrong_cell_count"),
        ("devices", "id,tdp_w\nnvidia-p40,1\nnvidia-p40,2\n", "id", "catalogue.twice"),
        ("devices", "tdp_w\n1\n", "id", "catalogue.no_column"),
        ("devices", "id,tdp_w\n,1\n", "id", "catalogue.empty"),
        ("gpu_cloud_prices", "id,device\naws-p4d.24xlarge-us-east-1,nope\n", "device", "catalogue.dangling"),
    ],
)
def test_a_bad_own_row_is_named_and_the_built_in_one_stays(table, text, column, key):
    made = with_own(**{table: text})
    assert (column, key) in {(p.column, p.message.key) for p in made.problems}
    assert all(p.file.startswith("own/") for p in made.problems)
    assert made.device("nvidia-p4") == BUILT_IN.device("nvidia-p4")
