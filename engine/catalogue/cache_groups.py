"""From a model's columns to how its layers keep their past. What the columns cannot say is in model_cache.csv."""

from __future__ import annotations

from engine.catalogue.rows import CacheGroup, Model


def cache_groups(model: Model) -> tuple[CacheGroup, ...]:
    """One group per kind of layer; () when the shape is unpublished.

    full/sliding: keys and values of n_kv_heads x head_dim. latent: kv_lora_rank + qk_rope_head_dim elements (DeepSeek-V2,
    arXiv 2405.04434). Linear and state-space layers keep a fixed state that no column gives: their size is None here
    (state_bytes 0) unless model_cache.csv says it.
    """
    if model.n_layers is None:
        return ()
    full = model.full_attention_layers if model.full_attention_layers is not None else model.n_layers
    rest = model.n_layers - full
    groups: list[CacheGroup] = []
    if full:
        groups.append(_full_group(model, full))
    if rest and model.attention == "hybrid-sliding":
        groups.append(
            CacheGroup(
                "chunked" if model.id.startswith("llama-4") else "sliding",
                rest,
                model.n_kv_heads or 0,
                model.head_dim or 0,
                model.head_dim or 0,
                model.sliding_window or 0,
            )
        )
    elif rest:
        groups.append(CacheGroup("state", rest))
    return tuple(groups)


def _full_group(model: Model, n_layers: int) -> CacheGroup:
    if model.kv_lora_rank:
        return CacheGroup("latent", n_layers, latent_dim=model.kv_lora_rank + (model.qk_rope_head_dim or 0))
    return CacheGroup("full", n_layers, model.n_kv_heads or 0, model.head_dim or 0, model.head_dim or 0)
