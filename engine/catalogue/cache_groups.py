"""From a model's columns to how its layers keep their past. What the columns cannot say is in model_cache.csv."""

from __future__ import annotations

from engine.catalogue.rows import CacheGroup, Model


def cache_groups(model: Model) -> tuple[CacheGroup, ...]:
    """One group per kind of layer; () when the shape is unpublished.

    full/sliding: keys and values of n_kv_heads x head_dim. latent: kv_lora_rank + qk_rope_head_dim elements (DeepSeek-V2,
    arXiv 2405.04434). Chunked windows, fixed states, shared and compressed caches are in model_cache.csv; a linear or state-space
    layer without a row there counts nothing (state_bytes 0).
    """
    if model.n_layers is None:
        return ()
    full = model.full_attention_layers if model.full_attention_layers is not None else model.n_layers
    rest = model.n_layers - full
    groups: list[CacheGroup] = []
    if full:
        groups.append(_full_group(model, full))
    if rest and model.attention == "hybrid-sliding":
        keys = model.head_dim or 0
        groups.append(CacheGroup("sliding", rest, model.n_kv_heads or 0, keys, keys, model.sliding_window or 0))
    elif rest:
        groups.append(CacheGroup("state", rest))
    return tuple(groups)


def _full_group(model: Model, n_layers: int) -> CacheGroup:
    if model.kv_lora_rank:
        return CacheGroup("latent", n_layers, latent_dim=model.kv_lora_rank + (model.qk_rope_head_dim or 0))
    return CacheGroup("full", n_layers, model.n_kv_heads or 0, model.head_dim or 0, model.head_dim or 0)
