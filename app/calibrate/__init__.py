"""Programs that fit the constants of assets/calibration from a CSV of measured rows, and say how far they are off.

`main` refits the speed constants (needs scipy, which nothing else at run time does); `app.calibrate.memory` the memory's.
"""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the speed calibration (imports scipy on use)."""
    from app.calibrate.program import main as run

    return run(argv)
