"""What a careful reader of a fit must know."""

from __future__ import annotations

from collections.abc import Iterator

from engine.estimate import Estimate
from engine.memory.constants import constant
from engine.memory.device_memory import desktop_reserve
from engine.memory.need import Need
from engine.memory.tensors import inventory
from engine.memory.weights import is_gguf, weight_bytes
from engine.messages import Message, Name, Quantity, msg
from engine.units import BYTES


def notes_on(need: Need, memory: Estimate) -> tuple[Message, ...]:
    """Notes in order of weight: doubtful shape, the device's memory, the engine's habits, what lies elsewhere."""
    return (*_about_the_device(need, memory), *_about_the_cache(need), *_about_the_rest(need))


def _about_the_device(need: Need, memory: Estimate) -> Iterator[Message]:
    model, engine, device = need.deployment.model, need.deployment.engine, need.deployment.device
    if model.doubt:
        yield msg("memory.note.doubtful_shape", model=Name("model", model.id))
    if device.driver_memory is None and not device.unified_memory:
        yield msg("memory.note.marketed_memory", device=Name("device", device.id))
    if device.unified_memory and device.kind != "cpu":
        yield msg("memory.note.unified", device=Name("device", device.id), memory=Quantity(memory.value, BYTES))
    reserve = desktop_reserve(device)
    if reserve:
        yield msg("memory.note.desktop", device=Name("device", device.id), size=Quantity(reserve, BYTES))
    share = constant(engine.id, need.question.release, "memory_share").value
    if engine.id in ("vllm", "sglang") and share < 1.0:
        yield msg("memory.note.reserved", engine=Name("engine", engine.id), share=share)


def _about_the_cache(need: Need) -> Iterator[Message]:
    model, tensor = need.deployment.model, need.question.split.tensor
    keys = model.n_kv_heads or 0
    if model.kv_lora_rank and tensor > 1:
        yield msg("memory.note.latent_repeated", degree=tensor)
    elif tensor > keys > 0 and any(g.n_kv_heads for g in model.cache_groups):
        yield msg("memory.note.heads_repeated", degree=tensor, heads=keys)
    if any(g.kind in ("sliding", "chunked") for g in model.cache_groups):
        yield msg("memory.note.windows", engine=Name("engine", need.deployment.engine.id))
    if any(g.kind == "state" for g in model.cache_groups):
        yield msg("memory.note.states", size=Quantity(need.holding.cache.state_bytes, BYTES))


def _about_the_rest(need: Need) -> Iterator[Message]:
    deployment, model = need.deployment, need.deployment.model
    if inventory(model).beside and is_gguf(deployment.weight_format, deployment.engine):
        towers = weight_bytes(model, deployment.weight_format, deployment.engine).beside
        yield msg("memory.note.projector", size=Quantity(towers, BYTES))
    if deployment.offloaded_layer_share:
        yield msg("memory.note.offloaded", size=Quantity(need.host_bytes, BYTES))
    if deployment.context_tokens > (model.max_context or deployment.context_tokens):
        yield msg("memory.note.beyond_context", tokens=deployment.context_tokens, limit=model.max_context or 0)
