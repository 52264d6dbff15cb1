"""The calibration files: checked on reading, honest about what they have not seen, and refitted from rows."""

import csv
import json
import shutil

import numpy as np
import pytest

from engine.errors import DamagedDocument
from engine.estimate import Basis
from engine.predict import COLUMNS, as_row, predict
from engine.speed.bands import band_of, widened
from engine.speed.calibration import FOLDER, SPECS, Band, load_calibration, saturated
from engine.speed.keys import KEYS, device_family, labels_of, release_of
from engine.speed.speed import speed


def test_every_file_says_from_what_and_when() -> None:
    for path in FOLDER.glob("speed*.json"):
        content = json.loads(path.read_text(encoding="utf-8"))
        assert {"fit_date", "rows", "source", "residuals"} <= set(content)
        if path.name != "speed.json":
            assert content["versions"]
            assert content["residuals"]
            for ways in content["residuals"].values():
                assert {"in sample", "device left out", "model left out"} == set(ways)


def test_factors_name_known_constants_and_keys() -> None:
    calibration = load_calibration()
    assert set(calibration.bases) == set(SPECS)
    for name, keys in calibration.factors.items():
        assert set(keys) <= set(SPECS[name].keys) <= set(KEYS)


@pytest.mark.parametrize(
    ("change", "value"),
    [("bases", {"layer_s": -1.0}), ("bases", {}), ("factors", {"layer_s": {"colour": {"red": 1.0}}}), ("bands", 3)],
)
def test_a_damaged_file_is_named(tmp_path, change: str, value: object) -> None:
    for path in FOLDER.glob("speed*.json"):
        shutil.copy(path, tmp_path / path.name)
    file = tmp_path / "speed.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content[change] = value
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(DamagedDocument) as damaged:
        load_calibration(tmp_path)
    assert damaged.value.message.key == "speed.calibration.damaged"


def test_efficiencies_never_reach_one() -> None:
    values = saturated(np.array([0.1, 0.5, 1.0, 10.0, 1e6]))
    assert np.all(np.diff(values) > 0)
    assert values[0] == pytest.approx(0.1, rel=1e-3)
    assert values[-1] <= 0.97 + 1e-9


def test_bands_hold_the_value_and_widen(deploy) -> None:
    d = deploy("llama-3-8b", "q4_k_m", "nvidia-rtx-4090", "llama.cpp", prompt_tokens=128.0)
    seen = band_of(load_calibration(), "decode", d)
    assert seen.calibrated
    assert not seen.unseen
    assert seen.band.low < 1.0 < seen.band.high
    wide = widened(seen.band, 1.5)
    assert wide.low < seen.band.low
    assert wide.high > seen.band.high
    assert widened(Band(1.05, 1.2, 30), 1.0).low == 1.0


def test_an_unseen_chip_of_a_seen_family_has_the_left_out_band(deploy) -> None:
    state = band_of(load_calibration(), "decode", deploy("llama-3-8b", "q4_k_m", "nvidia-rtx-4080", "llama.cpp"))
    assert state.calibrated
    assert state.unseen == ("device",)


def test_on_chip_memory_is_not_calibrated_and_says_so(deploy) -> None:
    """A 70 GB model: hundreds of chips, a pipeline, hundreds of tokens a second, and an honest note."""
    d = deploy("llama-3.3-70b", "fp8", "groq-lpu-v1", "vllm", device_count=305, pipeline_parallel=305)
    found = speed(deploy("llama-3.3-70b", "fp8", "groq-lpu-v1", "vllm"))
    assert not found.calibrated
    assert found.decode_tokens_per_s.basis is Basis.ASSUMED
    assert 100 < found.decode_tokens_per_s.value < found.ceiling_tokens_per_s.value
    keys = {n.key: n for n in found.notes}
    assert "speed.note.unlike_family" in keys
    assert 300 < keys["speed.note.chips"].params["chips"] < 330
    assert 100 < speed(d).decode_tokens_per_s.value < found.decode_tokens_per_s.value


def test_families_and_labels(catalogue) -> None:
    family = {
        "nvidia-h200-sxm": "hopper",
        "nvidia-a100-sxm-80gb": "ampere-hbm",
        "nvidia-rtx-3090": "ampere",
        "nvidia-dgx-spark-gb10": "blackwell-consumer-unified",
        "amd-mi325x": "cdna3",
        "amd-mi355x": "cdna4",
        "amd-rx-7900-xtx": "rdna",
        "apple-m3-max": "apple",
        "google-tpu-v6e": "tpu",
    }
    for device, name in family.items():
        assert device_family(catalogue.device(device)) == name
    labels = dict(
        zip(
            KEYS,
            labels_of(catalogue.device("nvidia-l4"), catalogue.weight_format("q4_k_m"), "ollama", "", False),
            strict=True,
        )
    )
    assert labels["engine"] == "llama.cpp"
    assert labels["site"] == "local/ada"
    assert labels["format"] == "gguf-4"
    assert labels["flash"] == "off"


@pytest.mark.parametrize(
    ("engine", "version", "level"),
    [
        ("trt-llm", "1.0.0rc3", "trt-llm 1.0"),
        ("trt-llm", "0.6.1", "trt-llm before 1.0"),
        ("trt-llm", "1.2.0rc2", "usual"),
        ("trt-llm", "", "usual"),
        ("vllm", "0.6", "usual"),
    ],
)
def test_generations_of_an_engine(engine: str, version: str, level: str) -> None:
    assert release_of(engine, version) == level


ROW = {
    "row_id": "a", "kind": "decode", "model": "llama-3-8b", "format": "q4_k_m", "kv_format": "f16", "engine": "llama.cpp",
    "device": "nvidia-rtx-4090", "devices": "1", "tp": "1", "pp": "1", "ep": "1", "dp": "1", "engine_version": "",
    "context_tokens": "512", "prompt_tokens": "", "output_tokens": "1024", "concurrency": "1", "note": "",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"model": "no-such-model"}, "error.unknown_id"),
        ({"device": "no-such-device"}, "error.unknown_id"),
        ({"format": "q9"}, "error.unknown_id"),
        ({"engine": "no-such-engine"}, "error.unknown_id"),
        ({"device": ""}, "speed.refused.empty_cell"),
        ({"concurrency": "many"}, "speed.refused.bad_cell"),
        ({"prompt_tokens": "-5"}, "speed.refused.bad_cell"),
        ({"kind": "colour"}, "speed.refused.kind"),
    ],
)
def test_a_row_without_an_answer_says_why(catalogue, change: dict[str, str], key: str) -> None:
    found = predict([ROW, {**ROW, **change}], catalogue)
    assert found[0].predicted is not None
    assert found[0].low < found[0].predicted < found[0].high <= found[0].ceiling * 2
    assert found[1].refused is not None
    assert found[1].refused.key == key
    assert as_row(found[1])["predicted"] == ""
    assert set(as_row(found[0])) == set(COLUMNS)


def test_rows_come_back_in_order_and_in_their_units(catalogue) -> None:
    serving = {**ROW, "engine": "vllm", "format": "fp8", "device": "nvidia-h100-sxm", "concurrency": "8"}
    serving |= {"prompt_tokens": "1024", "output_tokens": "128"}
    rows = [{**serving, "row_id": k, "kind": k} for k in ("ttft", "tpot", "throughput", "prefill", "decode")]
    found = predict(rows, catalogue)
    assert [p.row_id for p in found] == [r["row_id"] for r in rows]
    by_kind = {p.row_id: p.predicted for p in found}
    assert 5 < by_kind["tpot"] < 30
    total = 8 * 128 / ((by_kind["ttft"] + 127 * by_kind["tpot"]) / 1000)
    assert by_kind["throughput"] == pytest.approx(total, rel=1e-6)


def test_maximum_load_is_what_the_cache_holds(catalogue) -> None:
    serving = {**ROW, "kind": "throughput", "engine": "trt-llm", "format": "fp8", "device": "nvidia-h100-sxm"}
    serving |= {"prompt_tokens": "1000", "output_tokens": "1000"}
    few, most = predict([{**serving, "concurrency": "8"}, {**serving, "concurrency": ""}], catalogue)
    assert most.predicted > 3 * few.predicted


@pytest.mark.slow
def test_refit_finds_constants_that_made_the_rows(tmp_path, catalogue) -> None:
    """Rows computed with known constants: the program fits them back to a few percent and writes files that load."""
    pytest.importorskip("scipy")
    from app.calibrate import main

    rows = []
    for n, (device, model) in enumerate(
        (d, m)
        for d in ("nvidia-rtx-4090", "nvidia-l40s", "nvidia-rtx-6000-ada", "nvidia-rtx-4070")
        for m in ("llama-3-8b", "llama-3.2-3b", "qwen3-8b", "mistral-7b-v0.3")
    ):
        for context in ("128", "4096"):
            row = {**ROW, "row_id": f"{n}-{context}", "device": device, "model": model, "context_tokens": context}
            rows.append(row | {"source_group": "made", "as_of": ""})
    made = predict(rows, catalogue)
    file = tmp_path / "rows.csv"
    with file.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, [*rows[0], "measured"])
        writer.writeheader()
        for row, answer in zip(rows, made, strict=True):
            writer.writerow({**row, "measured": f"{answer.predicted:.6g}"})
    assert main([str(file), "--out", str(tmp_path / "out")]) == 0
    again = predict(rows, catalogue, load_calibration(tmp_path / "out"))
    errors = [abs(b.predicted / a.predicted - 1) for a, b in zip(made, again, strict=True)]
    assert float(np.median(errors)) < 0.04
    load_calibration.cache_clear()
