"""`waypost predict`: one answer a row, in the row's unit, or the reason why there is none."""

from __future__ import annotations

import csv

import pytest

COLUMNS = (
    "row_id,kind,model,format,kv_format,device,devices,tp,pp,ep,dp,engine,engine_version,context_tokens,prompt_tokens,"
    "output_tokens,concurrency,method,zero_stage,sequence_length,micro_batch,measured,unit,quality,source_group,as_of,note"
)


def row(**cells):
    usual = {
        "row_id": "a", "kind": "decode", "model": "llama-3-8b", "format": "q4_k_m", "kv_format": "f16",
        "device": "nvidia-rtx-4090", "devices": "1", "tp": "1", "pp": "1", "ep": "1", "dp": "1", "engine": "llama.cpp",
        "context_tokens": "512", "output_tokens": "128", "concurrency": "1", "unit": "tok/s",
    }  # fmt: skip
    usual.update(cells)
    return ",".join(usual.get(c, "") for c in COLUMNS.split(","))


@pytest.fixture
def predict(waypost, tmp_path):
    def run(*rows):
        file, out = tmp_path / "rows.csv", tmp_path / "p.csv"
        file.write_text("\n".join([COLUMNS, *rows]) + "\n", encoding="utf-8")
        ran = waypost("predict", file, "--out", out, "--lang", "en")
        assert ran.code == 0, ran
        with out.open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))

    return run


def test_a_row_gets_a_value_a_band_and_a_ceiling(predict):
    (found,) = predict(row())
    assert list(found) == ["row_id", "predicted", "low", "high", "ceiling", "refused"]
    predicted, low, high, ceiling = (float(found[c]) for c in ("predicted", "low", "high", "ceiling"))
    assert low <= predicted <= high
    assert predicted < ceiling
    # 4.92 GB of Q4_K_M, 0.30 GB of it the embedding table of which one row is read, over 1,008 GB/s: 218 tokens a second
    # before the cache is read.
    assert 200 < ceiling < 219
    assert found["refused"] == ""


def test_memory_rows_are_in_gibibytes(predict):
    (found,) = predict(row(kind="memory_weights", unit="GiB"))
    assert float(found["predicted"]) == pytest.approx(4.58, rel=0.02)


def test_what_was_measured_is_never_read(predict):
    assert predict(row(measured="1")) == predict(row(measured="999"))


def test_rows_are_answered_in_order_and_refusals_say_why(predict):
    found = predict(
        row(row_id="a"), row(row_id="b", model="no-such-model"), row(row_id="c", kind="colour"), row(row_id="d")
    )
    assert [f["row_id"] for f in found] == ["a", "b", "c", "d"]
    assert [bool(f["refused"]) for f in found] == [False, True, True, False]
    assert found[1]["predicted"] == found[1]["low"] == found[1]["ceiling"] == ""
    assert "no-such-model" in found[1]["refused"]


def test_an_empty_table_is_an_empty_table(predict):
    assert predict() == []


@pytest.mark.parametrize(("content", "said"), [(b"a,b\n1,2\n", "row_id"), (b"\xff\xfe", "UTF-8"), (b"", "empty")])
def test_bad_files_write_nothing(waypost, tmp_path, content, said):
    (tmp_path / "rows.csv").write_bytes(content)
    assert said in waypost("predict", tmp_path / "rows.csv", "--out", tmp_path / "p.csv").refused()
    assert not (tmp_path / "p.csv").exists()
