"""The calibrated constants: typed, checked, and turned into arrays for a case.

A constant is a base value times one factor for each level it depends on ("engine": vllm, "family": hopper ...). A level
nobody has measured has no factor, so an unknown chip gets the base of the chips that were. Efficiencies saturate below 1: no
expected speed beats its ceiling. Fitted by app.calibrate; each file says from what and when.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from attrs import field, frozen

from engine.arithmetic import Number
from engine.errors import DamagedDocument
from engine.messages import msg
from engine.speed.case import Case, Labels
from engine.speed.keys import KEYS

FOLDER: Final = Path(__file__).resolve().parents[2] / "assets" / "calibration"
SHARED: Final = "speed.json"
ENGINE_PREFIX: Final = "speed-"
_MOST_EFFICIENT: Final = 0.97
_SHARPNESS: Final = 6.0


@frozen
class ConstantSpec:
    """One constant of the model: where it starts, how far the fit may move it, what it depends on."""

    prior: float
    spread: float
    """Standard deviation of its logarithm before any row is seen."""
    keys: tuple[str, ...]
    key_spread: float
    """The same for the factor of a level."""
    efficiency: bool = False
    """A share of a physical limit: saturates below 1."""


def _of(
    prior: float, spread: float, keys: str = "", key_spread: float = 0.35, *, efficiency: bool = False
) -> ConstantSpec:
    return ConstantSpec(prior, spread, tuple(keys.split()), key_spread, efficiency)


SPECS: Final[Mapping[str, ConstantSpec]] = {
    "bandwidth_efficiency": _of(0.75, 0.5, "memory engine vendor site format backend", efficiency=True),
    "cache_efficiency": _of(0.5, 0.7, "engine vendor site flash backend", 0.8, efficiency=True),
    "expert_efficiency": _of(0.75, 0.3, "engine vendor site"),
    "batch_matrix_efficiency": _of(0.5, 0.4, "site", efficiency=True),
    "layer_s": _of(35e-6, 0.7, "engine vendor site format flash", 0.6),
    "expert_layer_s": _of(20e-6, 0.7, "engine"),
    "latent_layer_s": _of(30e-6, 0.7, "engine"),
    "state_layer_s": _of(20e-6, 0.7, "engine"),
    "indexer_layer_s": _of(30e-6, 0.7),
    "step_s": _of(3e-4, 1.0, "engine site", 0.8),
    "sequence_s": _of(1e-5, 1.0, "engine site"),
    "routing_spread": _of(0.6, 0.3),
    "expert_imbalance": _of(0.2, 0.7),
    "reduce_s": _of(8e-6, 0.7, "link engine"),
    "reduce_growth": _of(0.5, 0.7),
    "link_efficiency": _of(0.5, 0.5, "link"),
    "hop_s": _of(3e-5, 1.0, "engine"),
    "prompt_matrix_efficiency": _of(0.5, 0.5, "engine vendor site format kernel backend", efficiency=True),
    "prompt_expert_efficiency": _of(0.4, 0.5, "engine vendor site", efficiency=True),
    "prompt_attention_efficiency": _of(0.3, 0.7, "engine vendor site backend", 0.8, efficiency=True),
    "score_bytes": _of(24.0, 0.3, "site"),
    "flop_per_joule": _of(0.5e12, 0.5, "vendor site"),
    "prompt_layer_s": _of(100e-6, 1.0, "engine vendor site release", 0.8),
    "prompt_expert_layer_s": _of(300e-6, 1.0, "engine site release"),
    "prompt_latent_layer_s": _of(300e-6, 1.0, "engine", 0.6),
    "prompt_state_layer_s": _of(300e-6, 1.0, "engine", 0.6),
    "prompt_s": _of(3e-3, 1.0, "engine", 0.8),
    "pipeline_gain": _of(0.7, 0.3),
    "interference": _of(1.0, 0.3, "engine"),
    "request_s": _of(2e-2, 1.0, "engine release", 0.8),
    "first_wave": _of(0.1, 0.5, "engine release"),
    "queue": _of(1.0, 0.7, "engine release", 0.8),
    "slot_wait": _of(2e-3, 1.0, "engine release"),
}
"""Every constant of the speed room. Seconds, shares and exponents; what each means stands where it is used."""


@frozen
class Constants:
    """The constants of each row of a case, by name."""

    values: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


@frozen
class Band:
    """Relative 90 % band of a predicted figure: measured / predicted lies within low..high."""

    low: float
    high: float
    rows: int


@frozen(eq=False)
class Calibration:
    """Everything the fit left behind."""

    fit_date: str
    rows: int
    bases: Mapping[str, float]
    factors: Mapping[str, Mapping[str, Mapping[str, float]]]
    """constant -> key -> level -> factor"""
    engines: Mapping[str, Mapping[str, Any]]
    """engine -> versions, rows, residuals."""
    bands: Mapping[str, Mapping[str, Band]]
    """State (known, unseen) -> group ("kind|engine|family|load" and coarser) -> band."""
    seen: Mapping[str, frozenset[str]]
    """What the rows of each kind were of: "kind.device", "kind.model", "kind.family", "kind.engine" -> ids."""
    ranges: Mapping[str, tuple[float, float]]
    """Least and most in the rows of each kind: "kind.prompt", "kind.context", "kind.concurrency" ..."""
    residuals: Mapping[str, Any] = field(factory=dict, repr=False)

    def constants(self, case: Case) -> Constants:
        """Each constant for each row of a case; one number where all rows share it."""
        return _constants(self, case.labels)

    def values(self, name: str, spec: ConstantSpec, case_labels: tuple[Labels, ...]) -> Number:
        """One constant: its base times the factor of each level."""
        value: Number = self.bases[name]
        factors = self.factors.get(name, {})
        for key, labels in zip(KEYS, case_labels, strict=True):
            table = factors.get(key)
            if table:
                by_level = [table.get(level, 1.0) for level in labels.levels]
                value = value * (by_level[0] if len(by_level) == 1 else np.array(by_level)[labels.codes])
        return saturated(value) if spec.efficiency else value


def _constants(calibration: Calibration, labels: tuple[Labels, ...]) -> Constants:
    if any(len(each.levels) > 1 for each in labels):
        return Constants({name: calibration.values(name, spec, labels) for name, spec in SPECS.items()})
    return _constants_of_one(calibration, tuple(each.levels[0] for each in labels))


@lru_cache(maxsize=1024)
def _constants_of_one(calibration: Calibration, levels: tuple[str, ...]) -> Constants:
    """Kept by level: one deployment is asked about again and again."""
    labels = tuple(Labels((level,), np.zeros(1, np.intp)) for level in levels)
    return Constants({name: calibration.values(name, spec, labels) for name, spec in SPECS.items()})


def saturated(efficiency: Any) -> Any:
    """An efficiency that approaches 0.97 smoothly instead of passing it (a fit needs the slope)."""
    return efficiency / (1.0 + (efficiency / _MOST_EFFICIENT) ** _SHARPNESS) ** (1.0 / _SHARPNESS)


@lru_cache(maxsize=4)
def load_calibration(folder: Path = FOLDER) -> Calibration:
    """Read and check the calibration files of a folder. Raises DamagedDocument naming the file and what is wrong."""
    try:
        return _assembled(folder)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise DamagedDocument(msg("speed.calibration.damaged", file=SHARED, what=str(error))) from error


def _assembled(folder: Path) -> Calibration:
    shared = _read(folder / SHARED)
    engines: dict[str, Mapping[str, Any]] = {}
    factors: dict[str, dict[str, dict[str, float]]] = {n: {} for n in SPECS}
    _collect(factors, shared["factors"], folder / SHARED)
    for path in sorted(folder.glob(f"{ENGINE_PREFIX}*.json")):
        content = _read(path)
        engine = str(content["engine"])
        engines[engine] = {k: v for k, v in content.items() if k != "factors"}
        _collect(factors, {n: {"engine": {engine: f}} for n, f in content["factors"].items()}, path)
    return Calibration(
        fit_date=str(shared["fit_date"]),
        rows=int(shared["rows"]),
        bases={n: _positive(shared["bases"][n], folder / SHARED, n) for n in SPECS},
        factors=factors,
        engines=engines,
        bands={
            state: {group: Band(float(b[0]), float(b[1]), int(b[2])) for group, b in groups.items()}
            for state, groups in shared["bands"].items()
        },
        seen={k: frozenset(v) for k, v in shared["seen"].items()},
        ranges={k: (float(v[0]), float(v[1])) for k, v in shared["ranges"].items()},
        residuals=shared["residuals"],
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DamagedDocument(msg("speed.calibration.damaged", file=path.name, what=str(error))) from error
    if not isinstance(content, dict):
        raise DamagedDocument(msg("speed.calibration.damaged", file=path.name, what="no object"))
    return content


def _collect(into: dict[str, dict[str, dict[str, float]]], found: Mapping[str, Any], path: Path) -> None:
    for name, keys in found.items():
        if name not in SPECS:
            raise DamagedDocument(msg("speed.calibration.damaged", file=path.name, what=name))
        for key, levels in keys.items():
            if key not in SPECS[name].keys:
                raise DamagedDocument(msg("speed.calibration.damaged", file=path.name, what=f"{name}.{key}"))
            table = into[name].setdefault(key, {})
            table.update({level: _positive(f, path, f"{name}.{key}.{level}") for level, f in levels.items()})


def _positive(value: Any, path: Path, what: str) -> float:
    number = float(value)
    if not math.isfinite(number) or number <= 0:
        raise DamagedDocument(msg("speed.calibration.damaged", file=path.name, what=what))
    return number
