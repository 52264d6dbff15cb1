"""Deployments as one struct of arrays: what the speed formulas read. Every numeric field broadcasts against the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from attrs import evolve, fields, frozen

from engine.catalogue.rows import Device, Figure
from engine.deployment import Deployment
from engine.errors import Refused
from engine.memory.kv_cache import KV_BYTES, CacheKernel, cache_kernel
from engine.memory.need import cache_plan, need_of, room_of
from engine.messages import Name, msg
from engine.speed.keys import KEYS, labels_of, memory_class
from engine.speed.rates import MatrixRates, matrix_rates
from engine.speed.shape import ModelShape, model_shape

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

RESERVES_WHOLE: Final = frozenset({"trt-llm"})
"""Engines that admit a request only when its full length is free (GUARANTEED_NO_EVICT); the others go by what is used now."""
_LEAST_ROOM: Final = 0.08
"""Share of the memory the cache is never modelled below: an engine that is measured at all has some cache."""
_LINK_FALLBACK: Final = 10e9


@frozen
class Labels:
    """One of KEYS over all rows: the distinct levels and which of them each row has."""

    levels: tuple[str, ...]
    codes: npt.NDArray[np.intp]


@frozen
class Case:
    """Arrays over deployments. `shape` holds arrays in the fields of a ModelShape."""

    shape: Any
    cache_bytes: Floats
    """Bytes a cached element takes."""
    bandwidth: Floats
    matrix: Floats
    """Rate of the engine's kernels for the format, FLOP/s of one device."""
    attention: Floats
    peak: Floats
    power: Floats
    """Watts of one device times how much more a multiplication in this format does than one in half precision; infinite where
    nobody published a limit."""
    link: Floats
    """Bytes/s one device sends to the others, one direction."""
    host_bandwidth: Floats
    """Bytes/s at which weights left in host memory are read."""
    cache_room: Floats
    """Bytes of one device that are left for the cache."""
    sequence_cache: Floats
    """Bytes of it that one sequence claims."""
    tensor: Floats
    pipeline: Floats
    data: Floats
    spread_experts: Bools
    """Experts run as groups on ranks (expert parallel) instead of cut by tensor."""
    attention_data: Bools
    """Attention data parallelism: each rank keeps whole attention layers for its share of the sequences."""
    concurrency: Floats
    prompt: Floats
    output: Floats
    context: Floats
    cached_prefix: Floats
    tokens_a_step: Floats
    offload: Floats
    planned: Bools
    """Chips on one clock whose compiler plans every transfer: handing on costs the wire and nothing else."""
    flash: Bools
    """Attention in one kernel: scores never reach memory."""
    reserves_whole: Bools
    closed_loop: Bools
    static: Bools
    labels: tuple[Labels, ...]


def case_of(deployments: Sequence[Deployment]) -> Case:
    """One row a deployment. Raises Refused (unpublished shape or bandwidth)."""
    rows = [_row(d) for d in deployments]
    columns = {name: np.array([r[name] for r in rows]) for name in rows[0] if name != "labels"}
    shapes = [model_shape(d.model, d.weight_format, d.engine, d.file_bytes) for d in deployments]
    by_name: dict[str, Any] = {f.name: np.array([getattr(s, f.name) for s in shapes]) for f in fields(ModelShape)}
    shape = ModelShape(**by_name)
    labels = tuple(_labels([r["labels"][i] for r in rows]) for i in range(len(KEYS)))
    return Case(shape=shape, labels=labels, **columns)


def _labels(names: Sequence[str]) -> Labels:
    levels = tuple(dict.fromkeys(names))
    position = {name: i for i, name in enumerate(levels)}
    return Labels(levels, np.array([position[n] for n in names], dtype=np.intp))


def _row(d: Deployment) -> dict[str, Any]:
    rates = matrix_rates(d.device, d.weight_format, d.engine.id)
    kernels = d.measured_flop_per_s or rates.kernels
    room, claim = cache_room(d)
    return {
        "cache_bytes": KV_BYTES.get(d.kv_format, 2.0),
        "bandwidth": d.measured_bandwidth_bytes_per_s or device_bandwidth(d.device),
        "matrix": kernels,
        "attention": rates.attention * (kernels / rates.kernels),
        "peak": d.measured_flop_per_s or rates.peak,
        "power": math.inf if d.measured_flop_per_s else power_limit(d.device, rates),
        "link": link_bandwidth(d.device),
        "host_bandwidth": host_bandwidth(d),
        "cache_room": room,
        "sequence_cache": claim,
        "tensor": float(d.tensor_parallel),
        "pipeline": float(d.pipeline_parallel),
        "data": float(d.data_parallel),
        "spread_experts": d.expert_parallel > 1,
        "attention_data": d.data_parallel > 1 and d.model.is_moe,
        "concurrency": max(float(d.concurrency), 1.0),
        "prompt": max(d.prompt_tokens, 1.0),
        "output": max(d.output_tokens, 1.0),
        "context": float(d.context_tokens),
        "cached_prefix": d.cached_prefix_share,
        "tokens_a_step": max(d.speculative_acceptance, 1.0),
        "offload": d.offloaded_layer_share,
        "planned": memory_class(d.device) == "sram",
        "flash": d.flash_attention,
        "reserves_whole": d.engine.id in RESERVES_WHOLE,
        "closed_loop": d.arrival == "closed_loop",
        "static": d.arrival == "static",
        "labels": labels_of(d.device, d.weight_format, d.engine.id, d.backend, d.flash_attention, d.engine_version),
    }


def device_bandwidth(device: Device) -> float:
    """Bytes/s of one device's memory. Raises Refused when nobody published it."""
    if device.bandwidth is None:
        raise Refused(msg("speed.refused.no_bandwidth", device=Name("device", device.id)))
    return device.bandwidth.value


def power_limit(device: Device, rates: MatrixRates) -> float:
    """Watts of one device, in half-precision terms: narrower numbers do more for the same energy."""
    return math.inf if device.power is None else device.power.value * rates.kernels / rates.attention


def link_bandwidth(device: Device) -> float:
    """Bytes/s one device sends to its neighbours: its interconnect, else its host link."""
    return _or(device.interconnect_bandwidth, _or(device.host_link_bandwidth, _LINK_FALLBACK))


def _or(figure: Figure | None, fallback: float) -> float:
    return fallback if figure is None else figure.value


HOST_MEMORY_BYTES_PER_S: Final = 60e9
"""Assumed: two channels of DDR5-5600 (89.6 GB/s) as a processor's cores read them while computing, two thirds of the data sheet."""


def host_bandwidth(d: Deployment) -> float:
    """Bytes/s for offloaded weights: the processor computes on them (llama.cpp), or they cross the host link each step."""
    if d.device.unified_memory:
        return d.measured_bandwidth_bytes_per_s or device_bandwidth(d.device)
    if d.engine.id in ("llama.cpp", "ollama"):
        return HOST_MEMORY_BYTES_PER_S
    return min(_or(d.device.host_link_bandwidth, HOST_MEMORY_BYTES_PER_S), HOST_MEMORY_BYTES_PER_S)


def cache_room(d: Deployment) -> tuple[float, float]:
    """Bytes left for the cache on one device and bytes of it one sequence claims, by the memory room's accounts."""
    try:
        room, kernel = _room(evolve(d, **_CANONICAL))
    except Refused:
        return math.inf, 1.0
    tokens = d.prompt_tokens + d.output_tokens * (1.0 if d.engine.id in RESERVES_WHOLE else 0.5)
    return room, max(float(kernel.bytes(tokens, 1.0)), 1.0)


_CANONICAL: Final[dict[str, Any]] = {
    "concurrency": 1,
    "context_tokens": 4096,
    "prompt_tokens": 1024.0,
    "output_tokens": 256.0,
    "arrival": "closed_loop",
    "measured_bandwidth_bytes_per_s": None,
    "measured_flop_per_s": None,
}


@lru_cache(maxsize=4096)
def _room(d: Deployment) -> tuple[float, CacheKernel]:
    need = need_of(d)
    parts = {name: float(band[0]) for name, band in need.runtime(d.context_tokens, 1).items()}
    room = room_of(d, parts, 0.0).value
    left = room - need.weights[0] - sum(parts.values())
    return max(left, _LEAST_ROOM * room), cache_kernel(d.model, cache_plan(d))
