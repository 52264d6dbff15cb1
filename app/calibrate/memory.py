"""Fit the memory room's constants and say how far they are off, whole models left out.

    python -m app.calibrate.memory ROWS.csv [--write]

ROWS.csv has the columns of the measured rows (kind, model, format, engine, engine_version, tp, pp, ..., measured, note). Fitted:
vLLM's sampler (`logit_bytes`, `hidden_copies`) by release, from dense text models, and its memory outside the allocator. The
other constants are physics with a documented value; their residuals are in the report. `--write` puts values, row counts,
residuals and the date into assets/calibration/memory_runtime.csv.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from app.host.paths import CATALOGUE
from engine.catalogue import Catalogue, load_catalogue
from engine.errors import WaypostError
from engine.memory.parallel import Split
from engine.memory.predict_rows import KINDS, predict
from engine.memory.runtime import RuntimeQuestion, moe_workspace, step_limits
from engine.memory.versions import at_least
from engine.units import GIB

Row = Mapping[str, str]
Array = npt.NDArray[np.float64]

_ACTIVATION: Final = re.compile(r"activation ([\d.]+) \+ non-torch ([\d.]+)")
_CALIBRATION: Final = CATALOGUE.parent / "calibration"
_RELEASES: Final = (("vllm-logit-old", "0", "0.17"), ("vllm-logit", "0.17", "99"))


@frozen
class Fitted:
    """One constant's new value, with what it was fitted on and how far the fit is off (median, in per cent)."""

    id: str
    value: float
    n_rows: int
    median_error_pct: float


@frozen
class Sample:
    """What vLLM printed of one start-up, and what the formula multiplies its constants with."""

    model: str
    features: tuple[float, float]
    target: float
    total: float


def read(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8-sig") as stream:
        return [row for row in csv.DictReader(stream) if row["kind"] in KINDS]


def samples(rows: Iterable[Row], catalogue: Catalogue, since: str, before: str) -> list[Sample]:
    """Start-ups of vLLM releases in [since, before) whose peak is the sampler's (one stage, 16-bit weights or quantised ones)."""
    found = []
    vllm = catalogue.engine("vllm")
    for row in rows:
        printed = _ACTIVATION.search(row["note"])
        version = row["engine_version"]
        if row["engine"] != "vllm" or printed is None or row["pp"] not in ("", "1") or row["format"] == "fp32":
            continue
        if not at_least(version, since) or at_least(version, before):
            continue
        model, device = catalogue.model(row["model"]), catalogue.device(row["device"])
        tokens, sequences = step_limits(device, vllm)
        split = Split(int(row["tp"] or 1))
        question = RuntimeQuestion(model, catalogue.weight_format(row["format"]), device, vllm, version, split)
        work = 2.0 * moe_workspace(question, tokens)
        features = (float(sequences * (model.vocab or 0)), 2.0 * tokens * (model.hidden or 0))
        target = float(printed.group(1)) * GIB
        if (
            target > 10 * features[0] and not work and "image" not in model.modality
        ):  # else a layer's or a tower's peak decides
            found.append(Sample(model.id, features, target, float(row["measured"]) * GIB))
    return found


def solve(data: Sequence[Sample]) -> Array:
    """Least squares in relative error, every model with the same weight however many rows it has."""
    counts = {s.model: sum(o.model == s.model for o in data) for s in data}
    scale = np.array([1.0 / (s.target * counts[s.model] ** 0.5) for s in data])
    features = np.array([s.features for s in data]) * scale[:, None]
    if len(counts) < 2:  # one model cannot tell the two apart: hold the smaller part at its usual size
        fixed = np.array([0.0, 1.14])
        rest = np.ones(len(data)) - (features @ fixed) * np.array([counts[s.model] ** 0.5 for s in data])
        return np.array([float(np.mean(rest * [s.target for s in data] / [s.features[0] for s in data])), 1.14])
    solved: Array = np.linalg.lstsq(features, np.array([s.target for s in data]) * scale, rcond=None)[0]
    return solved


def errors(constants: Array, data: Sequence[Sample]) -> Array:
    """Relative errors of the fitted part."""
    return np.array([float(np.dot(constants, s.features)) / s.target - 1.0 for s in data])


def left_out(data: Sequence[Sample]) -> Array:
    """Relative errors of the whole total, each model predicted by constants fitted on the others."""
    found = []
    for name in sorted({s.model for s in data}):
        rest = [s for s in data if s.model != name]
        if rest:
            constants = solve(rest)
            found += [(float(np.dot(constants, s.features)) - s.target) / s.total for s in data if s.model == name]
    return np.array(found)


def fit_sampler(rows: Sequence[Row], catalogue: Catalogue, say: Callable[[str], None]) -> list[Fitted]:
    fitted = []
    for key, since, before in _RELEASES:
        data = samples(rows, catalogue, since, before)
        if not data:
            continue
        constants = solve(data)
        off = 100 * float(np.median(np.abs(errors(constants, data))))
        say(
            f"{key}: {constants[0]:.2f} bytes a logit, {constants[1]:.2f} hidden copies, {len(data)} rows, median {off:.1f} %"
        )
        unseen = 100 * np.abs(left_out(data))
        if unseen.size:
            say(
                f"  whole models left out: total off by {np.median(unseen):.2f} % (median), {np.quantile(unseen, 0.9):.2f} % (p90)"
            )
        fitted.append(Fitted(key, round(float(constants[0]), 2), len(data), round(off, 1)))
        if len({s.model for s in data}) > 1:
            fitted.append(Fitted("vllm-hidden", round(float(constants[1]), 2), len(data), round(off, 1)))
    return fitted


def fit_outside(rows: Sequence[Row]) -> list[Fitted]:
    """Memory outside the allocator, by release and degree: medians of what was printed."""
    groups: dict[str, Callable[[Row], bool]] = {
        "vllm-nontorch-1-old": lambda r: (
            r["tp"] == "1" and r["pp"] == "1" and not at_least(r["engine_version"], "0.18")
        ),
        "vllm-nontorch-1": lambda r: r["tp"] == "1" and r["pp"] == "1" and at_least(r["engine_version"], "0.18"),
        "vllm-nontorch-n": lambda r: r["tp"] > "1" and at_least(r["engine_version"], "0.18"),
        "vllm-nontorch-pp": lambda r: r["pp"] > "1",
    }
    fitted = []
    for key, belongs in groups.items():
        printed = [
            float(m.group(2))
            for r in rows
            if r["engine"] == "vllm" and belongs(r) and (m := _ACTIVATION.search(r["note"]))
        ]
        if printed:
            value = float(np.median(printed))
            off = 100 * float(np.median([abs(p / value - 1) for p in printed]))
            fitted.append(Fitted(key, round(value, 3), len(printed), round(off, 1)))
    return fitted


def report(rows: Sequence[Row], catalogue: Catalogue, say: Callable[[str], None]) -> None:
    """Errors of the room as it stands, by kind."""
    for kind in KINDS:
        off, inside = [], 0
        for row in (r for r in rows if r["kind"] == kind):
            try:
                found = predict(row, catalogue)
            except WaypostError as error:
                say(f"  {kind} {row.get('row_id', '')}: {error}")
                continue
            measured = float(row["measured"])
            off.append(abs(found.value / measured - 1))
            inside += found.low <= measured <= found.high
        if off:
            quantiles = 100 * np.quantile(off, [0.5, 0.9])
            share = 100 * inside / len(off)
            say(
                f"{kind}: {len(off)} rows, median {quantiles[0]:.2f} %, p90 {quantiles[1]:.2f} %, in band {share:.0f} %"
            )


def write(fitted: Sequence[Fitted], folder: Path) -> int:
    """Put new values into the calibration files; returns how many rows changed."""
    by_id = {f.id: f for f in fitted}
    today, changed = datetime.now(UTC).date().isoformat(), 0
    for path in sorted(folder.glob("memory_*.csv")):
        with path.open(newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        touched = [row for row in rows if row["id"] in by_id and "n_rows" in row and "value" in row]
        for row in touched:
            new = by_id[row["id"]]
            row.update(
                value=f"{new.value:g}",
                n_rows=str(new.n_rows),
                median_error_pct=f"{new.median_error_pct:g}",
                fit_date=today,
            )
            row["low"] = f"{min(float(row['low']), new.value):g}"
            row["high"] = f"{max(float(row['high']), new.value):g}"
        if touched:
            with path.open("w", newline="", encoding="utf-8") as stream:
                writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
        changed += len(touched)
    return changed


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m app.calibrate.memory", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("rows", type=Path)
    parser.add_argument("--write", action="store_true", help="put the new values into assets/calibration")
    chosen = parser.parse_args(arguments)

    def say(line: str) -> None:
        sys.stdout.write(line + "\n")

    rows, catalogue = read(chosen.rows), load_catalogue(CATALOGUE)
    fitted = fit_sampler(rows, catalogue, say) + fit_outside(rows)
    for entry in fitted:
        say(f"{entry.id} = {entry.value:g} ({entry.n_rows} rows, median error {entry.median_error_pct:g} %)")
    report(rows, catalogue, say)
    if chosen.write:
        say(f"{write(fitted, _CALIBRATION)} constants written")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
