"""What one token costs of one model in one format: bytes to read, parameters to multiply, cache to read."""

from __future__ import annotations

from functools import lru_cache

from attrs import frozen

from engine.catalogue.rows import Model, WeightFormat


@frozen
class ModelShape:
    """Per model and weight format. Bytes and parameters of the whole model; `routed` is all experts together."""

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
    hidden: float
    cache_elements: float
    """Cache elements a token leaves in all layers that see everything."""
    window_elements: float
    window_tokens: float
    state_bytes: float
    """Fixed state a sequence keeps in all linear layers together."""
    kv_heads: float
    """Heads the cache can be split by; 1 for a latent cache, which every rank keeps whole."""
    pair_flop: float
    """Prefill: FLOP for one query-key pair, over all layers that see everything."""
    window_pair_flop: float
    latent_flop: float
    """Decode with a latent cache: FLOP for one cached token, all heads and layers."""


@lru_cache(maxsize=4096)
def model_shape(model: Model, weight_format: WeightFormat, file_bytes: float | None = None) -> ModelShape:
    E = float(model.n_experts or 0)
    k = float(model.experts_per_token or 0)
    L = float(model.n_layers or 1)
    hidden = float(model.hidden or 1)
    routed = (model.params_total - model.params_active) / (1 - k / E) if E else 0.0
    emb = float((model.vocab or 0)) * hidden
    blocks = max(model.params_total - routed - emb * (1 if model.tie_embeddings else 2), 0.0)
    bits = weight_format.bits_per_weight
    head_bits, dense_bits = 16.0, bits
    f = weight_format.id
    if f == "mxfp4":
        dense_bits = 16.0
    if f == "nvfp4" and (model.attention == "mla" or model.attention == "hybrid-linear"):
        dense_bits = 16.0
    if weight_format.family == "mlx":
        head_bits = bits
    if weight_format.family == "gguf":
        head_bits = max(bits, 6.56)
    if f == "int4":
        head_bits = 8
    if f in ("mlx-4bit",) and "gpt-oss" in model.id: dense_bits = 4.5
    dense_bytes = (blocks * dense_bits + emb * head_bits) / 8
    routed_bytes = routed * bits / 8
    if file_bytes:
        whole = dense_bytes + routed_bytes + (0 if model.tie_embeddings else emb * dense_bits / 8)
        dense_bytes, routed_bytes = dense_bytes * file_bytes / whole, routed_bytes * file_bytes / whole
    ce = we = win = st = pf = wf = lf = 0.0
    kvh = float(model.n_kv_heads or 1)
    sl = 0.0
    heads = float(model.n_heads or 1)
    hd = float(model.head_dim or 1)
    for g in model.cache_groups:
        if g.kind == "latent":
            ce += g.n_layers * g.latent_dim
            kvh = 1.0
            v = 128 if hd == 192 else hd
            pf += g.n_layers * 2 * heads * (hd + v)
            lf += g.n_layers * 2 * heads * (2 * g.latent_dim - 64)
        elif g.kind in ("full", "compressed"):
            ce += g.n_layers * g.n_kv_heads * (g.key_dim + g.value_dim) * g.compression
            pf += g.n_layers * 2 * heads * (g.key_dim + (g.value_dim or g.key_dim)) * g.compression
        elif g.kind in ("sliding", "chunked"):
            we += g.n_layers * g.n_kv_heads * (g.key_dim + g.value_dim)
            win = float(g.window_tokens)
            wf += g.n_layers * 2 * heads * (g.key_dim + (g.value_dim or g.key_dim))
        elif g.kind == "state":
            sl += g.n_layers
            st += g.n_layers * (g.state_bytes or 2.0e6)
    return ModelShape(
        dense_bytes, routed_bytes, blocks, emb, routed, E, k, L,
        L - float(model.dense_layers or 0) if E else 0.0, sl, hidden, ce, we, win, st, kvh, pf, wf, lf,
    )
