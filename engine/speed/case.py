"""Deployments as one struct of arrays: what the speed formulas read. Every numeric field broadcasts against the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from attrs import fields, frozen

from engine.arithmetic import Number, Truth
from engine.catalogue.rows import Device, Figure
from engine.deployment import Deployment
from engine.errors import Refused
from engine.kept import Kept, machine_key
from engine.memory.kv_cache import KV_BYTES, CacheKernel
from engine.memory.need import need_of, room_of
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
_CHUNK_TOKENS: Final = {"llama.cpp": 512.0, "vllm": 8192.0, "sglang": 8192.0, "trt-llm": 8192.0, "atom": 8192.0}
_DEFAULT_CHUNK: Final = 2048.0
_ENGINE: Final = KEYS.index("engine")


@frozen
class Labels:
    """One of KEYS over all rows: the distinct levels and which of them each row has."""

    levels: tuple[str, ...]
    codes: npt.NDArray[np.intp]


@frozen
class Case:
    """Numbers over deployments: floats and bools for one, arrays for many. `shape` holds the same in the fields of a ModelShape."""

    shape: Any
    cache_bytes: Number
    """Bytes a cached element takes."""
    bandwidth: Number
    matrix: Number
    """Rate of the engine's kernels for the format, FLOP/s of one device."""
    attention: Number
    peak: Number
    power: Number
    """Watts of one device times how much more a multiplication in this format does than one in half precision; infinite where
    nobody published a limit."""
    link: Number
    """Bytes/s one device sends to the others, one direction."""
    host_bandwidth: Number
    """Bytes/s at which weights left in host memory are read."""
    cache_room: Number
    """Bytes of one device that are left for the cache."""
    sequence_cache: Number
    """Bytes of it that one sequence claims."""
    tensor: Number
    pipeline: Number
    data: Number
    spread_experts: Truth
    """Experts run as groups on ranks (expert parallel) instead of cut by tensor."""
    attention_data: Truth
    """Attention data parallelism: each rank keeps whole attention layers for its share of the sequences."""
    concurrency: Number
    prompt: Number
    output: Number
    context: Number
    cached_prefix: Number
    tokens_a_step: Number
    offload: Number
    planned: Truth
    """Chips on one clock whose compiler plans every transfer: handing on costs the wire and nothing else."""
    flash: Truth
    """Attention in one kernel: scores never reach memory."""
    reserves_whole: Truth
    closed_loop: Truth
    static: Truth
    chunk: Number
    """Prompt tokens a step of the engine takes in."""
    labels: tuple[Labels, ...]


def case_of_one(deployment: Deployment) -> Case:
    """A case of floats: the formulas answer in floats. Raises Refused (unpublished shape or bandwidth)."""
    row = _row(deployment)
    labels = _labels_of_one(row.pop("labels"))
    shape = model_shape(deployment.model, deployment.weight_format, deployment.engine, deployment.file_bytes)
    return Case(shape=shape, labels=labels, **row)


@lru_cache(maxsize=1024)
def _labels_of_one(names: tuple[str, ...]) -> tuple[Labels, ...]:
    return tuple(_labels([name]) for name in names)


def case_of(deployments: Sequence[Deployment]) -> Case:
    """A case of arrays, one row a deployment. Raises Refused (unpublished shape or bandwidth)."""
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
    labels = labels_of(d.device, d.weight_format, d.engine.id, d.backend, d.flash_attention, d.engine_version)
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
        "prompt": max(float(d.prompt_tokens), 1.0),
        "output": max(float(d.output_tokens), 1.0),
        "context": float(d.context_tokens),
        "cached_prefix": float(d.cached_prefix_share),
        "tokens_a_step": max(float(d.speculative_acceptance), 1.0),
        "offload": float(d.offloaded_layer_share),
        "planned": memory_class(d.device) == "sram",
        "flash": d.flash_attention,
        "reserves_whole": d.engine.id in RESERVES_WHOLE,
        "closed_loop": d.arrival == "closed_loop",
        "static": d.arrival == "static",
        "chunk": chunk_tokens(labels[_ENGINE]),
        "labels": labels,
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
        room, kernel = _ROOMS(d)
    except Refused:
        return math.inf, 1.0
    tokens = d.prompt_tokens + d.output_tokens * (1.0 if d.engine.id in RESERVES_WHOLE else 0.5)
    return room, max(kernel.bytes(tokens, 1.0), 1.0)


_USUAL_CONTEXT: Final = 4096
"""Tokens the compute buffers are sized for where the room for the cache is worked out, whatever the load."""


def _room(d: Deployment) -> tuple[float, CacheKernel]:
    need = need_of(d)
    parts = {name: band[0] for name, band in need.runtime(_USUAL_CONTEXT, 1).items()}
    room = room_of(d, parts, 0.0).value
    left = room - need.weights[0] - sum(parts.values())
    return max(left, _LEAST_ROOM * room), need.holding.cache


_ROOMS: Final = Kept(machine_key, _room, 1024)


def chunk_tokens(engine_level: str) -> float:
    """Prompt tokens an engine takes in at once by default (llama.cpp n_ubatch; max_num_batched_tokens)."""
    return _CHUNK_TOKENS.get(engine_level, _DEFAULT_CHUNK)
