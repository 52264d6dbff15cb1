"""How far memory figures have been off where they could be compared: assets/calibration/memory_bands.csv."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from engine.catalogue.read import Row, read_rows
from engine.catalogue.rows import Model, ServingEngine, WeightFormat
from engine.errors import DamagedDocument
from engine.messages import msg

_FILE: Final = Path(__file__).resolve().parents[2] / "assets" / "calibration" / "memory_bands.csv"
_GROUPED: Final = frozenset({"fp8", "int", "bnb", "mlx"})

Relative = tuple[float, float]
"""How much below and above the value the truth may lie, relative to it."""


def weight_band(model: Model, weight_format: WeightFormat, file_bytes: float | None, gguf: bool) -> Relative:
    """Band of a weight figure by the kind of format; wider for dynamic mixes and doubtful shapes."""
    if file_bytes is not None:
        return _bands()[("weights", "file")]
    if weight_format.id.startswith("ud-") or weight_format.id == "ds4-q2":
        kind = "mix"
    elif gguf:
        kind = "gguf"
    elif weight_format.family in _GROUPED:
        kind = "group"
    elif weight_format.family == "fp4":
        kind = "fp4"
    else:
        kind = "float"
    return _with_doubt("weights", kind, model)


def cache_band(model: Model, engine: ServingEngine, pipeline_parallel: int) -> Relative:
    """Band of a cache figure: exact arithmetic where published pools agree, wider where none is published."""
    plain = all(g.kind == "full" for g in model.cache_groups) or engine.id == "vllm"
    return _with_doubt("kv", "windows" if not plain else "stages" if pipeline_parallel > 1 else "plain", model)


def _with_doubt(quantity: str, kind: str, model: Model) -> Relative:
    below, above = _bands()[(quantity, kind)]
    if model.doubt:
        more = _bands()[(quantity, "doubt")]
        return below + more[0], above + more[1]
    return below, above


@lru_cache(maxsize=1)
def _bands() -> Mapping[tuple[str, str], Relative]:
    problems: list[Any] = []
    rows = read_rows(_FILE, _row, problems)
    if problems:
        raise DamagedDocument(msg("error.cannot_read", path=str(_FILE), why=str(problems[0])))
    return MappingProxyType(dict(rows))


def _row(row: Row) -> tuple[tuple[str, str], Relative]:
    row.source()
    return (row.required("quantity"), row.required("class")), (row.number("below") or 0.0, row.number("above") or 0.0)
