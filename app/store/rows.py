"""Between rows and the values of the interface."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.store.interface import HistoryEntry, Reason, VersionEntry
from app.store.models import ConsultationRow, DraftRow, VersionRow
from app.store.search import searchable
from engine.consultation import Consultation
from engine.documents import from_json, to_dict
from engine.errors import UnknownId


class Transactions(Protocol):
    """What a repository needs of the database."""

    place: str
    writer_id: str

    def read(self) -> AbstractContextManager[Session]: ...

    def write(self) -> AbstractContextManager[Session]: ...

    def now(self) -> datetime: ...


def document_text(consultation: Consultation) -> str:
    """The document as stored: compact, stable order."""
    return json.dumps(to_dict(consultation), ensure_ascii=False, separators=(",", ":"), default=dict)


def document_of(text: str) -> Consultation:
    """Raises DamagedDocument, NewerDocument."""
    return from_json(text)


def json_text(value: Mapping[str, Any] | None) -> str | None:
    if value is None:
        return None
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=dict)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def find(session: Session, consultation_id: str) -> ConsultationRow:
    """Raises UnknownId with the nearest three."""
    row = session.get(ConsultationRow, consultation_id)
    if row is None:
        raise UnknownId("consultation", consultation_id, session.scalars(select(ConsultationRow.id)))
    return row


def last_version(session: Session, consultation_id: str) -> VersionRow | None:
    return session.scalars(
        select(VersionRow)
        .where(VersionRow.consultation_id == consultation_id)
        .order_by(VersionRow.number.desc())
        .limit(1)
    ).first()


def list_row(session: Session, consultation: Consultation, now: datetime) -> ConsultationRow:
    """The consultation's row, made or brought to what the document says now."""
    row = session.get(ConsultationRow, consultation.id)
    if row is None:
        row = ConsultationRow(id=consultation.id, created_at=now)
        session.add(row)
    row.title = consultation.title.replace("\0", "")
    row.customer = consultation.customer.name.replace("\0", "")
    row.workloads = json.dumps([w.name for w in consultation.workloads], ensure_ascii=False)
    row.search_text = searchable(consultation)
    row.changed_at = now
    session.flush()
    return row


def append_version(
    session: Session,
    consultation: Consultation,
    *,
    now: datetime,
    reason: Reason,
    language: str,
    catalogue_version: str,
    assessment: Mapping[str, Any] | None = None,
) -> VersionRow:
    """One more version; its number follows the last."""
    text = document_text(consultation)
    last = session.scalar(select(func.max(VersionRow.number)).where(VersionRow.consultation_id == consultation.id))
    row = VersionRow(
        consultation_id=consultation.id,
        number=(last or 0) + 1,
        document=text,
        digest=digest(text),
        title=consultation.title.replace("\0", ""),
        reason=reason.value,
        language=language,
        catalogue_version=catalogue_version,
        probe=json_text(consultation.probe),
        assessment=json_text(assessment),
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row


def put_draft(session: Session, consultation_id: str, text: str, *, writer: str, now: datetime) -> None:
    row = session.get(DraftRow, consultation_id)
    if row is None:
        row = DraftRow(consultation_id=consultation_id)
        session.add(row)
    row.document, row.digest, row.writer, row.saved_at = text, digest(text), writer, now
    session.flush()


def version_entry(row: VersionRow) -> VersionEntry:
    return VersionEntry(
        consultation_id=row.consultation_id,
        number=row.number,
        created_at=row.created_at,
        reason=Reason(row.reason),
        language=row.language,
        catalogue_version=row.catalogue_version,
        title=row.title,
    )


def history_entry(row: ConsultationRow, version_count: int, *, unsaved: bool) -> HistoryEntry:
    return HistoryEntry(
        id=row.id,
        title=row.title,
        customer=row.customer,
        workloads=tuple(json.loads(row.workloads)),
        created_at=row.created_at,
        changed_at=row.changed_at,
        version_count=version_count,
        unsaved=unsaved,
        deleted_at=row.deleted_at,
    )
