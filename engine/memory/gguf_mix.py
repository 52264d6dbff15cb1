"""Which block type llama.cpp's quantiser gives to which tensor, and how many bytes a row takes in it.

The names of GGUF mixes ("Q4_K_M") say how the bulk of the weights is stored; the quantiser gives more bits to the value
projections, to the down projections of some layers, to the head and to the embedding, and falls back to a wider type where a row
is no multiple of the block. Rules as in ggml-org/llama.cpp src/llama-quant.cpp (2026); block sizes as in gguf.constants.
IQ mixes are taken as made with an importance matrix (they need one), the others without.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import frozen

BLOCKS: Final[dict[str, tuple[int, int]]] = {
    "F32": (1, 4), "F16": (1, 2), "BF16": (1, 2), "Q4_0": (32, 18), "Q4_1": (32, 20), "Q5_0": (32, 22), "Q5_1": (32, 24),
    "Q8_0": (32, 34), "Q2_K": (256, 84), "Q3_K": (256, 110), "Q4_K": (256, 144), "Q5_K": (256, 176), "Q6_K": (256, 210),
    "IQ1_S": (256, 50), "IQ1_M": (256, 56), "IQ2_XXS": (256, 66), "IQ2_XS": (256, 74), "IQ2_S": (256, 82),
    "IQ3_XXS": (256, 98), "IQ3_S": (256, 110), "IQ4_NL": (32, 18), "IQ4_XS": (256, 136), "MXFP4": (32, 17), "NVFP4": (64, 36),
}  # fmt: skip
"""Type -> elements of a block, bytes of a block."""

BULK: Final[dict[str, str]] = {
    "q2_k": "Q2_K", "q2_k_s": "Q2_K", "q3_k_s": "Q3_K", "q3_k_m": "Q3_K", "q3_k_l": "Q3_K", "q4_0": "Q4_0", "q4_1": "Q4_1",
    "q4_k_s": "Q4_K", "q4_k_m": "Q4_K", "q5_0": "Q5_0", "q5_1": "Q5_1", "q5_k_s": "Q5_K", "q5_k_m": "Q5_K", "q6_k": "Q6_K",
    "q8_0": "Q8_0", "iq1_s": "IQ1_S", "iq1_m": "IQ1_M", "iq2_xxs": "IQ2_XXS", "iq2_xs": "IQ2_XS", "iq2_s": "IQ2_XS",
    "iq2_m": "IQ2_S", "iq3_xxs": "IQ3_XXS", "iq3_xs": "IQ3_S", "iq3_s": "IQ3_S", "iq3_m": "IQ3_S", "iq4_xs": "IQ4_XS",
    "iq4_nl": "IQ4_NL", "fp32": "F32", "fp16": "F16", "bf16": "BF16",
}  # fmt: skip
"""Mix -> type of the bulk."""

_FALLBACK: Final = {
    **dict.fromkeys(("IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ4_XS"), "IQ4_NL"),
    "Q2_K": "Q4_0", "Q3_K": "Q4_0", "Q4_K": "Q5_0", "Q5_K": "Q5_1", "Q6_K": "Q8_0",
}  # fmt: skip
_TWO_BIT: Final = frozenset({"iq1_s", "iq1_m", "iq2_xxs", "iq2_xs", "iq2_s", "iq2_m"})
_WIDER_TWO_BIT: Final = frozenset({"iq2_s", "iq2_m"})
_KEPT_F32: Final = frozenset({"vector", "router", "conv", "ssm_small", "position_embedding"})
_FIVE_BIT_OUT: Final = frozenset(
    {"q2_k", "iq3_xs", "iq3_xxs", "q3_k_s", "q3_k_m", "iq4_nl", "q4_k_s", "q4_k_m", "iq3_s", "iq3_m", "iq4_xs"}
)


@frozen
class MixShape:
    """What of a model the quantiser looks at."""

    n_layers: int
    queries_per_key: float
    n_experts: int
    tied: bool
    is_70b: bool
    """Eighty layers: the class whose value projections get more bits."""
    is_falcon: bool


def more_bits(layer: int, n_layers: int) -> bool:
    """The layers whose value and down projections get more bits: first and last eighth, and every third between."""
    eighth = n_layers // 8
    return layer < eighth or layer >= 7 * n_layers // 8 or (layer - eighth) % 3 == 2


def row_bytes(block_type: str, cols: int) -> float:
    """Bytes of a row of `cols` elements, after the fallback for rows that are no multiple of the block."""
    chosen = block_type
    if cols % BLOCKS[chosen][0]:
        chosen = _FALLBACK.get(chosen, "F16")
        if cols % BLOCKS[chosen][0]:
            chosen = "F16"
    block, size = BLOCKS[chosen]
    return cols / block * size


def types_by_layer(mix: str, kind: str, layers: int, first_layer: int, shape: MixShape) -> Iterator[str]:
    """The block type of each of a kind's tensors, layer by layer (one entry outside the layers)."""
    for index in range(max(layers, 1)):
        yield block_type(mix, kind, index, max(layers, 1), first_layer + index, shape)


def block_type(mix: str, kind: str, index: int, count: int, layer: int, shape: MixShape) -> str:
    """The block type of one tensor: the `index`-th of `count` of its kind, in that layer."""
    bulk = BULK[mix]
    if kind in _KEPT_F32:
        return "F32"
    if bulk in ("F32", "F16", "BF16"):
        return bulk
    if kind == "lm_head" or (kind == "token_embedding" and shape.tied):
        return _head(mix, bulk, shape)
    if kind in ("token_embedding", "per_layer_embedding"):
        return _embedding(mix, bulk)
    if mix in _TWO_BIT:
        return _two_bit(mix, bulk, kind, layer, shape)
    if kind.startswith(("attention_", "linear_")):
        return _attention(mix, bulk, kind, index, count, shape)
    return _feed_forward(mix, bulk, kind.rsplit("_", 1)[-1], layer, shape)


def _attention(mix: str, bulk: str, kind: str, index: int, count: int, shape: MixShape) -> str:
    if kind in ("attention_v", "attention_qkv", "linear_qkv"):
        return _value(mix, bulk, index, count, shape)
    if kind in ("attention_k", "attention_q"):
        return _query_key(mix, bulk, kind, shape)
    return _attention_output(mix, bulk, shape) if kind == "attention_output" else bulk


def _feed_forward(mix: str, bulk: str, part: str, layer: int, shape: MixShape) -> str:
    if part == "down":
        return _down(mix, bulk, layer, shape)
    middle = shape.n_layers // 8 <= layer < 7 * shape.n_layers // 8
    return "IQ3_XXS" if mix == "iq3_xs" and part in ("gate", "up") and middle else bulk


def _head(mix: str, bulk: str, shape: MixShape) -> str:
    if shape.is_falcon or bulk == "Q8_0":
        return "Q8_0"
    return "Q5_K" if mix in _TWO_BIT or mix == "iq3_xxs" else "Q6_K"


def _embedding(mix: str, bulk: str) -> str:
    if mix in ("iq2_xxs", "iq2_xs", "iq1_s", "iq1_m"):
        return "Q2_K"
    return "IQ3_S" if mix in ("iq2_s", "iq2_m", "iq3_xxs") else bulk


def _two_bit(mix: str, bulk: str, kind: str, layer: int, shape: MixShape) -> str:
    more = "IQ3_S" if mix in _WIDER_TWO_BIT else "Q2_K"
    if kind in ("attention_v", "attention_qkv", "linear_qkv"):
        return "Q4_K" if shape.queries_per_key >= 4 or shape.n_experts >= 4 else more
    if kind == "attention_k" and shape.n_experts == 8:
        return "Q4_K"
    if kind.endswith("_down"):
        return more if layer < shape.n_layers // 8 else bulk
    if kind == "attention_output":
        if shape.n_experts == 8:
            return "Q5_K"
        return {"iq1_s": "IQ2_XXS", "iq1_m": "IQ2_XXS", "iq2_s": "IQ3_S", "iq2_m": "IQ3_S"}.get(mix, bulk)
    return bulk


def _value(mix: str, bulk: str, index: int, count: int, shape: MixShape) -> str:
    grouped = shape.queries_per_key >= 4
    chosen = bulk
    if mix == "q2_k":
        chosen = "Q4_K" if grouped else "Q3_K"
    elif mix == "iq3_xxs":
        chosen = "Q4_K" if grouped else "IQ3_XXS"
    elif mix == "iq3_m" or (mix in ("q2_k_s", "iq3_xs", "iq3_s") and grouped):
        chosen = "Q4_K"
    elif mix == "q3_k_m":
        chosen = "Q5_K" if index < 2 else "Q4_K"
    elif mix == "q3_k_l" or (mix in ("iq4_nl", "iq4_xs") and grouped):
        chosen = "Q5_K"
    elif mix in ("q4_k_m", "q5_k_m") and more_bits(index, count):
        chosen = "Q6_K"
    elif mix == "q4_k_s" and index < 4:
        chosen = "Q5_K"
    if shape.is_70b and chosen in ("Q3_K", "Q4_K"):
        chosen = "Q5_K"
    return "Q8_0" if shape.n_experts == 8 else chosen


def _query_key(mix: str, bulk: str, kind: str, shape: MixShape) -> str:
    if kind == "attention_k" and shape.n_experts == 8:
        return "Q8_0"
    return {"iq3_xs": "IQ3_XXS", "iq3_xxs": "IQ2_S"}.get(mix, bulk)


def _attention_output(mix: str, bulk: str, shape: MixShape) -> str:
    if shape.is_falcon:
        return "Q4_K" if mix == "q3_k_l" else bulk
    if shape.n_experts == 8:
        return "Q5_K" if mix in _FIVE_BIT_OUT else bulk
    return {"q2_k": "Q3_K", "iq3_xxs": "IQ3_S", "q3_k_m": "Q4_K", "q3_k_l": "Q5_K", "iq3_m": "Q4_K"}.get(mix, bulk)


def _down(mix: str, bulk: str, layer: int, shape: MixShape) -> str:
    early, more = layer < shape.n_layers // 8, more_bits(layer, shape.n_layers)
    if mix == "q3_k_m":
        if layer < shape.n_layers // 16:
            return "Q5_K"
        return "Q4_K" if not shape.is_falcon or more else "Q3_K"
    if mix == "q4_k_m" and shape.is_falcon:
        return "Q6_K" if layer < shape.n_layers // 16 else "Q5_K" if more else "Q4_K"
    wider = {
        "q2_k": ("Q3_K", True),
        "q2_k_s": ("Q4_K", early),
        "iq3_m": ("Q4_K", early or (shape.n_experts == 8 and more)),
        "q3_k_l": ("Q4_K" if shape.is_falcon else "Q5_K", True),
        "q4_k_m": ("Q6_K", more),
        "q5_k_m": ("Q6_K", more),
        "q4_k_s": ("Q5_K", early and not shape.is_falcon),
    }
    chosen, applies = wider.get(mix, (bulk, False))
    return chosen if applies else bulk
