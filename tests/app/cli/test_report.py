"""`waypost report`: a PDF in both languages that opens again, written whole or not at all."""

from __future__ import annotations

import json

import pytest
from pypdf import PdfReader

from app.host.paths import SAMPLES
from app.store.files import open_any
from engine.consultation import Audience
from engine.documents import from_json

BANK = SAMPLES / "bank-documents.waypost"


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_proposal_is_written_and_opens_again(waypost, tmp_path, language):
    out = tmp_path / "제안서.pdf"
    ran = waypost("report", BANK, "--pdf", out, "--lang", language)
    assert (ran.code, ran.err) == (0, "")
    assert str(out) in ran.out
    assert len(PdfReader(out).pages) > 3
    original = from_json(BANK.read_text(encoding="utf-8"))
    again = open_any(out)
    assert (again.id, again.workloads) == (original.id, original.workloads)
    assert all(note.audience is Audience.CUSTOMER for note in again.notes)
    assert waypost("assess", out, "--json").json["consultation"] == original.id


def test_json_says_what_was_written(waypost, tmp_path):
    made = waypost("report", BANK, "--pdf", tmp_path / "x.pdf", "--json").json
    assert made["bytes"] == (tmp_path / "x.pdf").stat().st_size
    assert made["pages"] == len(PdfReader(tmp_path / "x.pdf").pages)


def test_the_numbers_as_a_workbook(waypost, tmp_path):
    ran = waypost("report", BANK, "--pdf", tmp_path / "x.pdf", "--xlsx", tmp_path / "x.xlsx", "--json")
    assert ran.json["workbook"] == str(tmp_path / "x.xlsx")
    assert (tmp_path / "x.xlsx").read_bytes().startswith(b"PK")


def test_a_place_that_does_not_exist_leaves_nothing(waypost, tmp_path):
    waypost("report", BANK, "--pdf", tmp_path / "no" / "x.pdf").refused()
    assert list(tmp_path.glob("*.pdf")) == []


def test_nothing_to_propose_is_a_sentence(waypost, tmp_path):
    body = json.loads(BANK.read_text(encoding="utf-8"))
    empty = {k: v for k, v in body.items() if k not in ("workloads", "scenarios", "origins")}
    (tmp_path / "x.waypost").write_text(json.dumps(empty, ensure_ascii=False), encoding="utf-8")
    assert "workload" in waypost("report", tmp_path / "x.waypost", "--pdf", tmp_path / "x.pdf").refused()
    assert not (tmp_path / "x.pdf").exists()


def test_an_old_proposal_survives_a_refusal(waypost, tmp_path):
    out = tmp_path / "x.pdf"
    out.write_bytes(b"the old one")
    waypost("report", tmp_path / "none.waypost", "--pdf", out).refused()
    assert out.read_bytes() == b"the old one"
