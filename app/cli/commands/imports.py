"""`waypost import`: a model's own files become a model of the user's catalogue. No weight is loaded, nothing is executed."""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path
from typing import Any

import attrs

from app.cli.arguments import helped
from app.cli.context import Context
from app.store import own_catalogue
from app.store.errors import FileError
from app.store.files import writing
from engine.errors import InvalidInput
from engine.imports.reading import ImportedModel, import_model
from engine.messages import Quantity, msg
from engine.units import BYTES, COUNT, TOKENS


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """FILE [--id ID] [--name NAME] [--show] [--json]"""
    parser.add_argument("file", metavar="FILE", help=helped(context, "--model-file"))
    parser.add_argument("--id", metavar="ID", help=helped(context, "--id"))
    parser.add_argument("--name", metavar="NAME", help=helped(context, "--name"))
    parser.add_argument("--show", action="store_true", help=helped(context, "--show"))
    parser.add_argument("--json", action="store_true", help=helped(context, "--json"))


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0. Raises FileError, DamagedDocument, InvalidInput, BadRows."""
    path = Path(args.file)
    if not path.exists():
        raise FileError(msg("error.file_missing", path=str(path)))
    found = import_model(path)
    model = attrs.evolve(
        found.model,
        id=args.id or found.model.id,
        name=args.name or found.model.name,
        source=attrs.evolve(found.model.source, as_of=datetime.now().astimezone().date().isoformat()),
    )
    catalogue = context.catalogue
    if not args.show:
        if model.id in catalogue.models and ("models", model.id) not in catalogue.overridden:
            raise InvalidInput(msg("error.model_exists", id=model.id))
        with writing(own_catalogue.own_folder()):
            own_catalogue.keep_model(model)
    _say(args, context, attrs.evolve(found, model=model))
    return 0


def _say(args: argparse.Namespace, context: Context, found: ImportedModel) -> None:
    model = found.model
    if args.json:
        shape: dict[str, Any] = {
            f.name: getattr(model, f.name)
            for f in attrs.fields(type(model))
            if f.name not in ("source", "cache_groups", "tensor_groups")
        }
        context.json(
            {
                "kept": not args.show,
                **shape,
                "cache_groups": [attrs.asdict(g) for g in model.cache_groups],
                "tensor_groups": [attrs.asdict(g) for g in model.tensor_groups],
                "weight_format": found.weight_format,
                "file_bytes": found.file_bytes,
                "notes": found.notes,
            }
        )
        return
    rows = [("id", model.id), ("name", model.name), ("params_total", _figure(context, model.params_total, COUNT))]
    if model.params_active != model.params_total:
        rows.append(("params_active", _figure(context, model.params_active, COUNT)))
    rows += [
        (name, str(getattr(model, name)))
        for name in ("n_layers", "hidden", "n_heads", "n_kv_heads", "attention", "vocab", "native_dtype")
        if getattr(model, name) not in (None, "")
    ]
    if model.max_context:
        rows.append(("max_context", _figure(context, model.max_context, TOKENS)))
    if found.weight_format:
        rows.append(("weight_format", found.weight_format))
    if found.file_bytes is not None:
        rows.append(("file_bytes", _figure(context, found.file_bytes, BYTES)))
    context.table(rows)
    for note in found.notes:
        context.say(f"* {context.speaker(note)}")
    if not args.show:
        context.say(context.text("cli.import.kept", id=model.id, folder=str(own_catalogue.own_folder())))


def _figure(context: Context, value: float, unit: str) -> str:
    return context.speaker.figure(Quantity(value, unit))
