"""`waypost predict`: every row of a file of measured cases, predicted or refused with its reason."""

from __future__ import annotations

import argparse
from typing import Final

from app.cli.arguments import helped
from app.cli.context import Context
from app.cli.rows import read_csv, write_csv
from engine.predict import COLUMNS, Prediction, predict

NEEDED: Final = ("row_id", "kind", "model", "format", "device")


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """ROWS.csv --out P.csv"""
    parser.add_argument("file", metavar="ROWS.csv", help=helped(context, "--rows"))
    parser.add_argument("--out", required=True, metavar="P.csv", help=helped(context, "--out"))


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0 also where rows are refused: the file says why. Raises FileError, InvalidInput."""
    rows = read_csv(args.file, required=NEEDED)
    found = predict(rows, context.catalogue)
    write_csv(args.out, COLUMNS, (_cells(p, context) for p in found))
    if args.out != "-":
        refused = sum(p.refused is not None for p in found)
        context.say(context.text("cli.predict.done", rows=len(found), refused=refused, file=args.out))
    return 0


def _cells(prediction: Prediction, context: Context) -> dict[str, str]:
    reason = "" if prediction.refused is None else context.speaker(prediction.refused)
    numbers = {name: getattr(prediction, name) for name in ("predicted", "low", "high", "ceiling")}
    return {
        "row_id": prediction.row_id,
        **{name: "" if value is None or reason else f"{value:.6g}" for name, value in numbers.items()},
        "refused": reason,
    }
