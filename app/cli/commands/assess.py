"""`waypost assess`: a consultation judged, as JSON or as the pages in text."""

from __future__ import annotations

import argparse
from datetime import datetime
from typing import Final

from app.cli.arguments import helped, json_option
from app.cli.blocks import print_page, print_verdict
from app.cli.context import Context
from app.present.assessed import assessment_json
from app.present.pages import build, verdict
from app.present.scene import scene_of
from engine.assess import assess, deepen
from engine.errors import UnknownId
from engine.questions.check import check_answers

SHOWN: Final = ("proposal", "hardware", "memory", "speed", "capacity", "cost", "readiness", "ledger")


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """FILE [--workload ID] [--json [--trace]]"""
    parser.add_argument("file", metavar="FILE", help=helped(context, "--file"))
    parser.add_argument("--workload", metavar="ID", help=helped(context, "--workload"))
    json_option(parser, context)


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0. Raises FileError, DamagedDocument, NewerDocument, UnknownId, InvalidInput."""
    consultation = context.consultation(args.file)
    check_answers(consultation, context.catalogue)
    known = [w.id for w in consultation.workloads]
    if args.workload is not None and args.workload not in known:
        raise UnknownId("workload", args.workload, known)
    today = datetime.now().astimezone().date()
    assessment = deepen(assess(consultation, context.catalogue, today), context.catalogue)
    if args.json:
        context.raw_json(assessment_json(assessment, context.catalogue, context.language, trace=args.trace))
        return 0
    for workload in consultation.workloads:
        if args.workload not in (None, workload.id):
            continue
        scene = scene_of(assessment, workload.id, context.language, context.catalogue, today)
        context.say(f"== {workload.name or workload.id} ==")
        print_verdict(verdict(scene), context)
        for key in SHOWN:
            context.say()
            print_page(build(key, scene), context)
        context.say()
    if not known:
        context.say(context.text("cli.assess.nothing"))
    return 0
