"""`python -m tests.bench [NAME ...] [--json]`: measure and print."""

from __future__ import annotations

import argparse
import json
import sys

from app.cli.columns import columns
from tests.bench.figures import BENCHMARKS
from tests.bench.measure import Figure


def main() -> int:
    """Exit code 0 whatever was measured: figures are read by people."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    unknown = set(args.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    figures: list[Figure] = []
    for name in args.names or BENCHMARKS:
        print(f"... {name}", file=sys.stderr)
        figures += BENCHMARKS[name]()
    if args.json:
        print(json.dumps([{**_plain(f), "met": f.met} for f in figures], indent=2))
        return 0
    for line in columns(map(_row, figures), ("figure", "value", "aim", "", "")):
        print(line)
    return 0


def _plain(figure: Figure) -> dict[str, object]:
    return {name: getattr(figure, name) for name in ("name", "value", "unit", "aim", "note")}


def _row(figure: Figure) -> tuple[str, ...]:
    sign = ">=" if figure.at_least else "<="
    aim = "" if figure.aim is None else f"{sign} {figure.aim:g}"
    verdict = {True: "ok", False: "MISSED", None: ""}[figure.met]
    return figure.name, f"{figure.value:.4g} {figure.unit}", aim, verdict, figure.note


if __name__ == "__main__":
    sys.exit(main())
