"""Bytes of the key/value cache of one device: per kind of layer, as the serving engine allocates it.

All functions broadcast over numpy arrays of tokens and sequences. Fixed and per-token parts are not mixed into one ratio: a
windowed layer stops growing at its window, a linear layer never grows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from engine.catalogue.read import Row, read_rows
from engine.catalogue.rows import CacheGroup, Model
from engine.errors import DamagedDocument, Refused
from engine.memory.versions import at_least, version_key
from engine.messages import Name, msg

Array = npt.NDArray[np.float64]
Number = float | Array

_RULES: Final = Path(__file__).resolve().parents[2] / "assets" / "calibration" / "memory_cache.csv"

KV_BYTES: Final[Mapping[str, float]] = MappingProxyType(
    {
        "f32": 4.0, "f16": 2.0, "bf16": 2.0, "fp8": 1.0, "q8_0": 34 / 32, "q5_1": 24 / 32, "q5_0": 22 / 32, "q4_1": 20 / 32,
        "q4_0": 18 / 32, "nvfp4": 36 / 64,
    }
)  # fmt: skip
"""KV format -> bytes an element, block scales included (gguf.constants; NVFP4 with an FP8 scale for 16)."""
_INDEXER_BYTES: Final = (128 + 4) / 128
"""Sparse-attention keys: FP8 with one FP32 scale for 128 (DeepSeek-V3.2), whatever the KV format."""
_GROWING: Final = frozenset({"full", "sliding", "chunked", "latent", "compressed", "indexer"})


@frozen
class CacheRule:
    """How an engine, from some version on, allocates the cache."""

    id: str
    engine: str
    since: str
    window_rule: str
    """full (windows ignored), window, window_and_batch (llama.cpp), window_and_chunk (vLLM)"""
    page_tokens: int
    """Tokens are claimed in whole pages."""
    pad_tokens: int
    """The context is padded to a multiple."""
    layer_groups: bool
    """Layers of different kinds share pages in groups of equal size; short groups are padded (vLLM)."""
    separate_mla_value: bool
    state_in_page: bool
    """A linear layer's state takes a page, which the attention pages are stretched to."""


@frozen
class CachePlan:
    """What besides the model decides the size of the cache on one device."""

    rule: CacheRule
    kv_format: str
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    chunk_tokens: int = 8192
    """Prompt tokens a step may take in (vLLM max_num_batched_tokens)."""
    batch_tokens: int = 512
    """llama.cpp's micro-batch."""


@lru_cache(maxsize=256)
def cache_rule(engine_id: str, version: str) -> CacheRule:
    """The newest rule of that engine not younger than the version (an empty version means the newest); else the model's own."""
    fitting = [r for r in _rules() if r.engine == engine_id and (not version or at_least(version, r.since))]
    return max(fitting, key=lambda r: version_key(r.since), default=next(r for r in _rules() if r.engine == "*"))


def kv_cache_bytes(model: Model, plan: CachePlan, context_tokens: npt.ArrayLike, sequences: npt.ArrayLike) -> Array:
    """Bytes on one device for `sequences` sequences of `context_tokens` each (sequences may be fractions: a pool's share).

    Raises Refused when the model's layers are not published.
    """
    if not model.cache_groups:
        raise Refused(msg("memory.refused.shape_unpublished", model=Name("model", model.id)))
    tokens, count = np.asarray(context_tokens, np.float64), np.asarray(sequences, np.float64)
    per_sequence = np.zeros(np.broadcast(tokens, count).shape)
    for group in model.cache_groups:
        per_sequence = per_sequence + group_bytes(model, group, plan, tokens)
    return per_sequence * count


def group_bytes(model: Model, group: CacheGroup, plan: CachePlan, context_tokens: npt.ArrayLike) -> Array:
    """Bytes one sequence leaves in one group of layers on one device (the fullest pipeline stage)."""
    tokens = np.asarray(context_tokens, np.float64)
    layers = stage_layers(allocated_layers(model, group, plan), plan.pipeline_parallel)
    if group.kind == "state":
        heads = max(plan.tensor_parallel, 1)
        return np.zeros_like(tokens) + layers * _state_bytes(model, group, plan) / heads
    if group.kind not in _GROWING:
        return np.zeros_like(tokens)
    return layers * cached_tokens(model, group, plan, tokens) * token_bytes(group, plan)


def stage_layers(layers: float, pipeline_parallel: int) -> float:
    """Layers of a kind on the fullest stage."""
    return float(math.ceil(layers / pipeline_parallel)) if pipeline_parallel > 1 else float(layers)


def token_bytes(group: CacheGroup, plan: CachePlan) -> float:
    """Bytes a cached token takes in one layer on one device: KV heads split over the ranks and repeated where they are fewer."""
    width = KV_BYTES[plan.kv_format]
    if group.kind == "latent":
        latent = group.latent_dim * (2 if plan.rule.separate_mla_value else 1)
        return latent * width
    if group.kind == "indexer":
        return group.latent_dim * _INDEXER_BYTES
    heads = max(math.ceil(group.n_kv_heads / plan.tensor_parallel), 1)
    return heads * (group.key_dim + group.value_dim) * width


def cached_tokens(model: Model, group: CacheGroup, plan: CachePlan, tokens: Array) -> Array:
    """Tokens one layer of the group holds for a sequence of that many."""
    rule = plan.rule
    length = _round_up(tokens, rule.pad_tokens)
    if group.kind in ("sliding", "chunked") and group.window_tokens and rule.window_rule != "full":
        extra = {"window": 0, "window_and_batch": plan.batch_tokens, "window_and_chunk": plan.chunk_tokens - 1}
        reach = _round_up(np.asarray(group.window_tokens + extra[rule.window_rule], np.float64), rule.pad_tokens)
        length = np.minimum(length, reach)
    if group.compression != 1.0:
        length = np.ceil(length * group.compression)
    return _round_up(length, page_tokens(model, plan) if group.kind in ("full", "latent") else rule.page_tokens)


@lru_cache(maxsize=4096)
def page_tokens(model: Model, plan: CachePlan) -> int:
    """Tokens of a page: stretched until a page of attention is as large as a linear layer's state, where they share pages."""
    rule = plan.rule
    states = [g.state_bytes / plan.tensor_parallel for g in model.cache_groups if g.kind == "state"]
    widths = [token_bytes(g, plan) for g in model.cache_groups if g.kind in ("full", "latent")]
    if not rule.state_in_page or not states or not widths or not max(states):
        return rule.page_tokens
    return rule.page_tokens * math.ceil(max(states) / min(widths) / rule.page_tokens)


def _state_bytes(model: Model, group: CacheGroup, plan: CachePlan) -> float:
    """State of a layer (all ranks together); at least a page where it lies in one."""
    widths = [token_bytes(g, plan) for g in model.cache_groups if g.kind in ("full", "latent")]
    if not plan.rule.state_in_page or not widths:
        return group.state_bytes
    return page_tokens(model, plan) * min(widths) * plan.tensor_parallel


@lru_cache(maxsize=8192)
def allocated_layers(model: Model, group: CacheGroup, plan: CachePlan) -> int:
    """Layers the engine allocates for: with page groups, rounded up to whole groups (vLLM: as many layers as the rarest kind has,
    or all where the kinds are nearly as many)."""
    counts = [g.n_layers for g in model.cache_groups if g.kind in ("full", "latent", "sliding", "chunked", "state")]
    paged = group.kind in ("full", "latent", "sliding", "chunked", "state")
    if not plan.rule.layer_groups or len(counts) < 2 or not paged:
        return group.n_layers
    rarest, most = min(counts), max(counts)
    size = most if most < 1.25 * rarest else rarest
    return math.ceil(group.n_layers / size) * size


def max_context_tokens(model: Model, plan: CachePlan, room_bytes: float, sequences: float, limit: int) -> int:
    """The longest context at which that many sequences fit in `room_bytes`: by bisection, since the cache is no straight line."""
    if room_bytes <= 0 or float(kv_cache_bytes(model, plan, 1, sequences)) > room_bytes:
        return 0
    low, high = 1, max(limit, 1)
    while low < high:
        middle = (low + high + 1) // 2
        if float(kv_cache_bytes(model, plan, middle, sequences)) <= room_bytes:
            low = middle
        else:
            high = middle - 1
    return low


def _round_up(tokens: Array, step: float) -> Array:
    rounded: Array = np.ceil(tokens / step) * step
    return rounded


@lru_cache(maxsize=1)
def _rules() -> tuple[CacheRule, ...]:
    problems: list[Any] = []
    rules = read_rows(_RULES, _rule, problems)
    if problems:
        raise DamagedDocument(msg("error.cannot_read", path=str(_RULES), why=str(problems[0])))
    return tuple(rules)


def _rule(row: Row) -> CacheRule:
    row.source()
    return CacheRule(
        id=row.required("id"),
        engine=row.required("engine"),
        since=row.text("since"),
        window_rule=row.required("window_rule"),
        page_tokens=row.whole("page_tokens", 1) or 1,
        pad_tokens=row.whole("pad_tokens", 1) or 1,
        layer_groups=bool(row.truth("layer_groups")),
        separate_mla_value=bool(row.truth("separate_mla_value")),
        state_in_page=bool(row.truth("state_in_page")),
    )
