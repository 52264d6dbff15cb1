"""Does it fit? Weights, cache and runtime of one device against what it really has, with what would help when it does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.catalogue.rows import WeightFormat
from engine.deployment import Deployment
from engine.estimate import Basis, Estimate, Input, Source, Trace, as_input, loosest
from engine.lazy import Later
from engine.memory.device_memory import usable_memory
from engine.memory.inverse import (
    best_format_that_fits,
    max_concurrency,
    max_context,
    room,
    smallest_tensor_parallel,
    verdict,
)
from engine.memory.need import Need, need_of, split_of
from engine.memory.notes import notes_on
from engine.memory.parallel import check_split, engine_extras, valid_tensor_parallel
from engine.memory.remedies import remedies_for
from engine.memory.results import FitResult
from engine.memory.runtime import Band
from engine.memory.tensors import inventory
from engine.memory.weights import WeightBytes, weight_bytes
from engine.units import BYTES, COUNT, TOKENS

_RUNTIME_SOURCE = "assets/calibration/memory_runtime.csv"
_ASKED = Source("the deployment asked about", "")


def fit(deployment: Deployment, formats: Iterable[WeightFormat] = ()) -> FitResult:
    """Memory of the fullest device. `formats`: other weight formats a remedy may name.

    Raises Refused for an unpublished shape, a device without a capacity, or a split that heads, widths or blocks forbid.
    """
    check_split(deployment.model, deployment.weight_format, deployment.engine, split_of(deployment))
    need = need_of(deployment)
    tokens, count = deployment.context_tokens, deployment.concurrency
    weights = _weights(need)
    cache = _cache(need)
    parts = {name: _estimate(name, part, need) for name, part in need.runtime(tokens, count).items()}
    runtime = _sum("trace.runtime", tuple(parts.items()))
    total = _sum("trace.total_memory", (("weights", weights), ("kv_cache", cache), ("runtime", runtime)))
    memory = room(need)
    certain, expected, others = total.high <= memory.low, total.value <= memory.value, tuple(formats)
    return FitResult(
        weights_bytes=weights,
        kv_cache_bytes=cache,
        runtime_bytes=runtime,
        total_bytes=total,
        device_memory_bytes=memory,
        fits=certain,
        tight=expected and not certain,
        max_context_tokens=max_context(need),
        max_concurrency=max_concurrency(need),
        valid_tensor_parallel=valid_tensor_parallel(deployment.model, deployment.weight_format, deployment.engine),
        remedies=() if certain else Later(lambda: remedies_for(need, others)),
        runtime_parts=tuple(parts.items()),
        host_bytes=_host(need),
        notes=notes_on(need, memory),
    )


def _weights(need: Need) -> Estimate:
    deployment, (value, low, high) = need.deployment, need.weights
    if deployment.file_bytes is not None:
        given = Input("file_bytes", deployment.file_bytes, BYTES, Basis.MEASURED, Source("model file", ""))
        trace = Trace("trace.weights", "file_bytes / devices", (given, _degree(need)))
        return Estimate(value, low, high, BYTES, Basis.MEASURED, trace)
    parts = _weight_parts(need)
    formula = " + ".join(name for name, size in parts.items() if size)
    trace = Trace(
        "trace.weights",
        f"({formula}) / devices_a_replica + engine_extra_bytes",
        Later(lambda: _weight_inputs(need, parts)),
        deployment.weight_format.source.where,
    )
    return Estimate(value, low, high, BYTES, _shape_basis(need), trace)


def _whole_weights(need: Need) -> WeightBytes:
    deployment = need.deployment
    return weight_bytes(deployment.model, deployment.weight_format, deployment.engine)


def _weight_parts(need: Need) -> dict[str, float]:
    whole = _whole_weights(need)
    head = whole.by_kind.get("lm_head", 0.0)
    return {
        "embedding_bytes": whole.embedding,
        "head_bytes": head,
        "routed_expert_bytes": whole.routed,
        "other_layer_bytes": whole.total - whole.embedding - head - whole.routed,
    }


def _weight_inputs(need: Need, parts: Mapping[str, float]) -> tuple[Input, ...]:
    deployment, basis = need.deployment, _shape_basis(need)
    model, weight_format = deployment.model, deployment.weight_format
    elements, source = inventory(model).total, model.source
    bits = 8.0 * _whole_weights(need).total / elements
    extra = engine_extras(model, weight_format, deployment.engine, need.question.split)
    return (
        Input("elements", elements, COUNT, basis, source),
        Input("bits_per_weight", bits, COUNT, basis, weight_format.source),
        *(Input(name, size, BYTES, basis, source) for name, size in parts.items() if size),
        Input("engine_extra_bytes", extra, BYTES, basis, source),
        _degree(need),
    )


def _cache(need: Need) -> Estimate:
    deployment = need.deployment
    value, low, high = need.cache_bytes(deployment.context_tokens, deployment.concurrency)
    trace = Trace(
        "trace.kv_cache",
        "sequences * (sum over layers(cached_tokens * 2 * kv_heads * head_dim * bytes) + fixed_state_bytes)",
        Later(lambda: _cache_inputs(need)),
        cache_source(need),
    )
    return Estimate(value, min(low, value), max(high, value), BYTES, _shape_basis(need), trace)


def _cache_inputs(need: Need) -> tuple[Input, ...]:
    deployment, held, basis = need.deployment, need.holding, _shape_basis(need)
    source = deployment.model.source
    growth, fixed = held.cache.growth_bytes * held.cache_share, held.cache.state_bytes * held.cache_share
    return (
        Input("context_tokens", deployment.context_tokens, TOKENS, Basis.DATASHEET, _ASKED),
        Input("sequences", need.sequences(deployment.concurrency), COUNT, Basis.DATASHEET, _ASKED),
        Input("bytes_per_token_before_windows", growth, BYTES, basis, source),
        Input("fixed_state_bytes", fixed, BYTES, basis, source),
    )


def cache_source(need: Need) -> str:
    """Which engine rule sized the cache."""
    engine = need.deployment.engine
    return f"{engine.name} {need.deployment.engine_version or engine.version}"


def _estimate(name: str, part: Band, need: Need) -> Estimate:
    value, low, high = part
    trace = Trace(f"trace.runtime.{name}", name, Later(lambda: (_runtime_input(name, value, need),)), _fitted(need))
    return Estimate(value, min(low, value), max(high, value), BYTES, Basis.CALIBRATED, trace)


def _runtime_input(name: str, value: float, need: Need) -> Input:
    return Input(f"{name}_model", value, BYTES, Basis.CALIBRATED, Source(_fitted(need), "2026-12-01"))


def _fitted(need: Need) -> str:
    return f"{_RUNTIME_SOURCE}: {need.deployment.engine.name} {need.question.release}"


def _sum(key: str, parts: tuple[tuple[str, Estimate], ...]) -> Estimate:
    """Sum of independent parts: their ends add up (worst case, since a false fit costs more than a wide band)."""
    inputs = Later(lambda: [as_input(name, e) for name, e in parts])
    return Estimate(
        sum(e.value for _, e in parts),
        sum(e.low for _, e in parts),
        sum(e.high for _, e in parts),
        BYTES,
        loosest(e.basis for _, e in parts),
        Trace(key, " + ".join(name for name, _ in parts), inputs),
    )


def _host(need: Need) -> Estimate | None:
    if not need.host_bytes:
        return None
    trace = Trace(
        "trace.host_memory",
        "weights left in host memory",
        (Input("moved", need.host_bytes, BYTES, _shape_basis(need)),),
    )
    return Estimate(need.host_bytes, need.host_bytes * 0.98, need.host_bytes * 1.05, BYTES, _shape_basis(need), trace)


def _shape_basis(need: Need) -> Basis:
    return Basis.ASSUMED if need.deployment.model.doubt else Basis.DATASHEET


def _cut(need: Need) -> float:
    return float(need.question.split.tensor * need.question.split.pipeline)


def _degree(need: Need) -> Input:
    return Input("devices_a_replica", _cut(need), COUNT, Basis.DATASHEET, _ASKED)


__all__ = [
    "best_format_that_fits",
    "fit",
    "max_concurrency",
    "max_context",
    "smallest_tensor_parallel",
    "usable_memory",
    "verdict",
]
