"""How a figure is taken and shown."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).resolve().parents[2]


@frozen
class Figure:
    """One measured figure. `aim` is its limit: the value must stay below it, or above where `at_least`."""

    name: str
    value: float
    unit: str
    aim: float | None = None
    at_least: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        if self.aim is None:
            return None
        return self.value >= self.aim if self.at_least else self.value <= self.aim


def seconds_of(action: Callable[[], object], times: int = 1) -> list[float]:
    """Wall time of each of `times` calls."""
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        action()
        taken.append(time.perf_counter() - begin)
    return taken


def percentile(values: list[float], share: float) -> float:
    """The value at `share` of the sorted list, nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered)) - 1))]


def process_seconds(*words: str, environment: dict[str, str] | None = None, times: int = 5) -> float:
    """Median wall time of a Python process, the first (cold) run left out."""

    def once() -> None:
        done = subprocess.run([sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode()[-400:])

    once()
    return statistics.median(seconds_of(once, times))
