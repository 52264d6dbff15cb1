"""Measured rows as arrays for the fit: features, logarithm of the figure, weight of each row."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from attrs import frozen

from engine.catalogue import Catalogue
from engine.errors import WaypostError
from engine.speed.case import Bools, Case, Floats, case_of
from engine.speed.expected import KINDS
from engine.speed.keys import device_family, engine_class
from engine.speed.measured import MeasuredRow, check_known, question_of

_SCALE: Final = {"ttft": 1e-3, "tpot": 1e-3}
"""The rows give milliseconds."""
NOISE: Final = {"decode": 0.12, "prefill": 0.2, "ttft": 0.25, "tpot": 0.13, "throughput": 0.2}
"""How far two measurements of one thing lie apart (standard deviation of the logarithm), by kind."""
_COPIES: Final = 0.4
"""A group of n like rows weighs as n^0.6 independent ones: neighbouring rows are almost copies."""
_ENOUGH: Final = 400.0
"""Rows of one kind beyond this add weight no longer, so that the largest source does not decide alone."""


@frozen
class Table:
    """Everything the fit reads."""

    rows: tuple[Mapping[str, str], ...]
    questions: tuple[MeasuredRow, ...]
    case: Case
    kinds: np.ndarray
    log_measured: Floats
    noise: Floats

    def column(self, name: str) -> np.ndarray:
        """One column of the CSV as an array of strings."""
        return np.array([r[name] for r in self.rows])

    def families(self) -> np.ndarray:
        return np.array([device_family(q.deployment.device) for q in self.questions])

    def engines(self) -> np.ndarray:
        return np.array([engine_class(q.deployment.engine.id) for q in self.questions])


def read_table(path: Path, catalogue: Catalogue) -> Table:
    """The speed rows of a CSV of measurements; rows without a question are left out. Raises OSError, ValueError."""
    with path.open(newline="", encoding="utf-8-sig") as handle:
        found = [r for r in csv.DictReader(handle) if r["kind"] in KINDS]
    kept: list[tuple[Mapping[str, str], MeasuredRow]] = []
    for row in found:
        try:
            check_known(row)
            kept.append((row, question_of(row, catalogue)))
        except WaypostError:
            continue
    rows, questions = tuple(r for r, _ in kept), tuple(q for _, q in kept)
    kinds = np.array([q.kind for q in questions])
    measured = np.array([float(r["measured"]) * _SCALE.get(r["kind"], 1.0) for r in rows])
    return Table(
        rows,
        questions,
        case_of([q.deployment for q in questions]),
        kinds,
        np.log(measured),
        np.array([NOISE[k] for k in kinds]),
    )


def weights(rows: Sequence[Mapping[str, str]], mask: Bools) -> Floats:
    """Weight of each row: less in large groups of like rows, each kind limited. 0 outside the mask."""
    groups = [(r["kind"], r["source_group"], r["device"], r["model"], r["engine"]) for r in rows]
    sizes = Counter(g for g, kept in zip(groups, mask, strict=True) if kept)
    weight = np.array([sizes[g] ** -_COPIES if kept else 0.0 for g, kept in zip(groups, mask, strict=True)])
    kinds = np.array([r["kind"] for r in rows])
    for kind in set(kinds[mask]):
        these = mask & (kinds == kind)
        weight[these] /= np.sqrt(np.mean(weight[these] ** 2))
        weight[these] *= np.sqrt(min(1.0, _ENOUGH / these.sum()))
    return weight
