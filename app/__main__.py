"""`python -m app`: the window."""

from __future__ import annotations

import sys


def main() -> int:
    """Open the window; the exit status."""
    from app.ui.start import main as start  # Qt is read when a window is wanted

    return start()


if __name__ == "__main__":
    sys.exit(main())
