"""`waypost screens DIR`: every page as PNG files, drawn without a display in a process of its own."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from app.cli.arguments import helped
from app.cli.context import Context
from app.store.files import writing
from engine.errors import InvalidInput
from engine.messages import msg


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """DIR, and whatever `app.ui.screens` understands behind it"""
    parser.add_argument("folder", metavar="DIR", help=helped(context, "--folder"))
    parser.add_argument("more", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code of the drawing process. Raises FileError, InvalidInput."""
    folder = Path(args.folder)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise InvalidInput(msg("error.file_no_permission", path=str(folder)))
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "app.ui.screens", str(folder), *args.more]
    done = subprocess.run(command, env=environment, check=False)
    if done.returncode == 0:
        context.say(context.text("cli.screens.done", count=len(list(folder.rglob("*.png"))), folder=str(folder)))
    return 0 if done.returncode == 0 else 1
