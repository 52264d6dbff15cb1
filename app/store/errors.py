"""What may be wrong with the place where consultations are kept. Nothing is ever written elsewhere instead."""

from __future__ import annotations

from engine.errors import WaypostError


class StoreError(WaypostError):
    """The history cannot be read or written; the message says why and what to do. What was stored stays as it was."""


class FileError(WaypostError):
    """A file of the user's cannot be read or written."""
