"""The tables. A change here needs a new migration beside the others and a new fixture database in tests/fixtures."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import DateTime, ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

HEAD = "0001"
"""The schema this program writes: the newest migration's revision (a test holds the two together)."""


class UtcDateTime(TypeDecorator[datetime]):
    """An aware time, kept in UTC also where the database knows no zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """All tables."""


class ConsultationRow(Base):
    """A consultation as the history lists it; its content is in its draft and its versions."""

    __tablename__ = "consultations"

    id: Mapped[str] = mapped_column(String(80), primary_key=True)
    title: Mapped[str] = mapped_column(Text)
    customer: Mapped[str] = mapped_column(Text)
    workloads: Mapped[str] = mapped_column(Text)
    """Names, a JSON list."""
    search_text: Mapped[str] = mapped_column(Text)
    """What `app.store.search` looks into."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    changed_at: Mapped[datetime] = mapped_column(UtcDateTime)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    __table_args__ = (Index("ix_consultations_listed", "deleted_at", "changed_at"),)


class DraftRow(Base):
    """What autosave wrote last."""

    __tablename__ = "drafts"

    consultation_id: Mapped[str] = mapped_column(ForeignKey("consultations.id", ondelete="CASCADE"), primary_key=True)
    document: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256 of `document`: equal to the last version's when nothing is unsaved."""
    writer: Mapped[str] = mapped_column(String(32))
    """Which running program wrote it, so that two windows do not overwrite each other in silence."""
    saved_at: Mapped[datetime] = mapped_column(UtcDateTime)


class VersionRow(Base):
    """What the customer saw. Never changed: a trigger in the database refuses it."""

    __tablename__ = "versions"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    consultation_id: Mapped[str] = mapped_column(ForeignKey("consultations.id", ondelete="CASCADE"), index=True)
    number: Mapped[int] = mapped_column(Integer)
    document: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(String(64))
    title: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(String(16))
    language: Mapped[str] = mapped_column(String(16))
    catalogue_version: Mapped[str] = mapped_column(String(80))
    probe: Mapped[str | None] = mapped_column(Text)
    assessment: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    __table_args__ = (UniqueConstraint("consultation_id", "number", name="uq_versions_number"),)


class ProbeRunRow(Base):
    """One finished run of the probe."""

    __tablename__ = "probe_runs"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    machine: Mapped[str] = mapped_column(Text)
    result: Mapped[str] = mapped_column(Text)
