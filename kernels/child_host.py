"""The child without an accelerator: what processor and memory of this machine really do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import psutil

from engine.messages import msg
from engine.probe.items import Child, Item, chosen
from engine.probe.protocol import HostFound
from engine.probe.results import Reading, Status
from kernels import host_bench
from kernels.host_facts import cache_bytes, host_facts, usable_threads
from kernels.readings import mebibytes, reading_of, without
from kernels.schedule import Schedule
from kernels.talk import ChildOptions, Talk, read_options

SIZES: Final = tuple(2**k for k in range(10, 25, 2))
WORKING_SETS: Final = tuple(2**k for k in range(14, 28, 2))
EXAMPLE: Final = 1_000_000


class HostBench:
    """The arrays and the threads of one run."""

    def __init__(self, talk: Talk, schedule: Schedule) -> None:
        self.talk, self.schedule = talk, schedule
        self.threads = usable_threads()
        self.count = array_elements()
        self._arrays: dict[str, host_bench.Floats] = {}

    def array(self, name: str) -> host_bench.Floats:
        if name not in self._arrays:
            self._arrays[name] = host_bench.random_floats(self.count, seed=len(self._arrays) + 1)
        return self._arrays[name]

    def stream(self, item: Item) -> Reading:
        """read, copy, triad with all threads; the first result is checked against NumPy in one go."""
        budget_s = self.schedule.budget_s(item)
        with host_bench.Workers(self.threads) as workers:
            if item.id == "cpu.read":
                once, words = host_bench.read_once(workers, self.array("a")), 1
            elif item.id == "cpu.copy":
                once, words = host_bench.copy_once(workers, self.array("a"), self.array("out")), 2
            else:
                once, words = (
                    host_bench.triad_once(workers, self.array("a"), self.array("b"), self.array("out"), 0.4),
                    3,
                )
            times = host_bench.steady(once, budget_s)
        if item.id != "cpu.read" and not self._right(item.id):
            return without(item.id, Status.FAILED, msg("probe.reason.wrong_result"))
        return reading_of(
            item.id,
            times,
            work=words * 4.0 * self.count,
            method="host clock",
            size=f"{mebibytes(4 * self.count)} x {words}",
        )

    def _right(self, item: str) -> bool:
        some = np.random.default_rng(7).integers(0, self.count, 4096)
        a, out = self.array("a")[some], self.array("out")[some]
        wanted = a if item == "cpu.copy" else a + np.float32(0.4) * self.array("b")[some]
        return bool(np.allclose(out, wanted, rtol=1e-6))

    def sgemm(self, item: Item) -> Reading:
        """The BLAS under NumPy: 512 first, then the size that fits the budget."""
        size = 512
        random = np.random.default_rng(3)
        a, b = (random.standard_normal((size, size), dtype=np.float32) for _ in range(2))
        times = host_bench.timed(lambda: _drop(a @ b), 0.05)
        predicted = float(np.median(times)) * 8
        if predicted * 4 < self.schedule.budget_s(item):
            size = 1024
            a, b = (random.standard_normal((size, size), dtype=np.float32) for _ in range(2))
            times = host_bench.steady(lambda: _drop(a @ b), self.schedule.budget_s(item))
        if not np.allclose((a @ b)[0], a[0].astype(float) @ b.astype(float), rtol=1e-3, atol=1e-2):
            return without(item.id, Status.FAILED, msg("probe.reason.wrong_result"))
        return reading_of(
            item.id, times, work=2.0 * size**3, method="host clock, BLAS of NumPy", size=f"{size} x {size}"
        )

    def vector_add(self, item: Item) -> Reading:
        """The worked example of one million additions, and the same by size with one thread and with all."""
        budget_s = self.schedule.budget_s(item)
        for key, threads in (("one_thread", 1), ("all_threads", self.threads)):
            if key == "all_threads" and threads == 1:
                continue
            with host_bench.Workers(threads) as workers:
                xs, ys = host_bench.curve(lambda n, w=workers: self._add(w, n), SIZES, budget_s / 3)  # type: ignore[misc]
            self.talk.series("cpu_threads", key, xs, ys)
        with host_bench.Workers(1) as workers:
            times = host_bench.timed(self._add(workers, EXAMPLE), budget_s / 3)
        return reading_of(item.id, times, method="host clock, one thread", size=f"n = {EXAMPLE}")

    def _add(self, workers: host_bench.Workers, n: int) -> Callable[[], None]:
        n = min(n, self.count)
        return host_bench.add_once(workers, self.array("a")[:n], self.array("b")[:n], self.array("out")[:n])

    def working_set(self, item: Item) -> Reading:
        """Read rate of one thread by the size read again and again: where the caches end."""
        budget_s = self.schedule.budget_s(item)
        sizes = [n for n in WORKING_SETS if n // 4 <= self.count]
        with host_bench.Workers(1) as workers:
            xs, ys = host_bench.curve(
                lambda size: host_bench.read_once(workers, self.array("a")[: size // 4]), sizes, budget_s
            )
        rates = [x / y for x, y in zip(xs, ys, strict=True)]
        self.talk.series("working_set", "one_thread", xs, rates)
        return reading_of(
            item.id, [xs[-1] / rates[-1]], work=float(xs[-1]), method="host clock", size=mebibytes(xs[-1])
        )


def _drop(_product: host_bench.Floats) -> None:
    return None


def array_elements() -> int:
    """Elements of one array: four times the last-level cache, 64 MiB at least, a thirtieth of the free memory at most."""
    wanted = max(64 * 2**20, 4 * cache_bytes())
    allowed = min(512 * 2**20, psutil.virtual_memory().available / 30)
    return int(min(wanted, allowed) // 4)


RUN: Final[Mapping[str, Callable[[HostBench, Item], Reading]]] = {
    "cpu.read": HostBench.stream,
    "cpu.copy": HostBench.stream,
    "cpu.triad": HostBench.stream,
    "cpu.sgemm": HostBench.sgemm,
    "cpu.vector_add": HostBench.vector_add,
    "cpu.working_set": HostBench.working_set,
}


def measure(options: ChildOptions, talk: Talk) -> None:
    """Facts, then every item; one that fails takes nothing else with it."""
    talk.say(HostFound(host_facts()))
    talk.version("numpy", np.__version__)
    items = chosen(Child.HOST, options.quick, options.skip, options.only)
    schedule = Schedule(items, options.deadline_s)
    bench = HostBench(talk, schedule)
    for item in items:
        talk.start(item.id)
        if not schedule.allows(item):
            talk.result(without(item.id, Status.SKIPPED, msg("probe.reason.no_time")))
            continue
        try:
            talk.result(RUN[item.id](bench, item))
        except MemoryError as error:
            talk.result(without(item.id, Status.FAILED, msg("probe.reason.host_memory"), str(error)))
        except Exception as error:
            talk.result(without(item.id, Status.FAILED, msg("probe.reason.unexpected", detail=repr(error))))


def main(arguments: list[str] | None = None) -> int:
    options = read_options(sys.argv[1:] if arguments is None else arguments)
    talk = Talk(Child.HOST, options.silence_s)
    measure(options, talk)
    talk.done()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
