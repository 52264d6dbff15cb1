"""A probe run as a file or a column: versioned JSON without anything identifying."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import cattrs
from attrs import evolve

from engine.errors import DamagedDocument, NewerDocument
from engine.messages import msg
from engine.probe.protocol import make_converter
from engine.probe.results import SCHEMA_VERSION, ProbeRun

FORMAT: Final = "waypost-probe"

UPGRADES: Final[dict[int, Callable[[dict[str, Any]], dict[str, Any]]]] = {}
"""Schema version n -> function that turns a run of version n into n + 1. Never edited, only added to."""


@cache
def _converter() -> cattrs.Converter:
    return make_converter(forbid_extra_keys=True)


def to_dict(run: ProbeRun) -> dict[str, Any]:
    """The run as plain JSON values; error-stream text of the children is left out (it may name folders and users)."""
    clean = evolve(run, children=tuple(evolve(child, details="") for child in run.children))
    body: dict[str, Any] = _converter().unstructure(clean)
    body.pop("schema_version", None)
    return {"format": FORMAT, "schema_version": SCHEMA_VERSION, **_plain(body)}


def _plain(value: Any) -> Any:
    """Tuples and read-only mappings as lists and dictionaries, so that the value equals what JSON reads back."""
    if hasattr(value, "items"):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    return value


def from_dict(data: Any) -> ProbeRun:
    """A run from plain JSON values. Raises DamagedDocument or NewerDocument."""
    if not hasattr(data, "items") or data.get("format") != FORMAT:
        raise DamagedDocument(msg("probe.error.not_a_run"))
    version = data.get("schema_version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise DamagedDocument(msg("error.no_schema_version"))
    if version > SCHEMA_VERSION:
        raise NewerDocument(msg("error.newer_document", found=version, known=SCHEMA_VERSION))
    body = {k: v for k, v in data.items() if k != "format"}
    for start in range(version, SCHEMA_VERSION):
        body = UPGRADES[start](body)
    body["schema_version"] = SCHEMA_VERSION
    try:
        return _converter().structure(body, ProbeRun)
    except Exception as error:
        where = "; ".join(cattrs.transform_error(error)[:3])
        raise DamagedDocument(msg("error.damaged_document", where=where)) from error
