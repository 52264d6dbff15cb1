"""What one device has to hold for a deployment, as a function of context and sequences: the kernel under fit and sweep."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from attrs import frozen

from engine.deployment import Deployment
from engine.estimate import Estimate
from engine.memory.bands import cache_band, weight_band
from engine.memory.constants import constant
from engine.memory.device_memory import visible_memory
from engine.memory.kv_cache import CacheKernel, CachePlan, cache_kernel, cache_rule
from engine.memory.parallel import Split, device_weight_bytes
from engine.memory.runtime import Band, RuntimeQuestion, runtime_parts, step_limits
from engine.memory.weights import is_gguf, weight_bytes

Array = npt.NDArray[np.float64]

_HOST_TABLES = frozenset({"llama.cpp", "ollama"})
"""Engines that leave the token embedding in host memory on a discrete card."""


@frozen(eq=False)
class Need:
    """Bytes of one device: (value, low, high) each; the cache and the runtime depend on context and sequences."""

    deployment: Deployment
    question: RuntimeQuestion
    weights: tuple[float, float, float]
    host_bytes: float
    cache: CacheKernel
    cache_share: float
    """Share of the cache that stays on the device (layers offloaded to the host take theirs along)."""
    cache_band: tuple[float, float]

    def sequences(self, concurrency: npt.ArrayLike) -> Array:
        """Sequences the fullest replica holds."""
        held: Array = np.ceil(np.asarray(concurrency, np.float64) / self.deployment.data_parallel)
        return held

    def cache_bytes(self, context_tokens: npt.ArrayLike, concurrency: npt.ArrayLike) -> tuple[Array, Array, Array]:
        value = self.cache.bytes(context_tokens, self.sequences(concurrency)) * self.cache_share
        below, above = self.cache_band
        return value, value * (1 - below), value * (1 + above)

    def runtime(self, context_tokens: npt.ArrayLike, concurrency: npt.ArrayLike) -> dict[str, Band]:
        return runtime_parts(self.question, context_tokens, self.sequences(concurrency))

    def total(self, context_tokens: npt.ArrayLike, concurrency: npt.ArrayLike) -> tuple[Array, Array, Array]:
        """Everything, as (value, low, high)."""
        cache = self.cache_bytes(context_tokens, concurrency)
        parts = self.runtime(context_tokens, concurrency)
        value, low, high = (
            np.asarray(self.weights[end] + cache[end] + sum(part[end] for part in parts.values())) for end in range(3)
        )
        return value, low, high


def split_of(deployment: Deployment) -> Split:
    return Split(
        deployment.tensor_parallel,
        deployment.pipeline_parallel,
        deployment.data_parallel,
        deployment.expert_parallel,
    )


def cache_plan(deployment: Deployment) -> CachePlan:
    """How the deployment's engine allocates the cache on one device."""
    engine, version = deployment.engine, deployment.engine_version or deployment.engine.version
    tokens, _ = step_limits(deployment.device, engine)
    row_split = engine.id in _HOST_TABLES
    return CachePlan(
        rule=cache_rule(engine.id, version),
        kv_format=deployment.kv_format,
        tensor_parallel=1 if row_split else deployment.tensor_parallel,
        pipeline_parallel=deployment.pipeline_parallel,
        chunk_tokens=tokens,
        batch_tokens=int(constant(engine.id, version, "batch_tokens").value) or 512,
    )


@lru_cache(maxsize=1024)
def need_of(deployment: Deployment) -> Need:
    """The need of the fullest device. Raises Refused for a shape that is not published."""
    model, engine, split = deployment.model, deployment.engine, split_of(deployment)
    weights, host = _weights(deployment, split)
    gguf = is_gguf(deployment.weight_format, engine)
    below, above = weight_band(model, deployment.weight_format, deployment.file_bytes, gguf)
    question = RuntimeQuestion(
        model,
        deployment.weight_format,
        deployment.device,
        engine,
        deployment.engine_version,
        split,
        deployment.kv_format,
        deployment.flash_attention,
    )
    moved = 0.0 if model.is_moe else deployment.offloaded_layer_share
    return Need(
        deployment=deployment,
        question=question,
        weights=(weights, weights * (1 - below), weights * (1 + above)),
        host_bytes=host,
        cache=cache_kernel(model, cache_plan(deployment)),
        cache_share=1.0 - min(max(moved, 0.0), 1.0),
        cache_band=cache_band(model, engine, deployment.pipeline_parallel),
    )


@lru_cache(maxsize=8192)
def _weights(deployment: Deployment, split: Split) -> tuple[float, float]:
    """Bytes on the device and in host memory: an offload moves experts or whole layers; llama.cpp keeps the embedding there."""
    model, weight_format, engine = deployment.model, deployment.weight_format, deployment.engine
    whole = weight_bytes(model, weight_format, engine, deployment.file_bytes)
    discrete = not deployment.device.unified_memory and deployment.device.kind == "gpu"
    on_host = discrete and is_gguf(weight_format, engine) and engine.id in _HOST_TABLES
    on_device = device_weight_bytes(model, weight_format, engine, split, deployment.file_bytes, on_host)
    host = whole.embedding if on_host else 0.0
    share = min(max(deployment.offloaded_layer_share, 0.0), 1.0)
    if share:
        movable = whole.routed if model.is_moe else whole.layers
        host += movable * share
        on_device -= movable * share / (split.tensor * split.pipeline)
    return max(on_device, 0.0), host


def room_of(deployment: Deployment, parts: Mapping[str, float], cache_bytes: float) -> Estimate:
    """What the whole need may take of a device.

    vLLM's share covers weights, cache, activations and communication buffers (graphs too from 0.21); the process's own context
    (and graphs before) must find place beside it. SGLang's share covers weights and cache; TensorRT-LLM gives the cache a share
    of what is free after the rest.
    """
    engine, version = deployment.engine, deployment.engine_version or deployment.engine.version
    visible = visible_memory(deployment.device)
    share = constant(engine.id, version, "memory_share").value
    if share >= 1.0:
        return visible
    if engine.id == "trt-llm":
        usable = visible.value - cache_bytes * (1.0 / share - 1.0)
    else:
        graphs_inside = constant(engine.id, version, "graphs_in_budget").value
        beside = {"vllm": ("context",) if graphs_inside else ("context", "graphs"), "sglang": tuple(parts)}.get(
            engine.id, ()
        )
        usable = min(visible.value, share * visible.value + sum(parts.get(name, 0.0) for name in beside))
    return visible.scaled(max(usable / visible.value, 0.05))
