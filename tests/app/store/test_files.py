"""Consultations as files: ours open, everything else is refused with a sentence."""

from __future__ import annotations

import io
import json
import resource

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdf import PdfWriter

from app.host import atomic
from app.present.translator import LANGUAGES, Translator
from app.store import FileError, Reason
from app.store.files import export, open_any, take_in
from engine.documents import ATTACHMENT_NAME, to_json
from engine.errors import DamagedDocument, NewerDocument, WaypostError


def pdf(attachment: bytes | None = None, name: str = ATTACHMENT_NAME, password: str | None = None) -> bytes:
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    if attachment is not None:
        writer.add_attachment(name, attachment)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def refused(path) -> WaypostError:
    with pytest.raises((FileError, DamagedDocument, NewerDocument)) as caught:
        open_any(path)
    for language in LANGUAGES:
        sentence = Translator(language)(caught.value.message)
        assert str(path) in sentence
        assert "\n" not in sentence
        assert "[error." not in sentence
    return caught.value


def innermost(error: WaypostError) -> str:
    return error.message.params.get("problem", error.message).key


def test_a_file_comes_back_whatever_it_is_called(tmp_path, hospital):
    for name in ("상담.waypost", "상담.pdf", "상담"):
        export(hospital, tmp_path / name)
        assert open_any(tmp_path / name) == hospital


def test_a_proposal_comes_back(tmp_path, hospital):
    path = tmp_path / "제안서.pdf"
    path.write_bytes(pdf(to_json(hospital).encode()))
    assert open_any(path) == hospital


def test_a_file_with_a_byte_order_mark_and_windows_line_ends(tmp_path, hospital):
    path = tmp_path / "x.waypost"
    path.write_bytes(b"\xef\xbb\xbf" + to_json(hospital).replace("\n", "\r\n").encode())
    assert open_any(path) == hospital


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"", "error.file_empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "error.not_utf8"),
        (b"hello", "error.not_json"),
        (b"[]", "error.not_a_consultation"),
        (b'{"format": "other"}', "error.not_a_consultation"),
        (b'{"format": "waypost-consultation"}', "error.no_schema_version"),
        (b'{"format": "waypost-consultation", "schema_version": 999}', "error.newer_document"),
        (b'{"format": "waypost-consultation", "schema_version": 1, "id": 5}', "error.damaged_document"),
        (b'{"format": "waypost-consultation", "schema_version": 1, "id": "a", "x": 1}', "error.damaged_document"),
        (b'{"format": "waypost-consultation", "schema_version": 1, "id": NaN}', "error.not_json"),
        (b"[" * 200_000, "error.not_json"),
        (pdf(), "error.pdf_without_consultation"),
        (pdf(b"{}", "other.txt"), "error.pdf_without_consultation"),
        (pdf(b"{}", password="x"), "error.pdf_encrypted"),
        (pdf(b"not json"), "error.not_json"),
        (pdf(b"\xff\xfe"), "error.not_utf8"),
        (b"%PDF-1.7\nthis is no pdf", "error.pdf_damaged"),
    ],
)
def test_other_files_are_refused(tmp_path, content, key):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert innermost(refused(path)) == key


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.99])
def test_a_cut_file_is_refused_or_whole_never_half(tmp_path, hospital, share):
    for name, whole in (("x.waypost", to_json(hospital).encode()), ("x.pdf", pdf(to_json(hospital).encode()))):
        path = tmp_path / name
        path.write_bytes(whole[: int(len(whole) * share)])
        try:
            assert open_any(path) == hospital
        except DamagedDocument:
            continue


def test_a_small_pdf_that_unpacks_to_a_huge_attachment_is_refused(tmp_path):
    path = tmp_path / "bomb.pdf"
    path.write_bytes(compressed_bomb())
    assert path.stat().st_size < 2_000_000
    assert innermost(refused(path)) in ("error.pdf_damaged", "error.file_too_large")


def compressed_bomb() -> bytes:
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.add_attachment(ATTACHMENT_NAME, b" " * (200 * 1024 * 1024))
    for item in writer._objects:
        if item is not None and item.get_object().get("/Type") == "/EmbeddedFile":
            writer._objects[writer._objects.index(item)] = item.flate_encode()
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_places_that_are_no_files(tmp_path, hospital):
    assert refused(tmp_path / "none").message.key == "error.file_missing"
    assert refused(tmp_path).message.key == "error.file_is_folder"
    with pytest.raises(FileError) as caught:
        export(hospital, tmp_path / "no folder" / "x.waypost")
    assert caught.value.message.key == "error.file_no_folder"


def test_too_large_is_refused_without_reading_it_all(tmp_path, monkeypatch):
    monkeypatch.setattr("app.store.files.MAX_PDF_BYTES", 1000)
    path = tmp_path / "x"
    with path.open("wb") as stream:
        stream.truncate(10**12)
    assert refused(path).message.key == "error.file_too_large"


def test_a_disk_that_fills_up_leaves_the_old_file(tmp_path, hospital):
    path = tmp_path / "x.waypost"
    export(hospital, path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(FileError) as caught:
            export(attrs.evolve(hospital, title="x" * 50_000), path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.message.key == "error.file_full"
    assert open_any(path) == hospital
    assert [f.name for f in tmp_path.iterdir()] == ["x.waypost"]


def test_files_of_the_user_keep_their_rights(tmp_path):
    path = tmp_path / "x"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    atomic.write_text(path, "new")
    assert (path.read_text(encoding="utf-8"), path.stat().st_mode & 0o777) == ("new", 0o640)


def test_a_file_given_back_by_a_colleague_loses_nothing(store, hospital):
    store.versions.add(hospital, reason=Reason.SAVED, language="ko", catalogue_version="x")
    store.drafts.save(attrs.evolve(hospital, title="my changes"))
    store.history.delete("hospital")
    theirs = attrs.evolve(hospital, title="their changes")
    take_in(store, theirs, language="ko", catalogue_version="x")
    assert store.drafts.load("hospital") == theirs
    assert [(v.reason.value, v.title) for v in store.versions.of("hospital")] == [
        ("imported", "their changes"),
        ("kept", "my changes"),
        ("saved", hospital.title),
    ]
    assert [e.id for e in store.history.recent()] == ["hospital"]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.integers(0, 2), st.integers(0, 4000))
def test_no_bytes_do_worse_than_a_sentence(tmp_path, hospital, junk, kind, at):
    whole = (b"", to_json(hospital).encode(), pdf(to_json(hospital).encode()))[kind]
    at = min(at, len(whole))
    path = tmp_path / "fuzz"
    path.write_bytes(whole[:at] + junk + whole[at + len(junk) :])
    sentence = ""
    try:
        open_any(path)
    except (FileError, DamagedDocument, NewerDocument) as error:
        sentence = Translator("en")(error.message)
    assert "\n" not in sentence


def test_private_notes_travel_in_the_file(tmp_path, hospital):
    export(hospital, tmp_path / "x")
    assert json.loads((tmp_path / "x").read_text(encoding="utf-8"))["notes"][0]["text"] == "할인 50%_까지"
