"""Bytes of a model's weights in a format, tensor by tensor: what is quantised, what stays wide, what a step reads.

A published file's size (`file_bytes`) wins over all of it: the parts are scaled to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from attrs import field, frozen

from engine.catalogue.rows import Model, ServingEngine, TensorGroup, WeightFormat
from engine.memory.format_rules import FormatRule, stored_as
from engine.memory.gguf_mix import BULK, MixShape, row_bytes, types_by_layer
from engine.memory.tensors import BESIDE, EMBEDDINGS, ROUTED, TensorInventory, inventory

BITS: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {
        "fp32": (32.0, 0.0),
        "fp16": (16.0, 0.0),
        "bf16": (16.0, 0.0),
        "fp8": (8.0, 4.0),
        "fp8-block": (8.0 + 32.0 / (128 * 128), 0.0),
        "mxfp8": (8.25, 0.0),
        "int8": (8.0, 2.0),
        "mxfp4": (4.25, 0.0),
        "nvfp4": (4.5, 0.0),
        "int4-g32": (4.5, 0.0),
        "int4-g64": (4.0 + 16.0 / 64, 0.0),
        "int4-g128": (4.0 + 20.0 / 128, 0.0),
        "mlx-4bit": (4.5, 0.0),
        "mlx-8bit": (8.5, 0.0),
        "nf4": (4.5, 0.0),
        "nf4-dq": (4.0 + 8.0 / 64 + 32.0 / (64 * 256), 0.0),
    }
)
"""Way of storing -> bits an element (block scales included), bytes a row (channel scales).

FP8: an FP32 scale a channel, or one for 128 x 128; MXFP: an 8-bit scale for 32; NVFP4: an FP8 scale for 16; AWQ and GPTQ: FP16
scale and 4-bit zero for 128; MLX: FP16 scale and bias for 64; NF4: FP32 for 64, double-quantised to 8 bits with one FP32 for 256
(QLoRA, arXiv 2305.14314).
"""

_GGUF_MIX: Final = {
    "ds4-q2": "iq2_xxs",
    "ud-q3_k_s": "q3_k_m",
    "ud-q4_k_xl": "q4_k_m",
    "ud-q5_k_xl": "q5_k_m",
    "ud-q8_k_xl": "q8_0",
}
"""Mixes that differ by model, by the plain mix whose proportions they are scaled from to their nominal bits."""
_GGUF_ENGINES: Final = frozenset({"llama.cpp", "ollama"})


@frozen
class WeightBytes:
    """Bytes of a model's weights, all devices together."""

    total: float
    """Everything the engine holds; towers stored in a file of their own (GGUF projectors) are not in it."""
    embedding: float
    """Token, position and per-layer tables: a token reads a row."""
    head: float
    """Output projection (a tied table's bytes count in `embedding` too)."""
    always: float
    """What every decode step reads: all but routed experts, tables and towers; with the head."""
    routed: float
    """Routed experts of all layers."""
    routed_layers: int
    beside: float
    """Vision and audio towers: in `total`, except with GGUF, where they are a file of their own."""
    beside_in_total: bool
    by_kind: Mapping[str, float] = field(repr=False, hash=False)

    @property
    def layers(self) -> float:
        """Bytes inside the layers: what pipeline stages divide (without tables, head and towers)."""
        return (
            self.total
            - self.embedding
            - self.by_kind.get("lm_head", 0.0)
            - (self.beside if self.beside_in_total else 0.0)
        )

    def active(self, expert_share: float) -> float:
        """Bytes a step reads when it touches this share of the routed experts."""
        return self.always + self.routed * expert_share


@lru_cache(maxsize=8192)
def weight_bytes(
    model: Model, weight_format: WeightFormat, engine: ServingEngine | None = None, file_bytes: float | None = None
) -> WeightBytes:
    """Bytes by use. `engine` matters where engines store the same format differently. Raises Refused (shape unpublished)."""
    tensors = inventory(model)
    gguf = is_gguf(weight_format, engine)
    by_kind: dict[str, float] = {}
    for group in tensors.groups:
        size = (
            gguf_bytes(model, tensors, group, weight_format)
            if gguf
            else plain_bytes(model, group, weight_format, engine)
        )
        by_kind[group.kind] = by_kind.get(group.kind, 0.0) + size
    beside = sum(size for kind, size in by_kind.items() if kind in BESIDE)
    total = sum(by_kind.values()) - (beside if gguf else 0.0)
    scale = _scale(tensors, weight_format, total, file_bytes)
    by_kind = {kind: size if gguf and kind in BESIDE else size * scale for kind, size in by_kind.items()}
    embedding = sum(size for kind, size in by_kind.items() if kind in EMBEDDINGS)
    routed = sum(size for kind, size in by_kind.items() if kind in ROUTED)
    towers = beside if gguf else beside * scale
    head = by_kind.get("token_embedding", 0.0) if tensors.tied else by_kind.get("lm_head", 0.0)
    in_total = 0.0 if gguf else towers
    return WeightBytes(
        total=total * scale,
        embedding=embedding,
        head=head,
        always=total * scale - embedding - routed - in_total + (head if tensors.tied else 0.0),
        routed=routed,
        routed_layers=tensors.routed_layers,
        beside=towers,
        beside_in_total=not gguf,
        by_kind=MappingProxyType(by_kind),
    )


def is_gguf(weight_format: WeightFormat, engine: ServingEngine | None) -> bool:
    """Whether the weights lie in a GGUF file: by their format, or because the engine reads no other."""
    return weight_format.family == "gguf" or (engine is not None and engine.id in _GGUF_ENGINES)


def plain_bytes(model: Model, group: TensorGroup, weight_format: WeightFormat, engine: ServingEngine | None) -> float:
    """Bytes of a group outside GGUF: the format's way for its linear layers, the wide type for the rest."""
    bits, per_row = BITS[stored_as(FormatRule(weight_format.id, engine.id if engine else "", model.id), group.kind)]
    return group.elements * bits / 8.0 + group.count * group.rows * per_row


def gguf_bytes(model: Model, tensors: TensorInventory, group: TensorGroup, weight_format: WeightFormat) -> float:
    """Bytes of a group in a GGUF file (towers as FP16, in a file of their own)."""
    if group.kind in BESIDE:
        return group.elements * 2.0
    if weight_format.id in ("mxfp4", "nvfp4"):
        return group.count * group.rows * row_bytes(_microscaled(group.kind, weight_format.id, tensors), group.cols)
    if weight_format.id == "ds4-q2":
        return group.count * group.rows * row_bytes(_ds4(group.kind), group.cols)
    mix = weight_format.id if weight_format.id in BULK else _GGUF_MIX.get(weight_format.id, "q8_0")
    shape = mix_shape(model, tensors)
    first = (
        0 if not group.layers or not model.n_layers else model.n_layers - group.layers if group.kind in ROUTED else 0
    )
    types = list(types_by_layer(mix, group.kind, group.layers, first, shape))
    per_layer = group.count * group.rows / len(types)
    return sum(per_layer * row_bytes(block, group.cols) for block in types)


def mix_shape(model: Model, tensors: TensorInventory) -> MixShape:
    """What the quantiser looks at."""
    fused = any(g.kind == "attention_qkv" for g in tensors.groups)
    ungated = not any(g.kind in ("mlp_gate", "expert_gate") for g in tensors.groups)
    return MixShape(
        n_layers=model.n_layers or 1,
        queries_per_key=(model.n_heads or 1) / (model.n_kv_heads or 1) if not model.kv_lora_rank else 1.0,
        n_experts=model.n_experts or 0,
        tied=tensors.tied,
        is_70b=model.n_layers == 80 and not model.n_experts,
        is_falcon=fused and ungated and model.family == "Falcon",
    )


def _microscaled(kind: str, block: str, tensors: TensorInventory) -> str:
    """llama.cpp's microscaled files: experts in 4 bits and the rest in Q8_0; without experts, all linear layers in 4 bits."""
    if kind in ("vector", "router", "conv", "ssm_small", "position_embedding"):
        return "F32"
    if kind in ROUTED or (not tensors.n_experts and kind not in EMBEDDINGS | {"lm_head"}):
        return block.upper()
    return "Q8_0"


def _ds4(kind: str) -> str:
    if kind in ("vector", "router", "conv", "ssm_small", "position_embedding"):
        return "F32"
    return {"expert_gate": "IQ2_XXS", "expert_up": "IQ2_XXS", "expert_down": "Q2_K"}.get(kind, "Q8_0")


def _scale(tensors: TensorInventory, weight_format: WeightFormat, total: float, file_bytes: float | None) -> float:
    if file_bytes is not None:
        return file_bytes / total
    if weight_format.id.startswith("ud-"):
        return weight_format.bits_per_weight / 8.0 * (tensors.total - tensors.beside) / total
    return 1.0
