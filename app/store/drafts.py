"""Drafts: what autosave writes."""

from __future__ import annotations

from sqlalchemy.orm import Session

from app.store.interface import Reason
from app.store.models import DraftRow
from app.store.rows import (
    Transactions,
    append_version,
    digest,
    document_of,
    document_text,
    find,
    last_version,
    list_row,
    put_draft,
)
from engine.consultation import Consultation
from engine.errors import UnknownId


class DraftRepository:
    """The `Drafts` of the interface."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions
        self._seen: dict[str, str] = {}
        """Consultation id -> digest of the draft this program read or wrote last."""

    def save(self, consultation: Consultation) -> None:
        """Write the draft. A draft another window wrote meanwhile is kept as a version first."""
        text = document_text(consultation)
        with self._transactions.write() as session:
            self._keep_foreign(session, consultation.id, text)
            now = self._transactions.now()
            list_row(session, consultation, now)
            put_draft(session, consultation.id, text, writer=self._transactions.writer_id, now=now)
        self._seen[consultation.id] = digest(text)

    def _keep_foreign(self, session: Session, consultation_id: str, text: str) -> None:
        row = session.get(DraftRow, consultation_id)
        if row is None or row.writer == self._transactions.writer_id:
            return
        if row.digest in (self._seen.get(consultation_id), digest(text)):
            return
        last = last_version(session, consultation_id)
        if last is not None and last.digest == row.digest:
            return
        append_version(
            session,
            document_of(row.document),
            now=self._transactions.now(),
            reason=Reason.KEPT,
            language="",
            catalogue_version="",
        )

    def load(self, consultation_id: str) -> Consultation:
        """The draft, or the last version. Raises UnknownId, DamagedDocument, NewerDocument."""
        with self._transactions.read() as session:
            find(session, consultation_id)
            draft = session.get(DraftRow, consultation_id)
            if draft is not None:
                self._seen[consultation_id] = draft.digest
                return document_of(draft.document)
            last = last_version(session, consultation_id)
            if last is None:
                raise UnknownId("consultation", consultation_id, ())
            return document_of(last.document)

    def discard(self, consultation_id: str) -> Consultation | None:
        """Drop the draft. Without any version the consultation goes too."""
        with self._transactions.write() as session:
            row = find(session, consultation_id)
            draft = session.get(DraftRow, consultation_id)
            if draft is not None:
                session.delete(draft)
            last = last_version(session, consultation_id)
            if last is None:
                session.delete(row)
                return None
            remaining = document_of(last.document)
            list_row(session, remaining, self._transactions.now())
            return remaining
