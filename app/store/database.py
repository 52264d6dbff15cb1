"""The database behind the store."""

from __future__ import annotations

from pathlib import Path

from app.store.interface import Store


def open_database(url: str | None, folder: Path | None) -> Store:
    """See `app.store.open_store`."""
    raise NotImplementedError
