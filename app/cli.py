"""The same product without a window."""

from __future__ import annotations


def main() -> int:
    """Entry of the `waypost` command."""
    raise SystemExit("not built yet")
