"""`waypost calibrate`: refit the speed constants from measured rows, by the program the shipped ones were made with."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path

from app.calibrate import main as refit
from app.cli.arguments import helped
from app.cli.context import Context
from app.cli.rows import read_csv
from app.store.files import writing
from engine.errors import InvalidInput
from engine.messages import msg


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """ROWS.csv --out DIR [--quick]"""
    parser.add_argument("file", metavar="ROWS.csv", help=helped(context, "--rows"))
    parser.add_argument("--out", required=True, metavar="DIR", help=helped(context, "--constants"))
    parser.add_argument("--in-sample", action="store_true", help=helped(context, "--in-sample"))


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code of the fitting program. Raises FileError, InvalidInput."""
    if importlib.util.find_spec("scipy") is None:
        raise InvalidInput(msg("error.needs_scipy"))
    read_csv(args.file, required=("row_id", "kind", "model", "format", "device", "measured"))
    folder = Path(args.out)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    quick = ["--quick"] if args.in_sample else []
    with writing(folder):
        return refit([args.file, "--out", args.out, *quick])
