"""What would make it fit: each change is tried, and only those that do fit are named."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from engine.catalogue.rows import WeightFormat
from engine.deployment import Deployment
from engine.errors import Refused
from engine.memory.inverse import best_format_that_fits, max_concurrency, max_context, verdict, with_degree
from engine.memory.kv_cache import KV_BYTES
from engine.memory.need import Need
from engine.memory.parallel import valid_tensor_parallel
from engine.memory.results import Remedy
from engine.messages import Name, Quantity, msg
from engine.units import TOKENS

_NARROWER = {
    "vllm": ("fp8",), "sglang": ("fp8",), "trt-llm": ("fp8",), "llama.cpp": ("q8_0", "q4_0"), "ollama": ("q8_0", "q4_0"),
    "exllama": ("q8_0", "q4_0"),
}  # fmt: skip
_OFFLOADING = frozenset({"llama.cpp", "ollama"})
_SHORTEST = 1024
_STEPS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def remedies_for(need: Need, formats: tuple[WeightFormat, ...]) -> tuple[Remedy, ...]:
    """Changes that lead to a certain fit, the least first: cache format, context, concurrency, weights, devices, offload."""
    deployment = need.deployment
    found: list[Remedy] = []
    for maker in (_narrower_cache, _shorter_context, _fewer_sequences, _more_devices, _offload):
        found.extend(maker(need))
    found.extend(_narrower_weights(deployment, formats))
    return tuple(found)


def _narrower_cache(need: Need) -> Iterator[Remedy]:
    deployment = need.deployment
    for kv_format in _NARROWER.get(deployment.engine.id, ()):
        if KV_BYTES[kv_format] >= KV_BYTES[deployment.kv_format]:
            continue
        if _fits(evolve(deployment, kv_format=kv_format)):
            yield Remedy(msg("memory.remedy.kv_format", format=kv_format), {"serving.kv_format": kv_format})
            return


def _shorter_context(need: Need) -> Iterator[Remedy]:
    deployment = need.deployment
    certain = int(max_context(need).low)
    step = 256 if certain >= _SHORTEST else 1
    tokens = certain // step * step
    if _SHORTEST <= tokens < deployment.context_tokens and _fits(evolve(deployment, context_tokens=tokens)):
        yield Remedy(msg("memory.remedy.context", tokens=Quantity(tokens, TOKENS)), {"serving.context_tokens": tokens})


def _fewer_sequences(need: Need) -> Iterator[Remedy]:
    deployment = need.deployment
    count = int(max_concurrency(need).low)
    if 1 <= count < deployment.concurrency and _fits(evolve(deployment, concurrency=count)):
        yield Remedy(msg("memory.remedy.concurrency", count=count), {"serving.concurrency": count})


def _more_devices(need: Need) -> Iterator[Remedy]:
    deployment = need.deployment
    now = deployment.tensor_parallel * deployment.pipeline_parallel
    for degree in valid_tensor_parallel(deployment.model, deployment.weight_format, deployment.engine):
        more = with_degree(deployment, degree)
        if more.tensor_parallel * more.pipeline_parallel > now and _fits(more):
            changes = {"serving.device_count": more.device_count, "serving.tensor_parallel": more.tensor_parallel}
            device = Name("device", deployment.device.id)
            yield Remedy(msg("memory.remedy.devices", count=more.device_count, device=device), changes)
            return


def _offload(need: Need) -> Iterator[Remedy]:
    deployment = need.deployment
    if deployment.engine.id not in _OFFLOADING or deployment.device.kind != "gpu":
        return
    for share in _STEPS:
        if share <= deployment.offloaded_layer_share:
            continue
        if _fits(evolve(deployment, offloaded_layer_share=share)):
            key = "memory.remedy.offload_experts" if deployment.model.is_moe else "memory.remedy.offload_layers"
            yield Remedy(msg(key, share=share), {})
            return


def _narrower_weights(deployment: Deployment, formats: tuple[WeightFormat, ...]) -> Iterator[Remedy]:
    best = best_format_that_fits(deployment, formats)
    if best is not None and best.id != deployment.weight_format.id:
        name = Name("weight_format", best.id)
        yield Remedy(msg("memory.remedy.weight_format", format=name), {"serving.weight_format": best.id})


def _fits(deployment: Deployment) -> bool:
    try:
        return verdict(deployment)[0]
    except Refused:
        return False
