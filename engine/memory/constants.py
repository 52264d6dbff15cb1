"""Measured constants of runtimes and trainers, keyed by engine, version and parameter: assets/calibration/memory_*.csv."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from engine.catalogue.read import Row, read_rows
from engine.errors import DamagedDocument
from engine.estimate import Basis, Input, Source
from engine.memory.versions import at_least, version_key
from engine.messages import msg

_FOLDER: Final = Path(__file__).resolve().parents[2] / "assets" / "calibration"
_FILES: Final = ("memory_runtime.csv", "memory_training.csv")


@frozen
class Constant:
    """One parameter of a runtime, with its band and the rows it was fitted on (0 rows: assumed or documented)."""

    id: str
    engine: str
    since: str
    parameter: str
    value: float
    low: float
    high: float
    n_rows: int
    source: Source

    @property
    def basis(self) -> Basis:
        if self.n_rows:
            return Basis.CALIBRATED
        return Basis.ASSUMED if "assumed" in self.source.where else Basis.DATASHEET

    def as_input(self, unit: str) -> Input:
        return Input(self.parameter, self.value, unit, self.basis, self.source)


_NONE: Final = Constant("none", "*", "", "", 0.0, 0.0, 0.0, 0, Source("", ""))


@lru_cache(maxsize=4096)
def constant(engine: str, version: str, parameter: str) -> Constant:
    """The newest entry of that engine that the version has reached, else any engine's, else 0.

    A version without a number ("nightly", "") is taken as the newest.
    """
    for wanted in (engine, "*"):
        fitting = [
            c
            for c in _constants()
            if c.engine == wanted
            and c.parameter == parameter
            and (not version_key(version) or at_least(version, c.since))
        ]
        if fitting:
            return max(fitting, key=lambda c: version_key(c.since))
    return _NONE


@lru_cache(maxsize=1)
def _constants() -> tuple[Constant, ...]:
    problems: list[Any] = []
    rows = [row for name in _FILES for row in read_rows(_FOLDER / name, _row, problems)]
    if problems:
        raise DamagedDocument(msg("error.cannot_read", path=str(_FOLDER), why=str(problems[0])))
    return tuple(rows)


def _row(row: Row) -> Constant:
    value, low, high = (row.number(column) or 0.0 for column in ("value", "low", "high"))
    return Constant(
        row.required("id"),
        row.required("engine"),
        row.text("since"),
        row.required("parameter"),
        value,
        low,
        high,
        row.whole("n_rows") or 0,
        row.source(),
    )
