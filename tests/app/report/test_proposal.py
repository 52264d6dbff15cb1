"""The proposal as a file: complete, true to what the window shows, private notes out, the session in."""

from __future__ import annotations

import re
import stat

import pytest
from attrs import evolve
from pypdf.generic import IndirectObject

from app.present.pages.panel import headline, headline_figures
from app.present.scene import scene_of
from app.report import ReportError, render, write
from app.report.text import clean
from app.report.theme import FOOTER, MARGIN, PAGE_HEIGHT, PAGE_WIDTH
from app.report.write import for_customer
from app.store.files import consultation_of, open_any
from engine.consultation import Audience, Customer
from engine.probe.documents import to_dict
from tests.app import handmade
from tests.app.report import reading
from tests.app.report.conftest import book, printed, whole


def test_every_headline_and_figure_of_the_window_stands_on_paper(proposal):
    name, language, data, _ = proposal
    words = reading.text(data)
    for assessed in whole(name).workloads:
        scene = scene_of(whole(name), assessed.workload.id, language, book(), handmade.TODAY)
        assert headline(scene) in words
        for figure in headline_figures(scene):
            for part in (figure.label, figure.value, figure.band, figure.basis):
                assert part in words, part


def test_no_key_and_no_missing_glyph_is_printed(proposal):
    words = reading.text(proposal[2])
    assert re.findall(r"\[[a-z_]+\.[\w.\-]+\]", words) == []
    assert "□" not in words


def test_every_page_after_the_cover_names_its_number_the_total_the_day_and_the_catalogue(proposal):
    _, language, data, count = proposal
    day = "2026년 12월 1일" if language == "ko" else "1 December 2026"
    texts = reading.pages(data)
    assert len(texts) == count
    for number, words in enumerate(texts[1:], start=2):
        assert f"{number} / {count}" in words
        assert day in words
        assert "2026-12-01" in words


def test_bookmarks_name_a_chapter_a_workload_and_its_sections(proposal):
    name, language, data, _ = proposal
    marks = reading.bookmarks(data)
    chapters = [title for level, title in marks if level == 0]
    for assessed in whole(name).workloads:
        assert assessed.workload.name in chapters
    inside = [title for level, title in marks if level == 1]
    wanted = (
        ("메모리", "속도", "용량", "비용", "할 일") if language == "ko" else ("Memory", "Speed", "Capacity", "Cost")
    )
    for title in wanted:
        assert inside.count(title) == len(whole(name).workloads)


def test_the_contents_name_the_pages_the_bookmarks_lead_to():
    data, _ = printed("bank-documents", "en")
    document = reading.reader(data)
    contents = reading.pages(data)[1]
    flat = [e for e in document.outline if not isinstance(e, list)]
    for entry in flat[1:]:
        assert f"{entry.title} {document.get_destination_page_number(entry) + 1}" in contents


def test_metadata_says_whose_it_is_and_in_which_language(proposal):
    name, language, data, _ = proposal
    document = reading.reader(data)
    consultation = whole(name).consultation
    assert document.metadata.title == f"{consultation.customer.name} · {consultation.title}"
    assert document.metadata.author == "Waypost"
    assert document.metadata.creation_date.date() == handmade.TODAY
    assert document.trailer["/Root"]["/Lang"] == ("ko-KR" if language == "ko" else "en")


def test_all_fonts_are_embedded_pretendard(proposal):
    fonts = {}
    for page in reading.reader(proposal[2]).pages:
        for name, found in page["/Resources"]["/Font"].items():
            fonts[name] = found.get_object() if isinstance(found, IndirectObject) else found
    used = [f for f in fonts.values() if "/FontDescriptor" in f]
    assert used
    assert all("/FontFile2" in f["/FontDescriptor"] for f in used)
    assert all("Pretendard" in f["/BaseFont"] for f in used)


def test_no_letter_stands_outside_the_margins(proposal):
    left, right = MARGIN - 1, PAGE_WIDTH - MARGIN + 1
    assert reading.letters_outside(proposal[2], left, right, FOOTER - 4, PAGE_HEIGHT - MARGIN + 2) == []


def test_the_attachment_is_the_session_without_its_private_notes(proposal, tmp_path):
    name, _, data, _ = proposal
    path = tmp_path / "proposal.pdf"
    path.write_bytes(data)
    original = whole(name).consultation
    assert open_any(path) == for_customer(original)
    assert open_any(path) == evolve(original, notes=tuple(n for n in original.notes if n.audience is Audience.CUSTOMER))


def test_private_notes_are_nowhere_in_the_file(proposal, tmp_path):
    name, _, data, _ = proposal
    private = [n.text for n in whole(name).consultation.notes if n.audience is Audience.PRIVATE]
    words = reading.text(data)
    attached = consultation_of(data, tmp_path / "p.pdf")
    assert private
    for note in private:
        assert note not in words
        assert note.encode() not in data
        assert note not in repr(attached)


def test_the_commands_are_the_ones_that_give_these_numbers():
    words = reading.text(printed("bank-documents", "en")[0])
    command = "waypost fit --model qwen3-32b --format fp8 --device nvidia-l40s:2 --context 16384 --concurrency 8"
    assert command in words
    assert "--prompt 3000 --output 420" in words


def test_the_same_day_gives_the_same_bytes():
    again = render(whole("bank-documents"), "ko", handmade.TODAY, book(), handmade.ROOMS)
    assert again == printed("bank-documents", "ko")


HOSTILE = {
    "markup": 'A & B <b>Bold</b> "Ltd" <para/> &amp; </font> {field} %s',
    "long": "한국" * 400,
    "words": "무척 긴 이름을 가진 고객사 " * 60,
    "emoji": "\U0001f680 로켓 은행 \U0001f469\u200d\U0001f467 \u202eRTL\u202c \x07 tab\tnew\nline",
    "empty": "",
    "han": "東京銀行 株式会社",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_names_print_as_words_and_break_nothing(kind):
    consultation = whole("phone-translator").consultation
    workload = evolve(consultation.workloads[0], name=HOSTILE[kind])
    hostile = handmade.assessment(
        "phone-translator",
        book(),
        customer=Customer(HOSTILE[kind], HOSTILE[kind][:90], "KR", HOSTILE[kind]),
        title=HOSTILE[kind],
        workloads=(workload,),
    )
    data, count = render(hostile, "ko", handmade.TODAY, book(), handmade.ROOMS)
    left, right = MARGIN - 1, PAGE_WIDTH - MARGIN + 1
    assert reading.letters_outside(data, left, right, FOOTER - 4, PAGE_HEIGHT - MARGIN + 2) == []
    assert count < 40
    if kind == "markup":
        assert clean(HOSTILE[kind]) in reading.text(data)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_proposal_with_no_answers_and_one_in_conflict_still_print(language):
    for changed in (handmade.without_answers, handmade.in_conflict):
        data, count = render(changed(whole("bank-documents")), language, handmade.TODAY, book(), handmade.ROOMS)
        assert count > 3
        assert reading.bookmarks(data)


def test_probe_results_stand_in_the_proposal_when_there_are_some():
    probed = handmade.assessment("phone-translator", book(), probe=to_dict(handmade.probe_run()))
    data, _ = render(probed, "en", handmade.TODAY, book(), handmade.ROOMS)
    assert (0, "GPU probe") in reading.bookmarks(data)
    assert "RTX 4070 Laptop reads memory at 233 GB/s" in reading.text(data)
    assert "GPU probe" not in reading.text(printed("phone-translator", "en")[0])


def test_a_long_ledger_runs_over_pages_with_its_header_repeated():
    base = whole("bank-documents")
    entries = base.workloads[0].assumptions * 60
    long = evolve(base, workloads=(evolve(base.workloads[0], assumptions=entries),))
    texts = reading.pages(render(long, "en", handmade.TODAY, book(), handmade.ROOMS)[0])
    assert sum("Assumed Value Basis Source As of" in words for words in texts) >= 3


def test_a_write_that_fails_says_why_and_leaves_the_old_file(tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir()
    target = folder / "proposal.pdf"
    target.write_bytes(b"old")
    missing = tmp_path / "no" / "such" / "proposal.pdf"
    with pytest.raises(ReportError) as told:
        write(whole("phone-translator"), missing, "ko", handmade.TODAY, book())
    assert told.value.message.key == "error.file_no_folder"
    with pytest.raises(ReportError) as told:
        write(whole("phone-translator"), folder, "ko", handmade.TODAY, book())
    assert told.value.message.key in ("error.file_is_folder", "error.file_no_permission", "error.file_failed")
    assert target.read_bytes() == b"old"


def test_a_written_file_reports_itself(tmp_path):
    target = tmp_path / "proposal.pdf"
    report = write(whole("phone-translator"), target, "en", handmade.TODAY, book(), handmade.ROOMS)
    assert report.path == target
    assert report.size_bytes == target.stat().st_size
    assert report.pages == len(reading.pages(target.read_bytes()))
    assert stat.S_ISREG(target.stat().st_mode)
    assert [p.name for p in tmp_path.iterdir()] == ["proposal.pdf"]
