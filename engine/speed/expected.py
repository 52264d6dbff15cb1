"""Expected values by kind of measurement, in SI, over a case: what predict and the fit both ask for."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from engine.speed.batching import Load, serve
from engine.speed.calibration import Constants
from engine.speed.case import Case, Floats
from engine.speed.decode import decode_step
from engine.speed.prefill import prefill_seconds

KINDS: Final = ("decode", "prefill", "ttft", "tpot", "throughput")
"""decode: tokens/s of all sequences at a depth of context; prefill: prompt tokens/s after `context` tokens; ttft and tpot in
seconds; throughput: output tokens/s."""


def expected_by_kind(case: Case, constants: Constants, kinds: Any) -> Floats:
    """The expected figure of each row, each of its own kind (an array of KINDS)."""
    wanted = np.asarray(kinds)
    values = np.full(wanted.shape, np.nan)
    for kind, figures in _figures(case, constants, set(wanted.tolist())).items():
        values = np.where(wanted == kind, figures, values)
    return values


def decode_tokens_per_s(case: Case, constants: Constants) -> Any:
    """Generation alone: tokens/s of all sequences in step, at a depth of `context` cached tokens."""
    step = decode_step(case, constants, case.concurrency, case.context)
    return case.concurrency * case.tokens_a_step / step.seconds


def prefill_tokens_per_s(case: Case, constants: Constants) -> Any:
    """Prompt tokens/s of one prompt after `context` cached tokens."""
    return case.prompt / prefill_seconds(case, constants, case.prompt, case.context)


def _figures(case: Case, constants: Constants, kinds: set[str]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    if "decode" in kinds:
        figures["decode"] = decode_tokens_per_s(case, constants)
    if "prefill" in kinds:
        figures["prefill"] = prefill_tokens_per_s(case, constants)
    if kinds & {"ttft", "tpot", "throughput"}:
        load: Load = serve(case, constants)
        figures["ttft"] = load.time_to_first_token_s
        figures["tpot"] = load.time_per_output_token_s
        figures["throughput"] = load.throughput_tokens_per_s
    return figures
