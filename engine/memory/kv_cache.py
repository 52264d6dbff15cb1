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
from typing import Any, Final, NamedTuple

import numpy.typing as npt
from attrs import frozen

from engine.arithmetic import Number, least, number, rounded_up
from engine.catalogue.read import Row, read_rows
from engine.catalogue.rows import CacheGroup, Model
from engine.errors import DamagedDocument, Refused
from engine.memory.versions import at_least, version_key
from engine.messages import Name, msg

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


@frozen(cache_hash=True)
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
    served_states: bool
    """States are kept as servers do: convolutions in 16 bits."""


@frozen(cache_hash=True)
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
    """The newest rule of that engine that the version has reached, else the model's own.

    A version without a number ("nightly", "") is taken as the newest.
    """
    fitting = [
        r for r in _rules() if r.engine == engine_id and (not version_key(version) or at_least(version, r.since))
    ]
    return max(fitting, key=lambda r: version_key(r.since), default=next(r for r in _rules() if r.engine == "*"))


class CachedGroup(NamedTuple):
    """Layers of one kind as numbers."""

    token_bytes: float
    """Bytes a cached token takes, all layers of the group on the fullest stage."""
    reach: float
    """Tokens the group holds at most (infinite without a window)."""
    compression: float
    page: float


@frozen(eq=False)
class CacheKernel:
    """The cache of one device, an entry a group of growing layers."""

    groups: tuple[CachedGroup, ...]
    pad: float
    state_bytes: float
    """What a sequence keeps whatever its length."""

    def per_sequence(self, context_tokens: npt.ArrayLike) -> Number:
        """Bytes one sequence of that many tokens takes."""
        padded = rounded_up(number(context_tokens) / self.pad) * self.pad
        total: Number = self.state_bytes + 0.0 * padded
        for token, reach, compression, page in self.groups:
            entries = rounded_up(least(padded, reach) * compression)
            total = total + rounded_up(entries / page) * page * token
        return total

    def bytes(self, context_tokens: npt.ArrayLike, sequences: npt.ArrayLike) -> Number:
        """Bytes of `sequences` sequences of `context_tokens` each; the two broadcast."""
        return self.per_sequence(context_tokens) * number(sequences)

    @property
    def growth_bytes(self) -> float:
        """Bytes a token adds as long as no window is full."""
        return sum(group.token_bytes for group in self.groups)


def kv_cache_bytes(model: Model, plan: CachePlan, context_tokens: npt.ArrayLike, sequences: npt.ArrayLike) -> Number:
    """Bytes on one device for `sequences` sequences of `context_tokens` each (sequences may be fractions: a pool's share).

    Raises Refused when the model's layers are not published.
    """
    return cache_kernel(model, plan).bytes(context_tokens, sequences)


@lru_cache(maxsize=16384)
def cache_kernel(model: Model, plan: CachePlan) -> CacheKernel:
    """A model's cache under a plan, as numbers. Raises Refused when the model's layers are not published."""
    if not model.cache_groups:
        raise Refused(msg("memory.refused.shape_unpublished", model=Name("model", model.id)))
    rows, state = [], 0.0
    for group in model.cache_groups:
        layers = stage_layers(allocated_layers(model, group, plan), plan.pipeline_parallel)
        if group.kind == "state":
            state += layers * _state_bytes(model, group, plan) / max(plan.tensor_parallel, 1)
        elif group.kind in _GROWING:
            tokens = page_tokens(model, plan) if group.kind in ("full", "latent") else plan.rule.page_tokens
            width, reach = layers * token_bytes(group, plan), float(_reach(group, plan))
            rows.append(CachedGroup(float(width), reach, float(group.compression), float(tokens)))
    return CacheKernel(tuple(rows), float(plan.rule.pad_tokens), float(state))


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


def _reach(group: CacheGroup, plan: CachePlan) -> float:
    """Tokens a layer of the group holds at most, before compression."""
    rule = plan.rule
    if group.kind not in ("sliding", "chunked") or not group.window_tokens or rule.window_rule == "full":
        return math.inf
    extra = {"window": 0, "window_and_batch": plan.batch_tokens, "window_and_chunk": plan.chunk_tokens - 1}
    return math.ceil((group.window_tokens + extra[rule.window_rule]) / rule.pad_tokens) * rule.pad_tokens


@lru_cache(maxsize=4096)
def page_tokens(model: Model, plan: CachePlan) -> int:
    """Tokens of a page: stretched until a page of attention is as large as a linear layer's state, where they share pages."""
    rule = plan.rule
    states = [_own_state(g, plan) / plan.tensor_parallel for g in model.cache_groups if g.kind == "state"]
    widths = [token_bytes(g, plan) for g in model.cache_groups if g.kind in ("full", "latent")]
    if not rule.state_in_page or not states or not widths or not max(states):
        return rule.page_tokens
    return rule.page_tokens * math.ceil(max(states) / min(widths) / rule.page_tokens)


def _own_state(group: CacheGroup, plan: CachePlan) -> float:
    """A layer's state by itself, as the engine keeps it."""
    return group.served_state_bytes if plan.rule.served_states and group.served_state_bytes else group.state_bytes


def _state_bytes(model: Model, group: CacheGroup, plan: CachePlan) -> float:
    """State of a layer (all ranks together); at least a page where it lies in one."""
    widths = [token_bytes(g, plan) for g in model.cache_groups if g.kind in ("full", "latent")]
    if not plan.rule.state_in_page or not widths:
        return _own_state(group, plan)
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
        served_states=bool(row.truth("served_states")),
    )
