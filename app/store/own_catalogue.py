"""The user's own devices, models and prices: CSV files in their folder that survive every upgrade of the product."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from app.host import atomic
from app.host.paths import CATALOGUE, data_folder
from engine.catalogue import Catalogue, Model, load_catalogue
from engine.catalogue.read import Problem
from engine.errors import DamagedDocument, InvalidInput, UnknownId
from engine.messages import msg

TABLES: Final = tuple(sorted(path.stem for path in CATALOGUE.glob("*.csv")))
_MAX_BYTES: Final = 16 * 1024 * 1024

WORDS: Final[Mapping[str, str]] = {
    "device": "devices",
    "model": "models",
    "format": "weight_formats",
    "weight_format": "weight_formats",
    "engine": "engines",
    "gpu_price": "gpu_cloud_prices",
    "gpu_instance": "gpu_cloud_prices",
    "api_price": "api_prices",
    "api_model": "api_prices",
    "cost": "operating_costs",
    "regulation": "regulations",
    "device_class": "device_classes",
}
"""What people call a table, beside its own name."""


class BadRows(InvalidInput):
    """A change that would leave bad rows; nothing was written. `problems` names each."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        first = problems[0]
        super().__init__(msg("error.bad_own_row", row=first.row_id, column=first.column, problem=first.message))


def own_folder() -> Path:
    return data_folder() / "catalogue"


def own_texts(folder: Path | None = None) -> dict[str, str]:
    """Every own file's text by table. Raises DamagedDocument for one that cannot be read."""
    folder = folder or own_folder()
    found: dict[str, str] = {}
    for table in TABLES:
        path = folder / f"{table}.csv"
        try:
            if path.stat().st_size > _MAX_BYTES:
                raise DamagedDocument(msg("error.cannot_read", path=str(path), why="> 16 MiB"))
            found[table] = path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise DamagedDocument(msg("error.cannot_read", path=str(path), why=_why(error))) from error
    return found


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or "not UTF-8"


def catalogue(folder: Path | None = None) -> Catalogue:
    """The built-in catalogue with the user's rows on top. Bad own rows are left out and named in `problems`."""
    return load_catalogue(CATALOGUE, own_texts(folder))


def table_named(word: str) -> str:
    """The table a word means. Raises UnknownId with the nearest three."""
    found = WORDS.get(word, word)
    if found not in TABLES:
        raise UnknownId("table", word, (*TABLES, *WORDS))
    return found


def columns(table: str) -> tuple[str, ...]:
    """The columns of a table, in the order of its file."""
    with (CATALOGUE / f"{table}.csv").open(encoding="utf-8-sig", newline="") as stream:
        return tuple(next(csv.reader(stream)))


def put_row(table: str, row_id: str, cells: Mapping[str, str], folder: Path | None = None) -> None:
    """Add or override one row; cells given before and not named now stay. Raises UnknownId, BadRows, OSError."""
    folder = folder or own_folder()
    known = (*columns(table), "as_of", "source")
    for column in cells:
        if column not in known:
            raise UnknownId("column", column, known)
    rows = _rows(table, folder)
    before = next((r for r in rows if r.get("id") == row_id), {})
    today = datetime.now(UTC).date().isoformat()
    changed = {**before, "as_of": today, **cells, "id": row_id}
    _write(table, [*(r for r in rows if r.get("id") != row_id), changed], folder)


def put_rows(tables: Mapping[str, list[Mapping[str, str]]], owner: str, folder: Path | None = None) -> None:
    """Replace every own row of one owner (an id, or a model's id) in several tables at once: an imported model."""
    folder = folder or own_folder()
    texts = own_texts(folder)
    for table, rows in tables.items():
        kept = [r for r in _rows(table, folder) if owner not in (r.get("id"), r.get("model"))]
        texts[table] = _text(table, [*kept, *rows]) if kept or rows else ""
    _validated(texts)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for table in tables:
        path = folder / f"{table}.csv"
        if texts[table]:
            atomic.write_text(path, texts[table], mode=0o600)
        else:
            path.unlink(missing_ok=True)


def keep_model(model: Model, folder: Path | None = None) -> None:
    """Take a model (read from its own files) into the user's rows, layers and tensors included.

    Raises BadRows where the catalogue's readers would refuse it, OSError.
    """
    source = {"as_of": model.source.as_of, "source": model.source.where}
    shape = {c: _cell(getattr(model, c)) for c in columns("models") if c not in source and hasattr(model, c)}
    put_rows(
        {
            "model_cache": _group_rows("model_cache", model.id, model.cache_groups, source),
            "model_tensors": _group_rows("model_tensors", model.id, model.tensor_groups, source),
            "models": [{**shape, **source}],  # last: a model is there with its layers or not at all
        },
        model.id,
        folder,
    )


def forget_model(model_id: str, folder: Path | None = None) -> None:
    """Take an own model away with its layers and tensors. Raises UnknownId."""
    known = [r.get("id", "") for r in _rows("models", folder or own_folder())]
    if model_id not in known:
        raise UnknownId("own_row", model_id, known)
    put_rows({"models": [], "model_cache": [], "model_tensors": []}, model_id, folder)


def _group_rows(
    table: str, model_id: str, groups: tuple[Any, ...], source: Mapping[str, str]
) -> list[Mapping[str, str]]:
    named = [c for c in columns(table) if c not in ("id", "model", *source)]
    return [
        {"id": f"{model_id}-{n}", "model": model_id, **{c: _cell(getattr(group, c)) for c in named}, **source}
        for n, group in enumerate(groups, 1)
    ]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    return repr(value) if isinstance(value, float) else str(value)


def remove_row(table: str, row_id: str, folder: Path | None = None) -> None:
    """Take one own row away: the built-in one shows again. Raises UnknownId."""
    folder = folder or own_folder()
    rows = _rows(table, folder)
    kept = [r for r in rows if r.get("id") != row_id]
    if len(kept) == len(rows):
        raise UnknownId("own_row", row_id, (r.get("id", "") for r in rows))
    _write(table, kept, folder)


def _rows(table: str, folder: Path) -> list[dict[str, str]]:
    text = own_texts(folder).get(table, "")
    reader = csv.DictReader(io.StringIO(text, newline=""), restval="")
    return [{k: v for k, v in cells.items() if k} for cells in reader]


def _text(table: str, rows: list[Mapping[str, str]]) -> str:
    """CSV with only the columns somebody filled, in the table's order."""
    order = [*columns(table), *(c for c in ("as_of", "source") if c not in columns(table))]
    used = [c for c in order if c == "id" or any(str(r.get(c, "")).strip() for r in rows)]
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, used, extrasaction="ignore", restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _write(table: str, rows: list[Mapping[str, str]] | list[dict[str, str]], folder: Path) -> None:
    text = _text(table, list(rows)) if rows else ""
    _validated({**own_texts(folder), table: text})
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{table}.csv"
    if rows:
        atomic.write_text(path, text, mode=0o600)
    else:
        path.unlink(missing_ok=True)


def _validated(texts: Mapping[str, str]) -> None:
    bad = tuple(p for p in load_catalogue(CATALOGUE, texts).problems if p.file.startswith("own/"))
    if bad:
        raise BadRows(bad)
