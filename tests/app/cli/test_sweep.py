"""`waypost sweep`: what fits, with speed and cost; agreeing with `fit` and `speed`."""

from __future__ import annotations

import pytest

ESTIMATES = (
    "ceiling_tokens_per_s", "decode_tokens_per_s", "throughput_tokens_per_s", "time_to_first_token_s",
    "time_per_output_token_s", "usd_per_hour", "usd_per_mtok",
)  # fmt: skip


def test_every_configuration_is_an_answer(waypost):
    ran = waypost("sweep", "--model", "llama-3-70b", "--context", "4096", "--json")
    assert (ran.code, ran.err) == (0, "")
    found = ran.json
    rows = found["configurations"]
    assert len(rows) == found["fitting"] < found["evaluated"]
    assert found["assumed"] == {"output": 256, "prompt": 1024, "concurrency": 1}
    assert len({(r["device"], r["device_count"], r["format"], r["engine"]) for r in rows}) == len(rows)
    for row in rows[::200]:
        assert row["need_bytes_high"] <= row["device_memory_bytes_low"]
        for name in ESTIMATES:
            if row[name] is not None:
                assert set(row[name]) == {"value", "low", "high", "unit", "basis"}
                assert row[name]["low"] <= row[name]["value"] <= row[name]["high"]
        assert row["decode_tokens_per_s"]["high"] <= row["ceiling_tokens_per_s"]["value"] * 1.000001
    priced = [r["usd_per_mtok"]["value"] for r in rows if r["usd_per_mtok"]]
    assert priced == sorted(priced)
    assert all(r["usd_per_mtok"] is None for r in rows[len(priced) :])


def test_it_agrees_with_fit_and_speed(waypost):
    words = ("--model", "llama-2-7b", "--context", "4096", "--prompt", "1024", "--output", "256", "--concurrency", "1")
    filters = ("--device", "nvidia-h100-sxm", "--format", "fp16", "--engine", "vllm")
    rows = waypost("sweep", *words, *filters, "--json").json["configurations"]
    (one,) = [r for r in rows if r["device_count"] == 1]
    fit = waypost("fit", *words, *filters, "--json").json
    speed = waypost("speed", *words, *filters, "--json").json
    assert fit["fits"] is True
    assert one["need_bytes_high"] == pytest.approx(fit["total_bytes"]["high"], rel=0.01)
    for name in ("ceiling_tokens_per_s", "decode_tokens_per_s", "throughput_tokens_per_s", "time_to_first_token_s"):
        for part in ("value", "low", "high"):
            assert one[name][part] == pytest.approx(speed[name][part], rel=0.03), (name, part)


def test_filters_order_and_top(waypost):
    rows = waypost(
        "sweep", "--model", "qwen3-8b", "--engine", "vllm", "--by", "decode_tokens_per_s", "--top", "5", "--json"
    )
    found = rows.json["configurations"]
    assert len(found) == 5
    assert {r["engine"] for r in found} == {"vllm"}
    speeds = [r["decode_tokens_per_s"]["value"] for r in found]
    assert speeds == sorted(speeds, reverse=True)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_people_get_a_table(waypost, language):
    ran = waypost("sweep", "--model", "qwen3-8b", "--top", "3", "--lang", language)
    assert ran.code == 0
    assert len(ran.out.splitlines()) == 6
    assert "[cli." not in ran.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "qwen3-8"), "qwen3-8b"),
        (("--model", "llama-2-7b", "--context", "8192"), "4,096"),
        (("--model", "llama-2-7b", "--prompt", "9000"), "4,096"),
        (("--model", "llama-2-7b", "--context", "100", "--prompt", "200"), "--prompt"),
        (("--model", "llama-2-7b", "--concurrency", "0"), "--concurrency"),
        (("--model", "llama-2-7b", "--kv-format", "f3"), "f32"),
        (("--model", "llama-2-7b", "--device", "nvidia-h1000"), "nvidia-h100"),
        (("--model", "llama-2-7b", "--format", "fp17"), "fp16"),
        (("--model", "llama-2-7b", "--by", "beauty"), "usd_per_mtok"),
        (("--model", "llama-2-7b", "--top", "0"), "--top"),
        ((), "--model"),
    ],
)
def test_bad_words_are_refused(waypost, words, said):
    assert said in waypost("sweep", *words, "--json").refused()
