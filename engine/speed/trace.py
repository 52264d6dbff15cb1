"""How each speed came about: the formula with its numbers, each with where it was read or fitted."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np
from attrs import frozen

from engine.arithmetic import Number, first, most
from engine.deployment import Deployment
from engine.estimate import Basis, Estimate, Input, Source, Trace
from engine.lazy import Later
from engine.speed.bands import BandState
from engine.speed.batching import Load
from engine.speed.calibration import ENGINE_PREFIX, Calibration, Constants
from engine.speed.case import Case
from engine.speed.ceiling import least_step_bytes
from engine.speed.decode import DecodeStep
from engine.speed.keys import engine_class
from engine.speed.prefill import attention_flop
from engine.speed.rates import matrix_rates
from engine.units import BYTES, BYTES_PER_S, COUNT, FLOP_PER_S, RATIO, SECONDS, TOKENS, TOKENS_PER_S

_ROOFLINE: Final = "roofline: bytes that must move over bandwidth (handbook 12.5.1; Williams et al., CACM 2009)"
_LOOP: Final = "closed loop: step / (1 - share of time spent on prompts), engine.speed.batching"
_STEP: Final = "one step: reading weights and cache, exchanges, launches, scheduling (engine.speed.decode)"
_PROMPT: Final = "one prompt: multiplications, attention's square term, weights once a chunk (engine.speed.prefill)"
_PARTS: Final = ("weights", "cache", "exchange", "layers", "step", "offload")
_PARTS_ADDED: Final = " + ".join(_PARTS)
_DEPLOYMENT: Final = Source("the deployment")


@frozen
class Explained:
    """What every trace of one deployment draws on."""

    deployment: Deployment
    calibration: Calibration
    case: Case
    constants: Constants

    @cached_property
    def fitted(self) -> Source:
        """Where the constants come from."""
        engine = engine_class(self.deployment.engine.id)
        where = f"assets/calibration/{ENGINE_PREFIX}{engine}.json, {self.calibration.rows} measured rows"
        return Source(where, self.calibration.fit_date)

    @cached_property
    def tensors(self) -> Source:
        """What the weights' bytes were counted on."""
        return Source(f"tensors of {self.deployment.model.name}, {self.deployment.weight_format.name}")

    def bandwidth(self) -> Input:
        """Bandwidth of one device: read by the probe, else the data sheet."""
        d = self.deployment
        if d.measured_bandwidth_bytes_per_s:
            source = Source("measured on this machine")
            return Input("bandwidth", d.measured_bandwidth_bytes_per_s, BYTES_PER_S, Basis.MEASURED, source)
        assert d.device.bandwidth is not None
        return d.device.bandwidth.as_input("bandwidth")

    def rate(self) -> Input:
        """Peak matrix rate of one device for the format."""
        d = self.deployment
        if d.measured_flop_per_s:
            source = Source("measured on this machine")
            return Input("matrix_rate", d.measured_flop_per_s, FLOP_PER_S, Basis.MEASURED, source)
        rates = matrix_rates(d.device, d.weight_format, d.engine.id)
        value = rates.kernels if np.isnan(rates.peak) else rates.peak
        figure = d.device.fp16 or d.device.bf16 or d.device.fp32
        source = figure.source if figure else Source("assumed from the bandwidth of like chips", "", verified=False)
        return Input("matrix_rate", value, FLOP_PER_S, Basis.ASSUMED if rates.assumed else Basis.DATASHEET, source)


def ceiling_estimate(kind: str, value: float, explained: Explained, tokens: float) -> Estimate:
    """The ceiling: exact arithmetic on the data sheet or, with that basis, on the probe's reading."""
    if kind == "decode":
        limit = explained.bandwidth()
        inputs = Later(lambda: (limit, _devices(explained), _step_bytes(explained, tokens)))
        trace = Trace("speed.trace.decode_ceiling", "bandwidth * devices / step_bytes", inputs, _ROOFLINE)
    else:
        limit = explained.rate()
        inputs = Later(lambda: (limit, _devices(explained), _flop_per_token(explained)))
        trace = Trace("speed.trace.prefill_ceiling", "matrix_rate * devices / flop_per_token", inputs, _ROOFLINE)
    return Estimate(value, value, value, TOKENS_PER_S, limit.basis, trace)


def _devices(explained: Explained) -> Input:
    d = explained.deployment
    together = d.tensor_parallel * (d.data_parallel if d.model.is_moe else 1)
    return Input("devices", float(together), COUNT, Basis.DATASHEET, _DEPLOYMENT)


def _step_bytes(explained: Explained, tokens: float) -> Input:
    read = first(least_step_bytes(explained.case, 1.0, tokens))
    return Input("step_bytes", read, BYTES, Basis.DATASHEET, explained.tensors)


def _flop_per_token(explained: Explained) -> Input:
    case = explained.case
    shape, prompt = case.shape, case.prompt
    dense = 2.0 * (shape.dense_params + shape.routed_params * _chosen(case)) * prompt
    flop = first((dense + attention_flop(case, prompt, 0.0)) / prompt)
    source = Source(f"parameters of {explained.deployment.model.name}")
    return Input("flop_per_token", flop, COUNT, Basis.DATASHEET, source)


def _chosen(case: Case) -> Number:
    """Share of the experts one token is sent to."""
    return case.shape.experts_per_token / most(case.shape.n_experts, 1.0)


def expected_estimate(
    value: float, unit: str, state: BandState, trace: Trace, explained: Explained, ceiling: float | None = None
) -> Estimate:
    """An expected figure with the band of like rows; never above its ceiling."""
    low, high = value * min(state.band.low, 1.0), value * max(state.band.high, 1.0)
    if ceiling is not None:
        high = max(min(high, ceiling), value)
    d = explained.deployment
    here = bool(d.measured_bandwidth_bytes_per_s or d.measured_flop_per_s)
    basis = Basis.MEASURED if here and state.calibrated else Basis.CALIBRATED if state.calibrated else Basis.ASSUMED
    return Estimate(value, low, high, unit, basis, trace)


def step_trace(step: DecodeStep, explained: Explained) -> Trace:
    """One user's token: the parts of a step."""

    def inputs() -> tuple[Input, ...]:
        tokens = first(explained.case.tokens_a_step)
        given = Input("tokens_a_step", tokens, TOKENS, Basis.DATASHEET, _DEPLOYMENT)
        return given, *step_inputs(step, explained)

    return Trace("speed.trace.decode", f"tokens_a_step / ({_PARTS_ADDED})", Later(inputs), _STEP)


def step_inputs(step: DecodeStep, explained: Explained) -> tuple[Input, ...]:
    """Seconds of each part of a step; reading the weights opens to bytes, bandwidth and efficiency."""
    inputs = []
    for name in _PARTS:
        trace = weights_trace(explained) if name == "weights" else None
        seconds = first(getattr(step, name))
        inputs.append(Input(name, seconds, SECONDS, Basis.CALIBRATED, explained.fitted, trace))
    return tuple(inputs)


def weights_trace(explained: Explained) -> Trace:
    def inputs() -> tuple[Input, ...]:
        shape, d = explained.case.shape, explained.deployment
        read = first(shape.dense_bytes + shape.routed_bytes * _chosen(explained.case))
        efficiency = first(explained.constants["bandwidth_efficiency"])
        return (
            Input("weight_bytes", read, BYTES, Basis.DATASHEET, explained.tensors),
            explained.bandwidth(),
            Input("devices", float(d.tensor_parallel), COUNT, Basis.DATASHEET, _DEPLOYMENT),
            Input("efficiency", efficiency, RATIO, Basis.CALIBRATED, explained.fitted),
        )

    formula = "weight_bytes / (bandwidth * devices * efficiency)"
    return Trace("speed.trace.weights", formula, Later(inputs), _ROOFLINE)


def prompt_trace(explained: Explained) -> Trace:
    """Prompt tokens a second: matrix rate, work, and the efficiency reached."""

    def inputs() -> tuple[Input, ...]:
        efficiency = first(explained.constants["prompt_matrix_efficiency"])
        reached = Input("efficiency", efficiency, RATIO, Basis.CALIBRATED, explained.fitted)
        return explained.rate(), reached, _flop_per_token(explained)

    formula = "matrix_rate * efficiency / flop_per_token, less launches and exchanges"
    return Trace("speed.trace.prefill", formula, Later(inputs), _PROMPT)


def load_trace(kind: str, load: Load, explained: Explained) -> Trace:
    """TTFT, TPOT and throughput of the closed loop."""
    formula, inputs = _LOADED[kind]
    return Trace(f"speed.trace.{kind}", formula, Later(lambda: inputs(load, explained)), _LOOP)


def _fitted(explained: Explained, name: str, value: Number, unit: str) -> Input:
    return Input(name, first(value), unit, Basis.CALIBRATED, explained.fitted)


def _first_token(load: Load, explained: Explained) -> tuple[Input, ...]:
    return (
        _fitted(explained, "request", explained.constants["request_s"], SECONDS),
        _fitted(explained, "prefill", load.prefill_s, SECONDS),
        _fitted(explained, "queue", load.queue_s, SECONDS),
    )


def _each_token(load: Load, explained: Explained) -> tuple[Input, ...]:
    step = Trace("speed.trace.step", _PARTS_ADDED, Later(lambda: step_inputs(load.step, explained)), _STEP)
    seconds = Input("decode_step", first(load.step.seconds), SECONDS, Basis.CALIBRATED, explained.fitted, step)
    return seconds, _fitted(explained, "prompt_share", load.prompt_share, RATIO)


def _all_users(load: Load, explained: Explained) -> tuple[Input, ...]:
    d = explained.deployment
    return (
        Input("users", float(d.concurrency), COUNT, Basis.DATASHEET, _DEPLOYMENT),
        Input("output", float(d.output_tokens), TOKENS, Basis.DATASHEET, _DEPLOYMENT),
        Input("gaps", max(float(d.output_tokens) - 1.0, 1.0), TOKENS, Basis.DATASHEET, _DEPLOYMENT),
        _fitted(explained, "ttft", load.time_to_first_token_s, SECONDS),
        _fitted(explained, "tpot", load.time_per_output_token_s, SECONDS),
    )


_LOADED: Final = {
    "ttft": ("request + prefill + queue", _first_token),
    "tpot": ("decode_step / (1 - prompt_share)", _each_token),
    "throughput": ("users * output / (ttft + gaps * tpot)", _all_users),
}
