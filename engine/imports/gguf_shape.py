"""The shape a GGUF header states: per-layer metadata first, then which tensors each layer really has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from attrs import evolve

from engine.catalogue.rows import CacheGroup
from engine.imports.gguf_header import ArraySize, GgufHeader
from engine.imports.limits import CONTEXT, EXPERTS, LAYERS, VOCABULARY, WIDTH, refuse, whole
from engine.imports.names import layer_of
from engine.imports.shape import LinearShape, Shape, cache_groups_of

FILE_TYPES: Final[Mapping[int, str]] = MappingProxyType(
    {
        0: "fp32", 1: "fp16", 2: "q4_0", 3: "q4_1", 7: "q8_0", 8: "q5_0", 9: "q5_1", 10: "q2_k", 11: "q3_k_s", 12: "q3_k_m",
        13: "q3_k_l", 14: "q4_k_s", 15: "q4_k_m", 16: "q5_k_s", 17: "q5_k_m", 18: "q6_k", 19: "iq2_xxs", 20: "iq2_xs",
        21: "q2_k_s", 22: "iq3_xs", 23: "iq3_xxs", 24: "iq1_s", 25: "iq4_nl", 26: "iq3_s", 27: "iq3_m", 28: "iq2_s", 29: "iq2_m",
        30: "iq4_xs", 31: "iq1_m", 32: "bf16", 38: "mxfp4",
    }
)  # fmt: skip
"""general.file_type -> weight format."""
_PERIOD: Final[Mapping[str, int]] = MappingProxyType(
    {"gemma2": 2, "gemma3": 6, "gemma3n": 5, "gpt-oss": 2, "cohere2": 4, "exaone4": 4, "llama4": 4, "olmo2": 4}
)
"""Architecture -> one full layer in how many, where the file lists none."""
_CHUNKED: Final = frozenset({"llama4"})


class _Metadata:
    """A header's keys under its architecture's name."""

    def __init__(self, header: GgufHeader, path: Path) -> None:
        self._cells, self._path = header.metadata, path
        stated = self._cells.get("general.architecture")
        if not isinstance(stated, str) or not stated or len(stated) > 64:
            raise refuse("import.no_architecture", path)
        self.architecture = stated

    def raw(self, key: str) -> Any:
        return self._cells.get(f"{self.architecture}.{key}")

    def number(self, key: str, high: int, low: int = 0) -> int:
        """A whole number, 0 where it is not given; of one value a layer, the largest."""
        value = self.raw(key)
        if value is None:
            return 0
        if isinstance(value, tuple):
            counted = [whole(v, low, high) for v in value] or [0]
            if all(v is not None for v in counted):
                return max(v for v in counted if v is not None)
        found = whole(value, low, high)
        if found is None:
            raise refuse("import.impossible_value", self._path, name=key, value=str(value)[:40])
        return found

    def per_layer(self, key: str, layers: int) -> tuple[int, ...] | None:
        """One value a layer, where the file gives them so."""
        value = self.raw(key)
        if not isinstance(value, tuple) or len(value) != layers:
            return None
        return tuple(int(v) for v in value)


def shape_of_gguf(header: GgufHeader, path: Path) -> tuple[Shape, tuple[CacheGroup, ...]]:
    """The shape, and how its layers keep their past. Raises DamagedDocument for impossible values."""
    cells = _Metadata(header, path)
    layers = cells.number("block_count", LAYERS, 1)
    if not layers:
        raise refuse("import.no_architecture", path)
    shape = _plain_shape(cells, header, layers, path)
    shape = _layers(shape, cells, header)
    heads = cells.per_layer("attention.head_count_kv", layers)
    return shape, _groups(shape, cells, heads)


def _plain_shape(cells: _Metadata, header: GgufHeader, layers: int, path: Path) -> Shape:
    hidden, heads = cells.number("embedding_length", WIDTH, 1), cells.number("attention.head_count", WIDTH)
    latent = cells.number("attention.kv_lora_rank", WIDTH)
    stated = cells.number("attention.key_length_swa", WIDTH) or cells.number("attention.key_length", WIDTH)
    head_dim = cells.number("attention.key_length_mla", WIDTH) or stated or (hidden // heads if heads else 0)
    experts = cells.number("expert_count", EXPERTS)
    width = cells.number("expert_feed_forward_length", WIDTH)
    dense = cells.number("feed_forward_length", WIDTH)
    if experts and not width:
        width, dense = dense, 0
    name = header.metadata.get("general.name")
    return Shape(
        name=name[:120] if isinstance(name, str) and name.strip() else path.stem,
        architecture=cells.architecture,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=cells.number("attention.head_count_kv", WIDTH) or heads,
        head_dim=head_dim,
        value_dim=0
        if latent
        else cells.number("attention.value_length_swa", WIDTH) or cells.number("attention.value_length", WIDTH),
        intermediate=dense,
        vocabulary=_vocabulary(cells, header),
        tied=not any(t.name == "output.weight" for t in header.tensors.tensors),
        window=cells.number("attention.sliding_window", CONTEXT) or cells.number("attention.chunk_size", CONTEXT),
        chunked=cells.architecture in _CHUNKED,
        shared_layers=min(cells.number("attention.shared_kv_layers", LAYERS), layers - 1),
        latent=latent,
        rope_dim=cells.number("rope.dimension_count", WIDTH) if latent else 0,
        indexer_dim=cells.number("attention.indexer.key_length", WIDTH),
        experts=experts,
        experts_per_token=min(cells.number("expert_used_count", EXPERTS), experts),
        shared_experts=cells.number("expert_shared_count", EXPERTS) if experts else 0,
        expert_width=width if experts else 0,
        dense_layers=min(cells.number("leading_dense_block_count", LAYERS), layers) if experts else 0,
        context=cells.number("context_length", CONTEXT),
    )


def _vocabulary(cells: _Metadata, header: GgufHeader) -> int:
    table = next((t for t in header.tensors.tensors if t.name == "token_embd.weight" and len(t.shape) == 2), None)
    if table is not None and table.shape[0] <= VOCABULARY:
        return table.shape[0]
    tokens = header.metadata.get("tokenizer.ggml.tokens")
    return tokens.length if isinstance(tokens, ArraySize) else cells.number("vocab_size", VOCABULARY)


def _layers(shape: Shape, cells: _Metadata, header: GgufHeader) -> Shape:
    """Which layers attend and which are linear, by the tensors they have."""
    parts: defaultdict[int, set[str]] = defaultdict(set)
    for tensor in header.tensors.tensors:
        layer = layer_of(tensor.name)
        if layer is not None and layer < shape.layers:
            parts[layer].add(tensor.name.split(".")[2])
    linear = sum(any(p.startswith(("ssm_", "shortconv")) for p in names) for names in parts.values())
    attending = sum(_attends(names) for names in parts.values()) or shape.layers - linear
    windowed = _windowed(shape, cells, attending)
    channels = cells.number("ssm.inner_size", WIDTH)
    state = cells.number("ssm.state_size", WIDTH)
    groups = cells.number("ssm.group_count", WIDTH)
    kda = cells.number("kda.head_dim", WIDTH)
    shaped = LinearShape(channels * state, channels + 2 * groups * state, cells.number("ssm.conv_kernel", WIDTH))
    if kda:
        shaped = LinearShape(shape.heads * kda * kda, 3 * shape.heads * kda, cells.number("ssm.conv_kernel", WIDTH))
    return evolve(
        shape, full_layers=attending - windowed, windowed_layers=windowed, linear_layers=linear, linear=shaped
    )


def _attends(names: set[str]) -> bool:
    linear = any(name.startswith("ssm_") for name in names)
    return (
        bool(names & {"attn_k", "attn_kv_a_mqa"})
        or ("attn_qkv" in names and not linear)
        or ("attn_q" in names and not linear)
    )


def _windowed(shape: Shape, cells: _Metadata, attending: int) -> int:
    if not shape.window:
        return 0
    pattern = cells.per_layer("attention.sliding_window_pattern", shape.layers)
    if pattern is not None:
        return min(sum(bool(p) for p in pattern), attending)
    stated = cells.raw("attention.sliding_window_pattern")
    period = (
        stated
        if isinstance(stated, int) and not isinstance(stated, bool) and stated > 1
        else _PERIOD.get(shape.architecture, 0)
    )
    return attending - attending // period if period else attending


def _groups(shape: Shape, cells: _Metadata, heads: tuple[int, ...] | None) -> tuple[CacheGroup, ...]:
    """Groups of the cache; where KV heads differ by layer, full and windowed layers are told apart by the pattern."""
    pattern = cells.per_layer("attention.sliding_window_pattern", shape.layers)
    wide = cells.number("attention.key_length", WIDTH)
    if heads is None or pattern is None or not shape.windowed_layers:
        return cache_groups_of(shape)
    owners = shape.layers - shape.shared_layers
    full = [h for i, (h, p) in enumerate(zip(heads, pattern, strict=True)) if not p and h and i < owners]
    windowed = [h for i, (h, p) in enumerate(zip(heads, pattern, strict=True)) if p and h and i < owners]
    groups = []
    if full:
        groups.append(
            CacheGroup("full", len(full), max(full), wide or shape.head_dim, wide or shape.value_dim or shape.head_dim)
        )
    if windowed:
        values = shape.value_dim or shape.head_dim
        groups.append(CacheGroup("sliding", len(windowed), max(windowed), shape.head_dim, values, shape.window))
    if shape.shared_layers:
        groups.append(CacheGroup("shared", shape.shared_layers))
    return tuple(groups)
