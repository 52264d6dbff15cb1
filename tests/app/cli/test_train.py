"""`waypost train`."""

from __future__ import annotations

import pytest

USUAL = ("--model", "llama-2-7b", "--device", "nvidia-a100-sxm-80gb", "--method", "full")


def test_sixteen_bytes_a_parameter(waypost):
    found = waypost("train", *USUAL, "--json").json
    states = sum(found[f"{part}_bytes"]["value"] for part in ("weights", "gradients", "optimizer"))
    assert states == pytest.approx(16 * 6_738_415_616, rel=0.01)
    assert found["fits"] is False
    assert found["assumed"]["sequence"] == 2048
    assert set(found["total_bytes"]) == {"value", "low", "high", "unit", "basis"}


def test_sharding_and_adapters_need_less(waypost):
    def total(*more):
        words = dict(zip(USUAL[::2], USUAL[1::2], strict=True))
        words.update(dict(zip(more[::2], more[1::2], strict=True)))
        flat = [w for pair in words.items() for w in pair]
        return waypost("train", *flat, "--json").json["total_bytes"]["value"]

    full, lora, qlora = total(), total("--method", "lora"), total("--method", "qlora")
    sharded = total("--device", "nvidia-a100-sxm-80gb:8", "--zero", "3")
    assert full > lora > qlora
    assert sharded < full / 3


def test_checkpointing_needs_less(waypost):
    plain = waypost("train", *USUAL, "--json").json["activations_bytes"]["value"]
    assert waypost("train", *USUAL, "--checkpointing", "--json").json["activations_bytes"]["value"] < plain / 2


@pytest.mark.parametrize("language", ["ko", "en"])
def test_people_get_a_table(waypost, language):
    out = waypost("train", *USUAL, "--lang", language).out
    assert "GiB" in out
    assert "[cli." not in out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--method", "guess"), "lora"),
        (("--optimizer", "best"), "adamw"),
        (("--sequence", "0"), "--sequence"),
        (("--sequence", "1000000"), "4,096"),
        (("--zero", "4"), "--zero"),
        (("--micro-batch", "-1"), "--micro-batch"),
        (("--tp", "2"), "2"),
        (("--model", "lama"), "llama"),
        (("--device", "nvidia-a100-sxm-80gb:0"), "--device"),
        (("--framework", "keras"), "transformers"),
    ],
)
def test_bad_words_are_refused(waypost, more, said):
    assert said in waypost("train", *USUAL, *more, "--json").refused()
