"""Versions: what the customer saw."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from app.store.interface import Reason, Version, VersionEntry
from app.store.models import VersionRow
from app.store.rows import (
    Transactions,
    append_version,
    document_of,
    document_text,
    find,
    list_row,
    put_draft,
    version_entry,
)
from engine.consultation import Consultation
from engine.errors import UnknownId


class VersionRepository:
    """The `Versions` of the interface."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def add(
        self,
        consultation: Consultation,
        *,
        reason: Reason,
        language: str,
        catalogue_version: str,
        assessment: Mapping[str, Any] | None = None,
    ) -> VersionEntry:
        """Keep what the customer saw; the draft becomes the same."""
        with self._transactions.write() as session:
            now = self._transactions.now()
            list_row(session, consultation, now)
            row = append_version(
                session,
                consultation,
                now=now,
                reason=reason,
                language=language,
                catalogue_version=catalogue_version,
                assessment=assessment,
            )
            text = document_text(consultation)
            put_draft(session, consultation.id, text, writer=self._transactions.writer_id, now=now)
            return version_entry(row)

    def of(self, consultation_id: str) -> tuple[VersionEntry, ...]:
        """Newest first. Raises UnknownId."""
        with self._transactions.read() as session:
            find(session, consultation_id)
            rows = session.scalars(
                select(VersionRow)
                .where(VersionRow.consultation_id == consultation_id)
                .order_by(VersionRow.number.desc())
            )
            return tuple(version_entry(row) for row in rows)

    def get(self, consultation_id: str, number: int) -> Version:
        """Raises UnknownId, DamagedDocument, NewerDocument."""
        with self._transactions.read() as session:
            find(session, consultation_id)
            mine = VersionRow.consultation_id == consultation_id
            row = session.scalars(select(VersionRow).where(mine, VersionRow.number == number)).first()
            if row is None:
                known = session.scalars(select(VersionRow.number).where(mine))
                raise UnknownId("version", str(number), map(str, known))
            return Version(version_entry(row), document_of(row.document), _mapping(row.probe), _mapping(row.assessment))


def _mapping(text: str | None) -> Mapping[str, Any] | None:
    return None if text is None else dict(json.loads(text))
