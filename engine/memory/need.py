"""What one device has to hold for a deployment, as a function of context and sequences: the kernel under fit and sweep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy.typing as npt
from attrs import frozen

from engine.arithmetic import Number, number, rounded_up
from engine.deployment import Deployment
from engine.estimate import Estimate
from engine.kept import Kept, machine_key
from engine.memory.bands import cache_band, weight_band
from engine.memory.constants import constant
from engine.memory.device_memory import visible_memory
from engine.memory.kv_cache import CacheKernel, CachePlan, cache_kernel, cache_rule
from engine.memory.parallel import Split, device_weight_bytes
from engine.memory.runtime import Band, BufferKernel, RuntimeQuestion, buffer_kernel, fixed_parts, step_limits
from engine.memory.weights import is_gguf, weight_bytes

_HOST_TABLES = frozenset({"llama.cpp", "ollama"})
"""Engines that leave the token embedding in host memory on a discrete card."""


@frozen(eq=False)
class Holding:
    """What a split of a model holds on its fullest device, whatever its load. Each figure as (value, low, high)."""

    question: RuntimeQuestion
    weights: tuple[float, float, float]
    host_bytes: float
    cache: CacheKernel
    cache_share: float
    """Share of the cache that stays on the device (layers offloaded to the host take theirs along)."""
    cache_scale: tuple[float, float, float]
    """Ends of the cache over its value."""
    buffers: BufferKernel
    fixed: Mapping[str, Band]
    """Parts of the runtime that no load changes, by name."""
    idle: tuple[float, float, float]
    """Weights and those parts together."""


@frozen(eq=False)
class Need:
    """Bytes of one device: (value, low, high) each; the cache and the runtime depend on context and sequences.

    Asked with numbers it answers in floats; arrays broadcast.
    """

    deployment: Deployment
    holding: Holding

    @property
    def question(self) -> RuntimeQuestion:
        return self.holding.question

    @property
    def weights(self) -> tuple[float, float, float]:
        return self.holding.weights

    @property
    def host_bytes(self) -> float:
        return self.holding.host_bytes

    def sequences(self, concurrency: npt.ArrayLike) -> Number:
        """Sequences the fullest replica holds."""
        return rounded_up(number(concurrency) / self.deployment.data_parallel)

    def cache_bytes(self, context_tokens: npt.ArrayLike, concurrency: npt.ArrayLike) -> Band:
        held = self.holding
        value = held.cache.bytes(context_tokens, self.sequences(concurrency)) * held.cache_share
        return value, value * held.cache_scale[1], value * held.cache_scale[2]

    def runtime(self, context_tokens: npt.ArrayLike, concurrency: npt.ArrayLike) -> dict[str, Band]:
        """Parts by name: "activations", "graphs", "communication", "context"."""
        activations = self.holding.buffers.bytes(number(context_tokens), self.sequences(concurrency))
        return {"activations": activations, **self.holding.fixed}

    def total(self, context_tokens: npt.ArrayLike, concurrency: npt.ArrayLike) -> Band:
        """Everything, as (value, low, high)."""
        held, tokens, sequences = self.holding, number(context_tokens), self.sequences(concurrency)
        cache = held.cache.bytes(tokens, sequences) * held.cache_share
        activations, scale, idle = held.buffers.bytes(tokens, sequences), held.cache_scale, held.idle
        return (
            idle[0] + cache * scale[0] + activations[0],
            idle[1] + cache * scale[1] + activations[1],
            idle[2] + cache * scale[2] + activations[2],
        )


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


def need_of(deployment: Deployment) -> Need:
    """The need of the fullest device. Raises Refused for a shape that is not published."""
    return Need(deployment, _HOLDINGS(deployment))


def _holding(deployment: Deployment) -> Holding:
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
    cache_below, cache_above = cache_band(model, engine, deployment.pipeline_parallel)
    fixed = fixed_parts(question)
    ends = (weights, weights * (1 - below), weights * (1 + above))
    return Holding(
        question=question,
        weights=ends,
        host_bytes=host,
        cache=cache_kernel(model, cache_plan(deployment)),
        cache_share=1.0 - min(max(moved, 0.0), 1.0),
        cache_scale=(1.0, 1 - cache_below, 1 + cache_above),
        buffers=buffer_kernel(question),
        fixed=fixed,
        idle=tuple(ends[end] + sum(part[end] for part in fixed.values()) for end in range(3)),
    )


KEPT: Final = 1024
_HOLDINGS: Final = Kept(machine_key, _holding, KEPT)


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
