"""How good the fit is: in sample and with whole devices or whole models left out; and the bands that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from attrs import frozen

from app.calibrate.fit import Model, fit
from app.calibrate.rows import Table
from engine.speed.bands import group_names
from engine.speed.case import Bools, Floats
from engine.speed.expected import KINDS

_LOW, _HIGH = 5.0, 95.0
_ENOUGH: Final = 12
"""Rows a group needs before it has a band of its own."""
_HALF_WAY: Final = 0.5
"""A left-out fit starts half way between the priors and the whole fit: it must not remember what it may not see."""
_LEFT_OUT_ROUNDS: Final = 5


@frozen
class Residuals:
    """log(expected / measured) of each row."""

    in_sample: Floats
    without_device: Floats
    without_model: Floats

    def named(self) -> Iterator[tuple[str, Floats]]:
        yield "in sample", self.in_sample
        yield "device left out", self.without_device
        yield "model left out", self.without_model


def residuals(model: Model, values: Floats, *, leave_out: bool = True) -> Residuals:
    """Residuals in sample and, unless `leave_out` is false, with each device and each model left out in turn."""
    table = model.table
    here = model.log_figures(values) - table.log_measured
    if not leave_out:
        return Residuals(here, here, here)
    return Residuals(
        here,
        _left_out(model, values, table.column("device")),
        _left_out(model, values, table.column("model")),
    )


def _left_out(model: Model, values: Floats, groups: np.ndarray) -> Floats:
    found = np.empty(len(groups))
    start = model.priors * (1.0 - _HALF_WAY) + values * _HALF_WAY
    for group in sorted(set(groups.tolist())):
        gone = groups == group
        without = fit(model, ~gone, start, _LEFT_OUT_ROUNDS)
        found[gone] = (model.log_figures(without) - model.table.log_measured)[gone]
    return found


def errors(log_ratio: Floats) -> dict[str, float]:
    """Median, 90th percentile and bias in percent of rows' relative errors."""
    relative = np.expm1(log_ratio)
    size = np.abs(relative)
    return {
        "rows": int(size.size),
        "median_abs_pct": round(100.0 * float(np.median(size)), 1),
        "p90_abs_pct": round(100.0 * float(np.quantile(size, 0.9)), 1),
        "bias_pct": round(100.0 * float(np.median(relative)), 1),
    }


def by_kind(table: Table, found: Residuals, mask: Bools | None = None) -> dict[str, dict[str, dict[str, float]]]:
    """kind -> "in sample", "device left out", "model left out" -> errors, for the rows of a mask."""
    kept = np.ones(len(table.rows), bool) if mask is None else mask
    return {
        kind: {name: errors(values[these]) for name, values in found.named()}
        for kind in KINDS
        if (these := kept & (table.kinds == kind)).any()
    }


def bands(table: Table, found: Residuals) -> dict[str, dict[str, tuple[float, float, int]]]:
    """ "known" (in sample) and "unseen" (left out) -> group -> (low, high, rows) of measured / expected, 90 %."""
    names = [group_names(kind, q.deployment) for kind, q in zip(table.kinds.tolist(), table.questions, strict=True)]
    members: dict[str, list[int]] = {}
    for row, groups in enumerate(names):
        for group in groups:
            members.setdefault(group, []).append(row)
    wanted = {g: np.array(rows) for g, rows in members.items() if len(rows) >= _ENOUGH or "|" not in g}
    left_out = np.concatenate([found.without_device, found.without_model])
    size = len(table.rows)
    return {
        "known": {g: _span(-found.in_sample[rows]) for g, rows in wanted.items()},
        "unseen": {g: _span(-left_out[np.concatenate([rows, rows + size])]) for g, rows in wanted.items()},
    }


def _span(log_ratio: Floats) -> tuple[float, float, int]:
    low, high = np.percentile(log_ratio, (_LOW, _HIGH))
    return round(float(np.exp(low)), 4), round(float(np.exp(high)), 4), int(log_ratio.size)


def printed(errors_by_kind: Mapping[str, Any]) -> str:
    """The errors as a table for the terminal."""
    lines = [f"{'kind':<12}{'':<18}{'rows':>6}{'median':>9}{'p90':>9}{'bias':>9}"]
    for kind, ways in errors_by_kind.items():
        for way, e in ways.items():
            lines.append(
                f"{kind:<12}{way:<18}{e['rows']:>6}{e['median_abs_pct']:>8.1f}%{e['p90_abs_pct']:>8.1f}%{e['bias_pct']:>+8.1f}%"
            )
    return "\n".join(lines)
