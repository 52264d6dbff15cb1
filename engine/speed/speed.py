"""Speed of one deployment: ceiling, expected values with bands, what limits one user, and what must be said about it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from attrs import frozen

from engine.deployment import Deployment
from engine.estimate import Estimate
from engine.memory.need import split_of
from engine.memory.parallel import check_split
from engine.speed.bands import BandState, band_of
from engine.speed.batching import Load, new_prompt, serve
from engine.speed.calibration import Calibration, load_calibration
from engine.speed.case import case_of_one
from engine.speed.ceiling import decode_ceiling_tokens_per_s, prefill_ceiling_tokens_per_s
from engine.speed.decode import DecodeStep, decode_step
from engine.speed.expected import KINDS
from engine.speed.keys import SERVERS, engine_class, memory_class
from engine.speed.measured import SHORT_PROMPT_TOKENS, at_maximum_load
from engine.speed.notes import bound_by, notes_on
from engine.speed.results import SpeedResult
from engine.speed.trace import Explained, ceiling_estimate, expected_estimate, load_trace, prompt_trace, step_trace
from engine.units import SECONDS, TOKENS_PER_S


def speed(deployment: Deployment, calibration: Calibration | None = None) -> SpeedResult:
    """Speed at the deployment's concurrency, prompt and output.

    Raises Refused: a split the model's shape forbids, a device without a published bandwidth, a model without a shape.
    """
    d = at_maximum_load(deployment) if deployment.maximum_load else deployment
    if engine_class(d.engine.id) in SERVERS and memory_class(d.device) != "sram":
        check_split(d.model, d.weight_format, d.engine, split_of(d))
    return _result(_compute(d, calibration or load_calibration()))


@frozen
class _Parts:
    """Everything computed once for one deployment."""

    explained: Explained
    alone: DecodeStep
    """A step of one user at the middle of the answer."""
    load: Load
    ceiling: float
    prefill: float
    prefill_ceiling: float
    states: dict[str, BandState]
    depth: float


def _compute(d: Deployment, calibration: Calibration) -> _Parts:
    case = case_of_one(d)
    constants = calibration.constants(case)
    depth = d.prompt_tokens + d.output_tokens / 2.0
    load = serve(case, constants)
    fresh, cached = new_prompt(case)
    states = {kind: band_of(calibration, kind, d, _alone(kind, depth)) for kind in KINDS}
    prefill = fresh / load.prefill_s
    top = prefill_ceiling_tokens_per_s(case, fresh, cached)
    if not math.isfinite(top):
        top = prefill * states["prefill"].band.high
    return _Parts(
        explained=Explained(d, calibration, case, constants),
        alone=decode_step(case, constants, 1.0, depth),
        load=load,
        ceiling=decode_ceiling_tokens_per_s(case, 1.0, depth),
        prefill=min(prefill, top),
        prefill_ceiling=top,
        states=states,
        depth=depth,
    )


def _alone(kind: str, depth: float) -> float | None:
    """Cached tokens of the one user a row of that kind is about, in the middle of an answer; None where it is the whole load."""
    return {"decode": float(int(depth)), "prefill": SHORT_PROMPT_TOKENS}.get(kind)


def _result(p: _Parts) -> SpeedResult:
    e, d = p.explained, p.explained.deployment

    def expected(kind: str, value: Any, unit: str, trace: Any, ceiling: float | None = None) -> Estimate:
        return expected_estimate(value, unit, p.states[kind], trace, e, ceiling)

    alone = min(e.case.tokens_a_step / p.alone.seconds, p.ceiling)
    load = p.load
    return SpeedResult(
        ceiling_tokens_per_s=ceiling_estimate("decode", p.ceiling, e, p.depth),
        decode_tokens_per_s=expected("decode", alone, TOKENS_PER_S, step_trace(p.alone, e), p.ceiling),
        throughput_tokens_per_s=expected(
            "throughput", load.throughput_tokens_per_s, TOKENS_PER_S, load_trace("throughput", load, e)
        ),
        prefill_tokens_per_s=expected("prefill", p.prefill, TOKENS_PER_S, prompt_trace(e), p.prefill_ceiling),
        prefill_ceiling_tokens_per_s=ceiling_estimate("prefill", p.prefill_ceiling, e, 0.0),
        time_to_first_token_s=expected("ttft", load.time_to_first_token_s, SECONDS, load_trace("ttft", load, e)),
        time_per_output_token_s=expected("tpot", load.time_per_output_token_s, SECONDS, load_trace("tpot", load, e)),
        unloaded=d.concurrency <= d.data_parallel,
        bound_by=bound_by(p.alone, d),
        notes=notes_on(d, p.states, load),
        calibrated=p.states["decode" if d.concurrency <= 1 else "tpot"].calibrated,
    )


@frozen
class LoadCurve:
    """Expected figures over a range of users; arrays in the order asked."""

    concurrency: Any
    time_to_first_token_s: Any
    time_per_output_token_s: Any
    throughput_tokens_per_s: Any
    room: float
    """Sequences of this length the cache holds, all replicas together."""


def load_curve(
    deployment: Deployment, concurrency: Iterable[float], calibration: Calibration | None = None
) -> LoadCurve:
    """TTFT, TPOT and throughput at each number of users: one broadcast for a chart. Raises Refused."""
    case = case_of_one(deployment)
    users = np.array(list(concurrency), np.float64)
    load = serve(case, (calibration or load_calibration()).constants(case), users)
    return LoadCurve(
        users,
        load.time_to_first_token_s,
        load.time_per_output_token_s,
        load.throughput_tokens_per_s,
        load.room * deployment.data_parallel,
    )
