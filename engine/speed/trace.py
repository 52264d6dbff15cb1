"""How each speed came about: the formula with its numbers, each with where it was read or fitted."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import numpy as np
from attrs import frozen

from engine.deployment import Deployment
from engine.estimate import Basis, Estimate, Input, Source, Trace
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
    case, d = explained.case, explained.deployment
    together = d.tensor_parallel * (d.data_parallel if d.model.is_moe else 1)
    devices = Input("devices", float(together), COUNT, Basis.DATASHEET, Source("the deployment"))
    if kind == "decode":
        read = float(np.asarray(least_step_bytes(case, 1.0, tokens)).ravel()[0])
        step_bytes = Input(
            "step_bytes", read, BYTES, Basis.DATASHEET, Source(f"tensors of {d.model.name}, {d.weight_format.name}")
        )
        inputs = (explained.bandwidth(), devices, step_bytes)
        trace = Trace("speed.trace.decode_ceiling", "bandwidth * devices / step_bytes", inputs, _ROOFLINE)
    else:
        flop = _prompt_flop(case) / float(case.prompt[0])
        work = Input("flop_per_token", flop, COUNT, Basis.DATASHEET, Source(f"parameters of {d.model.name}"))
        inputs = (explained.rate(), devices, work)
        trace = Trace("speed.trace.prefill_ceiling", "matrix_rate * devices / flop_per_token", inputs, _ROOFLINE)
    return Estimate(value, value, value, TOKENS_PER_S, inputs[0].basis, trace)


def _prompt_flop(case: Case) -> float:
    shape = case.shape
    chosen = shape.experts_per_token / np.maximum(shape.n_experts, 1.0)
    dense = 2.0 * (shape.dense_params + shape.routed_params * chosen) * case.prompt
    return float((dense + attention_flop(case, case.prompt, 0.0))[0])


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
    tokens = Input(
        "tokens_a_step", float(explained.case.tokens_a_step[0]), TOKENS, Basis.DATASHEET, Source("the deployment")
    )
    return Trace(
        "speed.trace.decode",
        f"tokens_a_step / ({' + '.join(_PARTS)})",
        (tokens, *step_inputs(step, explained)),
        _STEP,
    )


def step_inputs(step: DecodeStep, explained: Explained) -> tuple[Input, ...]:
    """Seconds of each part of a step; reading the weights opens to bytes, bandwidth and efficiency."""
    inputs = []
    for name in _PARTS:
        seconds = float(np.asarray(getattr(step, name)).ravel()[0])
        trace = weights_trace(explained) if name == "weights" else None
        inputs.append(Input(name, seconds, SECONDS, Basis.CALIBRATED, explained.fitted, trace))
    return tuple(inputs)


def weights_trace(explained: Explained) -> Trace:
    shape, d = explained.case.shape, explained.deployment
    chosen = shape.experts_per_token / np.maximum(shape.n_experts, 1.0)
    read = float((shape.dense_bytes + shape.routed_bytes * chosen)[0])
    efficiency = _first(explained.constants["bandwidth_efficiency"])
    source = Source(f"tensors of {d.model.name}, {d.weight_format.name}")
    return Trace(
        "speed.trace.weights",
        "weight_bytes / (bandwidth * devices * efficiency)",
        (
            Input("weight_bytes", read, BYTES, Basis.DATASHEET, source),
            explained.bandwidth(),
            Input("devices", float(d.tensor_parallel), COUNT, Basis.DATASHEET, Source("the deployment")),
            Input("efficiency", efficiency, RATIO, Basis.CALIBRATED, explained.fitted),
        ),
        _ROOFLINE,
    )


def prompt_trace(explained: Explained) -> Trace:
    """Prompt tokens a second: matrix rate, work, and the efficiency reached."""
    efficiency = _first(explained.constants["prompt_matrix_efficiency"])
    flop = _prompt_flop(explained.case) / float(explained.case.prompt[0])
    source = Source(f"parameters of {explained.deployment.model.name}")
    return Trace(
        "speed.trace.prefill",
        "matrix_rate * efficiency / flop_per_token, less launches and exchanges",
        (
            explained.rate(),
            Input("efficiency", efficiency, RATIO, Basis.CALIBRATED, explained.fitted),
            Input("flop_per_token", flop, COUNT, Basis.DATASHEET, source),
        ),
        _PROMPT,
    )


def load_trace(kind: str, load: Load, explained: Explained) -> Trace:
    """TTFT, TPOT and throughput of the closed loop."""
    fitted, d = explained.fitted, explained.deployment

    def given(name: str, value: Any, unit: str, basis: Basis = Basis.CALIBRATED) -> Input:
        source = fitted if basis is Basis.CALIBRATED else Source("the deployment")
        return Input(name, _first(value), unit, basis, source)

    if kind == "ttft":
        parts = (
            given("request", explained.constants["request_s"], SECONDS),
            given("prefill", load.prefill_s, SECONDS),
            given("queue", load.queue_s, SECONDS),
        )
        return Trace("speed.trace.ttft", "request + prefill + queue", parts, _LOOP)
    if kind == "tpot":
        step = Trace("speed.trace.step", " + ".join(_PARTS), step_inputs(load.step, explained), _STEP)
        seconds = Input("decode_step", _first(load.step.seconds), SECONDS, Basis.CALIBRATED, fitted, step)
        shares = (seconds, given("prompt_share", load.prompt_share, RATIO))
        return Trace("speed.trace.tpot", "decode_step / (1 - prompt_share)", shares, _LOOP)
    inputs = (
        given("users", float(d.concurrency), COUNT, Basis.DATASHEET),
        given("output", d.output_tokens, TOKENS, Basis.DATASHEET),
        given("gaps", max(d.output_tokens - 1.0, 1.0), TOKENS, Basis.DATASHEET),
        given("ttft", load.time_to_first_token_s, SECONDS),
        given("tpot", load.time_per_output_token_s, SECONDS),
    )
    return Trace("speed.trace.throughput", "users * output / (ttft + gaps * tpot)", inputs, _LOOP)


def _first(value: Any) -> float:
    return float(np.asarray(value).ravel()[0])
