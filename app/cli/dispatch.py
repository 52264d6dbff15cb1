"""From the words of the command line to one command; only that command's module is imported."""

from __future__ import annotations

import argparse
import importlib
import os
import re
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, NoReturn

from app.cli.context import Context
from app.present.translator import LANGUAGES, Translator
from engine.errors import InvalidInput, UnknownId
from engine.messages import Message, msg

COMMANDS: Final[dict[str, str]] = {
    "assess": "assess",
    "report": "report",
    "fit": "fit",
    "speed": "speed",
    "train": "train",
    "sweep": "sweep",
    "predict": "predict",
    "judge": "judge",
    "diagnose": "diagnose",
    "probe": "probe",
    "calibrate": "calibrate",
    "import": "imports",
    "catalogue": "catalogue",
    "history": "history",
    "settings": "settings",
    "screens": "screens",
}
"""Command -> module in app.cli.commands."""

_ARGPARSE: Final = (
    (re.compile(r"the following arguments are required: (?P<names>.*)"), "error.cli_required"),
    (re.compile(r"unrecognized arguments: (?P<names>.*)"), "error.cli_unrecognised"),
    (re.compile(r"argument (?P<names>\S+): expected .*"), "error.cli_expects_value"),
    (re.compile(r"argument (?P<names>\S+): not allowed with argument (?P<other>\S+)"), "error.cli_not_together"),
    (re.compile(r"one of the arguments (?P<names>.*) is required"), "error.cli_required"),
    (
        re.compile(r"argument (?P<names>[^:]+): invalid choice: (?P<given>\S+) \(choose from (?P<choices>.*)\)"),
        "error.cli_choice",
    ),
    (re.compile(r"ambiguous option: (?P<names>\S+) could match .*"), "error.cli_unrecognised"),
)


class Parser(argparse.ArgumentParser):
    """argparse whose complaints and headings are our words."""

    words: Translator | None = None
    """Set once a run: sub-parsers are made by argparse itself."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **{**more, "add_help": False, "formatter_class": _Formatter})
        text = self.words.text if self.words is not None else str
        self._optionals.title, self._positionals.title = text("cli.help.options"), text("cli.help.positionals")
        self.add_argument("-h", "--help", action="help", help=text("cli.help.help"))

    def error(self, message: str) -> NoReturn:
        """Raises InvalidInput."""
        raise InvalidInput(_sentence(message))


class _Formatter(argparse.HelpFormatter):
    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any = None) -> None:
        if prefix is None and Parser.words is not None:
            prefix = Parser.words.text("cli.help.usage") + " "
        super().add_usage(usage, actions, groups, prefix)


def _sentence(message: str) -> Message:
    for pattern, key in _ARGPARSE:
        found = pattern.fullmatch(message)
        if found:
            return msg(key, **found.groupdict())
    return msg("error.cli_usage", why=message)


def run(arguments: Sequence[str], context: Context) -> int:
    """Run one command. No arguments open the window. Raises WaypostError for bad input."""
    words = _without_language(arguments)
    if not words:
        return _open_window()
    name, rest = words[0], words[1:]
    if name in ("-h", "--help", "help"):
        _help(context)
        return 0
    if name in ("-V", "--version"):
        context.say(f"waypost {_version()}")
        return 0
    if name not in COMMANDS:
        raise UnknownId("command", name, COMMANDS)
    module = importlib.import_module(f"app.cli.commands.{COMMANDS[name]}")
    Parser.words = context.translator
    parser = Parser(prog=f"waypost {name}", description=context.text(f"cli.{name}.summary"), allow_abbrev=False)
    parser.add_argument("--lang", choices=LANGUAGES, default=context.language, help=context.text("cli.lang.help"))
    module.arguments(parser, context, name)
    try:
        parsed = parser.parse_args(rest)
    except SystemExit as ended:  # --help has printed
        return int(ended.code or 0)
    return int(module.run(parsed, context))


def _open_window() -> int:
    """The window, or a sentence where this machine cannot show one: Qt itself would abort."""
    shown = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in shown):
        raise InvalidInput(msg("error.no_display"))
    try:
        return int(importlib.import_module("app.__main__").main())
    except ImportError as error:
        raise InvalidInput(msg("error.window_cannot_start", why=str(error))) from error


def _without_language(arguments: Sequence[str]) -> list[str]:
    """`--lang` may stand before the command too."""
    words = list(arguments)
    if len(words) > 1 and words[0] == "--lang":
        return words[2:]
    if words and words[0].startswith("--lang="):
        return words[1:]
    return words


def _help(context: Context) -> None:
    context.say(context.text("cli.usage"))
    context.say()
    context.table([(f"  {name}", context.text(f"cli.{name}.summary")) for name in COMMANDS])
    context.say()
    context.say(context.text("cli.more"))


def _version() -> str:
    try:
        return version("waypost")
    except PackageNotFoundError:
        return "0"
