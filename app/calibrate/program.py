"""`calibrate ROWS.csv --out DIR`: refit the speed constants from measured rows and say how good they are."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from app.calibrate.fit import Model, fit
from app.calibrate.judge import by_kind, printed, residuals
from app.calibrate.rows import read_table
from app.calibrate.write import write_files
from app.host.paths import ASSETS
from engine.catalogue import load_catalogue
from engine.speed.calibration import FOLDER, load_calibration


def main(argv: Sequence[str] | None = None) -> int:
    """Read the rows, fit, print errors in sample and left out by kind, write the files. Returns the exit status."""
    arguments = _parser().parse_args(argv)
    catalogue = load_catalogue(ASSETS / "catalogue")
    try:
        content = arguments.rows.read_bytes()
        table = read_table(arguments.rows, catalogue)
    except (OSError, ValueError, KeyError) as error:
        print(f"calibrate: {arguments.rows}: {error}", file=sys.stderr)
        return 2
    model = Model(table)
    values = fit(model)
    found = residuals(model, values, leave_out=not arguments.quick)
    print(printed(by_kind(table, found)))
    source = f"{arguments.rows.name}, {len(table.rows)} rows, sha256 {hashlib.sha256(content).hexdigest()[:12]}"
    for path in write_files(arguments.out, model, values, found, source):
        print(f"wrote {path}")
    load_calibration.cache_clear()
    load_calibration(arguments.out)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="calibrate", description=main.__doc__)
    parser.add_argument("rows", type=Path, help="CSV of measured rows (columns as in the truth file)")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder for speed.json and speed-<engine>.json")
    parser.add_argument("--quick", action="store_true", help="do not leave devices and models out: bands are in sample")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
