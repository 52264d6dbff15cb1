"""Between host and device: copies from page-locked and from ordinary memory, and what a launch costs."""

from __future__ import annotations

import ctypes
import time
from typing import Any, Final

import numpy as np

from engine.messages import Quantity, msg
from engine.probe.items import Item
from engine.probe.outcome import OUT_OF_MEMORY
from engine.probe.results import Reading, Status
from engine.units import BYTES, MIB
from kernels.device.driver import DriverError
from kernels.device.rig import Rig
from kernels.device.safety import PINNED_BYTES
from kernels.readings import mebibytes, reading_of, without

SMALLEST_PIN: Final = 16 * MIB
PAGEABLE_COPIES: Final = 3
LAUNCHES: Final = 1000
ROUND_TRIPS: Final = 200
GRAPH_LAUNCHES: Final = 100


class NotPinned(Exception):
    """No page-locked memory down to the smallest size: a limit of the system, not of the device."""


def pinned(rig: Rig) -> int:
    """One page-locked buffer for the whole run: 64 MiB, else 32, else 16. A refusal leaves the context usable, or raises."""
    if rig.pinned:
        return rig.pinned
    size = min(PINNED_BYTES, rig.array_bytes)
    while size >= min(SMALLEST_PIN, rig.array_bytes):
        try:
            rig.pinned = rig.session.pin(size)
        except DriverError as error:
            if error.code not in (OUT_OF_MEMORY, 1, 801):
                raise
            rig.session.synchronize()
            size //= 2
            continue
        rig.pinned_bytes = size
        view(rig)[:] = np.resize(np.random.default_rng(11).random(1 << 18, dtype=np.float32), size // 4)
        return rig.pinned
    raise NotPinned


def view(rig: Rig) -> Any:
    """The page-locked buffer as a NumPy array."""
    return np.ctypeslib.as_array((ctypes.c_float * (rig.pinned_bytes // 4)).from_address(rig.pinned))


def pinned_copy(rig: Rig, item: Item) -> Reading:
    """h2d.pinned, d2h.pinned: timed on the device, one copy checked."""
    try:
        host = pinned(rig)
    except NotPinned:
        return without(item.id, Status.FAILED, msg("probe.reason.pinned_refused", size=Quantity(SMALLEST_PIN, BYTES)))
    rig.spoil()
    size, device = rig.pinned_bytes, rig.array(0)
    kind, ends = ("HtoD", (device, host)) if item.id.startswith("h2d") else ("DtoH", (host, device))
    rig.session.copy_async("HtoD", device, host, size)
    rig.session.synchronize()
    before = view(rig)[:: max(1, size // 4 // 4096)].copy()
    reading = rig.bench.measure(
        item,
        lambda: rig.session.copy_async(kind, *ends, size),
        rig.budget_s(item),
        work=float(size),
        size=mebibytes(size),
    )
    after = rig.download(device, size // 4)[:: max(1, size // 4 // 4096)]
    return rig.checked(reading, np.array_equal(before, after))


def pageable_copy(rig: Rig, item: Item) -> Reading:
    """h2d.pageable, d2h.pageable: the host's clock around calls that wait."""
    rig.spoil()
    size = min(PINNED_BYTES, rig.array_bytes)
    data = np.resize(np.random.default_rng(12).random(1 << 18, dtype=np.float32), size // 4)
    device = rig.array(0)
    rig.session.upload(device, data)
    if item.id.startswith("h2d"):
        times = rig.bench.host_batches(lambda: rig.session.upload(device, data), PAGEABLE_COPIES)
    else:
        back = np.empty_like(data)
        times = rig.bench.host_batches(lambda: _drop(rig.session.download(back, device)), PAGEABLE_COPIES)
    reading = reading_of(item.id, times, work=float(size), method="host clock", size=mebibytes(size))
    return rig.checked(reading, np.array_equal(rig.download(device, size // 4), data))


def back_to_back(rig: Rig, item: Item) -> Reading:
    """A thousand empty launches in one go, from Python: the interpreter's own share is in it."""
    launch = rig.launch("vector_add", "empty", 1, 32)
    times = []
    for _ in range(5):
        rig.session.synchronize()
        begin = time.perf_counter()
        for _ in range(LAUNCHES):
            launch()
        rig.session.synchronize()
        times.append((time.perf_counter() - begin) / LAUNCHES)
    return reading_of(item.id, times, method="host clock, from Python", size=f"{LAUNCHES} launches")


def round_trip(rig: Rig, item: Item) -> Reading:
    """Launch and wait, as a small task does it."""
    launch = rig.launch("vector_add", "empty", 1, 32)

    def once() -> None:
        launch()
        rig.session.synchronize()

    return reading_of(item.id, rig.bench.host_batches(once, ROUND_TRIPS), method="host clock, from Python")


def in_graph(rig: Rig, item: Item) -> Reading:
    """A hundred empty launches as one graph: the device's own pace."""
    graph = graph_of(rig, rig.launch("vector_add", "empty", 1, 32), GRAPH_LAUNCHES)
    return rig.bench.measure(
        item,
        lambda: rig.session.launch_graph(graph),
        rig.budget_s(item),
        launches=GRAPH_LAUNCHES,
        method="events of a graph",
    )


def graph_of(rig: Rig, launch: Any, count: int) -> Any:
    """An executable graph of `count` launches."""
    held: list[Any] = []
    launch()
    rig.session.synchronize()
    with rig.session.captured(held):
        for _ in range(count):
            launch()
    return held[0]


def _drop(_data: Any) -> None:
    return None
