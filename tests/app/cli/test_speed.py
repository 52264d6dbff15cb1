"""`waypost speed`: the documented keys, physics above expectation, every bad word refused."""

from __future__ import annotations

import pytest

USUAL = ("--model", "llama-2-7b", "--format", "fp16", "--device", "nvidia-h100-sxm", "--context", "4096")
ESTIMATES = {
    "ceiling_tokens_per_s", "decode_tokens_per_s", "throughput_tokens_per_s", "prefill_tokens_per_s",
    "prefill_ceiling_tokens_per_s", "time_to_first_token_s", "time_per_output_token_s",
}  # fmt: skip


def words(**changes):
    """The usual words with some options changed (None: left out)."""
    usual = dict(zip(USUAL[::2], USUAL[1::2], strict=True))
    usual.update({f"--{name.replace('_', '-')}": value for name, value in changes.items()})
    return [str(w) for pair in usual.items() if pair[1] is not None for w in pair]


def test_the_ceiling_is_bandwidth_over_bytes(waypost):
    ran = waypost("speed", *words(prompt=128, output=128), "--json")
    assert (ran.code, ran.err) == (0, "")
    for name in ESTIMATES:
        assert set(ran.json[name]) == {"value", "low", "high", "unit", "basis"}
    # 13.48 GB of weights over 3.35 TB/s are 249 tokens/s; the cache of a few hundred tokens takes a little more.
    assert ran.json["ceiling_tokens_per_s"]["value"] == pytest.approx(3.35e12 / (2 * 6_738_415_616), rel=0.05)
    assert ran.json["decode_tokens_per_s"]["value"] < ran.json["ceiling_tokens_per_s"]["value"]
    assert ran.json["bound_by"]["text"]


def test_more_users_never_slow_the_whole_nor_speed_up_one(waypost):
    one = waypost("speed", *words(concurrency=1), "--json").json
    many = waypost("speed", *words(concurrency=16), "--json").json
    assert many["throughput_tokens_per_s"]["value"] > one["throughput_tokens_per_s"]["value"]
    assert many["time_per_output_token_s"]["value"] >= one["time_per_output_token_s"]["value"]
    assert many["decode_tokens_per_s"]["value"] == pytest.approx(one["decode_tokens_per_s"]["value"])


def test_a_trace_opens_every_figure(waypost):
    found = waypost("speed", *words(), "--json", "--trace").json
    for name in ESTIMATES:
        assert found[name]["trace"]["formula"], name


@pytest.mark.parametrize("language", ["ko", "en"])
def test_people_get_a_table(waypost, language):
    ran = waypost("speed", *words(), "--lang", language)
    assert ran.code == 0
    assert "[speed." not in ran.out
    assert "[cli." not in ran.out


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"prompt": 0}, "--prompt"),
        ({"output": -3}, "--output"),
        ({"prompt": "nan"}, "--prompt"),
        ({"prompt": 4000, "output": 4000}, "--prompt + --output"),
        ({"cached_prefix": 2}, "--cached-prefix"),
        ({"concurrency": 10**12}, "--concurrency"),
        ({"context": 10**6}, "4,096"),
        ({"device": "nvidia-h100-sxm:0"}, "--device"),
        ({"model": "lama"}, "llama"),
    ],
)
def test_bad_words_are_refused_with_the_reason(waypost, changes, said):
    assert said in waypost("speed", *words(**changes), "--json").refused()
