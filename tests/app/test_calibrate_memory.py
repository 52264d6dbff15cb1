"""The fitting program finds constants it was given, leaves models out, and writes what it found."""

import csv
import shutil

import pytest

from app.calibrate.memory import fit_outside, fit_sampler, main, read, write
from app.host.paths import CATALOGUE
from engine.catalogue import load_catalogue
from engine.units import GIB

COLUMNS = [
    "row_id",
    "kind",
    "model",
    "format",
    "kv_format",
    "device",
    "devices",
    "tp",
    "pp",
    "ep",
    "dp",
    "engine",
    "engine_version",
    "context_tokens",
    "concurrency",
    "method",
    "zero_stage",
    "sequence_length",
    "micro_batch",
    "measured",
    "note",
]
MODELS = ("llama-3.1-8b", "qwen3-14b", "gemma-2-9b", "phi-4-mini")


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue(CATALOGUE)


@pytest.fixture
def rows_file(tmp_path, catalogue):
    """Start-ups as a vLLM with 20 bytes a logit and one hidden copy would print them."""
    path = tmp_path / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS, restval="")
        writer.writeheader()
        for number, name in enumerate(MODELS):
            model = catalogue.model(name)
            activation = (20 * 1024 * model.vocab + 2 * 8192 * model.hidden) / GIB
            note = f"weights 1 + activation {activation:.6f} + non-torch 0.31 + KV pool 9"
            common = {
                "model": name,
                "format": "bf16",
                "device": "nvidia-h100-sxm",
                "devices": 1,
                "tp": 1,
                "pp": 1,
                "engine": "vllm",
            }
            writer.writerow(
                {**common, "row_id": f"r{number}", "kind": "memory_total", "engine_version": "0.19.0", "context_tokens": 8192,
                 "concurrency": 4, "measured": 40, "note": note}
            )  # fmt: skip
    return path


def test_given_constants_are_found(rows_file, catalogue):
    said = []
    fitted = {f.id: f.value for f in fit_sampler(read(rows_file), catalogue, said.append)}
    assert fitted["vllm-logit"] == pytest.approx(20, abs=0.02)
    assert fitted["vllm-hidden"] == pytest.approx(1.0, abs=0.05)
    assert any("left out" in line for line in said)
    assert {f.id: f.value for f in fit_outside(read(rows_file))} == {"vllm-nontorch-1": 0.31}


def test_what_was_found_is_written_and_nothing_else(rows_file, catalogue, tmp_path):
    folder = tmp_path / "calibration"
    shutil.copytree(CATALOGUE.parent / "calibration", folder)
    before = (folder / "memory_runtime.csv").read_text(encoding="utf-8").splitlines()
    fitted = fit_sampler(read(rows_file), catalogue, lambda _: None)
    assert write(fitted, folder) == 2
    after = (folder / "memory_runtime.csv").read_text(encoding="utf-8").splitlines()
    changed = [new.split(",")[0] for old, new in zip(before, after, strict=True) if old != new]
    assert changed == ["vllm-logit", "vllm-hidden"]
    with (folder / "memory_runtime.csv").open(newline="", encoding="utf-8") as stream:
        row = next(r for r in csv.DictReader(stream) if r["id"] == "vllm-logit")
    assert float(row["low"]) <= float(row["value"]) <= float(row["high"])
    assert int(row["n_rows"]) == len(MODELS)


def test_the_program_reports_every_kind(rows_file, capsys):
    assert main([str(rows_file)]) == 0
    assert "memory_total: 4 rows" in capsys.readouterr().out
