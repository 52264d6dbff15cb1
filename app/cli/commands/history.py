"""`waypost history`: what the history holds, and files in and out of it."""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path
from typing import Any

from app.cli.arguments import helped, json_option
from app.cli.context import STDIN, Context
from app.store import HistoryEntry, Store
from app.store.files import SUFFIX, export, take_in
from engine.documents import to_json
from engine.errors import InvalidInput
from engine.messages import msg


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """list | search TEXT | show ID | export ID FILE | import FILE | trash [ID] | restore ID"""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=type(parser))

    def action(name: str, *words: tuple[str, dict[str, Any]]) -> None:
        sub = actions.add_parser(name, help=context.text(f"cli.history.{name}"), allow_abbrev=False)
        for word, more in words:
            sub.add_argument(word, help=context.text(f"cli.history.word.{word.lower()}"), metavar=word, **more)
        json_option(sub, context, trace=False)
        sub.add_argument("--lang", default=context.language, choices=("ko", "en"), help=helped(context, "--lang"))

    action("list")
    action("search", ("TEXT", {"nargs": "+"}))
    action("show", ("ID", {}))
    action("export", ("ID", {}), ("FILE", {}))
    action("import", ("FILE", {"nargs": "+"}))
    action("trash", ("ID", {"nargs": "*"}))
    action("restore", ("ID", {"nargs": "+"}))


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0. Raises StoreError, UnknownId, FileError."""
    store = context.store()
    try:
        _ACTIONS[args.action](args, context, store)
    finally:
        store.close()
    return 0


def _list(args: argparse.Namespace, context: Context, store: Store) -> None:
    _print(args, context, store.history.recent(limit=10**6))


def _search(args: argparse.Namespace, context: Context, store: Store) -> None:
    _print(args, context, store.history.search(" ".join(args.TEXT), limit=10**6))


def _show(args: argparse.Namespace, context: Context, store: Store) -> None:
    entry, versions = store.history.entry(args.ID), store.versions.of(args.ID)
    if args.json:
        context.raw_json({**entry_json(entry), "versions": [_version_json(v) for v in versions]})
        return
    _print(args, context, (entry,))
    context.say()
    context.table(
        [
            (str(v.number), _local(v.created_at), context.text(f"reason.{v.reason.value}"), v.language, v.title)
            for v in versions
        ],
        [context.text(f"cli.history.column.{c}") for c in ("number", "created", "reason", "language", "title")],
    )


def _export(args: argparse.Namespace, context: Context, store: Store) -> None:
    consultation = store.drafts.load(args.ID)
    if args.FILE == STDIN:
        context.say(to_json(consultation).rstrip("\n"))
        return
    path = Path(args.FILE)
    if path.is_dir():
        path /= f"{args.ID}{SUFFIX}"
    export(consultation, path)
    _done(args, context, {"id": args.ID, "file": str(path)}, "cli.history.exported", file=str(path))


def _import(args: argparse.Namespace, context: Context, store: Store) -> None:
    opened = [(name, context.consultation(name)) for name in args.FILE]  # all are sound before one is taken in
    taken = []
    for name, consultation in opened:
        if not consultation.id.strip():
            raise InvalidInput(msg("error.no_id", path=name))
        taken.append(
            take_in(store, consultation, language=context.language, catalogue_version=context.catalogue.version)
        )
        if not args.json:
            context.say(context.text("cli.history.imported", file=name, id=consultation.id))
    if args.json:
        context.raw_json({"imported": taken})


def _trash(args: argparse.Namespace, context: Context, store: Store) -> None:
    for consultation_id in args.ID:
        store.history.entry(consultation_id)
    for consultation_id in args.ID:
        store.history.delete(consultation_id)
    if args.ID:
        _done(args, context, {"trashed": args.ID}, "cli.history.trashed", id=", ".join(args.ID))
    else:
        _print(args, context, store.history.trash())


def _restore(args: argparse.Namespace, context: Context, store: Store) -> None:
    for consultation_id in args.ID:
        store.history.restore(consultation_id)
    _done(args, context, {"restored": args.ID}, "cli.history.restored", id=", ".join(args.ID))


_ACTIONS = {
    "list": _list,
    "search": _search,
    "show": _show,
    "export": _export,
    "import": _import,
    "trash": _trash,
    "restore": _restore,
}


def _done(args: argparse.Namespace, context: Context, data: dict[str, Any], key: str, **params: str) -> None:
    if args.json:
        context.raw_json(data)
    else:
        context.say(context.text(key, **params))


def _print(args: argparse.Namespace, context: Context, entries: tuple[HistoryEntry, ...]) -> None:
    if args.json:
        context.raw_json([entry_json(e) for e in entries])
        return
    if not entries:
        context.say(context.text("cli.history.empty"))
        return
    context.table(
        [
            (
                e.id,
                _local(e.deleted_at or e.changed_at),
                str(e.version_count),
                e.customer,
                e.title,
                ", ".join(e.workloads),
            )
            for e in entries
        ],
        [
            context.text(f"cli.history.column.{c}")
            for c in ("id", "changed", "versions", "customer", "title", "workloads")
        ],
    )


def entry_json(entry: HistoryEntry) -> dict[str, Any]:
    """The stable JSON of one entry; times are ISO 8601 in UTC."""
    return {
        "id": entry.id,
        "title": entry.title,
        "customer": entry.customer,
        "workloads": list(entry.workloads),
        "created_at": entry.created_at.isoformat(),
        "changed_at": entry.changed_at.isoformat(),
        "versions": entry.version_count,
        "unsaved": entry.unsaved,
        "deleted_at": entry.deleted_at.isoformat() if entry.deleted_at else None,
    }


def _version_json(version: Any) -> dict[str, Any]:
    return {
        "number": version.number,
        "created_at": version.created_at.isoformat(),
        "reason": version.reason.value,
        "language": version.language,
        "catalogue_version": version.catalogue_version,
        "title": version.title,
    }


def _local(time: datetime) -> str:
    return time.astimezone().strftime("%Y-%m-%d %H:%M")
