"""What may go wrong when a proposal is written, as one sentence; the old file stays whole."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

from engine.errors import WaypostError
from engine.messages import msg


class ReportError(WaypostError):
    """The proposal could not be written: the file is open elsewhere, read-only, or the disk is full."""


_LOCKED_ON_WINDOWS: Final = 32
_KEYS: Final = {
    errno.ENOENT: "error.file_no_folder",
    errno.ENOTDIR: "error.file_no_folder",
    errno.EISDIR: "error.file_is_folder",
    errno.EACCES: "error.file_no_permission",
    errno.EPERM: "error.file_no_permission",
    errno.EROFS: "error.file_read_only",
    errno.ENOSPC: "error.file_full",
    errno.EDQUOT: "error.file_full",
    errno.ETXTBSY: "error.file_locked",
}


def report_error(error: OSError, path: Path) -> ReportError:
    """The sentence for what the operating system said. A PDF held open by a reader on Windows is "locked"."""
    if getattr(error, "winerror", None) == _LOCKED_ON_WINDOWS:
        return ReportError(msg("error.file_locked", path=str(path)))
    key = _KEYS.get(error.errno or 0)
    if key is None:
        return ReportError(msg("error.file_failed", path=str(path), why=error.strerror or str(error)))
    return ReportError(msg(key, path=str(path)))
