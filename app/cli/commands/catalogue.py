"""`waypost catalogue`: what the tool knows, the user's own rows, and a check that names every bad row."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path
from typing import Any, Final

import attrs

from app.cli.arguments import helped, json_option
from app.cli.context import Context
from app.store import own_catalogue
from app.store.files import writing
from engine.catalogue import Catalogue, Figure, load_catalogue
from engine.catalogue.read import Problem
from engine.errors import InvalidInput, UnknownId
from engine.messages import Quantity, msg

_FIELDS: Final = {
    "devices": "devices",
    "models": "models",
    "weight_formats": "weight_formats",
    "engines": "engines",
    "gpu_cloud_prices": "gpu_prices",
    "api_prices": "api_prices",
    "operating_costs": "operating_costs",
    "regulations": "regulations",
    "latency": "latency",
    "device_classes": "device_classes",
    "os_facts": "os_facts",
    "rollout": "rollout",
    "tokens": "tokens",
}
"""File stem -> attribute of Catalogue."""


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """check [DIR] | list TABLE [TEXT] | show TABLE ID | add TABLE ID k=v... | override TABLE ID k=v... | remove TABLE ID"""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=type(parser))

    def action(name: str, *words: tuple[str, dict[str, Any]]) -> None:
        sub = actions.add_parser(name, help=context.text(f"cli.catalogue.{name}"), allow_abbrev=False)
        for word, more in words:
            sub.add_argument(word, help=context.text(f"cli.catalogue.word.{word.lower()}"), metavar=word, **more)
        json_option(sub, context, trace=False)
        sub.add_argument("--lang", default=context.language, choices=("ko", "en"), help=helped(context, "--lang"))

    cells = ("CELLS", {"nargs": "+"})
    action("check", ("DIR", {"nargs": "?"}))
    action("list", ("TABLE", {"nargs": "?"}), ("TEXT", {"nargs": "?"}))
    action("show", ("TABLE", {}), ("ID", {}))
    action("add", ("TABLE", {}), ("ID", {}), cells)
    action("override", ("TABLE", {}), ("ID", {}), cells)
    action("remove", ("TABLE", {}), ("ID", {}))


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 1 when `check` finds bad rows. Raises UnknownId, InvalidInput, DamagedDocument, FileError."""
    return _ACTIONS[args.action](args, context)


def _check(args: argparse.Namespace, context: Context) -> int:
    if args.DIR is None:
        checked = own_catalogue.catalogue()
    elif not (Path(args.DIR) / "catalogue.json").exists():
        # A folder of own rows: only what differs from the built-in tables.
        folder = Path(args.DIR)
        if not folder.is_dir():
            raise InvalidInput(msg("error.no_folder", path=args.DIR))
        checked = own_catalogue.catalogue(folder)
    else:
        checked = load_catalogue(Path(args.DIR))
    if args.json:
        context.raw_json(
            {
                "version": checked.version,
                "rows": sum(len(getattr(checked, field)) for field in _FIELDS.values()),
                "own_rows": len(checked.overridden),
                "problems": [_problem_json(p, context) for p in checked.problems],
            }
        )
    else:
        for problem in checked.problems:
            context.say(context.problem(problem))
        rows = sum(len(getattr(checked, field)) for field in _FIELDS.values())
        key = "cli.catalogue.bad" if checked.problems else "cli.catalogue.good"
        context.say(context.text(key, rows=rows, own=len(checked.overridden), bad=len(checked.problems)))
    return 1 if checked.problems else 0


def _problem_json(problem: Problem, context: Context) -> dict[str, Any]:
    return {
        "file": problem.file,
        "line": problem.line,
        "id": problem.row_id,
        "column": problem.column,
        "reason": context.translator(problem.message),
    }


def _list(args: argparse.Namespace, context: Context) -> int:
    catalogue = context.catalogue
    if args.TABLE is None:
        counts = {table: len(getattr(catalogue, field)) for table, field in _FIELDS.items()}
        if args.json:
            context.raw_json(counts)
        else:
            context.table([(table, str(count)) for table, count in counts.items()])
        return 0
    table = _listed(args.TABLE)
    wanted = (args.TEXT or "").casefold()
    rows = {
        row_id: row
        for row_id, row in _rows(catalogue, table).items()
        if wanted in f"{row_id} {getattr(row, 'name', '')}".casefold()
    }
    own = {row_id for name, row_id in catalogue.overridden if name == table}
    if args.json:
        context.raw_json([{"id": i, "name": getattr(r, "name", None), "own": i in own} for i, r in rows.items()])
    else:
        mark = context.text("cli.catalogue.own")
        context.table([(i, str(getattr(r, "name", "")), mark if i in own else "") for i, r in rows.items()])
    return 0


def _show(args: argparse.Namespace, context: Context) -> int:
    table = _listed(args.TABLE)
    row = _find(_rows(context.catalogue, table), table, args.ID)
    own = (table, args.ID) in context.catalogue.overridden
    if args.json:
        context.raw_json({"table": table, "own": own, **_row_json(row)})
        return 0
    lines = []
    for field in attrs.fields(type(row)):
        value = getattr(row, field.name)
        if value in (None, "", ()):
            continue
        if isinstance(value, Figure):
            doubt = "" if value.source.verified else context.text("cli.catalogue.unverified")
            shown = context.speaker.figure(Quantity(value.value, value.unit))
            told = " ".join(filter(None, (value.source.where, value.source.as_of, doubt)))
            lines.append((field.name, f"{shown} · {told}"))
        elif field.name == "source":
            lines.append((field.name, " ".join(filter(None, (value.where, value.as_of)))))
        else:
            lines.append((field.name, _plain(value)))
    if own:
        lines.append((context.text("cli.catalogue.own"), context.speaker.value(True)))
    context.table(lines)
    return 0


def _plain(value: Any) -> str:
    return "; ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _row_json(row: Any) -> dict[str, Any]:
    return {k: _plain_json(v) for k, v in attrs.asdict(row).items()}


def _plain_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain_json(v) for v in value]
    return value


def _put(args: argparse.Namespace, context: Context, *, must_exist: bool) -> int:
    table = own_catalogue.table_named(args.TABLE)
    known = _rows(context.catalogue, table) if table in _FIELDS else {}
    if must_exist:
        _find(known, table, args.ID)
    elif args.ID in known and (table, args.ID) not in context.catalogue.overridden:
        raise InvalidInput(msg("error.row_exists", id=args.ID))
    with writing(own_catalogue.own_folder()):
        own_catalogue.put_row(table, args.ID, _cells(args.CELLS))
    return _report(args, context, table, "cli.catalogue.written")


def _cells(words: list[str]) -> dict[str, str]:
    cells = {}
    for word in words:
        column, equals, value = word.partition("=")
        if not equals or not column:
            raise InvalidInput(msg("error.not_a_cell", given=word))
        cells[column.strip()] = value.strip()
    return cells


def _remove(args: argparse.Namespace, context: Context) -> int:
    table = own_catalogue.table_named(args.TABLE)
    with writing(own_catalogue.own_folder()):
        if table == "models":
            own_catalogue.forget_model(args.ID)
        else:
            own_catalogue.remove_row(table, args.ID)
    return _report(args, context, table, "cli.catalogue.removed")


def _report(args: argparse.Namespace, context: Context, table: str, key: str) -> int:
    folder = str(own_catalogue.own_folder())
    if args.json:
        context.raw_json({"table": table, "id": args.ID, "folder": folder, "on": date.today().isoformat()})  # noqa: DTZ011
    else:
        context.say(context.text(key, table=table, id=args.ID, folder=folder))
    return 0


def _listed(word: str) -> str:
    table = own_catalogue.table_named(word)
    if table not in _FIELDS:
        raise UnknownId("table", word, _FIELDS)
    return table


def _rows(catalogue: Catalogue, table: str) -> dict[str, Any]:
    return dict(getattr(catalogue, _FIELDS[table]))


def _find(rows: dict[str, Any], table: str, wanted: str) -> Any:
    if wanted not in rows:
        raise UnknownId(_KINDS.get(table, "row"), wanted, rows)
    return rows[wanted]


_KINDS: Final = {
    "devices": "device",
    "models": "model",
    "weight_formats": "weight_format",
    "engines": "engine",
    "gpu_cloud_prices": "gpu_instance",
    "api_prices": "api_model",
    "regulations": "regulation",
    "device_classes": "device_class",
}
_ACTIONS: Final = {
    "check": _check,
    "list": _list,
    "show": _show,
    "add": lambda args, context: _put(args, context, must_exist=False),
    "override": lambda args, context: _put(args, context, must_exist=True),
    "remove": _remove,
}
