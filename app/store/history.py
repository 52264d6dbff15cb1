"""The history: list, search, trash."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session, load_only

from app.store.interface import TRASH_DAYS, HistoryEntry
from app.store.models import ConsultationRow, DraftRow, VersionRow
from app.store.rows import Transactions, find, history_entry
from app.store.search import ESCAPE, patterns

_LISTED = (
    ConsultationRow.title,
    ConsultationRow.customer,
    ConsultationRow.workloads,
    ConsultationRow.created_at,
    ConsultationRow.changed_at,
    ConsultationRow.deleted_at,
)


class HistoryRepository:
    """The `History` of the interface."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def recent(self, limit: int = 200) -> tuple[HistoryEntry, ...]:
        """Newest change first, without the trash."""
        return self.search("", limit)

    def search(self, text: str, limit: int = 200) -> tuple[HistoryEntry, ...]:
        """Entries that hold every word of `text` somewhere."""
        found = [ConsultationRow.search_text.like(p, escape=ESCAPE) for p in patterns(text)]
        with self._transactions.read() as session:
            return _entries(
                session,
                _listing(ConsultationRow.deleted_at.is_(None), *found)
                .order_by(ConsultationRow.changed_at.desc(), ConsultationRow.id)
                .limit(limit),
            )

    def entry(self, consultation_id: str) -> HistoryEntry:
        """Raises UnknownId."""
        with self._transactions.read() as session:
            find(session, consultation_id)
            return _entries(session, _listing(ConsultationRow.id == consultation_id))[0]

    def delete(self, consultation_id: str) -> None:
        """Into the trash. Raises UnknownId."""
        with self._transactions.write() as session:
            row = find(session, consultation_id)
            if row.deleted_at is None:
                row.deleted_at = self._transactions.now()

    def restore(self, consultation_id: str) -> None:
        """Out of the trash. Raises UnknownId."""
        with self._transactions.write() as session:
            find(session, consultation_id).deleted_at = None

    def trash(self) -> tuple[HistoryEntry, ...]:
        """Latest deletion first."""
        with self._transactions.read() as session:
            return _entries(
                session,
                _listing(ConsultationRow.deleted_at.is_not(None)).order_by(
                    ConsultationRow.deleted_at.desc(), ConsultationRow.id
                ),
            )

    def purge(self, older_than_days: float = TRASH_DAYS) -> int:
        """Remove for good what lies longer in the trash; how many went."""
        limit = self._transactions.now() - timedelta(days=older_than_days)
        with self._transactions.write() as session:
            gone = session.scalars(
                delete(ConsultationRow).where(ConsultationRow.deleted_at <= limit).returning(ConsultationRow.id)
            ).all()
            return len(gone)


def _listing(*conditions: ColumnElement[bool]) -> Any:
    """Rows with the number of versions, the draft's digest and the last version's."""
    count = (
        select(func.count())
        .select_from(VersionRow)
        .where(VersionRow.consultation_id == ConsultationRow.id)
        .scalar_subquery()
    )
    last = (
        select(VersionRow.digest)
        .where(VersionRow.consultation_id == ConsultationRow.id)
        .order_by(VersionRow.number.desc())
        .limit(1)
        .scalar_subquery()
    )
    return (
        select(ConsultationRow, count, DraftRow.digest, last)
        .outerjoin(DraftRow, DraftRow.consultation_id == ConsultationRow.id)
        .where(*conditions)
        .options(load_only(*_LISTED))
    )


def _entries(session: Session, query: Any) -> tuple[HistoryEntry, ...]:
    return tuple(
        history_entry(row, count, unsaved=draft is not None and draft != last)
        for row, count, draft, last in session.execute(query)
    )
