"""Arithmetic of the chips: how full a systolic array runs, how many LPUs a model needs, from when copying to a GPU pays.

Pure functions, numpy arrays welcome. Sources: the handbook's own worked numbers are their tests.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.catalogue.rows import Device

Array = npt.NDArray[np.float64]
Number = npt.ArrayLike

SMALL_TILE: Final = 128
LARGE_TILE: Final = 256
LARGE_TILE_TPUS: Final = frozenset({"google-tpu-v6e", "google-tpu-v7", "google-tpu-8t", "google-tpu-8i"})
"""Edge of the systolic array: 128 up to the fifth generation, 256 from the sixth on (TPU documentation, matrix unit)."""
ROW_STEP: Final = 8
"""Rows are padded to the eight sublanes of a vector register."""

ON_CHIP_SHARE: Final = (1.0, 0.9, 0.7)
"""Share of an LPU's memory left for weights and cache: all of it on paper, most of it, and with the program beside it."""

COPY_LATENCY_S: Final = 10e-6
LAUNCH_S: Final = 5e-6
"""Set-up of one copy over the bus and start of one kernel: microseconds, whatever the size (CUDA practice, assumed)."""
CPU_FLOP_PER_S: Final = 5e10
CPU_BYTES_PER_S: Final = 2e10
"""One core of a server CPU with vector units, and what one core draws from memory."""


def tile_of(device: Device) -> int:
    """Edge of a TPU's systolic array."""
    return LARGE_TILE if device.id in LARGE_TILE_TPUS else SMALL_TILE


def array_utilisation(rows: Number, inner: Number, columns: Number, tile: int) -> Array:
    """Share of a systolic array's multiply-adds that are not padding, for a product (rows x inner) by (inner x columns).

    Weights are padded to the array's edge in both directions, rows to eight; while rows flow through, the next weights move in,
    which takes as many beats as the array has rows. One row alone uses 1/128 of an array of 128; 100 x 100 weights fill 61 % of
    it and 15 % of one of 256.
    """
    m, k, n = (np.maximum(np.asarray(v, np.float64), 1.0) for v in (rows, inner, columns))

    def filled(length: Array, step: int) -> Array:
        padded: Array = length / (np.ceil(length / step) * step)
        return padded

    beats = np.maximum(np.ceil(m / ROW_STEP) * ROW_STEP, float(tile))
    share: Array = m / beats * filled(k, tile) * filled(n, tile)
    return share


def multiply_adds(rows: float, inner: float, columns: float) -> float:
    """Multiply-adds of a matrix product: 1,000 x 1,000 by 1,000 x 1,000 are 10^9."""
    return rows * inner * columns


LPU_LAYER_S: Final = (30e-6, 18e-6, 50e-6)
"""Time one layer adds to a token on LPUs, value, low, high: read off published services (70 B near 300 tokens/s, 8 B near 900)."""


def lpu_token_seconds(weight_bytes: float, bandwidth_bytes_per_s: float, layers: int) -> tuple[float, float, float]:
    """Seconds of a token on a line of LPUs (value, low, high): all weights read on chip, and each layer's own cost."""
    ideal = weight_bytes / bandwidth_bytes_per_s
    value, low, high = (ideal + layers * each for each in LPU_LAYER_S)
    return value, low, high


def lpu_chips(weight_bytes: float, cache_bytes: float, chip_bytes: float, share: float = 1.0) -> int:
    """Chips that together hold weights and cache in on-chip memory. 70 GB over 230 MB are 305."""
    return math.ceil((weight_bytes + cache_bytes) / (chip_bytes * share))


def seconds_per_token(weight_bytes: Number, bandwidth_bytes_per_s: Number) -> Array:
    """Ideal time of one token: all weights read once. 70 GB at 3 TB/s are 23.3 ms, at 80 TB/s 0.875 ms."""
    made: Array = np.asarray(weight_bytes, np.float64) / np.asarray(bandwidth_bytes_per_s, np.float64)
    return made


def gpu_seconds(elements: Number, bytes_per_element: float, flop_per_element: float, device: Device) -> Array:
    """Copy in, compute, copy back. The bus carries the bytes once each way; copies and the kernel cost their start."""
    n = np.asarray(elements, np.float64)
    link = device.host_link_bandwidth.value if device.host_link_bandwidth else 15.75e9
    rate = (device.fp32 or device.bf16 or device.fp16).value if (device.fp32 or device.bf16 or device.fp16) else 1e13  # type: ignore[union-attr]
    moved = 2 * n * bytes_per_element / link
    read = n * bytes_per_element / (device.bandwidth.value if device.bandwidth else 1e12)
    made: Array = 2 * COPY_LATENCY_S + LAUNCH_S + moved + np.maximum(n * flop_per_element / rate, read)
    return made


def cpu_seconds(elements: Number, bytes_per_element: float, flop_per_element: float) -> Array:
    """One core, no copy: as slow as its arithmetic or its memory, whichever takes longer."""
    n = np.asarray(elements, np.float64)
    made: Array = np.maximum(n * flop_per_element / CPU_FLOP_PER_S, n * bytes_per_element / CPU_BYTES_PER_S)
    return made


def copy_break_even(bytes_per_element: float, flop_per_element: float, device: Device) -> float | None:
    """Elements from which the GPU is faster although everything is copied there and back; None when it never is.

    Adding two lists (12 bytes, 1 operation an element) is bound by the bus and never pays; a matrix product soon does.
    """
    sizes = np.logspace(1, 12, 400)
    wins = gpu_seconds(sizes, bytes_per_element, flop_per_element, device) < cpu_seconds(
        sizes, bytes_per_element, flop_per_element
    )
    if not wins.any():
        return None
    first = int(np.argmax(wins))
    return float(sizes[first]) if wins[first:].all() else None


def product_break_even(
    device: Device, edges: tuple[int, ...] = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
) -> int | None:
    """Edge of a square matrix product from which the GPU is faster, copies included; None when no size tried is.

    Two matrices of 32-bit numbers go over, one comes back, 2 n^3 operations.
    """
    for edge in edges:
        flop = 2.0 * multiply_adds(edge, edge, edge)
        moved = 12.0 * edge * edge
        if float(gpu_seconds(1.0, moved / 2, flop, device)) < float(cpu_seconds(1.0, moved, flop)):
            return edge
    return None
