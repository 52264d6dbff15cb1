"""Writes the fixture database of the present schema: `python -m tests.app.store.make_fixture`, once a released schema.

The files of older schemas are never written again: they are what users have on their disks.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import attrs

from app.store import Reason
from app.store.database import FILE_NAME, open_database
from app.store.files import open_any
from app.store.models import HEAD

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SAMPLE = Path(__file__).resolve().parents[3] / "assets/samples/bank-documents.waypost"


def main() -> None:
    """A draft beyond its version, a clean version, something in the trash, a probe run."""
    target = FIXTURES / f"history-{HEAD}.db"
    if target.exists():
        sys.exit(f"{target} exists: a released fixture is never changed")
    moment = datetime(2026, 8, 22, 9, 0, tzinfo=UTC)

    def clock() -> datetime:
        nonlocal moment
        moment += timedelta(minutes=1)
        return moment

    bank = open_any(SAMPLE)
    with tempfile.TemporaryDirectory() as folder:
        store = open_database(None, Path(folder), clock=clock)
        store.versions.add(
            bank, reason=Reason.PROPOSAL, language="ko", catalogue_version="2026-12-01", assessment={"shown": 1}
        )
        store.drafts.save(attrs.evolve(bank, title="여신 서류, 둘째 안"))
        gone = attrs.evolve(bank, id="gone", title="버린 상담")
        store.versions.add(gone, reason=Reason.SAVED, language="en", catalogue_version="2026-12-01")
        store.history.delete("gone")
        store.probes.add({"schema": 1}, machine="RTX 4090")
        store.close()
        with closing(sqlite3.connect(Path(folder) / FILE_NAME)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("VACUUM")
        target.write_bytes((Path(folder) / FILE_NAME).read_bytes())


if __name__ == "__main__":
    main()
