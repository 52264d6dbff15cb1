"""What one token costs of one model in one format: bytes to read, parameters to multiply, cache to read."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from attrs import frozen

from engine.catalogue.rows import CacheGroup, Model, ServingEngine, WeightFormat
from engine.memory.tensors import inventory
from engine.memory.weights import weight_bytes

_MLA_VALUE_DIM: Final = 128
"""Value head of DeepSeek-style latent attention (its key head is 192 = 128 + 64 rotary)."""
_MLA_KEY_DIM: Final = 192
_MLA_ROPE_DIM: Final = 64


@frozen
class ModelShape:
    """Per model and weight format, whole model. `routed` is all experts of all layers together."""

    dense_bytes: float
    """Read by every step whatever the batch: attention, dense layers, shared experts, router, output head."""
    routed_bytes: float
    dense_params: float
    """Multiplied for every token, without the output head (which a prompt needs once)."""
    head_params: float
    routed_params: float
    n_experts: float
    experts_per_token: float
    n_layers: float
    moe_layers: float
    state_layers: float
    """Linear-attention and state-space layers."""
    indexer_layers: float
    """Layers that choose what to attend to (DeepSeek sparse attention)."""
    latent_layers: float
    """Layers with a latent cache (MLA): more, smaller products."""
    hidden: float
    cache_elements: float
    """Cache elements a token leaves in all layers that look at the whole past."""
    window_elements: float
    """The same, in layers that look at a window."""
    window_tokens: float
    state_bytes: float
    """Fixed state a sequence keeps in all linear layers together."""
    cache_heads: float
    """Into how many parts the cache can be cut; 1 for a latent cache, which every rank keeps whole."""
    pair_flop: float
    """Prefill: FLOP for one query-key pair in all layers that look at the whole past (scores and values)."""
    window_pair_flop: float
    score_heads: float
    """Query heads of all layers that look at the whole past: scores a query-key pair leaves behind without flash attention."""
    window_score_heads: float
    latent_flop: float
    """Decode with a latent cache: FLOP for one cached token, all heads and layers."""


@frozen
class _Past:
    """What one group of layers adds."""

    cache: float = 0.0
    window: float = 0.0
    window_tokens: float = 0.0
    state: float = 0.0
    state_layers: float = 0.0
    pair: float = 0.0
    window_pair: float = 0.0
    latent: float = 0.0
    latent_layers: float = 0.0
    indexer_layers: float = 0.0
    heads: float = 0.0
    window_heads: float = 0.0


def _past(group: CacheGroup, heads: float, head_dim: float) -> _Past:
    layers = float(group.n_layers)
    if group.kind == "latent":
        value_dim = _MLA_VALUE_DIM if head_dim == _MLA_KEY_DIM else head_dim
        return _Past(
            cache=layers * group.latent_dim,
            pair=layers * 2 * heads * (head_dim + value_dim),
            latent=layers * 2 * heads * (2 * group.latent_dim - _MLA_ROPE_DIM),
            latent_layers=layers,
            heads=layers * heads,
        )
    elements = layers * group.n_kv_heads * (group.key_dim + group.value_dim)
    pair = layers * 2 * heads * (group.key_dim + (group.value_dim or group.key_dim))
    if group.kind in ("full", "compressed"):
        return _Past(
            cache=elements * group.compression,
            pair=pair * group.compression,
            heads=layers * heads * group.compression,
        )
    if group.kind in ("sliding", "chunked"):
        return _Past(
            window=elements, window_tokens=float(group.window_tokens), window_pair=pair, window_heads=layers * heads
        )
    if group.kind == "state":
        return _Past(state=layers * group.state_bytes, state_layers=layers)
    if group.kind == "indexer":
        return _Past(indexer_layers=layers)
    return _Past()


@lru_cache(maxsize=8192)
def model_shape(
    model: Model, weight_format: WeightFormat, engine: ServingEngine | None = None, file_bytes: float | None = None
) -> ModelShape:
    """The shape behind every speed formula. Raises Refused for a model whose shape is unpublished."""
    weights, tensors = weight_bytes(model, weight_format, engine, file_bytes), inventory(model)
    parts = [_past(g, float(model.n_heads or 1), float(model.head_dim or 1)) for g in model.cache_groups]
    latent = any(p.latent for p in parts)
    return ModelShape(
        dense_bytes=weights.always,
        routed_bytes=weights.routed,
        dense_params=tensors.always - tensors.head,
        head_params=tensors.head,
        routed_params=tensors.routed,
        n_experts=float(model.n_experts or 0),
        experts_per_token=float(model.experts_per_token or 0),
        n_layers=float(model.n_layers or 1),
        moe_layers=float(tensors.routed_layers),
        state_layers=sum(p.state_layers for p in parts),
        indexer_layers=sum(p.indexer_layers for p in parts),
        latent_layers=sum(p.latent_layers for p in parts),
        hidden=float(model.hidden or 1),
        cache_elements=sum(p.cache for p in parts),
        window_elements=sum(p.window for p in parts),
        window_tokens=max((p.window_tokens for p in parts), default=0.0),
        state_bytes=sum(p.state for p in parts),
        cache_heads=1.0 if latent else float(model.n_kv_heads or 1),
        pair_flop=sum(p.pair for p in parts),
        window_pair_flop=sum(p.window_pair for p in parts),
        score_heads=sum(p.heads for p in parts),
        window_score_heads=sum(p.window_heads for p in parts),
        latent_flop=sum(p.latent for p in parts),
    )
