"""The calibration files: one for what all engines share, one for each engine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.calibrate.fit import Model
from app.calibrate.judge import Residuals, bands, by_kind
from app.calibrate.rows import Table
from engine.speed.calibration import ENGINE_PREFIX, SHARED
from engine.speed.case import Floats
from engine.speed.expected import KINDS
from engine.speed.measured import SHORT_PROMPT_TOKENS

_SPEAKS: Final = 0.02
"""A factor nearer to 1 than this says nothing and is left out."""
_FORMAT: Final = 1


def write_files(folder: Path, model: Model, values: Floats, found: Residuals, source: str) -> list[Path]:
    """Write speed.json and speed-<engine>.json to a folder; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    table = model.table
    bases, shared, engines = _sorted_out(model, values)
    date = datetime.now(UTC).date().isoformat()
    head = {"format": _FORMAT, "fit_date": date, "source": source}
    whole = {
        **head,
        "rows": len(table.rows),
        "bases": bases,
        "factors": shared,
        "residuals": by_kind(table, found),
        "seen": _seen(table),
        "ranges": _ranges(table),
        "bands": bands(table, found),
    }
    written = [_write(folder / SHARED, whole)]
    for name in sorted(set(table.engines().tolist())):
        mask = table.engines() == name
        content = {
            **head,
            "engine": name,
            "versions": _versions(table, mask),
            "rows": int(mask.sum()),
            "factors": engines.get(name, {}),
            "residuals": by_kind(table, found, mask),
        }
        written.append(_write(folder / f"{ENGINE_PREFIX}{name}.json", content))
    return written


_Nested = dict[str, dict[str, dict[str, float]]]


def _sorted_out(model: Model, values: Floats) -> tuple[dict[str, float], _Nested, dict[str, dict[str, float]]]:
    """The fitted logarithms as bases, shared factors (constant, key, level) and factors of each engine."""
    bases: dict[str, float] = {}
    shared: _Nested = {}
    engines: dict[str, dict[str, float]] = {}
    for parameter, value in zip(model.parameters, values.tolist(), strict=True):
        number = _rounded(float(np.exp(value)))
        if not parameter.key:
            bases[parameter.constant] = number
        elif abs(value) < _SPEAKS:
            continue
        elif parameter.key == "engine":
            engines.setdefault(parameter.level, {})[parameter.constant] = number
        else:
            shared.setdefault(parameter.constant, {}).setdefault(parameter.key, {})[parameter.level] = number
    return bases, shared, engines


def _versions(table: Table, mask: np.ndarray) -> list[str]:
    return sorted({r["engine_version"] or "not stated" for r, kept in zip(table.rows, mask, strict=True) if kept})


def _seen(table: Table) -> dict[str, list[str]]:
    """What the rows of each kind were of."""
    columns = {
        "device": table.column("device"),
        "model": table.column("model"),
        "family": table.families(),
        "engine": table.engines(),
    }
    return {
        f"{kind}.{name}": sorted(set(values[table.kinds == kind].tolist()))
        for kind in KINDS
        for name, values in columns.items()
    }


def _ranges(table: Table) -> dict[str, tuple[float, float]]:
    """Least and most of each quantity in the rows of each kind."""
    d = [q.deployment for q in table.questions]
    columns = {
        "context": np.array([max(float(x.context_tokens), SHORT_PROMPT_TOKENS) for x in d]),
        "prompt": np.array([x.prompt_tokens for x in d]),
        "output": np.array([x.output_tokens for x in d]),
        "concurrency": np.array([float(x.concurrency) for x in d]),
    }
    return {
        f"{kind}.{name}": (float(these.min()), float(these.max()))
        for kind in KINDS
        for name, values in columns.items()
        if (these := values[table.kinds == kind]).size
    }


def _rounded(value: float) -> float:
    return float(f"{value:.5g}")


def _write(path: Path, content: Mapping[str, Any]) -> Path:
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return path
