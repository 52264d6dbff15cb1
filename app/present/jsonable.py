"""Results as plain JSON values: the stable shape that `--json` prints and that a kept version stores.

An estimate is `{"value", "low", "high", "unit", "basis"}`, with `"trace"` when asked for; a sentence is `{"key", "text"}` in
the translator's language; a row of the catalogue is its id; a choice is its word in the code; what nobody said is null.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Mapping
from typing import Any

import attrs
import numpy as np

from app.present.translator import Translator
from engine.catalogue import Device, Model, ServingEngine, WeightFormat
from engine.consultation import Consultation, Workload
from engine.documents import converter
from engine.estimate import Estimate, Input, Source, Trace
from engine.messages import Message, Name, Quantity

_ROWS = (Device, Model, ServingEngine, WeightFormat)


class Jsonable:
    """Turns results into JSON values in one language."""

    def __init__(self, translator: Translator, *, trace: bool = False) -> None:
        self._translator = translator
        self._trace = trace

    def __call__(self, value: Any) -> Any:  # noqa: PLR0911  (one line a kind of value)
        """The JSON value of any result."""
        if value is None or (isinstance(value, bool | str) and not isinstance(value, enum.Enum)):
            return value
        if isinstance(value, enum.Enum):
            return value.value
        if isinstance(value, np.ndarray):
            return self(value.tolist())
        if isinstance(value, int | float | np.number):
            return number(value)
        if isinstance(value, Estimate):
            return self.estimate(value)
        if isinstance(value, Message):
            return {"key": value.key, "text": self._translator(value)}
        if isinstance(value, _ROWS):
            return value.id
        if isinstance(value, Mapping):
            return {str(k): self(v) for k, v in value.items()}
        if isinstance(value, set | frozenset):
            return sorted((self(v) for v in value), key=str)
        if isinstance(value, Iterable):
            return [self(v) for v in value]
        return self._object(value)

    def estimate(self, estimate: Estimate) -> dict[str, Any]:
        """Value, band, unit, basis; the trace when this was asked for."""
        made: dict[str, Any] = {
            "value": number(estimate.value),
            "low": number(estimate.low),
            "high": number(estimate.high),
            "unit": estimate.unit,
            "basis": estimate.basis.value,
        }
        if self._trace:
            made["trace"] = None if estimate.trace is None else self.trace(estimate.trace)
        return made

    def trace(self, trace: Trace) -> dict[str, Any]:
        """The formula and every input with its own origin, down to the sources."""
        return {
            "key": trace.key,
            "formula": trace.formula,
            "reference": trace.reference,
            "inputs": [self._input(i) for i in trace.inputs],
        }

    def _input(self, given: Input) -> dict[str, Any]:
        return {
            "name": given.name,
            "value": given.value if isinstance(given.value, str) else number(given.value),
            "unit": given.unit,
            "basis": given.basis.value,
            "source": None if given.source is None else self.source(given.source),
            "trace": None if given.trace is None else self.trace(given.trace),
        }

    def source(self, source: Source) -> dict[str, Any]:
        return {"where": source.where, "as_of": source.as_of, "verified": source.verified}

    def _object(self, value: Any) -> Any:
        if isinstance(value, Quantity):
            return {"value": number(value.value), "unit": value.unit}
        if isinstance(value, Name):
            return value.id
        if isinstance(value, Trace):
            return self.trace(value)
        if isinstance(value, Source):
            return self.source(value)
        if isinstance(value, Workload | Consultation):
            return converter().unstructure(value)
        if attrs.has(type(value)):
            shown = (f for f in attrs.fields(type(value)) if not f.metadata.get("internal"))
            return {field.name: self(getattr(value, field.name)) for field in shown}
        return str(value)


def number(value: Any) -> int | float | None:
    """A finite number, or null: JSON knows no infinity."""
    plain = value.item() if isinstance(value, np.number) else value
    if isinstance(plain, float) and not math.isfinite(plain):
        return None
    return plain  # type: ignore[no-any-return]
