"""The clock of the device side: events on one stream, batches of some 20 ms, medians; conditions sampled between the batches."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import numpy as np

from engine.messages import Message
from engine.probe.items import Item
from engine.probe.results import Conditions, Reading
from kernels.device.driver import Session
from kernels.device.safety import CALIBRATION, LAUNCH_LIMIT_S, LAUNCH_TARGET_S
from kernels.readings import REPEAT, reading_of, spread_of

BATCH_S: Final = 0.020
BATCHES: Final = 7
FEWEST: Final = 3
MOST_LAUNCHES: Final = 1000

Launch = Callable[[], None]


class TooSlow(Exception):
    """Even the smallest launch takes longer than a launch may."""


class Bench:
    """Times launches. `sample` reads the device's conditions; `rest_s` is a pause after each batch on a laptop."""

    def __init__(self, session: Session, sample: Callable[[], Conditions], rest_s: float = 0.0) -> None:
        self._session, self._sample, self._rest_s = session, sample, rest_s
        call = session.driver.call
        self._start, self._stop = call("cuEventCreate", 0), call("cuEventCreate", 0)

    def seconds(self, launch: Launch, count: int = 1, during: Callable[[], None] | None = None) -> float:
        """Device time of `count` launches enqueued one behind the other; `during` is called while they run."""
        call = self._session.driver.call
        call("cuEventRecord", self._start, self._session.stream)
        for _ in range(count):
            launch()
        call("cuEventRecord", self._stop, self._session.stream)
        if during is not None:
            during()
        call("cuEventSynchronize", self._stop)
        return max(float(call("cuEventElapsedTime", self._start, self._stop)) / 1e3, 1e-9)

    def sized(self, make: Callable[[int], Launch], full: int, step: int = 1, target_s: float = LAUNCH_TARGET_S) -> int:
        """The largest amount of work up to `full` (a multiple of `step`) whose launch stays within `target_s`.

        The calibrating launch does one sixteenth; a device that needs more than the hard limit for one step raises TooSlow.
        """
        part = max(step, full // CALIBRATION // step * step)
        launch = make(part)
        launch()
        took = self.seconds(launch)
        while took > LAUNCH_LIMIT_S:
            if part <= step:
                raise TooSlow
            part = max(step, part // 8 // step * step)
            took = self.seconds(make(part))
        fitting = int(part * target_s / took) // step * step
        return max(step, min(full, fitting))

    def batches(self, launch: Launch, budget_s: float, batch_s: float = BATCH_S) -> tuple[list[float], Conditions]:
        """Seconds a launch in each batch, and the conditions read while the device was busy.

        Two launches each finished, one timed to choose the number of launches, then up to seven batches (three at least).
        """
        begin = time.monotonic()
        for _ in range(2):
            launch()
            self._session.synchronize()
        one = self.seconds(launch)
        repeats = int(min(MOST_LAUNCHES, max(1, round(batch_s / one))))
        times: list[float] = []
        seen: list[Conditions] = []
        while len(times) < BATCHES:
            during = (lambda: seen.append(self._sample())) if len(times) in (0, FEWEST - 1) else None
            times.append(self.seconds(launch, repeats, during) / repeats)
            if self._rest_s:
                time.sleep(self._rest_s * batch_s / 0.25)
            if len(times) >= FEWEST and time.monotonic() - begin > budget_s:
                break
        return times, seen[-1] if seen else Conditions()

    def measure(
        self,
        item: Item,
        launch: Launch,
        budget_s: float,
        *,
        work: float = 1.0,
        launches: int = 1,
        method: str = "events",
        size: str = "",
        notes: tuple[Message, ...] = (),
    ) -> Reading:
        """The item's reading; one call of `launch` may be several launches. Once more when the batches differ by a fifth."""
        times, conditions = self.batches(launch, budget_s)
        if spread_of(times) > REPEAT:
            times, conditions = self.batches(launch, budget_s)
        each = [t / launches for t in times]
        return reading_of(item.id, each, work=work, method=method, size=size, notes=notes, conditions=conditions)

    def host_batches(self, once: Launch, count: int) -> list[float]:
        """Seconds on the host's clock of single calls that wait for the device themselves."""
        times = []
        once()
        for _ in range(count):
            begin = time.perf_counter()
            once()
            times.append(time.perf_counter() - begin)
        return times

    def median_s(self, launch: Launch, budget_s: float, batch_s: float = 0.004) -> float:
        """Median time of a launch, for one point of a curve."""
        times, _ = self.batches(launch, budget_s, batch_s)
        return float(np.median(times))
