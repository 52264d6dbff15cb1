"""What every kernel must give, in NumPy: the judge of the tests without a GPU and of each run on one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint32]
Array = npt.NDArray[Any]

MASK: Final = (1 << 20) - 1
"""Period of the random data in elements: the sum of an array is known from one period."""


def mixed(x: Words) -> Words:
    """The hash of fill.cu, modulo 2^32."""
    x = x.astype(np.uint32)
    x = x ^ (x >> np.uint32(16))
    x = (x.astype(np.uint64) * 0x7FEB352D).astype(np.uint32)
    x = x ^ (x >> np.uint32(15))
    x = (x.astype(np.uint64) * 0x846CA68B).astype(np.uint32)
    return x ^ (x >> np.uint32(16))


def _seeded(index: Array, mask: int, seed: int) -> Words:
    return mixed(((index.astype(np.uint64) & mask).astype(np.uint32)) ^ np.uint32(seed))


def fill_uniform(index: Array, mask: int, seed: int) -> Floats:
    """Values of fill_uniform at these indices."""
    return ((_seeded(index, mask, seed) >> np.uint32(8)) * 2.0**-24).astype(np.float32)


def fill_bits(index: Array, mask: int, seed: int, keep: int, bits: int) -> Words:
    """Words of fill_bits at these indices."""
    return (_seeded(index, mask, seed) & np.uint32(keep)) | np.uint32(bits)


def uniform_sum(count: int, mask: int, seed: int) -> float:
    """Sum of the first `count` values of fill_uniform, from one period."""
    period = fill_uniform(np.arange(min(count, mask + 1)), mask, seed).astype(np.float64)
    whole, rest = divmod(count, mask + 1)
    return float(whole * period.sum() + period[:rest].sum()) if whole else float(period.sum())


def stream_write(count4: int, value: float) -> Floats:
    """All elements stream_write leaves, four a step."""
    base = np.float32(value) + (np.arange(count4) & 1023).astype(np.float32)
    return (base[:, None] + np.array([0, 0.25, 0.5, 0.75], np.float32)).astype(np.float32).ravel()


def shared_read(rounds: int, seed: Floats, threads: int) -> npt.NDArray[np.float64]:
    """Sum of each thread of one block; seed: 1024 x 4."""
    cells = seed.reshape(1024, 4).astype(np.float64).sum(axis=1)
    thread = np.arange(threads)[:, None, None]
    at = (thread + (np.arange(rounds)[None, :, None] << 3) + (np.arange(8)[None, None, :] << 7)) & 1023
    return np.asarray(cells[at].sum(axis=(1, 2)), np.float64)


def shared_stride(rounds: int, stride: int, seed: Floats, threads: int) -> npt.NDArray[np.float64]:
    """Sum of each thread of one block; seed: 2048."""
    thread = np.arange(threads)
    start = (thread & 31) * stride + (thread >> 5) * 4
    at = (start[:, None, None] + np.arange(rounds)[None, :, None] + np.array([0, 256, 512, 768])[None, None, :]) & 2047
    return np.asarray(seed.astype(np.float64)[at].sum(axis=(1, 2)), np.float64)


def divergence(paths: int, rounds: int, a: Floats) -> npt.NDArray[np.float64]:
    """Result of every thread; a lane's path is its lane number modulo `paths`."""
    scale = 0.5 + 0.0078125 * ((np.arange(a.size) & 31) % paths)
    x = a.astype(np.float64)
    y = x + 0.5
    for _ in range(rounds):
        x = (x * scale + 0.25) * scale + 0.0625
        y = (y * scale + 0.125) * scale + 0.03125
    return np.asarray(x + y, np.float64)


def fma_chains(rounds: int, scale: float, shift: float, a: Floats) -> npt.NDArray[np.float64]:
    """Sum of the eight chains of every thread."""
    x = a.astype(np.float64)[:, None] + np.arange(8)
    for _ in range(rounds):
        x = x * float(np.float32(scale)) + float(np.float32(shift))
    return np.asarray(x.sum(axis=1), np.float64)


def bf16_pairs(words: Words) -> npt.NDArray[np.float64]:
    """Two BF16 a word, low half first; the last axis doubles."""
    halves = np.stack([words << np.uint32(16), words & np.uint32(0xFFFF0000)], axis=-1)
    return halves.view(np.float32).astype(np.float64).reshape(*words.shape[:-1], -1)


def fp16_pairs(words: Words) -> npt.NDArray[np.float64]:
    return np.ascontiguousarray(words).view(np.float16).astype(np.float64)


def tf32(words: Words) -> npt.NDArray[np.float64]:
    return np.ascontiguousarray(words).view(np.float32).astype(np.float64)


def int8(words: Words) -> npt.NDArray[np.float64]:
    return np.ascontiguousarray(words).view(np.int8).astype(np.float64)


def nibbles(words: Words) -> npt.NDArray[np.int64]:
    """Eight 4-bit values a word, lowest first, unsigned."""
    shifts = np.arange(0, 32, 4, dtype=np.uint32)
    return ((words[..., None] >> shifts) & np.uint32(15)).astype(np.int64).reshape(*words.shape[:-1], -1)


def int4(words: Words) -> npt.NDArray[np.float64]:
    raw = nibbles(words)
    return np.where(raw > 7, raw - 16, raw).astype(np.float64)


_E2M1: Final = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def fp4(words: Words) -> npt.NDArray[np.float64]:
    return np.asarray(_E2M1[nibbles(words)], np.float64)


def fp8(words: Words) -> npt.NDArray[np.float64]:
    """E4M3: bias 7, no infinities, 0x7f and 0xff not a number."""
    raw = np.ascontiguousarray(words).view(np.uint8).astype(np.int64)
    exponent, mantissa = (raw >> 3) & 15, raw & 7
    value = np.where(exponent == 0, mantissa * 2.0**-9, (8 + mantissa) * 2.0 ** (exponent - 10.0))
    value = np.where((raw & 127) == 127, np.nan, value)
    return np.where(raw & 128, -value, value)


DECODE: Final[Mapping[str, Any]] = MappingProxyType(
    {"bf16": bf16_pairs, "fp16": fp16_pairs, "tf32": tf32, "fp8": fp8, "int8": int8, "int4": int4, "fp4": fp4}
)
BITS: Final[Mapping[str, int]] = MappingProxyType(
    {"bf16": 16, "fp16": 16, "tf32": 32, "fp8": 8, "int8": 8, "int4": 4, "fp4": 4}
)
PATTERN: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "bf16": (0x80FF80FF, 0x3F003F00),
        "fp16": (0x87FF87FF, 0x38003800),
        "tf32": (0x80FFE000, 0x3F000000),
        "fp8": (0x8F8F8F8F, 0x30303030),
        "int8": (0xFFFFFFFF, 0),
        "int4": (0xFFFFFFFF, 0),
        "fp4": (0xFFFFFFFF, 0),
    }
)
"""(keep, set) for fill_bits: floating-point values of both signs between 0.5 and 2, integers of the whole range."""


def matrix(precision: str, rows: int, words: int, seed: int) -> Words:
    """Random rows of packed values."""
    keep, bits = PATTERN[precision]
    return fill_bits(np.arange(rows * words), 0xFFFFFFFF, seed, keep, bits).reshape(rows, words)


def product(precision: str, a: Words, b: Words, rounds: int) -> npt.NDArray[np.float64]:
    """rounds x A B^T of packed rows, in double precision."""
    decode = DECODE[precision]
    return np.asarray(rounds * (decode(a) @ decode(b).T), np.float64)


def gemv_int4(w: Words, scale: Floats, x: npt.NDArray[np.int8], x_scale: Floats) -> npt.NDArray[np.float64]:
    """y of gemv_int4 for these rows. w: rows x columns / 8 words; within a word the low nibbles of its bytes come first."""
    raw = np.ascontiguousarray(w).view(np.uint8).astype(np.int64).reshape(*w.shape, 4)
    weights = np.concatenate([raw & 15, raw >> 4], axis=-1).reshape(w.shape[0], -1) - 8
    groups = weights.reshape(w.shape[0], -1, 32)
    dots = (groups * x.astype(np.int64).reshape(1, -1, 32)).sum(axis=2)
    return np.asarray((dots * scale.astype(np.float64) * x_scale.astype(np.float64)).sum(axis=1), np.float64)


def close(found: Array, wanted: Array, relative: float) -> bool:
    """Finite, and within `relative` of the largest wanted value everywhere."""
    if found.shape != wanted.shape or not np.all(np.isfinite(found)):
        return False
    largest = float(np.max(np.abs(wanted))) or 1.0
    return bool(np.max(np.abs(found.astype(np.float64) - wanted)) <= relative * largest)
