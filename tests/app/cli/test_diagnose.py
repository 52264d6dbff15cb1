"""`waypost diagnose`."""

from __future__ import annotations

import pytest

USUAL = ("--model", "llama-2-7b", "--format", "fp16", "--device", "nvidia-rtx-4090", "--context", "4096")


def test_far_below_what_the_machine_gives(waypost):
    found = waypost("diagnose", *USUAL, "--tokens-per-s", "8", "--layers-on-device", "0.5", "--json").json
    assert set(found["of_ceiling"]) == {"value", "low", "high", "unit", "basis"}
    # 1,008 GB/s over 13.5 GB: a ceiling of 75 tokens/s.
    assert found["of_ceiling"]["value"] == pytest.approx(8 / 75, rel=0.1)
    assert found["of_expected"]["value"] < 0.5
    assert found["suspects"][0]["name"] == "layers_on_cpu"
    assert sum(s["weight"] for s in found["suspects"]) == pytest.approx(1)
    assert all(s["check"]["text"] and not s["check"]["text"].startswith("[") for s in found["suspects"])


def test_as_fast_as_such_machines_are(waypost):
    expected = waypost("speed", *USUAL, "--json").json["decode_tokens_per_s"]["value"]
    found = waypost("diagnose", *USUAL, "--tokens-per-s", str(expected), "--json").json
    assert found["verdict"]["key"] == "speed.diagnose.as_expected"


def test_faster_than_physics_is_said(waypost):
    found = waypost("diagnose", *USUAL, "--tokens-per-s", "5000", "--json").json
    assert found["verdict"]["key"] == "speed.diagnose.impossible"


@pytest.mark.parametrize("language", ["ko", "en"])
def test_people_get_sentences(waypost, language):
    ran = waypost(
        "diagnose", *USUAL, "--tokens-per-s", "20", "--utilisation", "0.9", "--one-by-one", "--lang", language
    )
    assert ran.code == 0
    assert "[speed." not in ran.out
    assert "[cli." not in ran.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--tokens-per-s"),
        (("--tokens-per-s", "0"), "--tokens-per-s"),
        (("--tokens-per-s", "-4"), "--tokens-per-s"),
        (("--utilisation", "90"), "--utilisation"),
        (("--ttft", "nan"), "--ttft"),
        (("--batches", "--one-by-one"), "--one-by-one"),
    ],
)
def test_bad_words_are_refused(waypost, words, said):
    assert said in waypost("diagnose", *USUAL, *words, "--json").refused()
