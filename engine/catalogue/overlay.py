"""The user's own rows on top of the built-in ones: same columns, same readers, no effect on the files the product ships.

An own row with a known id overrides cell by cell: a blank cell (or a column left out) stays as built in, also after an upgrade of
the catalogue. A row with a new id stands alone. Rows of a model's layers or tensors replace all built-in ones of that model.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from engine.catalogue.read import Problem, Row, read_rows
from engine.errors import nearest
from engine.estimate import Source
from engine.messages import msg

T = TypeVar("T")

OWN_SOURCE: Final = "own entry"
"""Source of a figure the user typed without naming one."""
_EXTRA: Final = ("as_of", "source")

Own = Mapping[str, str]
"""Table name (a file's stem) -> CSV text of the user's rows."""


class Overlay:
    """Reads a table with the user's rows on top, remembering which ids are theirs."""

    def __init__(self, folder: Path, own: Own, problems: list[Problem]) -> None:
        self._folder, self._own, self._problems = folder, own, problems
        self.overridden: set[tuple[str, str]] = set()
        self.keys: dict[str, Source] = {}
        """Source keys for device rows; own rows add theirs."""

    def by_id(self, table: str, build: Callable[[Row], Any]) -> dict[str, Any]:
        """Rows of a table by id."""
        rows = {row.id: row for row in read_rows(self._folder / f"{table}.csv", build, self._problems)}
        for row_id, made in self._own_rows(table, build):
            rows[row_id] = made
            self.overridden.add((table, row_id))
        return rows

    def groups(self, table: str, build: Callable[[Row], tuple[str, T]]) -> dict[str, tuple[T, ...]]:
        """Rows that belong to a model, by the model's id."""
        grouped = _grouped(read_rows(self._folder / f"{table}.csv", build, self._problems))
        own = _grouped(made for _, made in self._own_rows(table, build))
        self.overridden.update((table, model_id) for model_id in own)
        return {**grouped, **own}

    def sources(self, build: Callable[[Row], tuple[str, Source]]) -> None:
        """Read the source keys: the built-in ones, then the user's."""
        self.keys.update(read_rows(self._folder / "sources.csv", build, self._problems))
        self.keys.update(made for _, made in self._own_rows("sources", build))

    def _own_rows(self, table: str, build: Callable[[Row], T]) -> list[tuple[str, T]]:
        text = self._own.get(table, "")
        if not text.strip():
            return []
        name = f"own/{table}.csv"
        header, base = _cells(self._folder / f"{table}.csv", table)
        id_column = "id" if "id" in header else "key"
        reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
        if not self._known_columns(name, reader.fieldnames or (), header, id_column):
            return []
        made: dict[str, T] = {}
        for cells in reader:
            row_id = (cells.get(id_column) or "").strip()
            before = len(self._problems)
            row = Row(name, reader.line_num, self._merged(table, header, base.get(row_id, {}), cells), self._problems)
            if None in cells or None in cells.values():
                row.complain("", msg("catalogue.wrong_cell_count"))
            elif row_id in made:
                row.complain(id_column, msg("catalogue.twice", found=row_id))
            elif row.required(id_column):
                self._build(row, row_id, build, made, before)
        return list(made.items())

    def _build(self, row: Row, row_id: str, build: Callable[[Row], T], made: dict[str, T], before: int) -> None:
        try:
            built = build(row)
        except (ValueError, TypeError, KeyError) as error:
            row.complain("", msg("catalogue.bad_row", why=str(error)))
            return
        if len(self._problems) == before:
            made[row_id] = built

    def _known_columns(self, name: str, given: Iterable[str], header: tuple[str, ...], id_column: str) -> bool:
        known = (*header, *_EXTRA)
        fine = True
        for column in given:
            if column not in known:
                message = msg("catalogue.unknown_column", found=column, nearest=", ".join(nearest(column, known)))
                self._problems.append(Problem(name, 1, "", column, message))
                fine = False
        if id_column not in given:
            self._problems.append(Problem(name, 1, "", id_column, msg("catalogue.no_column", column=id_column)))
            fine = False
        return fine

    def _merged(
        self, table: str, header: tuple[str, ...], base: Mapping[str, str], own: Mapping[str, str | None]
    ) -> dict[str, str]:
        given = {column: value.strip() for column, value in own.items() if column and value and value.strip()}
        cells = {column: given.get(column, base.get(column, "")) for column in header}
        if table == "devices":
            cells["source"] = self._device_source(base.get("source", ""), given)
        elif "source" in header:
            cells["source"] = given.get("source", OWN_SOURCE)
            if "as_of" in header:
                cells["as_of"] = given.get("as_of", "")
        return cells

    def _device_source(self, base: str, given: Mapping[str, str]) -> str:
        """Which source vouches for which column: the user's for what they gave, the built-in one for the rest."""
        named = given.get("source", "")
        keyed = named and all(part.strip().split("[")[0] in self.keys for part in named.split("|"))
        if not keyed:
            key = f"OWN{len(self.keys)}"
            self.keys[key] = Source(named or OWN_SOURCE, given.get("as_of", ""))
            columns = ",".join(sorted(set(given) - {"id", *_EXTRA}))
            named = f"{key}[{columns}]" if base else key
        return f"{base} | {named}" if base else named


def _grouped(pairs: Iterable[tuple[str, T]]) -> dict[str, tuple[T, ...]]:
    grouped: dict[str, list[T]] = {}
    for model_id, group in pairs:
        grouped.setdefault(model_id, []).append(group)
    return {model_id: tuple(groups) for model_id, groups in grouped.items()}


def _cells(path: Path, table: str) -> tuple[tuple[str, ...], dict[str, dict[str, str]]]:
    """Columns and raw cells of the built-in table."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream)
        id_column = "key" if table == "sources" else "id"
        rows = {(cells.get(id_column) or "").strip(): cells for cells in reader if None not in cells}
        return tuple(reader.fieldnames or ()), rows


def own_version(own: Own) -> str:
    """A mark that changes with the user's rows; "" without any."""
    texts = sorted((name, text.strip()) for name, text in own.items() if text.strip())
    if not texts:
        return ""
    return "+own." + hashlib.sha256(repr(texts).encode()).hexdigest()[:8]
