"""The catalogue for reading: which columns a table shows, and every figure of a row with where and when it was read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import attrs
from attrs import frozen

from app.present import dates
from app.present.names import in_language
from app.present.translator import Translator
from engine.catalogue import Catalogue
from engine.catalogue.rows import Figure
from engine.estimate import Source
from engine.messages import Name, Quantity
from engine.units import GIGA

TABLES: Final[Mapping[str, str]] = {
    "devices": "devices",
    "models": "models",
    "weight_formats": "weight_formats",
    "gpu_prices": "gpu_cloud_prices",
    "api_prices": "api_prices",
    "operating_costs": "operating_costs",
    "regulations": "regulations",
    "device_classes": "device_classes",
}
"""Attribute of the catalogue -> stem of its file."""

_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "devices": ("name", "vendor", "memory", "bandwidth", "fp16", "power"),
    "models": ("name", "params_total", "params_active", "n_layers", "attention", "max_context"),
    "weight_formats": ("name", "family", "bits_per_weight"),
    "gpu_prices": ("provider", "instance", "region", "device", "count", "on_demand_usd_per_hour"),
    "api_prices": ("provider", "model", "input_usd_per_mtok", "cached_input_usd_per_mtok", "output_usd_per_mtok"),
    "operating_costs": ("item", "value", "unit", "region"),
    "regulations": ("jurisdiction", "sector", "name", "in_force_since"),
    "device_classes": ("name", "memory_bytes", "model_memory_bytes", "bandwidth_bytes_per_s"),
}
NUMERIC: Final = frozenset(
    {
        "memory", "bandwidth", "fp16", "power", "params_total", "params_active", "n_layers", "max_context", "count",
        "bits_per_weight", "on_demand_usd_per_hour", "input_usd_per_mtok", "cached_input_usd_per_mtok",
        "output_usd_per_mtok", "value", "memory_bytes", "model_memory_bytes", "bandwidth_bytes_per_s",
    }
)  # fmt: skip
_UNITS: Final[Mapping[str, str]] = {
    "on_demand_usd_per_hour": "USD/h", "spot_usd_per_hour": "USD/h", "input_usd_per_mtok": "USD/Mtoken",
    "cached_input_usd_per_mtok": "USD/Mtoken", "output_usd_per_mtok": "USD/Mtoken", "memory_bytes": "B",
    "model_memory_bytes": "B", "bandwidth_bytes_per_s": "B/s", "battery_joules": "J", "max_context": "token",
    "context_tokens": "token", "driver_memory": "B", "memory": "B",
}  # fmt: skip
_HIDDEN: Final = frozenset({"id", "source", "cache_groups", "tensors"})


@frozen
class Fact:
    """One field of a row, in words."""

    label: str
    value: str
    source: str = ""
    verified: bool = True


def rows_of(catalogue: Catalogue, table: str) -> Mapping[str, Any]:
    """The rows of a table by id."""
    rows: Mapping[str, Any] = getattr(catalogue, table)
    return rows


def columns_of(table: str) -> tuple[str, ...]:
    return _COLUMNS[table]


def widest_column(table: str) -> int:
    """The column that takes the room the others leave."""
    wanted = {"api_prices": "model", "gpu_prices": "instance", "operating_costs": "item", "regulations": "name"}
    return _COLUMNS[table].index(wanted.get(table, "name"))


def headers(table: str, t: Translator) -> list[str]:
    return [label(column, t) for column in _COLUMNS[table]]


def label(field: str, t: Translator) -> str:
    """A field's name; one without words shows its own."""
    key = f"ui.column.{field}"
    return t.text(key) if t.has(key) else field.replace("_", " ")


def cells(row: Any, table: str, t: Translator) -> list[str]:
    """The short line of a row."""
    return [words(getattr(row, column), column, t) for column in _COLUMNS[table]]


def holds(parts: Sequence[str], row: Any, table: str) -> bool:
    """Every part is in the row's id or in one of the texts it is listed with."""
    texts = [row.id, *(value for c in _COLUMNS[table] if isinstance(value := getattr(row, c), str))]
    text = " ".join(texts).casefold()
    return all(part in text for part in parts)


def facts(row: Any, t: Translator) -> list[Fact]:
    """Everything a row says; what nobody published is left out of it."""
    found = []
    shared: Source | None = getattr(row, "source", None)
    for field in attrs.fields(type(row)):
        value = getattr(row, field.name)
        if field.name in _HIDDEN or value in (None, "", ()):
            continue
        source = value.source if isinstance(value, Figure) else shared
        where = source_words(source, t) if source else ""
        found.append(
            Fact(label(field.name, t), words(value, field.name, t), where, source.verified if source else True)
        )
    return found


def unpublished(row: Any, t: Translator) -> list[str]:
    """Names of the fields nobody published."""
    return [
        label(f.name, t)
        for f in attrs.fields(type(row))
        if f.name not in _HIDDEN and getattr(row, f.name) in (None, "")
    ]


def source_words(source: Source, t: Translator) -> str:
    """Where and when, and whether it could be checked."""
    parts = [source.where, dates.as_of(source.as_of, t.language) if source.as_of else ""]
    if not source.verified:
        parts.append(t.text("ui.catalogue.unverified"))
    return ", ".join(p for p in parts if p)


def words(value: Any, field: str, t: Translator) -> str:
    """One value as a reader expects it."""
    if value is None or value == "":
        return "–"
    for kind, write in _WRITERS.items():
        if isinstance(value, kind):
            return write(value, field, t)
    return str(value)


def _figure(value: Figure, field: str, t: Translator) -> str:
    if field == "memory":
        return f"{value.value / GIGA:,.6g} GB"
    return t.figure(Quantity(value.value, value.unit))


def _truth(value: bool, _field: str, t: Translator) -> str:
    return t.text("flag.yes" if value else "flag.no")


def _number(value: float, field: str, t: Translator) -> str:
    if field in ("params_total", "params_active"):
        return f"{value / GIGA:,.4g} B"
    if field == "release_year":
        return str(int(value))
    return t.figure(Quantity(float(value), _UNITS[field])) if field in _UNITS else t.value(value)


def _several(value: Sequence[Any], field: str, t: Translator) -> str:
    if len(value) == 2 and all(isinstance(v, int | float) for v in value):
        low, high = (words(v, field, t) for v in value)
        return low if low == high else f"{low} – {high}"
    return ", ".join(words(v, field, t) for v in value)


def _text(value: str, field: str, t: Translator) -> str:
    if field == "device":
        return t.value(Name("device", value))
    return in_language(value, t.language) if field == "name" else value


_WRITERS: Final[Mapping[Any, Callable[[Any, str, Translator], str]]] = {
    Figure: _figure,
    bool: _truth,
    int: _number,
    float: _number,
    tuple: _several,
    str: _text,
}
