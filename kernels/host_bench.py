"""Processor and memory measured like the device: NumPy over all threads in slices, batches of some 20 ms, medians."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
import numpy.typing as npt

from kernels.readings import REPEAT, spread_of

BATCH_S: Final = 0.02
BATCHES: Final = 7
FEWEST: Final = 3
BLOCK: Final = 16_384
"""Elements of a slice that stays in the first two caches: the temporary of the triad costs no memory traffic."""

Floats = npt.NDArray[np.float32]


class Workers:
    """A pool that runs one function over equal slices. NumPy lets go of the interpreter lock inside."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def each(self, function: Callable[[int, int], None], count: int) -> None:
        """function(begin, end) for every slice of range(count); waits for all."""
        if self.threads == 1:
            function(0, count)
            return
        edges = np.linspace(0, count, self.threads + 1).astype(int)
        list(self._pool.map(function, edges[:-1], edges[1:]))


def steady(once: Callable[[], None], budget_s: float) -> list[float]:
    """Times of batches; measured once more where they differ by a fifth, and the steadier of the two kept."""
    times = timed(once, budget_s)
    if spread_of(times) <= REPEAT:
        return times
    return min(times, timed(once, budget_s), key=spread_of)


def timed(once: Callable[[], None], budget_s: float, batch_s: float = BATCH_S) -> list[float]:
    """Seconds of one call in each batch: one warm-up, one call to choose the repeats, then batches until the budget is spent."""
    begin = time.perf_counter()
    once()
    first = time.perf_counter()
    once()
    one = max(time.perf_counter() - first, 1e-9)
    repeats = int(min(1000, max(1, round(batch_s / one))))
    times: list[float] = []
    while len(times) < BATCHES:
        start = time.perf_counter()
        for _ in range(repeats):
            once()
        end = time.perf_counter()
        times.append((end - start) / repeats)
        if len(times) >= FEWEST and end - begin > budget_s:
            break
    return times


def random_floats(count: int, seed: int = 1) -> Floats:
    """Uniform in [0, 1): a megabyte of fresh numbers repeated, so that filling does not take longer than measuring."""
    piece = np.random.default_rng(seed).random(min(count, 1 << 18), dtype=np.float32)
    return np.resize(piece, count)


def read_once(workers: Workers, a: Floats) -> Callable[[], None]:
    """Every element once, folded by OR over 64-bit words: nearer to the memory's rate than a floating-point sum."""
    words = a[: a.size // 2 * 2].view(np.uint64)

    def part(begin: int, end: int) -> None:
        np.bitwise_or.reduce(words[begin // 2 : end // 2], initial=np.uint64(0))

    return lambda: workers.each(part, a.size)


def copy_once(workers: Workers, a: Floats, out: Floats) -> Callable[[], None]:
    def part(begin: int, end: int) -> None:
        np.copyto(out[begin:end], a[begin:end])

    return lambda: workers.each(part, a.size)


def triad_once(workers: Workers, b: Floats, c: Floats, out: Floats, scale: float) -> Callable[[], None]:
    """out = b + scale * c in blocks that stay in cache."""

    def part(begin: int, end: int) -> None:
        temporary = np.empty(BLOCK, np.float32)
        for at in range(begin, end, BLOCK):
            stop = min(at + BLOCK, end)
            held = temporary[: stop - at]
            np.multiply(c[at:stop], np.float32(scale), out=held)
            np.add(held, b[at:stop], out=out[at:stop])

    return lambda: workers.each(part, b.size)


def add_once(workers: Workers, a: Floats, b: Floats, out: Floats) -> Callable[[], None]:
    """The worked example: c = a + b."""

    def part(begin: int, end: int) -> None:
        np.add(a[begin:end], b[begin:end], out=out[begin:end])

    return lambda: workers.each(part, a.size)


def curve(
    make: Callable[[int], Callable[[], None]], sizes: Sequence[int], budget_s: float
) -> tuple[list[int], list[float]]:
    """Median time of one call by size; stops early when the budget is spent (at least four sizes)."""
    xs: list[int] = []
    ys: list[float] = []
    begin = time.perf_counter()
    for size in sizes:
        if len(xs) >= 4 and time.perf_counter() - begin > budget_s:
            break
        times = timed(make(size), budget_s / len(sizes), batch_s=0.004)
        xs.append(size)
        ys.append(float(np.median(times)))
    return xs, ys
