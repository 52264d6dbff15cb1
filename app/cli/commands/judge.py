"""`waypost judge`: a verdict for every row of a file of real cases."""

from __future__ import annotations

import argparse
from typing import Final

from app.cli.arguments import helped
from app.cli.context import Context
from app.cli.rows import read_csv, write_csv
from engine.judge import judge_cases

COLUMNS: Final = ("case_id", "verdict", "alternatives", "why")


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """CASES.csv --out VERDICTS.csv"""
    parser.add_argument("file", metavar="CASES.csv", help=helped(context, "--cases"))
    parser.add_argument("--out", required=True, metavar="VERDICTS.csv", help=helped(context, "--out"))


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0; cells that could not be used are named on stderr. Raises FileError, InvalidInput."""
    rows = read_csv(args.file, required=("case_id",))
    verdicts = judge_cases(rows, context.catalogue)
    for verdict in verdicts:
        for unread in verdict.unread:
            context.complain(f"{verdict.case_id}: {context.speaker(unread)}")
    write_csv(
        args.out,
        COLUMNS,
        (
            {
                "case_id": v.case_id,
                "verdict": v.verdict,
                "alternatives": ";".join(v.alternatives),
                "why": "; ".join(dict.fromkeys(context.speaker(m) for m in v.why)),
            }
            for v in verdicts
        ),
    )
    if args.out != "-":
        context.say(context.text("cli.rows_written", rows=len(verdicts), file=args.out))
    return 0
