"""What the measurement means: a model on the machine that was measured, its ceiling and expected speed from measured figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from attrs import evolve, frozen

from engine.catalogue import Catalogue, WeightFormat
from engine.deployment import Deployment
from engine.estimate import Basis, Estimate, Input, Trace, banded
from engine.memory.results import FitResult
from engine.probe.devices import best_bandwidth, best_rate, device_of
from engine.probe.results import ProbeRun
from engine.speed.results import SpeedResult
from engine.units import BYTES, BYTES_PER_S, TOKENS_PER_S

ENGINES_REACH: Final = (0.60, 0.85)
"""Share of the ceiling that engines reach for one user, over the whole token path (ninfer-3090#36: 66 %, well tuned 75 to 85 %)."""

_PRECISIONS: Final = {"fp8": "fp8", "fp4": "fp4"}
SMALL_MODEL: Final = "qwen3-4b"
SMALL_FORMAT: Final = "q4_k_m"
SMALL_ENGINE: Final = "llama.cpp"


@frozen
class Meaning:
    """One model on the measured machine."""

    deployment: Deployment
    ceiling_tokens_per_s: Estimate | None
    """Bandwidth over the bytes a token must move: upper bound of one user's speed, from this machine's own bandwidth."""
    fit: FitResult | None
    speed: SpeedResult | None
    bandwidth: Estimate | None
    own_model: bool
    """True for the consultation's model; False for a small one that stands in for it."""


def measured_bandwidth(run: ProbeRun) -> Estimate | None:
    """The best memory rate seen, with the band of its batches."""
    wanted = best_bandwidth(run)
    for reading in run.readings:
        if reading.measured and reading.value == wanted and reading.unit == BYTES_PER_S:
            return reading.estimate()
    return None


def measured_flop_per_s(run: ProbeRun, weight_format: WeightFormat) -> float | None:
    """The device's matrix rate at the format's own precision, where exactly that was measured.

    None for formats that engines feed to units we did not measure (packed integers go to half precision or to INT8 as the engine
    likes) and for processors, whose integer units outrun an FP32 product: a ceiling must not be beaten.
    """
    precision = _PRECISIONS.get(weight_format.family, weight_format.id if weight_format.family == "float" else "")
    if not precision or run.measured_device() is None:
        return None
    return best_rate(run, precision)


def on_measured_machine(run: ProbeRun, deployment: Deployment, catalogue: Catalogue) -> Deployment:
    """The same model and lengths on one device of the measured machine, with its measured figures instead of the data sheet."""
    device = device_of(run, catalogue)
    return evolve(
        deployment,
        device=device,
        device_count=1,
        tensor_parallel=1,
        pipeline_parallel=1,
        data_parallel=1,
        expert_parallel=1,
        measured_bandwidth_bytes_per_s=best_bandwidth(run),
        measured_flop_per_s=measured_flop_per_s(run, deployment.weight_format),
    )


def small_deployment(run: ProbeRun, catalogue: Catalogue) -> Deployment:
    """A small model such as a laptop runs, where the consultation names none. Raises UnknownId for a catalogue without it."""
    return Deployment(
        catalogue.model(SMALL_MODEL),
        catalogue.weight_format(SMALL_FORMAT),
        device_of(run, catalogue),
        catalogue.engine(SMALL_ENGINE),
        context_tokens=4096,
        prompt_tokens=512,
        output_tokens=128,
    )


def meaning(
    run: ProbeRun,
    deployment: Deployment | None,
    catalogue: Catalogue,
    fit: Callable[[Deployment], FitResult | None],
    speed: Callable[[Deployment], SpeedResult | None],
) -> Meaning | None:
    """The consultation's model (or a small one) on the measured machine; None when no memory was measured.

    `fit` and `speed` are the rooms; None from one is "no answer here". The ceiling is the speed room's, and where that has no
    answer plain physics: measured bandwidth over the bytes one token moves.
    """
    bandwidth = measured_bandwidth(run)
    if bandwidth is None:
        return None
    chosen = on_measured_machine(run, deployment or small_deployment(run, catalogue), catalogue)
    fits, fast = fit(chosen), speed(chosen)
    ceiling = fast.ceiling_tokens_per_s if fast is not None else _ceiling(bandwidth, fits, chosen)
    return Meaning(chosen, ceiling, fits, fast, bandwidth, deployment is not None)


def _ceiling(bandwidth: Estimate, fits: FitResult | None, deployment: Deployment) -> Estimate | None:
    """Bandwidth over the weights a token must move (of a mixture of experts: the active share)."""
    if fits is None or fits.weights_bytes.value <= 0:
        return None
    model = deployment.model
    moved = fits.weights_bytes.value * model.params_active / model.params_total
    inputs = (
        Input("bandwidth", bandwidth.value, BYTES_PER_S, Basis.MEASURED, None, bandwidth.trace),
        Input("bytes_per_token", moved, BYTES, Basis.DATASHEET, None, fits.weights_bytes.trace),
    )
    trace = Trace("probe.meaning.ceiling", "bandwidth / bytes_per_token", inputs, "engine/probe/meaning.py")
    value = bandwidth.value / moved
    return Estimate(value, bandwidth.low / moved, bandwidth.high / moved, TOKENS_PER_S, Basis.MEASURED, trace)


def engines_reach(ceiling: Estimate) -> Estimate:
    """What engines make of a ceiling where nothing is calibrated: 60 to 85 per cent of it."""
    low, high = ENGINES_REACH
    middle = (low + high) / 2
    return banded(
        ceiling.value * middle, 1 - low / middle, high / middle - 1, ceiling.unit, Basis.ASSUMED, ceiling.trace
    )
