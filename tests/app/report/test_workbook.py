"""The workbook: numbers as numbers, bands beside them, words as on the pages, private notes out."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from xml.etree import ElementTree

import pytest

from app.report import ReportError
from app.report.workbook import workbook_bytes, write_workbook
from engine.consultation import Audience
from tests.app import handmade
from tests.app.report.conftest import book, whole

NS = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}


def made(name, language="en"):
    return workbook_bytes(whole(name), language, handmade.TODAY, book(), handmade.ROOMS)


def parts(data):
    with zipfile.ZipFile(BytesIO(data)) as packed:
        return {name: packed.read(name).decode() for name in packed.namelist()}


def numbers(sheet):
    return [float(v.text) for c in ElementTree.fromstring(sheet).iterfind(".//m:c", NS) if c.get("t") is None
            for v in c.iterfind("m:v", NS)]  # fmt: skip


def test_every_workload_has_a_sheet():
    workbook = parts(made("bank-documents"))["xl/workbook.xml"]
    assert re.findall(r'<sheet name="([^"]+)"', workbook) == ["Overview", "여신 서류 상담 도우미", "야간 서류 분류"]


def test_figures_are_numbers_with_their_bands_in_the_consultations_currency():
    sheet = parts(made("bank-documents"))["xl/worksheets/sheet2.xml"]
    found = numbers(sheet)
    fit = whole("bank-documents").workloads[0].fit
    assert found[:3] == pytest.approx([fit.total_bytes.value, fit.total_bytes.low, fit.total_bytes.high])
    assert any(value == pytest.approx(5_080 * 1358.19) for value in found)


def test_private_notes_are_nowhere_in_it():
    private = [n.text for n in whole("bank-documents").consultation.notes if n.audience is Audience.PRIVATE]
    everything = " ".join(parts(made("bank-documents", "ko")).values())
    assert [note for note in private if note in everything] == []


def test_names_that_a_sheet_may_not_have_are_mended():
    consultation = whole("bank-documents").consultation
    twin = [handmade.evolve(w, name="a/b:c*[x]" + "길" * 40) for w in consultation.workloads]
    changed = handmade.assessment("bank-documents", book(), workloads=tuple(twin))
    workbook = parts(workbook_bytes(changed, "ko", handmade.TODAY, book(), handmade.ROOMS))["xl/workbook.xml"]
    names = re.findall(r'<sheet name="([^"]+)"', workbook)
    assert len(set(names)) == 3
    assert all(len(name) <= 31 for name in names)


def test_a_formula_in_a_name_stays_a_word():
    consultation = whole("bank-documents").consultation
    evil = [handmade.evolve(w, name="=HYPERLINK(1)") for w in consultation.workloads]
    changed = handmade.assessment("bank-documents", book(), workloads=tuple(evil))
    sheets = parts(workbook_bytes(changed, "ko", handmade.TODAY, book(), handmade.ROOMS))
    assert not any("<f>" in text for text in sheets.values())


def test_the_same_day_gives_the_same_bytes():
    assert made("phone-translator") == made("phone-translator")


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(ReportError) as told:
        write_workbook(whole("phone-translator"), tmp_path / "no" / "x.xlsx", "ko", handmade.TODAY, book())
    assert told.value.message.key == "error.file_no_folder"
