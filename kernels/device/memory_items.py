"""Device memory: read, copy, triad, write, sum, and the matrix-vector products of one decode step."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Final

import numpy as np

from engine.probe.items import Item
from engine.probe.results import Reading
from engine.units import MIB
from kernels import reference
from kernels.device.rig import ALIGN, BLOCK, Rig
from kernels.readings import mebibytes

LONG = ctypes.c_longlong
POINTER = ctypes.c_void_p
SCALE: Final = 0.4
COLUMNS: Final = 8192
WEIGHT_BYTES: Final = 64 * MIB
LEAST_BLOCKS: Final = 8


WAVES: Final = 2


def _stream(
    rig: Rig, item: Item, make: Callable[[int], Callable[[], None]], words: int, grid: int = 1, unrolled: int = 4
) -> tuple[Reading, int]:
    """The reading of a stream over as many float4 as fit a launch, and how many those are: whole strides, no tail."""
    most = rig.elements // 4
    step = min(unrolled * grid * BLOCK, most)
    count4 = rig.bench.sized(make, most // step * step, step=step)
    size = f"{words} x {mebibytes(16 * count4)}"
    reading = rig.bench.measure(
        item, make(count4), rig.budget_s(item), work=16.0 * words * count4, size=size, notes=rig.cache_note()
    )
    return reading, count4


def read(rig: Rig, item: Item) -> Reading:
    rig.fill_streams()
    grid, sums = rig.grid("stream", "stream_read", WAVES), rig.array(2)

    def make(count4: int) -> Callable[[], None]:
        return rig.launch("stream", "stream_read", grid, BLOCK, LONG(count4), POINTER(rig.array(0)), POINTER(sums))

    reading, count4 = _stream(rig, item, make, 1, grid)
    found = float(rig.download(sums, grid * BLOCK // 32).sum(dtype=np.float64))
    wanted = reference.uniform_sum(4 * count4, reference.MASK, 1)
    return rig.checked(reading, abs(found - wanted) <= 1e-4 * wanted)


def copy(rig: Rig, item: Item) -> Reading:
    rig.fill_streams()
    grid = rig.grid("stream", "stream_copy", WAVES)

    def make(count4: int) -> Callable[[], None]:
        values = (LONG(count4), POINTER(rig.array(0)), POINTER(rig.array(2)))
        return rig.launch("stream", "stream_copy", grid, BLOCK, *values)

    reading, count4 = _stream(rig, item, make, 2, grid)
    index, values = rig.samples(rig.array(2), 4 * count4)
    return rig.checked(reading, np.array_equal(values, reference.fill_uniform(index, reference.MASK, 1)))


def copy_driver(rig: Rig, item: Item) -> Reading:
    rig.fill_streams()
    rig.session.synchronize()

    def make(count4: int) -> Callable[[], None]:
        return lambda: rig.session.copy_async("DtoD", rig.array(2), rig.array(1), 16 * count4)

    reading, count4 = _stream(rig, item, make, 2)
    index, values = rig.samples(rig.array(2), 4 * count4)
    return rig.checked(reading, np.array_equal(values, reference.fill_uniform(index, reference.MASK, 2)))


def triad(rig: Rig, item: Item) -> Reading:
    rig.fill_streams()
    grid = rig.grid("stream", "stream_triad", WAVES)

    def make(count4: int) -> Callable[[], None]:
        arrays = (POINTER(rig.array(0)), POINTER(rig.array(1)), POINTER(rig.array(2)))
        return rig.launch("stream", "stream_triad", grid, BLOCK, LONG(count4), ctypes.c_float(SCALE), *arrays)

    reading, count4 = _stream(rig, item, make, 3, grid, unrolled=2)
    index, values = rig.samples(rig.array(2), 4 * count4)
    b, c = (reference.fill_uniform(index, reference.MASK, seed) for seed in (1, 2))
    return rig.checked(reading, bool(np.allclose(values, b + np.float32(SCALE) * c, rtol=1e-6)))


def write(rig: Rig, item: Item) -> Reading:
    grid = rig.grid("stream", "stream_write", WAVES)

    def make(count4: int) -> Callable[[], None]:
        return rig.launch(
            "stream", "stream_write", grid, BLOCK, LONG(count4), ctypes.c_float(2.0), POINTER(rig.array(2))
        )

    reading, count4 = _stream(rig, item, make, 1, grid)
    index, values = rig.samples(rig.array(2), 4 * count4)
    wanted = (2.0 + ((index // 4) & 1023) + 0.25 * (index % 4)).astype(np.float32)
    return rig.checked(reading, np.array_equal(values, wanted))


def reduction(rig: Rig, item: Item) -> Reading:
    rig.fill_streams()
    grid, partial = rig.grid("reduction", "reduce_sum", WAVES, shared=4 * BLOCK), rig.array(2)

    def make(count: int) -> Callable[[], None]:
        values = (ctypes.c_int(count), POINTER(rig.array(0)), POINTER(partial))
        return rig.launch("reduction", "reduce_sum", grid, BLOCK, *values, shared=4 * BLOCK)

    count = rig.bench.sized(make, min(rig.elements, 2**31 - 1), step=1024)
    reading = rig.bench.measure(
        item, make(count), rig.budget_s(item), work=4.0 * count, size=mebibytes(4 * count), notes=rig.cache_note()
    )
    found = float(rig.download(partial, grid).sum(dtype=np.float64))
    wanted = reference.uniform_sum(count, reference.MASK, 1)
    return rig.checked(reading, abs(found - wanted) <= 1e-4 * wanted)


def _rows(rig: Rig, row_bytes: int) -> tuple[int, int]:
    """(rows of one block of weights, number of blocks): 64 MiB, at least eight in rotation, a vector and a result beside them."""
    usable = rig.block_bytes - 2 * ALIGN
    rows = min(WEIGHT_BYTES, usable // LEAST_BLOCKS) // row_bytes // 64 * 64
    if rows == 0:
        rows = 64
    return rows, max(1, min(16, usable // (rows * row_bytes)))


def _shape(rows: int, blocks: int) -> str:
    return f"{rows} x {COLUMNS}, {blocks} blocks"


class _Rotation:
    """One launch after another, each with the next block of weights, so that no cache serves them."""

    def __init__(self, launches: list[Callable[[], None]]) -> None:
        self._launches, self._at = launches, -1

    def __call__(self) -> None:
        self._at = (self._at + 1) % len(self._launches)
        self._launches[self._at]()

    @property
    def last(self) -> int:
        return self._at


def gemv_bf16(rig: Rig, item: Item) -> Reading:
    """Weights of 16 bits; bytes are those of the weights."""
    rig.spoil()
    words = COLUMNS // 2
    rows, blocks = _rows(rig, 4 * words)
    weights, vector = rig.block, rig.block + rig.block_bytes - 2 * ALIGN
    result = vector + ALIGN
    keep, bits = reference.PATTERN["bf16"]
    rig.fill_bits(weights, blocks * rows * words, 3, keep, bits)
    x = reference.matrix("bf16", 1, words, 4)
    rig.session.upload(vector, x)

    def make(count: int) -> Callable[[], None]:
        arguments = [
            (ctypes.c_int(count), ctypes.c_int(COLUMNS), POINTER(weights + 4 * k * rows * words)) for k in range(blocks)
        ]
        ends = (POINTER(vector), POINTER(result))
        return _Rotation([rig.launch("gemv", "gemv_bf16", (count + 7) // 8, BLOCK, *a, *ends) for a in arguments])

    used = rig.bench.sized(make, rows, step=8)
    launch = make(used)
    reading = rig.bench.measure(
        item, launch, rig.budget_s(item), work=4.0 * used * words, size=_shape(used, blocks), notes=rig.cache_note()
    )
    assert isinstance(launch, _Rotation)
    some = np.unique(np.linspace(0, used - 1, 16).astype(int))
    index = (launch.last * rows + some)[:, None] * words + np.arange(words)
    w = reference.fill_bits(index, reference.MASK, 3, keep, bits)
    wanted = reference.bf16_pairs(w) @ reference.bf16_pairs(x)[0]
    return rig.checked(reading, reference.close(rig.download(result, used)[some], wanted, 1e-3))


def gemv_int4(rig: Rig, item: Item) -> Reading:
    """Weights of 4 bits in groups of 32 with one FP32 scale: 20 bytes for 32 weights."""
    rig.spoil()
    words, groups = COLUMNS // 8, COLUMNS // 32
    row_bytes = 4 * words + 4 * groups
    rows, blocks = _rows(rig, row_bytes)
    vector = rig.block + rig.block_bytes - 2 * ALIGN
    result = vector + ALIGN
    random = np.random.default_rng(6)
    x = random.integers(-127, 128, COLUMNS).astype(np.int8)
    x_scale = random.random(groups, dtype=np.float32)
    x_sum = x.reshape(groups, 32).sum(axis=1).astype(np.int32)
    places = (vector, vector + COLUMNS, vector + COLUMNS + 4 * groups)
    for place, data in zip(places, (x, x_scale, x_sum), strict=True):
        rig.session.upload(place, data)
    starts = [rig.block + k * rows * row_bytes for k in range(blocks)]
    for k, start in enumerate(starts):
        rig.fill_bits(start, rows * words, 10 + k, 0xFFFFFFFF, 0)
        rig.fill_uniform(start + 4 * rows * words, rows * groups, 40 + k)

    def make(count: int) -> Callable[[], None]:
        ends = (*(POINTER(p) for p in places), POINTER(result))
        launches = []
        for start in starts:
            front = (ctypes.c_int(count), ctypes.c_int(COLUMNS), POINTER(start), POINTER(start + 4 * rows * words))
            launches.append(rig.launch("gemv", "gemv_int4", (count + 7) // 8, BLOCK, *front, *ends))
        return _Rotation(launches)

    used = rig.bench.sized(make, rows, step=8)
    launch = make(used)
    reading = rig.bench.measure(
        item,
        launch,
        rig.budget_s(item),
        work=float(row_bytes) * used,
        size=_shape(used, blocks),
        notes=rig.cache_note(),
    )
    assert isinstance(launch, _Rotation)
    some = np.unique(np.linspace(0, used - 1, 16).astype(int))
    w = reference.fill_bits(some[:, None] * words + np.arange(words), reference.MASK, 10 + launch.last, 0xFFFFFFFF, 0)
    scale = reference.fill_uniform(some[:, None] * groups + np.arange(groups), reference.MASK, 40 + launch.last)
    wanted = reference.gemv_int4(w, scale, x, x_scale)
    return rig.checked(reading, reference.close(rig.download(result, used)[some], wanted, 1e-3))
