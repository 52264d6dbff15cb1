"""`waypost screens DIR`: every page as PNG files, without a display."""

from __future__ import annotations

import argparse
import importlib
import os
from pathlib import Path
from typing import Any

from app.cli.arguments import Limits, checked, helped
from app.cli.context import Context
from app.host.paths import SAMPLES
from app.store.files import writing
from engine.errors import UnknownId

_SCALE = Limits(1.0, 2.0)


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """DIR [--pages A,B] [--languages ko,en] [--themes light,dark] [--scales 1,1.5] [--sample NAME]"""
    parser.add_argument("folder", metavar="DIR", help=helped(context, "--folder"))
    for option in ("--pages", "--languages", "--themes", "--scales"):
        parser.add_argument(option, metavar="A,B", help=helped(context, option))
    parser.add_argument("--sample", default="bank-documents", metavar="NAME", help=helped(context, "--sample"))


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0. Raises FileError, InvalidInput, UnknownId. Qt is only read here, by name."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    samples = [f.stem for f in SAMPLES.glob("*.waypost")]
    if args.sample not in samples:
        raise UnknownId("sample", args.sample, samples)
    screens: Any = importlib.import_module("app.ui.screens")
    known_pages = importlib.import_module("app.ui.walk").PAGES
    asked: dict[str, Any] = {
        "pages": _some(args.pages, known_pages, "page"),
        "languages": _some(args.languages, screens.LANGUAGES, "language"),
        "themes": _some(args.themes, screens.THEMES, "theme"),
        "scales": None if args.scales is None else [checked("--scales", s, _SCALE) for s in args.scales.split(",")],
    }
    folder = Path(args.folder)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".waypost"
        probe.touch()
        probe.unlink()
    drawn = screens.render(folder, sample=args.sample, **{k: v for k, v in asked.items() if v is not None})
    context.say(context.text("cli.screens.done", count=len(drawn), folder=str(folder)))
    return 0


def _some(given: str | None, known: Any, kind: str) -> list[str] | None:
    """The names of a comma list. Raises UnknownId for one nobody knows."""
    if given is None:
        return None
    names = [name.strip() for name in given.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise UnknownId(kind, name, known)
    return names
