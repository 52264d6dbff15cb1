"""`waypost report`: the proposal as a PDF that carries the consultation."""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path

from app.cli.arguments import helped
from app.cli.context import Context
from app.report.workbook import write_workbook
from app.report.write import write
from engine.assess import assess, deepen
from engine.errors import InvalidInput
from engine.messages import msg
from engine.questions.check import check_answers


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """FILE --pdf OUT [--xlsx OUT] [--json]"""
    parser.add_argument("file", metavar="FILE", help=helped(context, "--file"))
    parser.add_argument("--pdf", required=True, metavar="OUT", help=helped(context, "--pdf"))
    parser.add_argument("--xlsx", metavar="OUT", help=helped(context, "--xlsx"))
    parser.add_argument("--json", action="store_true", help=helped(context, "--json"))


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0. Raises FileError, DamagedDocument, InvalidInput, ReportError."""
    consultation = context.consultation(args.file)
    catalogue = context.catalogue
    check_answers(consultation, catalogue)
    if not consultation.workloads:
        raise InvalidInput(msg("error.nothing_to_report"))
    today = datetime.now().astimezone().date()
    assessment = deepen(assess(consultation, catalogue, today), catalogue)
    made = write(assessment, Path(args.pdf), context.language, today, catalogue)
    if args.xlsx:
        write_workbook(assessment, Path(args.xlsx), context.language, today, catalogue)
    if args.json:
        written = {"file": str(made.path), "pages": made.pages, "bytes": made.size_bytes}
        context.raw_json({**written, "workbook": args.xlsx})
    else:
        context.say(context.text("cli.report.done", file=str(made.path.resolve()), pages=made.pages))
        if args.xlsx:
            context.say(context.text("cli.report.workbook", file=str(Path(args.xlsx).resolve())))
    return 0
