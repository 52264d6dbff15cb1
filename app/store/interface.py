"""What the open consultation asks of the store. No SQLAlchemy here: the window may import it before its first paint.

A *draft* is what autosave writes: one a consultation, overwritten. A *version* is what the customer saw: saved on purpose or
by an export, never changed again. Every method may raise StoreError (one sentence) and is safe to call from any thread.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from attrs import frozen

from engine.consultation import Consultation

TRASH_DAYS = 30
"""Days a deleted consultation can be brought back."""


class Reason(enum.StrEnum):
    """Why a version exists."""

    SAVED = "saved"
    PROPOSAL = "proposal"
    """A PDF was made from it."""
    EXPORTED = "exported"
    IMPORTED = "imported"
    KEPT = "kept"
    """Another window was about to overwrite this draft."""


@frozen
class HistoryEntry:
    """One consultation as the history lists it. Times are UTC."""

    id: str
    title: str
    customer: str
    workloads: tuple[str, ...]
    created_at: datetime
    changed_at: datetime
    version_count: int
    unsaved: bool
    """The draft is newer than the last version."""
    deleted_at: datetime | None = None


@frozen
class VersionEntry:
    """One version without its document. `number` counts from 1 within the consultation."""

    consultation_id: str
    number: int
    created_at: datetime
    reason: Reason
    language: str
    catalogue_version: str
    title: str


@frozen
class Version:
    """One version with everything needed to show again what the customer saw."""

    entry: VersionEntry
    consultation: Consultation
    probe: Mapping[str, Any] | None
    assessment: Mapping[str, Any] | None
    """The figures as they were shown (app.present.jsonable), for the day when the catalogue has moved on."""


@frozen
class ProbeRun:
    """One finished run of the probe; `result` is the probe's own versioned JSON."""

    id: int
    at: datetime
    machine: str
    """The device's product name; nothing that identifies the owner."""
    result: Mapping[str, Any]


class Drafts(Protocol):
    def save(self, consultation: Consultation) -> None:
        """Write the draft; the consultation comes into the history with its first draft."""

    def load(self, consultation_id: str) -> Consultation:
        """The draft, or the last version where there is none. Raises UnknownId."""

    def discard(self, consultation_id: str) -> Consultation | None:
        """Drop the draft; the last version is what remains (None: there was none and the consultation is gone)."""


class Versions(Protocol):
    def add(
        self,
        consultation: Consultation,
        *,
        reason: Reason,
        language: str,
        catalogue_version: str,
        assessment: Mapping[str, Any] | None = None,
    ) -> VersionEntry:
        """Keep what the customer saw. The draft is brought to the same content in the same transaction."""

    def of(self, consultation_id: str) -> tuple[VersionEntry, ...]:
        """Newest first."""

    def get(self, consultation_id: str, number: int) -> Version:
        """Raises UnknownId."""


class History(Protocol):
    def recent(self, limit: int = 200) -> tuple[HistoryEntry, ...]:
        """Newest change first, without the trash."""

    def search(self, text: str, limit: int = 200) -> tuple[HistoryEntry, ...]:
        """Every word of `text` is inside the title, the customer, a workload's name or a note. "" gives `recent`."""

    def entry(self, consultation_id: str) -> HistoryEntry:
        """Raises UnknownId."""

    def delete(self, consultation_id: str) -> None:
        """Into the trash. Raises UnknownId."""

    def restore(self, consultation_id: str) -> None:
        """Out of the trash: undo of `delete`. Raises UnknownId."""

    def trash(self) -> tuple[HistoryEntry, ...]:
        """Latest deletion first."""

    def purge(self, older_than_days: float = TRASH_DAYS) -> int:
        """Remove for good what lies longer in the trash; how many went."""


class ProbeRuns(Protocol):
    def add(self, result: Mapping[str, Any], machine: str) -> ProbeRun: ...

    def recent(self, limit: int = 100) -> tuple[ProbeRun, ...]:
        """Newest first."""


class Store(Protocol):
    """One open history. Close it when the program ends."""

    @property
    def drafts(self) -> Drafts: ...

    @property
    def versions(self) -> Versions: ...

    @property
    def history(self) -> History: ...

    @property
    def probes(self) -> ProbeRuns: ...

    def is_sound(self) -> bool:
        """Look over the whole database; worth asking after a run that ended badly (`app.store.running`)."""

    def close(self) -> None: ...
