"""The same cards two ways: more replicas of a small group (data parallel) or fewer replicas of a large one (tensor parallel)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from attrs import evolve

from engine.capacity.results import ParallelOption
from engine.capacity.service import ServiceCurve
from engine.capacity.sizing import Sizing


def parallel_options(
    curves: Mapping[int, ServiceCurve], base: Sizing, peak_per_s: float, spares: int = 0
) -> tuple[ParallelOption, ...]:
    """Every split of `curves` (devices per replica -> its curve), fewest devices first among those that keep the promise.

    The promise, the lengths and the balancer are those of `base`. A larger group is faster for one user and pays for links;
    a smaller one gives more requests per device: both are computed, none is presumed.
    """
    options = [_option(count, evolve(base, curve=curve), peak_per_s, spares) for count, curve in curves.items()]
    return tuple(sorted(options, key=lambda o: (not o.meets_targets, o.devices, o.devices_per_replica)))


def _option(count: int, sizing: Sizing, peak_per_s: float, spares: int) -> ParallelOption:
    replicas = int(sizing.replicas(np.asarray(peak_per_s)))
    held = in_flight(sizing.curve, peak_per_s / replicas)
    return ParallelOption(
        devices_per_replica=count,
        replicas=replicas,
        devices=(replicas + spares) * count,
        meets_targets=sizing.keepable,
        at_peak=sizing.curve.at(held),
    )


def in_flight(curve: ServiceCurve, rate_per_s: float) -> float:
    """Sequences a replica holds at this rate, by Little's law on its curve: the smallest n with X(n) >= rate.

    Below one the replica is idle part of the time; above the curve's top it cannot keep up and the top is given.
    """
    rates = curve.requests_per_s
    if rate_per_s <= rates[0]:
        return 1.0
    if rate_per_s >= rates[-1]:
        return float(curve.concurrency[-1])
    i = int(np.searchsorted(rates, rate_per_s))
    share = (rate_per_s - rates[i - 1]) / max(rates[i] - rates[i - 1], 1e-300)
    return float(curve.concurrency[i - 1] + share * (curve.concurrency[i] - curve.concurrency[i - 1]))


def smallest_that_keeps(options: Sequence[ParallelOption]) -> ParallelOption | None:
    """The option with fewest devices that keeps the promise; None where none does."""
    return next((option for option in options if option.meets_targets), None)
