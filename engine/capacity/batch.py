"""Work nobody waits for: packed into the hours that online replicas stand idle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from engine.capacity.results import CapacityResult

FloatArray = npt.NDArray[np.float64]

KEPT_FREE: Final = 0.15
"""Share of a replica that a batch leaves to the online requests at any hour."""


@frozen
class BatchJob:
    """One nightly job. `replica_hours`: hours it would keep one replica fully busy."""

    name: str
    replica_hours: float
    first_hour: int = 0
    """Local hour it may start, 0..23."""
    window_hours: float = 24.0


@frozen
class Packing:
    """Where the jobs go."""

    placed: tuple[tuple[str, float], ...]
    """Job -> share of it that finds room in idle hours."""
    used: tuple[float, ...]
    """Replica hours the jobs take in each hour of the day, 24 values."""
    idle: tuple[float, ...]
    """Replica hours that were free in each hour of the day, 24 values."""

    @property
    def all_fit(self) -> bool:
        return all(share >= 1 - 1e-9 for _, share in self.placed)

    @property
    def extra_replicas(self) -> bool:
        """Some job does not fit and needs machines of its own."""
        return not self.all_fit


def idle_by_hour(
    replicas: float, rate_per_replica: float, mean_over_day_per_s: float, profile: FloatArray
) -> FloatArray:
    """Replica hours left free in each hour of a day in use, shape (24,), after `KEPT_FREE` of every replica.

    `profile`: load of each hour over the day's mean (`engine.capacity.demand.day_profile`).
    """
    busy = mean_over_day_per_s * profile / rate_per_replica
    out: FloatArray = np.maximum(replicas * (1 - KEPT_FREE) - busy, 0.0)
    return out


def job_of(name: str, capacity: CapacityResult, window_hours: float, first_hour: int = 22) -> BatchJob:
    """A batch workload's run as a job for somebody else's idle hours. Raises ValueError for an online workload."""
    if capacity.busy_replica_hours_per_run is None:
        raise ValueError("not a batch workload")
    return BatchJob(name, capacity.busy_replica_hours_per_run, first_hour, window_hours)


def pack_into(online: CapacityResult, jobs: Sequence[BatchJob]) -> Packing:
    """Pack jobs that run the same deployment into the hours an online service leaves free, its spares included."""
    return pack(jobs, np.array(online.idle_by_hour))


def pack(jobs: Sequence[BatchJob], idle: FloatArray) -> Packing:
    """Put each job into the idle hours of its window, the narrowest window first (earliest-deadline order is optimal for
    one shared resource that can be interrupted)."""
    free = np.array(idle, dtype=np.float64)
    placed: dict[str, float] = {}
    for job in sorted(jobs, key=lambda j: j.window_hours):
        hours = [(job.first_hour + h) % 24 for h in range(min(int(np.ceil(job.window_hours)), 24))]
        left = job.replica_hours
        for hour in hours:
            taken = min(free[hour], left)
            free[hour] -= taken
            left -= taken
        placed[job.name] = 1.0 if job.replica_hours <= 0 else 1 - left / job.replica_hours
    used = np.asarray(idle) - free
    return Packing(
        tuple((job.name, placed[job.name]) for job in jobs),
        tuple(float(u) for u in used),
        tuple(float(i) for i in idle),
    )
