"""`waypost settings`: what is set, and setting one of them."""

from __future__ import annotations

import argparse
import typing
from typing import Any

import attrs

from app.cli.arguments import helped, json_option
from app.cli.context import Context
from app.host.settings import Settings, save_settings, settings_path
from app.store.engines import parse_url
from app.store.files import writing
from engine.errors import InvalidInput, UnknownId
from engine.messages import msg

NOTHING = "-"
"""Takes a setting back to that of a first start."""


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """[NAME VALUE]"""
    parser.add_argument("name", nargs="?", metavar="NAME", help=helped(context, "--setting"))
    parser.add_argument("value", nargs="?", metavar="VALUE", help=helped(context, "--value"))
    json_option(parser, context, trace=False)


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0. Raises UnknownId, InvalidInput, StoreError (a database address), FileError."""
    settings = context.loaded.settings
    fields = attrs.fields_dict(attrs.resolve_types(Settings))
    if args.name is not None and args.name not in fields:
        raise UnknownId("setting", args.name, fields)
    if args.value is not None:
        value = _value(args.name, args.value, fields[args.name])
        settings = attrs.evolve(settings, **{args.name: value})
        with writing(settings_path()):
            save_settings(settings)
    shown = {n: getattr(settings, n) for n in fields if args.name in (None, n)}
    if args.json:
        context.raw_json(shown)
    else:
        context.table([(name, "-" if value in (None, "") else str(value)) for name, value in shown.items()])
    return 0


def _value(name: str, text: str, field: Any) -> Any:
    if text == NOTHING:
        return field.default
    choices = typing.get_args(field.type)
    if typing.get_origin(field.type) is typing.Literal and text not in choices:
        raise InvalidInput(msg("error.not_a_choice", field=name, choices=", ".join(choices)))
    if name == "database_url":
        parse_url(text)
    if field.type is not float:
        return text
    try:
        Settings(scale=float(text))  # the one number among the settings
    except ValueError:
        raise InvalidInput(msg("error.cli_choice", names=name, given=text, choices="1.0-2.0")) from None
    return float(text)
