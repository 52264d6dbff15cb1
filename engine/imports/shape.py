"""A model's shape as read from its own files, and the catalogue's Model made of it."""

from __future__ import annotations

import re
from typing import Final

from attrs import field, frozen

from engine.catalogue.rows import CacheGroup, Model, TensorGroup
from engine.estimate import Source
from engine.memory.tensors import ROUTED

_SLUG: Final = re.compile(r"[^a-z0-9.]+")


@frozen
class LinearShape:
    """A linear-attention or state-space layer."""

    state_elements: int = 0
    """Elements of the recurrent state (kept in FP32)."""
    conv_channels: int = 0
    conv_kernel: int = 0
    wide: bool = True
    """Servers keep the state in FP32 too; False: in 16 bits."""

    @property
    def state_bytes(self) -> float:
        """All in FP32."""
        return 4.0 * (self.state_elements + self._conv_elements)

    @property
    def served_state_bytes(self) -> float:
        """As vLLM keeps it: the convolution in 16 bits."""
        return (4.0 if self.wide else 2.0) * self.state_elements + 2.0 * self._conv_elements

    @property
    def _conv_elements(self) -> int:
        return self.conv_channels * max(self.conv_kernel - 1, 0)


@frozen
class Shape:
    """What a config or a header says. 0 and "" are "not said"."""

    name: str
    architecture: str = ""
    layers: int = 0
    hidden: int = 0
    heads: int = 0
    kv_heads: int = 0
    head_dim: int = 0
    value_dim: int = 0
    intermediate: int = 0
    vocabulary: int = 0
    tied: bool = False
    window: int = 0
    full_layers: int | None = None
    windowed_layers: int = 0
    chunked: bool = False
    linear_layers: int = 0
    linear: LinearShape = field(factory=LinearShape)
    shared_layers: int = 0
    """Layers that reuse the cache of others."""
    global_kv_heads: int = 0
    global_head_dim: int = 0
    """Of full layers beside windowed ones, where they differ (Gemma 4)."""
    latent: int = 0
    rope_dim: int = 0
    indexer_dim: int = 0
    experts: int = 0
    experts_per_token: int = 0
    shared_experts: int = 0
    expert_width: int = 0
    dense_layers: int = 0
    context: int = 0
    dtype: str = ""
    modality: str = "text"


def cache_groups_of(shape: Shape) -> tuple[CacheGroup, ...]:
    """How each layer keeps its past."""
    full = (
        shape.layers - shape.windowed_layers - shape.linear_layers if shape.full_layers is None else shape.full_layers
    )
    owners = max(shape.layers - shape.shared_layers, 1) / max(shape.layers, 1)
    values = shape.value_dim or shape.head_dim
    groups = []
    if full and shape.latent:
        groups.append(CacheGroup("latent", full, latent_dim=shape.latent + shape.rope_dim))
    elif full:
        keys = shape.global_head_dim or shape.head_dim
        heads = shape.global_kv_heads or shape.kv_heads
        groups.append(CacheGroup("full", max(round(full * owners), 1), heads, keys, shape.global_head_dim or values))
    if shape.windowed_layers:
        kind = "chunked" if shape.chunked else "sliding"
        count = max(round(shape.windowed_layers * owners), 1)
        groups.append(CacheGroup(kind, count, shape.kv_heads, shape.head_dim, values, shape.window))
    if shape.linear_layers:
        linear = shape.linear
        served = linear.served_state_bytes
        groups.append(
            CacheGroup("state", shape.linear_layers, state_bytes=linear.state_bytes, served_state_bytes=served)
        )
    if shape.indexer_dim:
        groups.append(CacheGroup("indexer", full, latent_dim=shape.indexer_dim))
    if shape.shared_layers:
        groups.append(CacheGroup("shared", shape.shared_layers))
    return tuple(groups)


def attention_of(shape: Shape) -> str:
    """The catalogue's word for the kind of attention."""
    if shape.linear_layers:
        return "ssm" if shape.linear_layers == shape.layers else "hybrid-linear"
    if shape.latent:
        return "mla"
    if shape.windowed_layers:
        return "hybrid-sliding"
    if shape.kv_heads == shape.heads:
        return "mha"
    return "mqa" if shape.kv_heads == 1 else "gqa"


def model_of(shape: Shape, tensors: tuple[TensorGroup, ...], source: Source) -> Model:
    """The catalogue model: what follows from the tensors (totals) and from the shape (layers, cache)."""
    total = float(sum(g.elements for g in tensors))
    routed = float(sum(g.elements for g in tensors if g.kind in ROUTED))
    chosen = shape.experts_per_token / shape.experts if shape.experts else 1.0
    full = (
        shape.layers - shape.windowed_layers - shape.linear_layers if shape.full_layers is None else shape.full_layers
    )
    return Model(
        id=slug(shape.name),
        name=shape.name,
        family=shape.architecture,
        params_total=total,
        params_active=total - routed * (1.0 - chosen),
        n_layers=shape.layers or None,
        hidden=shape.hidden or None,
        n_heads=shape.heads or None,
        n_kv_heads=shape.kv_heads or None,
        head_dim=shape.head_dim or None,
        intermediate=shape.intermediate or None,
        vocab=shape.vocabulary or None,
        tie_embeddings=shape.tied,
        attention=attention_of(shape),
        sliding_window=shape.window or None,
        full_attention_layers=full,
        kv_lora_rank=shape.latent or None,
        qk_rope_head_dim=shape.rope_dim if shape.latent else None,
        n_experts=shape.experts or None,
        experts_per_token=shape.experts_per_token or None,
        n_shared_experts=shape.shared_experts if shape.experts else None,
        moe_intermediate=shape.expert_width or None,
        dense_layers=shape.dense_layers if shape.experts else None,
        max_context=shape.context or None,
        native_dtype=shape.dtype,
        license="",
        modality=shape.modality,
        release="",
        doubt="",
        source=source,
        cache_groups=cache_groups_of(shape),
        tensor_groups=tensors,
    )


def slug(name: str) -> str:
    """An id from a name: lower case, digits, dots and dashes."""
    return _SLUG.sub("-", name.lower()).strip("-.")[:64] or "imported-model"
