"""`waypost fit`: the documented keys, and every bad word refused with its reason."""

from __future__ import annotations

import pytest

from engine.units import GIB

USUAL = ("--model", "llama-2-7b", "--format", "fp16", "--device", "nvidia-rtx-4090", "--context", "4096")
ESTIMATES = {
    "weights_bytes", "kv_cache_bytes", "runtime_bytes", "total_bytes", "device_memory_bytes", "max_context_tokens",
    "max_concurrency",
}  # fmt: skip


def words(**changes):
    """The usual words with some options changed (None: left out)."""
    usual = dict(zip(USUAL[::2], USUAL[1::2], strict=True))
    usual.update({f"--{name.replace('_', '-')}": value for name, value in changes.items()})
    return [str(w) for pair in usual.items() if pair[1] is not None for w in pair]


def test_seven_billion_at_sixteen_bits(waypost):
    ran = waypost("fit", *words(), "--json")
    assert (ran.code, ran.err) == (0, "")
    found = ran.json
    for name in ESTIMATES:
        assert set(found[name]) == {"value", "low", "high", "unit", "basis"}
    # 6,738,415,616 parameters at 2 bytes; 32 layers x 32 heads x 128 x 2 (keys, values) x 2 bytes a token.
    assert found["weights_bytes"]["value"] == pytest.approx(6_738_415_616 * 2, rel=0.001)
    assert found["kv_cache_bytes"]["value"] == pytest.approx(4096 * 32 * 32 * 128 * 2 * 2, rel=0.02)
    parts = sum(found[n]["value"] for n in ("weights_bytes", "kv_cache_bytes", "runtime_bytes"))
    assert found["total_bytes"]["value"] == pytest.approx(parts)
    assert found["device_memory_bytes"]["value"] < 24 * GIB
    assert found["fits"] is True
    assert found["max_context_tokens"]["value"] == 4096
    assert isinstance(found["remedies"], list)


def test_what_nobody_said_is_listed(waypost):
    assumed = waypost("fit", *words(), "--json").json["assumed"]
    assert assumed == {"engine": "vllm", "kv_format": "f16", "concurrency": 1}
    said = waypost(
        "fit", *words(engine="llama.cpp", kv_format="q8_0", concurrency=2), "--json"
    )  # fmt: skip
    assert said.json["assumed"] == {}


def test_what_does_not_fit_says_what_to_change(waypost):
    ran = waypost("fit", *words(model="llama-3-70b", device="nvidia-rtx-4090", context=8192), "--json")
    assert ran.code == 0
    assert ran.json["fits"] is False
    assert ran.json["remedies"]
    assert all(r["message"]["text"] and not r["message"]["text"].startswith("[") for r in ran.json["remedies"])


def test_several_devices_share_the_model(waypost):
    one = waypost("fit", *words(), "--json").json
    two = waypost("fit", *words(device="nvidia-rtx-4090:2"), "--json").json
    assert (two["device_count"], two["tensor_parallel"], two["assumed"]["tp"]) == (2, 2, 2)
    assert two["weights_bytes"]["value"] == pytest.approx(one["weights_bytes"]["value"] / 2, rel=0.02)
    layers = waypost("fit", *words(device="nvidia-rtx-4090:2", engine="llama.cpp", format="q4_k_m"), "--json").json
    assert (layers["tensor_parallel"], layers["pipeline_parallel"]) == (1, 2)


def test_a_trace_opens_every_figure(waypost):
    found = waypost("fit", *words(), "--json", "--trace").json
    assert found["weights_bytes"]["trace"]["formula"]
    assert all(i["unit"] for i in found["weights_bytes"]["trace"]["inputs"])


@pytest.mark.parametrize("language", ["ko", "en"])
def test_people_get_a_verdict_and_a_table(waypost, language):
    ran = waypost("fit", *words(), "--lang", language)
    assert ran.code == 0
    assert "GiB" in ran.out
    assert "[" not in ran.out


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model": "llama2-7b"}, "llama-2-7b"),
        ({"format": "fp17"}, "fp16"),
        ({"device": "nvidia-rtx-4091"}, "nvidia-rtx-4090"),
        ({"engine": "vlm"}, "vllm"),
        ({"kv_format": "f15"}, "f16"),
        ({"device": "nvidia-rtx-4090:0"}, "--device"),
        ({"device": "nvidia-rtx-4090:-2"}, "--device"),
        ({"device": "nvidia-rtx-4090:two"}, "--device"),
        ({"device": "nvidia-rtx-4090:1000000000000"}, "--device"),
        ({"context": 0}, "--context"),
        ({"context": -1}, "--context"),
        ({"context": "nan"}, "--context"),
        ({"context": "inf"}, "--context"),
        ({"context": "many"}, "--context"),
        ({"context": 100.5}, "--context"),
        ({"context": 8192}, "4,096"),
        ({"prompt": 5000}, "--prompt"),
        ({"context": None, "prompt": 5000}, "4,096"),
        ({"concurrency": 0}, "--concurrency"),
        ({"concurrency": 10**12}, "--concurrency"),
        ({"tp": 0}, "--tp"),
        ({"tp": 2}, "2"),
        ({"device": "nvidia-rtx-4090:3", "tp": 3}, "3"),
        ({"device": "nvidia-rtx-4090:4", "tp": 3}, "4"),
        ({"offload": 1.5}, "--offload"),
        ({"speculative": 0}, "--speculative"),
        ({"model": None}, "--model"),
        ({"device": None}, "--device"),
        ({"format": None}, "--format"),
    ],
)
def test_bad_words_are_refused_with_the_reason(waypost, changes, said):
    assert said in waypost("fit", *words(**changes), "--json").refused()


@pytest.mark.parametrize("extra", [("--frob", "1"), ("--context",), ("--lang", "fr"), ("stray",)])
def test_words_that_mean_nothing(waypost, extra):
    waypost("fit", *words(), *extra).refused()


def test_a_real_file_size_wins(waypost):
    found = waypost("fit", *words(), "--file-bytes", 10**10, "--json").json
    assert found["weights_bytes"]["value"] == pytest.approx(10**10, rel=0.01)


def test_own_devices_are_devices(waypost):
    row = ("name=Ours", "vendor=Us", "kind=gpu", "segment=datacenter", "memory_gb=64", "bandwidth_gb_s=1000")
    assert waypost("catalogue", "add", "device", "ours", *row).code == 0
    assert waypost("fit", *words(device="ours"), "--json").json["fits"] is True
