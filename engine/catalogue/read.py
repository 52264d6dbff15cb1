"""CSV rows into typed rows. A bad cell becomes a named problem, never a silent default."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from attrs import frozen

from engine.catalogue.rows import Figure
from engine.errors import DamagedDocument
from engine.estimate import Source
from engine.messages import Message, msg

T = TypeVar("T")

_RANGE = re.compile(r"^\s*(\d+(?:\.\d+)?)(?:\s*-\s*(\d+(?:\.\d+)?))?(?![\d.])")
_KEYED = re.compile(r"([A-Za-z0-9]+)\[([a-z0-9_,]+)\]")
_WHOLE_ROW = re.compile(r"^\s*([A-Za-z0-9]+)\s*$")


@frozen
class Problem:
    """One bad cell or row: where it is and what is wrong with it."""

    file: str
    line: int
    row_id: str
    column: str
    message: Message


class Row:
    """One CSV row that remembers what was wrong with it."""

    def __init__(self, file: str, line: int, cells: Mapping[str, str], problems: list[Problem]) -> None:
        self._file, self._line, self._cells, self._problems = file, line, cells, problems

    def text(self, column: str) -> str:
        if column not in self._cells or self._cells[column] is None:
            self.complain(column, msg("catalogue.no_column", column=column))
            return ""
        return self._cells[column].strip()

    def required(self, column: str) -> str:
        value = self.text(column)
        if not value:
            self.complain(column, msg("catalogue.empty"))
        return value

    def number(self, column: str, low: float = 0.0, high: float = math.inf) -> float | None:
        """A finite number in [low, high], or None for an empty cell."""
        cell = self.text(column)
        if not cell:
            return None
        try:
            value = float(cell)
        except ValueError:
            self.complain(column, msg("catalogue.not_a_number", found=cell))
            return None
        if not math.isfinite(value):
            self.complain(column, msg("catalogue.not_a_number", found=cell))
            return None
        if not low <= value <= high:
            bounded = msg("catalogue.out_of_range", found=cell, low=low, high=high)
            self.complain(column, bounded if math.isfinite(high) else msg("catalogue.too_small", found=cell, low=low))
            return None
        return value

    def whole(self, column: str, low: int = 0, high: int = 10**13) -> int | None:
        value = self.number(column, low, high)
        if value is None:
            return None
        if value != int(value):
            self.complain(column, msg("catalogue.not_whole", found=self.text(column)))
            return None
        return int(value)

    def span(self, column: str, factor: float = 1.0) -> tuple[float, float] | None:
        """The range a cell begins with ("12-16 plus ..." -> 12, 16); None where it begins with words."""
        found = _RANGE.match(self.text(column))
        if not found:
            return None
        low = float(found.group(1))
        high = float(found.group(2) or low)
        if low > high:
            self.complain(column, msg("catalogue.range_backwards", found=self.text(column)))
            return None
        return low * factor, high * factor

    def truth(self, column: str) -> bool | None:
        cell = self.text(column)
        if cell in ("", "0", "1"):
            return None if cell == "" else cell == "1"
        self.complain(column, msg("catalogue.not_a_flag", found=cell))
        return None

    def source(self) -> Source:
        """Source and date of the row; recalled or unfound ones are marked unverified."""
        where = self.required("source")
        confidence = self._cells.get("confidence", "") or ""
        doubtful = confidence in ("unverified", "not found") or where.startswith("unverified")
        return Source(where, self.text("as_of"), not doubtful)

    def complain(self, column: str, message: Message) -> None:
        row_id = (self._cells.get("id") or "").strip()
        self._problems.append(Problem(self._file, self._line, row_id, column, message))


class Provenance:
    """`KEY[column,column] | KEY2[...]` of devices.csv: which key vouches for which column."""

    def __init__(self, cell: str, keys: Mapping[str, Source], complain: Callable[[str, Message], None]) -> None:
        self._by_column: dict[str, Source] = {}
        self._whole: Source | None = None
        for part in filter(None, (p.strip() for p in cell.split("|"))):
            keyed, whole = _KEYED.fullmatch(part), _WHOLE_ROW.match(part)
            key = keyed.group(1) if keyed else whole.group(1) if whole else ""
            if key not in keys:
                complain("source", msg("catalogue.unknown_source_key", found=part))
            elif keyed:
                self._by_column.update(dict.fromkeys(keyed.group(2).split(","), keys[key]))
            else:
                self._whole = keys[key]

    def of(self, column: str) -> Source | None:
        return self._by_column.get(column, self._whole)


def figure(row: Row, provenance: Provenance, column: str, unit: str, factor: float) -> Figure | None:
    """A device figure in SI with the source of its column. A figure without a source is a problem."""
    value = row.number(column)
    if value is None:
        return None
    source = provenance.of(column)
    if source is None:
        row.complain(column, msg("catalogue.no_source"))
        source = Source("", "", verified=False)
    return Figure(value * factor, unit, source)


def read_rows(path: Path, build: Callable[[Row], T], problems: list[Problem]) -> list[T]:
    """Every row of a CSV file, built; a row that cannot be built is left out and named in `problems`."""
    return rows_of_text(path.name, _decode(path), build, problems)


def _decode(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DamagedDocument(msg("error.cannot_read", path=str(path), why=str(error))) from error


def rows_of_text(name: str, text: str, build: Callable[[Row], T], problems: list[Problem]) -> list[T]:
    """As `read_rows`, from text; used for the user's own rows too."""
    built: list[T] = []
    seen: set[str] = set()
    reader = csv.DictReader(io.StringIO(text, newline=""))
    for cells in _complete(reader, name, problems):
        row = Row(name, reader.line_num, cells, problems)
        row_id = row.required("id" if "id" in cells else "key")
        if row_id in seen:
            row.complain("id", msg("catalogue.twice", found=row_id))
            continue
        seen.add(row_id)
        before = len(problems)
        try:
            made = build(row)
        except (ValueError, TypeError, KeyError) as error:
            row.complain("", msg("catalogue.bad_row", why=str(error)))
            continue
        if len(problems) == before:
            built.append(made)
    return built


def _complete(reader: csv.DictReader[str], name: str, problems: list[Problem]) -> Iterable[Mapping[str, str]]:
    for cells in reader:
        if None in cells or None in cells.values():
            row_id = (cells.get("id") or "").strip()
            problems.append(Problem(name, reader.line_num, row_id, "", msg("catalogue.wrong_cell_count")))
            continue
        yield cells
