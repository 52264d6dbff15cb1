"""`waypost history`."""

from __future__ import annotations

import io
import json
import sys

import pytest

from app.host.paths import SAMPLES

BANK = SAMPLES / "bank-documents.waypost"
BANK_ID = "sample-bank-documents"


@pytest.fixture
def filled(waypost):
    assert waypost("history", "import", *sorted(SAMPLES.glob("*.waypost"))).code == 0
    return waypost


def test_an_empty_history_says_so(waypost):
    assert waypost("history", "list").out == "Nothing found.\n"
    assert waypost("history", "list", "--json").json == []


def test_import_list_search_show(filled):
    listed = filled("history", "list", "--json").json
    assert {e["id"] for e in listed} == {
        json.loads(f.read_text(encoding="utf-8"))["id"] for f in SAMPLES.glob("*.waypost")
    }
    (found,) = filled("history", "search", "솔은", "--json").json
    assert (found["id"], found["versions"], found["unsaved"], found["deleted_at"]) == (BANK_ID, 1, False, None)
    shown = filled("history", "show", BANK_ID, "--json").json
    assert [(v["number"], v["reason"]) for v in shown["versions"]] == [(1, "imported")]
    assert BANK_ID in filled("history", "show", BANK_ID, "--lang", "ko").out


def test_export_gives_the_same_consultation(filled, tmp_path):
    assert filled("history", "export", BANK_ID, tmp_path / "out.waypost").code == 0
    again = json.loads((tmp_path / "out.waypost").read_text(encoding="utf-8"))
    assert again == json.loads(BANK.read_text(encoding="utf-8"))
    assert json.loads(filled("history", "export", BANK_ID, "-").out) == again
    assert filled("history", "export", BANK_ID, tmp_path, "--json").json["file"] == str(tmp_path / f"{BANK_ID}.waypost")


def test_import_from_standard_input(waypost, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BANK.read_bytes())))
    assert waypost("history", "import", "-", "--json").json == {"imported": [BANK_ID]}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert "empty" in waypost("history", "import", "-").refused()


def test_one_bad_file_takes_nothing_in(waypost, tmp_path):
    bad = tmp_path / "bad.waypost"
    bad.write_text("{", encoding="utf-8")
    assert str(bad) in waypost("history", "import", BANK, bad).refused()
    assert waypost("history", "list", "--json").json == []


def test_trash_and_restore(filled):
    assert filled("history", "trash", BANK_ID, "--json").json == {"trashed": [BANK_ID]}
    assert [e["id"] for e in filled("history", "trash", "--json").json] == [BANK_ID]
    assert BANK_ID not in filled("history", "list").out
    assert filled("history", "restore", BANK_ID).code == 0
    assert BANK_ID in filled("history", "list").out


@pytest.mark.parametrize(
    "words",
    [
        ("show", "sample-bank-document"),
        ("export", "sample-bank-document", "x"),
        ("trash", BANK_ID, "sample-bank-document"),
        ("restore", "sample-bank-document"),
    ],
)
def test_an_unknown_id_names_the_nearest_and_changes_nothing(filled, words):
    assert f"Nearest: {BANK_ID}" in filled("history", *words).refused()
    assert len(filled("history", "list", "--json").json) == 3
