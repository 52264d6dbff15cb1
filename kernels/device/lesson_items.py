"""The lessons: what shared memory, bank conflicts, branches, block sizes and copies cost on this device."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import psutil

from engine.messages import msg
from engine.probe.items import ITEMS, Item
from engine.probe.lessons import crossing, fit
from engine.probe.results import Reading, Status
from kernels import reference
from kernels.device.copy_items import NotPinned, graph_of, pinned, view
from kernels.device.rig import BLOCK, Rig
from kernels.host_bench import Workers, add_once, timed
from kernels.host_facts import usable_threads
from kernels.readings import without

POINTER = ctypes.c_void_p
INT = ctypes.c_int
STRIDES: Final = (1, 2, 4, 8, 16, 32)
PATHS: Final = (1, 2, 4, 8, 16, 32)
BLOCK_SIZES: Final = (32, 64, 128, 256, 512, 1024)
SWEEP_ELEMENTS: Final = 1 << 25
EXAMPLE: Final = 1_000_000
EVEN_SIZES: Final = tuple(1 << k for k in range(10, 27, 2))
CHECK_ROUNDS: Final = 16


def ratio_reading(item: Item, value: float, points: int, size: str = "") -> Reading:
    """A lesson's one figure: how many times slower, or which size."""
    return Reading(item.id, Status.OK, value, ITEMS[item.id].unit, value, value, points, 0.0, "events", size=size)


def _curve(rig: Rig, item: Item, xs: Sequence[int], launch: Callable[[int], Callable[[], None]]) -> list[float]:
    """Median time for each x; the same budget for all."""
    share_s = rig.budget_s(item) / len(xs)
    times = []
    for x in xs:
        times.append(rig.bench.median_s(launch(x), share_s))
        rig.talk.progress(item.id, len(times) / len(xs))
    return times


def shared(rig: Rig, item: Item) -> Reading:
    """Rate of shared memory with 128-bit reads without conflicts."""
    rig.spoil()
    grid = rig.grid("shared", "shared_read")
    seed, sums = rig.array(0), rig.array(1)
    rig.fill_uniform(seed, 4096, 5)

    def make(rounds: int) -> Callable[[], None]:
        return rig.launch("shared", "shared_read", grid, BLOCK, INT(rounds), POINTER(seed), POINTER(sums))

    rounds = rig.bench.sized(make, 4096, step=4, target_s=0.005)
    work = 16.0 * 8 * rounds * grid * BLOCK
    size = f"{grid} x {BLOCK} threads, {rounds} rounds"
    reading = rig.bench.measure(item, make(rounds), rig.budget_s(item), work=work, size=size)
    make(CHECK_ROUNDS)()
    values = reference.fill_uniform(np.arange(4096), reference.MASK, 5)
    wanted = reference.shared_read(CHECK_ROUNDS, values, BLOCK)
    return rig.checked(reading, reference.close(rig.download(sums, BLOCK), wanted, 1e-4))


def bank_conflicts(rig: Rig, item: Item) -> Reading:
    """Time by stride over the time without conflicts."""
    rig.spoil()
    grid = rig.multiprocessors * 4
    seed, sums = rig.array(0), rig.array(1)
    rig.fill_uniform(seed, 2048, 5)

    def make(rounds: int, stride: int) -> Callable[[], None]:
        values = (INT(rounds), INT(stride), POINTER(seed), POINTER(sums))
        return rig.launch("shared", "shared_stride", grid, BLOCK, *values)

    rounds = rig.bench.sized(lambda r: make(r, STRIDES[-1]), 2048, step=4, target_s=0.005)
    times = _curve(rig, item, STRIDES, lambda stride: make(rounds, stride))
    rig.talk.series("bank_conflicts", "ratio", STRIDES, [t / times[0] for t in times])
    make(CHECK_ROUNDS, 32)()
    values = reference.fill_uniform(np.arange(2048), reference.MASK, 5)
    wanted = reference.shared_stride(CHECK_ROUNDS, 32, values, BLOCK)
    reading = ratio_reading(item, times[-1] / times[0], len(times))
    return rig.checked(reading, reference.close(rig.download(sums, BLOCK), wanted, 1e-4))


def divergence(rig: Rig, item: Item) -> Reading:
    """Time by the number of ways a warp goes, over the time of one way; every lane does the same work in each."""
    rig.spoil()
    grid = rig.multiprocessors * 4
    a, out = rig.array(0), rig.array(1)
    rig.fill_uniform(a, grid * BLOCK, 5)

    def make(rounds: int, paths: int) -> Callable[[], None]:
        return rig.launch("divergence", "divergence", grid, BLOCK, INT(paths), INT(rounds), POINTER(a), POINTER(out))

    rounds = rig.bench.sized(lambda r: make(r, PATHS[-1]), 4096, step=4, target_s=0.008)
    times = _curve(rig, item, PATHS, lambda paths: make(rounds, paths))
    rig.talk.series("divergence", "ratio", PATHS, [t / times[0] for t in times])
    make(CHECK_ROUNDS, 32)()
    values = reference.fill_uniform(np.arange(BLOCK), reference.MASK, 5)
    wanted = reference.divergence(32, CHECK_ROUNDS, values)
    reading = ratio_reading(item, times[-1] / times[0], len(times))
    return rig.checked(reading, reference.close(rig.download(out, BLOCK), wanted, 1e-4))


def _add(rig: Rig, n: int, block: int = BLOCK) -> Callable[[], None]:
    arrays = (POINTER(rig.array(0)), POINTER(rig.array(1)), POINTER(rig.array(2)))
    return rig.launch("vector_add", "vector_add", (n + block - 1) // block, block, INT(n), *arrays)


def block_size(rig: Rig, item: Item) -> Reading:
    """The example over 2^25 elements in blocks of 32 to 1,024 threads: rate over the best rate."""
    rig.fill_streams()
    n = rig.bench.sized(lambda count: _add(rig, count), min(SWEEP_ELEMENTS, rig.elements), step=4096)
    times = _curve(rig, item, BLOCK_SIZES, lambda block: _add(rig, n, block))
    best = min(times)
    rig.talk.series("block_size", "share", BLOCK_SIZES, [best / t for t in times])
    return rig.checked(ratio_reading(item, best / times[0], len(times), f"n = {n}"), _added(rig, n))


def _added(rig: Rig, n: int) -> bool:
    index, values = rig.samples(rig.array(2), n)
    a, b = (reference.fill_uniform(index, reference.MASK, seed) for seed in (1, 2))
    return bool(np.array_equal(values, a + b))


def vector_add(rig: Rig, item: Item) -> Reading:
    """One million additions: the kernel alone, with copies from pinned and from ordinary memory, and on the processor."""
    rig.fill_streams()
    n = min(EXAMPLE, rig.elements)
    launch = _add(rig, n)
    launch()
    count = int(max(1, min(20, 0.004 / rig.bench.seconds(launch))))
    in_graph = graph_of(rig, launch, count)
    run, method = (lambda: rig.session.launch_graph(in_graph)), "events of a graph"
    reading = rig.bench.measure(item, run, rig.budget_s(item) / 2, launches=count, method=method, size=f"n = {n}")
    right = _added(rig, n)
    a, b, c = (np.random.default_rng(s).random(n, dtype=np.float32) for s in (1, 2, 3))
    rig.talk.series("example", "kernel", [n], [reading.value or 0.0])
    pageable = rig.bench.host_batches(lambda: _through(rig, launch, a, b, c), 5)
    right = right and bool(np.array_equal(c, a + b))
    rig.talk.series("example", "pageable", [n], [float(np.median(pageable))])
    seconds = pinned_seconds(rig, n, launch)
    if seconds is not None:
        rig.talk.series("example", "pinned", [n], [seconds])
    with Workers(1) as workers:
        rig.talk.series("example", "cpu", [n], [float(np.median(timed(add_once(workers, a, b, c), 0.03)))])
    return rig.checked(reading, right)


def _through(rig: Rig, launch: Callable[[], None], a: Any, b: Any, c: Any) -> None:
    """The six steps with ordinary memory: two copies in, the kernel, one copy out."""
    rig.session.upload(rig.array(0), a)
    rig.session.upload(rig.array(1), b)
    launch()
    rig.session.download(c, rig.array(2))
    rig.spoil()


def pinned_seconds(rig: Rig, n: int, launch: Callable[[], None], repeats: int = 3) -> float | None:
    """Seconds of both copies in, the kernel and the copy out through the page-locked buffer; None where there is none."""
    try:
        host = pinned(rig)
    except NotPinned:
        return None
    rig.spoil()
    size, held = 4 * n, rig.pinned_bytes // 12 * 4

    def move(kind: str, device: int, slot: int) -> None:
        """As much as fits a third of the buffer at a time: the bytes are the same, whichever they are."""
        for at in range(0, size, held):
            part = min(held, size - at)
            ends = (device + at, host + slot * held)
            rig.session.copy_async(kind, *(ends if kind == "HtoD" else ends[::-1]), part)

    def once() -> None:
        move("HtoD", rig.array(0), 0)
        move("HtoD", rig.array(1), 1)
        launch()
        move("DtoH", rig.array(2), 2)
        rig.session.synchronize()

    times = rig.bench.host_batches(once, repeats)
    if size <= held:
        a, b, c = (view(rig)[slot * held // 4 : slot * held // 4 + n] for slot in range(3))
        if not np.array_equal(a + b, c):
            raise ArithmeticError("vector_add through pinned memory gave a wrong sum")
    return float(np.median(times))


def break_even(rig: Rig, item: Item) -> Reading:
    """From which size a device with its copies beats the processor: fitted, computed, confirmed by a run on each side."""
    rig.fill_streams()
    deadline = time.monotonic() + rig.budget_s(item)
    most = int(min(EVEN_SIZES[-1], rig.elements, psutil.virtual_memory().available / 40))
    a, b, out = (np.resize(np.random.default_rng(s).random(1 << 16, dtype=np.float32), most) for s in (1, 2, 3))
    curves: dict[str, list[tuple[int, float]]] = {key: [] for key in ("gpu_kernel", "gpu_copies", "cpu_one", "cpu_all")}
    with Workers(1) as one, Workers(usable_threads()) as every:

        def host_s(workers: Workers, n: int) -> float:
            return float(np.median(timed(add_once(workers, a[:n], b[:n], out[:n]), 0.01, batch_s=0.003)))

        for n in (n for n in EVEN_SIZES if n <= most):
            if time.monotonic() > deadline and len(curves["cpu_one"]) >= 4:
                break
            launch = _add(rig, n)
            curves["gpu_kernel"].append((n, rig.bench.median_s(launch, 0.01, batch_s=0.002)))
            with_copies = pinned_seconds(rig, n, launch)
            if with_copies is not None:
                curves["gpu_copies"].append((n, with_copies))
            curves["cpu_one"].append((n, host_s(one, n)))
            if every.threads > 1:
                curves["cpu_all"].append((n, host_s(every, n)))
            rig.talk.progress(item.id, n / most)
        for key, points in curves.items():
            if points:
                rig.talk.series("break_even", key, *zip(*points, strict=True))
        size = _crossing(curves)
        if size is None or size > most:
            return without(item.id, Status.OK, msg("probe.reason.never_breaks_even"))
        if size > 0:
            _confirm(rig, size, most, lambda n: min(host_s(one, n), host_s(every, n)))
    return ratio_reading(item, size, len(curves["cpu_one"]))


def _crossing(curves: dict[str, list[tuple[int, float]]]) -> float | None:
    """Size at which the device with its copies overtakes the faster of the two ways on the processor."""
    device = curves["gpu_copies"] or curves["gpu_kernel"]
    host = dict(curves["cpu_one"])
    for n, seconds in curves["cpu_all"]:
        host[n] = min(host[n], seconds)
    try:
        return crossing(fit(*zip(*device, strict=True)), fit(list(host), list(host.values())))
    except ValueError:
        return None


def _confirm(rig: Rig, size: float, most: int, host_s: Callable[[int], float]) -> None:
    sizes = [max(256, int(size / 4)), min(most, int(size * 4))]
    device = [pinned_seconds(rig, n, _add(rig, n)) for n in sizes]
    if None not in device:
        rig.talk.series("break_even", "confirm_gpu", sizes, [d for d in device if d is not None])
        rig.talk.series("break_even", "confirm_cpu", sizes, [host_s(n) for n in sizes])
