"""The consultation as a file: versioned JSON. An older version is brought up step by step, a newer one refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

import attrs
import cattrs
from cattrs.gen import make_dict_unstructure_fn

from engine.consultation import SCHEMA_VERSION, Consultation, Stage
from engine.errors import DamagedDocument, NewerDocument
from engine.messages import msg

FORMAT: Final = "waypost-consultation"
MAX_FILE_BYTES: Final = 64 * 1024 * 1024
ATTACHMENT_NAME: Final = "consultation.waypost"
"""What the document is called inside a PDF of ours."""

UPGRADES: Final[dict[int, Callable[[dict[str, Any]], dict[str, Any]]]] = {}
"""Schema version n -> function that turns a document of version n into n + 1. Never edited, only added to."""


@cache
def converter() -> cattrs.Converter:
    """cattrs both ways. Fields that were never answered are not written; numbers must be finite."""
    made = cattrs.Converter(forbid_extra_keys=True, omit_if_default=True)
    made.register_structure_hook(float, _finite)
    made.register_structure_hook(int, _whole)
    made.register_structure_hook(str, _text)
    made.register_structure_hook(bool, _truth)
    for mapping_owner in (Consultation, Stage):
        made.register_unstructure_hook(
            mapping_owner, make_dict_unstructure_fn(mapping_owner, made, _cattrs_omit_if_default=True)
        )
    made.register_unstructure_hook(MappingProxyType, dict)
    made.register_structure_hook_func(lambda t: t is Mapping[str, Any], lambda v, _: dict(v))
    made.register_structure_hook_func(lambda t: t is Any, lambda v, _: v)
    return made


def _finite(value: Any, _type: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"not a finite number: {value!r}")
    return float(value)


def _whole(value: Any, _type: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise ValueError(f"not a whole number: {value!r}")
    return int(value)


def _text(value: Any, kind: Any) -> str:
    """A text, or the member of a choice: cattrs hands every StrEnum to the hook of `str` too."""
    if not isinstance(value, str):
        raise ValueError(f"not a text: {value!r}")
    return value if kind is str else kind(value)


def _truth(value: Any, _type: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"not true or false: {value!r}")
    return value


def to_dict(consultation: Consultation) -> dict[str, Any]:
    """The document as plain JSON values."""
    body: dict[str, Any] = converter().unstructure(consultation)
    return {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        **{k: v for k, v in body.items() if k != "schema_version"},
    }


def to_json(consultation: Consultation) -> str:
    """The document as text: stable order, readable, ends with a newline."""
    return json.dumps(to_dict(consultation), ensure_ascii=False, indent=2, sort_keys=False, default=dict) + "\n"


def from_dict(data: Any) -> Consultation:
    """A document from plain JSON values. Raises DamagedDocument or NewerDocument."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise DamagedDocument(msg("error.not_a_consultation"))
    version = data.get("schema_version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise DamagedDocument(msg("error.no_schema_version"))
    if version > SCHEMA_VERSION:
        raise NewerDocument(msg("error.newer_document", found=version, known=SCHEMA_VERSION))
    body = dict(data)
    for step in range(version, SCHEMA_VERSION):
        body = UPGRADES[step](body)
    body.pop("format")
    body["schema_version"] = SCHEMA_VERSION
    try:
        return converter().structure(body, Consultation)
    except Exception as error:
        where = (
            "; ".join(cattrs.transform_error(error)[:3])
            if isinstance(error, cattrs.BaseValidationError)
            else str(error)
        )
        raise DamagedDocument(msg("error.damaged_document", where=where)) from error


def from_json(text: str) -> Consultation:
    """A document from its text. Raises DamagedDocument (cut short, not JSON, not ours) or NewerDocument."""
    try:
        data = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise DamagedDocument(msg("error.not_json", where=str(error))) from error
    return from_dict(data)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def same_content(a: Consultation, b: Consultation) -> bool:
    """True when two documents would be written alike."""
    return attrs.evolve(a) == attrs.evolve(b) and to_json(a) == to_json(b)
