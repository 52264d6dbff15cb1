"""Files are written whole or not at all: into a temporary neighbour, flushed to the disk, then put in place."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def write_bytes(path: Path, data: bytes, mode: int | None = None) -> None:
    """Replace `path` by `data`. On any error the old file stays and no leftover remains. Raises OSError.

    `mode` None: the mode of the file replaced, or what a new file gets here; Waypost's own files ask for 0o600.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(_usual_mode(path) if mode is None else mode)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def write_text(path: Path, text: str, mode: int | None = None) -> None:
    """As `write_bytes`, UTF-8."""
    write_bytes(path, text.encode("utf-8"), mode)


def _usual_mode(path: Path) -> int:
    with contextlib.suppress(OSError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` last through a power cut, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
