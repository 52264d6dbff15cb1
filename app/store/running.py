"""Did the last run end cleanly? Each run holds a lock on a small file until it ends; a file without a holder tells of a crash."""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from attrs import frozen
from filelock import FileLock, Timeout

from app.host.paths import data_folder

FOLDER: Final = "running"
_SUFFIX: Final = ".json"


@frozen
class UncleanEnd:
    """A run that ended without saying so: a crash, a kill, a power cut."""

    started_at: datetime
    consultation_id: str | None
    """What was open. Its draft is in the history; it is offered, not opened by itself."""


class Run:
    """This run. `unclean` names the runs before it that ended badly. Raises nothing: a read-only folder only costs the notice."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = (folder or data_folder()) / FOLDER
        self._started_at = datetime.now(UTC)
        self.unclean: tuple[UncleanEnd, ...] = ()
        self._file = self._folder / f"{os.getpid()}-{uuid.uuid4().hex[:8]}{_SUFFIX}"
        self._lock = FileLock(_lock_of(self._file))
        with contextlib.suppress(OSError, Timeout):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with FileLock(self._folder / "all.lock", timeout=2):
                self.unclean = tuple(sorted(self._ended_badly(), key=lambda end: end.started_at))
                self._lock.acquire(timeout=0)
                self._write(None)

    def opened(self, consultation_id: str | None) -> None:
        """Which consultation is open now."""
        with contextlib.suppress(OSError):
            self._write(consultation_id)

    def end(self) -> None:
        """A clean end."""
        with contextlib.suppress(OSError):
            self._file.unlink(missing_ok=True)
            self._lock.release()
            Path(_lock_of(self._file)).unlink(missing_ok=True)

    def _write(self, consultation_id: str | None) -> None:
        body = {"started_at": self._started_at.isoformat(), "consultation": consultation_id}
        self._file.write_text(json.dumps(body), encoding="utf-8")

    def _ended_badly(self) -> list[UncleanEnd]:
        found = []
        for file in self._folder.glob(f"*{_SUFFIX}"):
            lock = FileLock(_lock_of(file))
            try:
                lock.acquire(timeout=0)
            except Timeout:
                continue  # that run is alive
            found.append(_read(file))
            file.unlink(missing_ok=True)
            lock.release()
            Path(_lock_of(file)).unlink(missing_ok=True)
        return found


def _lock_of(file: Path) -> str:
    return str(file.with_suffix(".lock"))


def _read(file: Path) -> UncleanEnd:
    try:
        body = json.loads(file.read_text(encoding="utf-8"))
        consultation = body["consultation"]
        return UncleanEnd(
            datetime.fromisoformat(body["started_at"]), None if consultation is None else str(consultation)
        )
    except (OSError, ValueError, KeyError, TypeError):
        return UncleanEnd(datetime.fromtimestamp(0, UTC), None)
