"""Which way of storing a format gives to which kind of tensor: defaults here, exceptions by model in format_tensors.csv.

A rule's kind is one of engine.memory.tensors.KINDS, or "projections" for every linear layer inside the layers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from attrs import frozen

from engine.catalogue.read import Row, read_rows
from engine.errors import DamagedDocument
from engine.memory.tensors import ATTENTION, EMBEDDINGS, MLP, ROUTED
from engine.messages import msg

_RULES: Final = Path(__file__).resolve().parents[2] / "assets" / "catalogue" / "format_tensors.csv"

_PROJECTIONS: Final = (
    ATTENTION | MLP | ROUTED | frozenset({"linear_qkv", "linear_gate", "linear_output", "ssm_in", "ssm_out"})
)
_EVERY_LINEAR: Final = _PROJECTIONS | frozenset({"linear_small", "mixer", "router"})
_EVERY_MATRIX: Final = _EVERY_LINEAR | EMBEDDINGS | frozenset({"lm_head"})

_DEFAULTS: Final[Mapping[str, tuple[str, frozenset[str], str]]] = MappingProxyType(
    {
        "fp32": ("fp32", _EVERY_MATRIX, "fp32"),
        "fp16": ("fp16", _EVERY_MATRIX, "fp16"),
        "bf16": ("bf16", _EVERY_MATRIX, "bf16"),
        "fp8": ("fp8", _PROJECTIONS, "bf16"),
        "int8": ("int8", _PROJECTIONS, "bf16"),
        "mxfp4": ("mxfp4", _PROJECTIONS, "bf16"),
        "nvfp4": ("nvfp4", _PROJECTIONS, "bf16"),
        "int4": ("int4-g64", _PROJECTIONS, "bf16"),
        "awq-int4": ("int4-g128", _PROJECTIONS, "fp16"),
        "gptq-int4": ("int4-g128", _PROJECTIONS, "fp16"),
        "mlx-4bit": ("mlx-4bit", _EVERY_MATRIX, "bf16"),
        "mlx-8bit": ("mlx-8bit", _EVERY_MATRIX, "bf16"),
        "bnb-nf4": ("nf4", _EVERY_LINEAR, "bf16"),
        "bnb-nf4-dq": ("nf4-dq", _EVERY_LINEAR, "bf16"),
    }
)
"""Format -> its way of storing, the kinds it quantises, how the rest is kept."""


@frozen
class FormatRule:
    """What a look-up asks: a format, in an engine, for a model."""

    format: str
    engine: str
    model: str


def stored_as(rule: FormatRule, kind: str) -> str:
    """The way of storing (a key of engine.memory.weights.BITS) of that kind of tensor."""
    exceptions = _exceptions()
    for engine in (rule.engine, "*"):
        for model in (rule.model, "*"):
            found = exceptions.get((rule.format, engine, model, kind))
            if found is None and kind in _PROJECTIONS:
                found = exceptions.get((rule.format, engine, model, "projections"))
            if found:
                return found
    way, kinds, rest = _DEFAULTS.get(rule.format, ("bf16", _EVERY_MATRIX, "bf16"))
    return way if kind in kinds else rest


@lru_cache(maxsize=1)
def _exceptions() -> Mapping[tuple[str, str, str, str], str]:
    problems: list[object] = []
    rows = read_rows(_RULES, _row, problems)  # type: ignore[arg-type]
    if problems:
        raise DamagedDocument(msg("error.cannot_read", path=str(_RULES), why=str(problems[0])))
    return MappingProxyType(dict(rows))


def _row(row: Row) -> tuple[tuple[str, str, str, str], str]:
    key = (row.required("format"), row.required("engine"), row.required("model"), row.required("kind"))
    row.source()
    return key, row.required("stored_as")
