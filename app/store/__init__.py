"""The history: drafts, versions, trash, probe runs. `open_store()` imports SQLAlchemy; the names here do not."""

from __future__ import annotations

from pathlib import Path

from app.store.errors import FileError, StoreError
from app.store.interface import (
    TRASH_DAYS,
    Drafts,
    History,
    HistoryEntry,
    ProbeRun,
    ProbeRuns,
    Reason,
    Store,
    Version,
    VersionEntry,
    Versions,
)


def open_store(url: str | None = None, folder: Path | None = None) -> Store:
    """Open (first: make, later: upgrade) the history.

    `url` is any SQLAlchemy database URL; None is `history.db` in `folder`; None there is the user's data folder. Raises
    StoreError or NewerDocument with one sentence; never falls back to memory.
    """
    from app.store.database import open_database  # SQLAlchemy stays out of the first paint

    return open_database(url, folder)


__all__ = [
    "TRASH_DAYS",
    "Drafts",
    "FileError",
    "History",
    "HistoryEntry",
    "ProbeRun",
    "ProbeRuns",
    "Reason",
    "Store",
    "StoreError",
    "Version",
    "VersionEntry",
    "Versions",
    "open_store",
]
