"""How a model is cut over devices: which splits the shape allows, and the bytes of the fullest device.

Tensor parallelism cuts heads and MLP widths, so it has to divide them; the vocabulary is padded (to 64 rows, as vLLM does). A
pipeline cuts layers, expert parallelism spreads experts, data parallelism repeats what is not spread.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from attrs import frozen

from engine.catalogue.rows import Model, ServingEngine, WeightFormat
from engine.errors import Refused
from engine.memory.format_rules import FormatRule, stored_as
from engine.memory.tensors import BESIDE, EMBEDDINGS, MLP, ROUTED, inventory
from engine.memory.weights import is_gguf, weight_bytes
from engine.messages import Message, Name, msg

DEGREES: Final = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 48, 64)
_REPEATED: Final = (
    frozenset({"vector", "router", "mixer", "mla_q_a", "mla_kv_a", "indexer", "compressor", "linear_small"}) | BESIDE
)
"""Kinds every rank of a tensor-parallel group holds whole."""
_KEYS: Final = frozenset({"attention_k", "attention_v"})
_BLOCK: Final = 128
"""Edge of the blocks of block-scaled FP8 (DeepSeek-V3, Qwen3 FP8): a rank's width has to be a multiple."""
_GROUPS: Final = {"int4-g128": 128, "int4-g64": 64, "int4-g32": 32, "nvfp4": 16}
"""Groups a rank's width has to be a multiple of; MXFP4 is padded by every engine that runs gpt-oss."""
_ONE_DEVICE: Final = frozenset({"mlx", "executorch", "litert-lm"})
"""Engines that cut no tensor; any other is taken to cut heads and widths."""
_CHECKS_BLOCKS: Final = frozenset({"vllm", "sglang"})
"""Engines that refuse a rank's width that is no multiple of FP8's blocks (TensorRT-LLM repacks them)."""
_SPLITS_LAYERS: Final = frozenset({"llama.cpp", "ollama"})
MXFP4_WIDTH: Final = 256
"""vLLM pads an expert's width on a rank to this multiple for MXFP4 (13.47 GiB for gpt-oss-20b instead of 12.8)."""


@frozen(cache_hash=True)
class Split:
    """Degrees of parallelism; `devices` is their product (experts are spread over devices that are there anyway)."""

    tensor: int = 1
    pipeline: int = 1
    data: int = 1
    expert: int = 1

    @property
    def devices(self) -> int:
        return self.tensor * self.pipeline * self.data

    @property
    def expert_ranks(self) -> int:
        """Devices the experts of a layer are spread over: whole experts over `expert` of them, their widths over the rest.

        Beyond the tensor-parallel group only with attention data parallelism (expert degree above the tensor degree).
        """
        return self.tensor * self.data if self.expert > self.tensor else self.tensor


def refusals(model: Model, weight_format: WeightFormat, engine: ServingEngine, split: Split) -> tuple[Message, ...]:
    """Why this split cannot be; () when it can."""
    return tuple(_refusals(model, weight_format, engine, split))


def check_split(model: Model, weight_format: WeightFormat, engine: ServingEngine, split: Split) -> None:
    """Raises Refused with the first reason the split is forbidden for."""
    for reason in _refusals(model, weight_format, engine, split):
        raise Refused(reason)


@lru_cache(maxsize=4096)
def valid_tensor_parallel(
    model: Model, weight_format: WeightFormat, engine: ServingEngine, most: int = 64, expert_parallel: bool = False
) -> tuple[int, ...]:
    """The degrees of tensor parallelism the shape and the format allow."""
    return tuple(
        degree
        for degree in DEGREES
        if degree <= most
        and not refusals(model, weight_format, engine, Split(tensor=degree, expert=degree if expert_parallel else 1))
    )


def _refusals(model: Model, weight_format: WeightFormat, engine: ServingEngine, split: Split) -> Iterator[Message]:
    name = Name("model", model.id)
    if split.pipeline > 1 and model.n_layers and split.pipeline > model.n_layers:
        yield msg("memory.refused.stages", model=name, degree=split.pipeline, layers=model.n_layers)
    if split.expert > 1 and (not model.n_experts or model.n_experts % split.expert):
        yield msg("memory.refused.experts", model=name, degree=split.expert, experts=model.n_experts or 0)
    if split.tensor == 1 or engine.id in _SPLITS_LAYERS:
        return
    if engine.id in _ONE_DEVICE:
        yield msg("memory.refused.no_tensor_parallel", engine=Name("engine", engine.id))
        return
    if model.n_heads and model.n_heads % split.tensor:
        yield msg("memory.refused.heads", model=name, degree=split.tensor, heads=model.n_heads)
    keys = model.n_kv_heads if not model.kv_lora_rank else None
    if keys and keys % split.tensor and split.tensor % keys:
        yield msg("memory.refused.kv_heads", model=name, degree=split.tensor, heads=keys)
    yield from _width_refusals(model, weight_format, engine, split)


def _width_refusals(
    model: Model, weight_format: WeightFormat, engine: ServingEngine, split: Split
) -> Iterator[Message]:
    rule = FormatRule(weight_format.id, engine.id, model.id)
    widths = [(g.kind, g.rows) for g in inventory(model).groups if g.kind in ("mlp_up", "expert_up", "shared_up")]
    for kind, width in widths:
        if kind == "expert_up" and split.expert > 1:
            continue
        if width % split.tensor:
            yield msg("memory.refused.width", model=Name("model", model.id), degree=split.tensor, width=width)
            return
        way = stored_as(rule, kind)
        block = _BLOCK if way == "fp8-block" and engine.id in _CHECKS_BLOCKS else _GROUPS.get(way, 1)
        if (width // split.tensor) % block:
            yield msg(
                "memory.refused.blocks",
                model=Name("model", model.id),
                degree=split.tensor,
                width=width // split.tensor,
                block=block,
                format=Name("weight_format", weight_format.id),
            )
            return


@lru_cache(maxsize=16384)
def device_weight_bytes(
    model: Model,
    weight_format: WeightFormat,
    engine: ServingEngine,
    split: Split,
    file_bytes: float | None = None,
    tables_on_host: bool = False,
) -> float:
    """Bytes of weights on the fullest device, engine extras included (rotary tables, unpacked MLA projections, padding).

    `tables_on_host`: embedding tables stay in host memory (llama.cpp with a discrete card); a tied one is copied for the head.
    """
    whole = weight_bytes(model, weight_format, engine, file_bytes)
    kinds = whole.by_kind
    if engine.id in _SPLITS_LAYERS and split.tensor > 1:
        left = whole.embedding if tables_on_host and not inventory(model).tied else 0.0
        return (whole.total - left) / (split.tensor * split.pipeline)
    tensor, ranks = split.tensor, split.expert_ranks
    layers = 0.0
    for kind, size in kinds.items():
        if kind in EMBEDDINGS or kind == "lm_head" or (kind in BESIDE and not whole.beside_in_total):
            continue
        layers += size / _pieces(model, kind, tensor, ranks)
    tables = sum(size for kind, size in kinds.items() if kind in EMBEDDINGS) / tensor
    head = (0.0 if inventory(model).tied else kinds.get("lm_head", 0.0)) / tensor
    if tables_on_host:
        tables, head = 0.0, whole.head / tensor
    towers = whole.beside if whole.beside_in_total else 0.0
    layers -= towers
    extras = engine_extras(model, weight_format, engine, split)
    if split.pipeline == 1:
        return layers + tables + head + towers + extras
    stage = layers * math.ceil((model.n_layers or 1) / split.pipeline) / (model.n_layers or 1)
    return stage + max(tables + towers, head or tables) + extras


def _pieces(model: Model, kind: str, tensor: int, expert_ranks: int) -> float:
    """Into how many parts a kind is cut."""
    if kind in ROUTED:
        return float(expert_ranks)
    if kind in _REPEATED:
        return 1.0
    if kind in _KEYS and model.n_kv_heads:
        return float(min(tensor, model.n_kv_heads))
    return float(tensor)


@lru_cache(maxsize=16384)
def engine_extras(model: Model, weight_format: WeightFormat, engine: ServingEngine, split: Split) -> float:
    """Bytes an engine adds to the file's weights on one device.

    vLLM keeps a table of rotary sines and cosines up to the longest context, unpacked copies of the MLA up-projections, and pads
    MXFP4 experts (weights it prints: 14.99 GiB for 14.96 of Llama-3.1-8B, 29.43 for 29.26 of DeepSeek-V2-Lite).
    """
    if engine.id not in ("vllm", "sglang") or is_gguf(weight_format, engine):
        return 0.0
    wide = 4.0 if weight_format.id == "fp32" else 2.0
    rotary = model.qk_rope_head_dim or model.head_dim or 0
    extra = (model.max_context or 0) * rotary * (4.0 if model.kv_lora_rank else wide)
    tensors = inventory(model)
    if model.kv_lora_rank:
        extra += tensors.elements({"mla_k_b", "mla_v_b"}) * 2.0 / split.tensor / split.pipeline
    if stored_as(FormatRule(weight_format.id, engine.id, model.id), "expert_up") == "mxfp4" and tensors.n_experts:
        width = (model.moe_intermediate or MXFP4_WIDTH) / max(split.expert_ranks / split.expert, 1.0)
        padding = math.ceil(width / MXFP4_WIDTH) * MXFP4_WIDTH / width - 1.0
        extra += tensors.routed * 4.25 / 8 * padding / split.expert_ranks / split.pipeline
    return extra


def host_share(model: Model, share: float) -> tuple[float, bool]:
    """What an offload moves to the host: the share, and whether it is experts (MoE) or whole layers."""
    return min(max(share, 0.0), 1.0), model.is_moe


__all__ = [
    "DEGREES",
    "MLP",
    "Split",
    "check_split",
    "device_weight_bytes",
    "engine_extras",
    "host_share",
    "refusals",
    "valid_tensor_parallel",
]
