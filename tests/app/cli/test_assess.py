"""`waypost assess` on the samples and on bad documents."""

from __future__ import annotations

import io
import json
import sys

import pytest

from app.host.paths import SAMPLES

KEYS = {
    "id", "name", "placement", "chips", "deployment", "fit", "speed", "capacity", "cost", "flips", "next_question",
    "work_list", "assumptions", "gaps",
}  # fmt: skip


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.waypost")), ids=lambda f: f.stem)
@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_samples_are_judged(waypost, sample, language):
    document = json.loads(sample.read_text(encoding="utf-8"))
    ran = waypost("assess", sample, "--json", "--lang", language)
    assert (ran.code, ran.err) == (0, "")
    assert [w["id"] for w in ran.json["workloads"]] == [w["id"] for w in document["workloads"]]
    for workload in ran.json["workloads"]:
        assert set(workload) == KEYS
        ranked = workload["placement"]["ranked"]
        assert len({r["placement"] for r in ranked}) == 8
        for entry in ranked:
            assert entry["reasons"] or not entry["excluded"]
            assert all(r["rule"] and r["key"] and not r["text"].startswith("[") for r in entry["reasons"])


def test_estimates_are_the_documented_objects(waypost):
    ran = waypost("assess", SAMPLES / "bank-documents.waypost", "--json", "--trace")
    found = list(estimates(ran.json))
    assert found
    for estimate in found:
        assert set(estimate) == {"value", "low", "high", "unit", "basis", "trace"}
        assert estimate["low"] <= estimate["value"] <= estimate["high"]
        assert estimate["basis"] in ("measured", "calibrated", "datasheet", "assumed")
    plain = waypost("assess", SAMPLES / "bank-documents.waypost", "--json")
    assert all("trace" not in e for e in estimates(plain.json))
    assert len(list(estimates(plain.json))) == len(found)


def estimates(value):
    if isinstance(value, dict):
        if {"value", "low", "high", "unit", "basis"} <= set(value):
            yield value
        for inner in value.values():
            yield from estimates(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from estimates(inner)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_people_get_the_pages_in_text(waypost, language):
    ran = waypost("assess", SAMPLES / "bank-documents.waypost", "--lang", language, "--workload", "loan-files")
    assert ran.code == 0
    assert "==" in ran.out
    assert "[present." not in ran.out
    assert "[advice." not in ran.out


def test_the_file_may_come_through_a_pipe(waypost, monkeypatch):
    data = (SAMPLES / "bank-documents.waypost").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert waypost("assess", "-", "--json").json["consultation"] == "sample-bank-documents"


def test_a_consultation_without_workloads_is_no_error(waypost, tmp_path):
    file = document(tmp_path, lambda d: [d.pop(name, None) for name in ("workloads", "scenarios", "origins")])
    assert waypost("assess", file, "--json").json["workloads"] == []
    assert waypost("assess", file).code == 0


def document(folder, change):
    made = json.loads((SAMPLES / "bank-documents.waypost").read_text(encoding="utf-8"))
    change(made)
    file = folder / "x.waypost"
    file.write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")
    return file


def put(path, value):
    def change(made):
        here = made["workloads"][0]
        *parents, last = path.split(".")
        for name in parents:
            here = here.setdefault(name, {})
        here[last] = value

    return change


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("scale.users", 10**12, "10,000,000,000"),
        ("scale.users", -5, "at least"),
        ("scale.users", 0, "at least"),
        ("scale.users", 2.5, "whole"),
        ("immediacy.latency_budget_s", 0, "more than"),
        ("intelligence.hard_share", 1.5, "100"),
        ("serving.context_tokens", 10**9, "at most"),
        ("serving.model", "lama-3-70b", "llama-3"),
        ("serving.device", "nvidia-h1000", "nvidia-h100"),
        ("serving.kv_format", "f17", "f16"),
        ("data.regulations", ["gdpr-nope"], "regulation"),
        ("hardware.owned", [{"device": "nvidia-h1000", "count": 2}], "nvidia-h100"),
        ("hardware.owned", [{"device": "nvidia-h100-sxm", "count": 0}], "at least"),
        ("profile.task", "juggling", "damaged"),
        ("scale.usres", 5, "damaged"),
        ("stages", [{"id": "s", "name": "s", "answers": {"offline.ned": "full"}}], "offline.need"),
        ("stages", [{"id": "s", "name": "s", "answers": {"offline.need": "sometimes"}}], "basics"),
    ],
)
def test_absurd_answers_are_refused_with_the_reason(waypost, tmp_path, path, value, said):
    sentence = waypost("assess", document(tmp_path, put(path, value)), "--json", "--lang", "en").refused()
    assert said in sentence


def test_a_context_beyond_the_model_is_refused(waypost, tmp_path):
    def change(made):
        made["workloads"][0].setdefault("serving", {}).update(model="llama-2-7b", context_tokens=8192)

    assert "4,096" in waypost("assess", document(tmp_path, change), "--lang", "en").refused()


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_not_a_number_is_refused(waypost, tmp_path, text):
    file = document(tmp_path, put("scale.users", 12345))
    file.write_text(file.read_text(encoding="utf-8").replace("12345", text), encoding="utf-8")
    waypost("assess", file, "--json").refused()


def test_two_workloads_of_one_id_are_refused(waypost, tmp_path):
    file = document(tmp_path, lambda d: d["workloads"].append(d["workloads"][0]))
    assert "id" in waypost("assess", file).refused()


def test_an_unknown_workload_names_the_nearest(waypost):
    assert "loan-files" in waypost("assess", SAMPLES / "bank-documents.waypost", "--workload", "loan-file").refused()
