"""One consultation as a file: `.waypost`, or the PDF of a proposal that carries it inside."""

from __future__ import annotations

import errno
import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from app.host import atomic
from app.store.errors import FileError
from app.store.interface import Reason, Store
from engine.consultation import Consultation
from engine.documents import ATTACHMENT_NAME, MAX_FILE_BYTES, from_json, to_json
from engine.errors import DamagedDocument, NewerDocument, UnknownId
from engine.messages import Message, Quantity, msg
from engine.units import BYTES

SUFFIX: Final = ".waypost"
MAX_PDF_BYTES: Final = 256 * 1024 * 1024
_PDF_HEAD: Final = b"%PDF-"
_HEAD_WITHIN: Final = 1024

_SENTENCES: Final[dict[int, str]] = {
    errno.ENOENT: "error.file_missing",
    errno.ENOTDIR: "error.file_no_folder",
    errno.EISDIR: "error.file_is_folder",
    errno.EACCES: "error.file_no_permission",
    errno.EPERM: "error.file_no_permission",
    errno.EROFS: "error.file_read_only",
    errno.ENOSPC: "error.file_full",
    errno.EDQUOT: "error.file_full",
    errno.EFBIG: "error.file_full",
    errno.ETXTBSY: "error.file_locked",
}
_SHARING_VIOLATION: Final = 32


def sentence(error: OSError, path: Path, *, writing: bool) -> Message:
    """What the operating system said about a file of the user's, as one sentence."""
    if getattr(error, "winerror", None) == _SHARING_VIOLATION:
        return msg("error.file_locked", path=str(path))
    key = _SENTENCES.get(error.errno or 0)
    if writing and error.errno == errno.ENOENT:
        key = "error.file_no_folder"
    if key is None:
        return msg("error.file_failed", path=str(path), why=error.strerror or str(error))
    return msg(key, path=str(path))


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an OSError while `path` is written into one sentence. Raises FileError."""
    try:
        yield
    except OSError as error:
        raise FileError(sentence(error, path, writing=True)) from error


def read_limited(path: Path, limit: int) -> bytes:
    """A file's content, never more than `limit` bytes of it in memory. Raises FileError."""
    try:
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise FileError(sentence(error, path, writing=False)) from error
    if len(data) > limit:
        size = Quantity(path.stat().st_size, BYTES) if path.is_file() else Quantity(len(data), BYTES)
        raise FileError(msg("error.file_too_large", path=str(path), size=size, limit=Quantity(limit, BYTES)))
    if not data:
        raise FileError(msg("error.file_empty", path=str(path)))
    return data


def open_any(path: Path) -> Consultation:
    """The consultation of a `.waypost` file or of a PDF of ours; what it is shows its content, not its name.

    Raises FileError, DamagedDocument or NewerDocument, each one sentence.
    """
    return consultation_of(read_limited(path, MAX_PDF_BYTES), path)


def consultation_of(data: bytes, path: Path) -> Consultation:
    """As `open_any`, of bytes already read; `path` is only named in sentences."""
    if _PDF_HEAD in data[:_HEAD_WITHIN]:
        data = _attachment(data, path)
    if len(data) > MAX_FILE_BYTES:
        size, limit = Quantity(len(data), BYTES), Quantity(MAX_FILE_BYTES, BYTES)
        raise FileError(msg("error.file_too_large", path=str(path), size=size, limit=limit))
    text = _text(data, path)
    try:
        return from_json(text)
    except (DamagedDocument, NewerDocument) as error:
        raise type(error)(msg("error.in_file", path=str(path), problem=error.message)) from error


def _text(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DamagedDocument(msg("error.not_utf8", path=str(path))) from error


def _attachment(data: bytes, path: Path) -> bytes:
    from pypdf import PdfReader  # half the start of the command line, needed for PDFs only
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it recovers from is no news to the user
    try:
        reader = PdfReader(io.BytesIO(data))
        encrypted = reader.is_encrypted
        found = () if encrypted else tuple(a for a in reader.attachment_list if a.name == ATTACHMENT_NAME)
        content = bytes(found[0].content) if found else None
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError) as error:
        raise DamagedDocument(msg("error.pdf_damaged", path=str(path))) from error
    if encrypted:
        raise DamagedDocument(msg("error.pdf_encrypted", path=str(path)))
    if content is not None:
        return content
    if b"%%EOF" not in data[-2048:]:
        raise DamagedDocument(msg("error.pdf_damaged", path=str(path)))
    raise DamagedDocument(msg("error.pdf_without_consultation", path=str(path)))


def export(consultation: Consultation, path: Path) -> None:
    """Write one `.waypost` file, whole or not at all. Raises FileError."""
    with writing(path):
        atomic.write_text(path, to_json(consultation))


def take_in(store: Store, consultation: Consultation, *, language: str, catalogue_version: str) -> str:
    """Bring an opened file into the history as a version; what the history held under the same id is kept as versions.

    Returns the consultation's id.
    """
    try:
        held = store.history.entry(consultation.id)
    except UnknownId:
        held = None
    if held is not None and held.unsaved:
        mine = store.drafts.load(consultation.id)
        if to_json(mine) != to_json(consultation):
            store.versions.add(mine, reason=Reason.KEPT, language=language, catalogue_version=catalogue_version)
    if held is not None and held.deleted_at is not None:
        store.history.restore(consultation.id)
    store.versions.add(consultation, reason=Reason.IMPORTED, language=language, catalogue_version=catalogue_version)
    return consultation.id
