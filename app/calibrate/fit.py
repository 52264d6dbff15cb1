"""The fit: constants and factors in logarithms, pulled towards their priors, robust against stray rows.

Gauss-Newton with damping. The derivative of a row's figure with respect to a constant is taken once for all rows by moving that
constant a little everywhere; a factor moves the rows of its level only, so its column is that derivative on those rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

import numpy as np
from attrs import define, field, frozen

from app.calibrate.rows import Table, weights
from engine.speed.calibration import SPECS, Constants, saturated
from engine.speed.case import Bools, Floats
from engine.speed.expected import expected_by_kind
from engine.speed.keys import KEYS, USUAL

_NUDGE: Final = 1e-4
_LONGEST_STEP: Final = 1.0
_GOOD_ENOUGH: Final = 2e-4


@frozen
class Parameter:
    """One number of the fit: a base (key and level empty) or a factor, as a logarithm."""

    constant: str
    key: str
    level: str
    prior: float
    spread: float


@define
class Model:
    """The parameters that a table's rows can see, and the rows' figures as a function of them."""

    table: Table
    parameters: tuple[Parameter, ...] = field(init=False)

    def __attrs_post_init__(self) -> None:
        found: list[Parameter] = []
        for name, spec in SPECS.items():
            found.append(Parameter(name, "", "", math.log(spec.prior), spec.spread))
            for key in spec.keys:
                levels = self.table.case.labels[KEYS.index(key)].levels
                found += [
                    Parameter(name, key, level, 0.0, spec.key_spread)
                    for level in sorted(levels)
                    if (key, level) not in USUAL
                ]
        self.parameters = tuple(found)

    @cached_property
    def priors(self) -> Floats:
        return np.array([p.prior for p in self.parameters])

    @cached_property
    def precision(self) -> Floats:
        return np.array([p.spread for p in self.parameters]) ** -2.0

    @cached_property
    def members(self) -> Mapping[str, tuple[np.ndarray, ...]]:
        """constant -> for each of its bases and keys, which parameter each row uses (-1: none)."""
        position = {(p.constant, p.key, p.level): i for i, p in enumerate(self.parameters)}
        rows = len(self.table.rows)
        members: dict[str, tuple[np.ndarray, ...]] = {}
        for name, spec in SPECS.items():
            columns = [np.full(rows, position[name, "", ""])]
            for key in spec.keys:
                labels = self.table.case.labels[KEYS.index(key)]
                table = np.array([position.get((name, key, level), -1) for level in labels.levels])
                columns.append(table[labels.codes])
            members[name] = tuple(columns)
        return members

    def log_figures(self, values: Floats, nudged: str = "") -> Floats:
        """Logarithm of each row's expected figure; `nudged` moves that constant a little."""
        padded = np.append(values, 0.0)
        constants: dict[str, Any] = {}
        for name, columns in self.members.items():
            log = sum((padded[c] for c in columns), np.full(len(self.table.rows), _NUDGE if name == nudged else 0.0))
            value = np.exp(log)
            constants[name] = saturated(value) if SPECS[name].efficiency else value
        figures = expected_by_kind(self.table.case, Constants(constants), self.table.kinds)
        return np.log(np.maximum(figures, 1e-12))

    def slopes(self, values: Floats, base: Floats) -> dict[str, Floats]:
        """constant -> derivative of each row's log figure with respect to the constant's logarithm."""
        return {name: (self.log_figures(values, name) - base) / _NUDGE for name in SPECS}

    def normal_equations(self, slopes: Mapping[str, Floats], weight: Floats, residual: Floats) -> tuple[Floats, Floats]:
        """J'WJ and J'Wr without building J: each row touches few parameters."""
        from scipy import sparse  # only the fit needs it

        rows, index = len(self.table.rows), np.arange(len(self.table.rows))
        at: list[tuple[np.ndarray, np.ndarray, Floats]] = []
        for name, columns in self.members.items():
            for column in columns:
                used = (column >= 0) & (slopes[name] != 0.0)
                at.append((index[used], column[used], slopes[name][used]))
        where_rows, where_columns, values = (np.concatenate(part) for part in zip(*at, strict=True))
        jacobian = sparse.csr_matrix((values, (where_rows, where_columns)), shape=(rows, len(self.parameters)))
        weighted = jacobian.multiply(weight[:, None]).tocsr()
        return (jacobian.T @ weighted).toarray(), weighted.T @ residual


def fit(model: Model, mask: Bools | None = None, start: Floats | None = None, rounds: int = 40) -> Floats:
    """The most likely parameters for the rows of the mask. `start`: parameters of a like fit, to save rounds."""
    table = model.table
    kept = np.ones(len(table.rows), bool) if mask is None else mask
    weight = weights(table.rows, kept)
    values = model.priors.copy() if start is None else start.copy()
    damping, idle = 1e-3, 0
    for _ in range(rounds):
        base = model.log_figures(values)
        before = _cost(model, values, base, weight)
        step, damping, after = _step(model, values, base, weight, damping, before)
        if step is None:
            break
        values = values + step
        idle = idle + 1 if before - after < _GOOD_ENOUGH * before else 0
        if idle == 2:
            break
    return values


def _step(
    model: Model, values: Floats, base: Floats, weight: Floats, damping: float, before: float
) -> tuple[Floats | None, float, float]:
    """One damped step that lowers the cost, or None."""
    table = model.table
    residual = (base - table.log_measured) / table.noise
    robust = weight**2 / np.sqrt(1.0 + residual**2)
    slopes = {name: slope / table.noise for name, slope in model.slopes(values, base).items()}
    curvature, gradient = model.normal_equations(slopes, robust, residual)
    gradient = gradient + (values - model.priors) * model.precision
    diagonal = np.diag(curvature) + model.precision
    for _ in range(6):
        step = np.linalg.solve(curvature + np.diag(model.precision + damping * diagonal), -gradient)
        step = np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        after = _cost(model, values + step, model.log_figures(values + step), weight)
        if after < before:
            return step, max(damping / 4.0, 1e-6), after
        damping *= 6.0
    return None, damping, before


def _cost(model: Model, values: Floats, figures: Floats, weight: Floats) -> float:
    """Soft absolute error of the rows plus the pull of the priors."""
    residual = (figures - model.table.log_measured) / model.table.noise
    data = np.sum(weight**2 * 2.0 * (np.sqrt(1.0 + residual**2) - 1.0))
    return float(data + np.sum((values - model.priors) ** 2 * model.precision))
