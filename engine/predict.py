"""Rows of measurements in, predictions out: the whole estimator in one function, for scoring and for a customer's own table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from attrs import frozen

from engine.arithmetic import choose
from engine.catalogue import Catalogue
from engine.errors import WaypostError
from engine.messages import Message, msg
from engine.speed.bands import band_of
from engine.speed.calibration import Calibration, load_calibration
from engine.speed.case import Floats, case_of, case_of_one
from engine.speed.ceiling import decode_ceiling_tokens_per_s, prefill_ceiling_tokens_per_s
from engine.speed.expected import KINDS, expected_by_kind
from engine.speed.measured import MeasuredRow, check_known, question_of

_PER_ROW_UNIT: Final = {"ttft": 1e3, "tpot": 1e3}
"""Rows give milliseconds."""
_MEMORY_KINDS: Final = ("memory_weights", "memory_kv", "memory_total", "memory_training")
COLUMNS: Final = ("row_id", "predicted", "low", "high", "ceiling", "refused")


@frozen
class Prediction:
    """One answer in the unit of its row, or the reason why there is none."""

    row_id: str
    predicted: float | None = None
    low: float | None = None
    high: float | None = None
    ceiling: float | None = None
    refused: Message | None = None


def predict(
    rows: Sequence[Mapping[str, str]], catalogue: Catalogue, calibration: Calibration | None = None
) -> list[Prediction]:
    """A prediction for each row, in order. Never raises for a row: what has no number says why."""
    found: list[Prediction | None] = [None] * len(rows)
    speed: list[tuple[int, MeasuredRow]] = []
    for place, row in enumerate(rows):
        kind, row_id = row.get("kind", ""), row.get("row_id", "")
        try:
            if kind in KINDS:
                check_known(row)
                speed.append((place, question_of(row, catalogue)))
            elif kind in _MEMORY_KINDS:
                found[place] = _memory(row, catalogue)
            else:
                found[place] = Prediction(row_id, refused=msg("speed.refused.kind", found=kind))
        except WaypostError as reason:
            found[place] = Prediction(row_id, refused=reason.message)
    _fill(found, speed, calibration or load_calibration())
    return [p for p in found if p is not None]


def _memory(row: Mapping[str, str], catalogue: Catalogue) -> Prediction:
    from engine.memory.predict_rows import predict as predict_memory  # noqa: PLC0415

    answer = predict_memory(row, catalogue)
    return Prediction(row.get("row_id", ""), answer.value, answer.low, answer.high)


def _fill(
    found: list[Prediction | None], questions: Sequence[tuple[int, MeasuredRow]], calibration: Calibration
) -> None:
    """Answer the speed rows all at once; a row that cannot be computed alone is refused alone."""
    kept: list[tuple[int, MeasuredRow]] = []
    for place, question in questions:
        try:
            case_of_one(question.deployment)
            kept.append((place, question))
        except WaypostError as reason:
            found[place] = Prediction(question.row_id, refused=reason.message)
    if not kept:
        return
    case = case_of([q.deployment for _, q in kept])
    kinds = np.array([q.kind for _, q in kept])
    values = expected_by_kind(case, calibration.constants(case), kinds)
    ceilings: Floats = choose(
        kinds == "decode",
        decode_ceiling_tokens_per_s(case, case.concurrency, case.context),
        prefill_ceiling_tokens_per_s(case, case.prompt, case.context),
    )
    for (place, question), value, ceiling in zip(kept, values.tolist(), ceilings.tolist(), strict=True):
        found[place] = _answer(question, value, ceiling, calibration)


def _answer(question: MeasuredRow, value: float, ceiling: float, calibration: Calibration) -> Prediction:
    if not np.isfinite(value) or value <= 0:
        return Prediction(question.row_id, refused=msg("speed.refused.no_number"))
    limited = question.kind in ("decode", "prefill") and bool(np.isfinite(ceiling))
    if limited:
        value = min(value, ceiling)
    band = band_of(calibration, question.kind, question.deployment).band
    unit = _PER_ROW_UNIT.get(question.kind, 1.0)
    return Prediction(
        question.row_id,
        value * unit,
        value * band.low * unit,
        value * band.high * unit,
        ceiling * unit if limited else None,
    )


def as_row(prediction: Prediction, reason: Any = None) -> dict[str, str]:
    """A prediction as the cells of COLUMNS; `reason` puts the refusal into words (the message's key without it)."""
    refused = ""
    if prediction.refused is not None:
        refused = reason(prediction.refused) if reason else prediction.refused.key
    return {
        "row_id": prediction.row_id,
        **{
            name: "" if value is None else f"{value:.6g}"
            for name, value in (
                ("predicted", prediction.predicted),
                ("low", prediction.low),
                ("high", prediction.high),
                ("ceiling", prediction.ceiling),
            )
        },
        "refused": refused,
    }
