"""`waypost probe`: measure this machine. Always ends with an outcome and its reason, also where there is no GPU."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import datetime

from app.cli.arguments import helped
from app.cli.blocks import print_page
from app.cli.context import Context
from app.present.pages import build
from app.present.scene import Scene
from engine.consultation import Consultation
from engine.probe import documents, runner
from engine.probe.results import ProbeRun
from engine.results import Assessment


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """[--quick | --full] [--device ID] [--keep] [--json]"""
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument("--quick", action="store_true", default=None, help=helped(context, "--quick"))
    pace.add_argument("--full", dest="quick", action="store_false", help=helped(context, "--full"))
    parser.add_argument("--device", metavar="ID", default="", help=helped(context, "--probe-device"))
    parser.add_argument("--keep", action="store_true", help=helped(context, "--keep"))
    parser.add_argument("--json", action="store_true", help=helped(context, "--json"))


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0 whatever the outcome; a measured nothing is an answer. Raises StoreError for `--keep`."""
    options = runner.ProbeOptions(quick=args.quick, device=args.device)
    if not args.json:
        context.say(context.translator(runner.plan(options).message))

    def tell(event: runner.RunEvent) -> None:
        if isinstance(event, runner.ChildStarted) and not args.json:
            context.complain(context.text(f"cli.probe.child.{event.child.value}"))

    found = runner.run(options, tell)
    if args.keep:
        _keep(found, context)
    if args.json:
        body = documents.to_dict(found)
        body["outcome"]["text"] = context.translator(found.outcome.message)
        json.dump(body, sys.stdout, ensure_ascii=False, indent=2, allow_nan=False, default=str)
        print(flush=True)
    else:
        print_run(found, context)
    return 0


def _keep(found: ProbeRun, context: Context) -> None:
    store = context.store()
    try:
        device = found.measured_device()
        store.probes.add(documents.to_dict(found), machine=device.name if device else "CPU")
    finally:
        store.close()


def print_run(found: ProbeRun, context: Context) -> None:
    """The page of the window and the proposal, in text."""
    document = Consultation("", probe=documents.to_dict(found))
    today = datetime.now().astimezone().date()
    assessment = Assessment(document, context.catalogue.version, ())
    print_page(build("probe", Scene(assessment, "", context.speaker, context.catalogue, today)), context)
