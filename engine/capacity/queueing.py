"""Queues: how long a request waits for a free place, and how many replicas keep the wait short.

A replica with batch size b is b places. `places` is c, `load` is rho (offered work over c). All functions broadcast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

_NEVER: Final = 1e18
"""Replicas: more than any demand; stands for "no number is enough"."""


def erlang_c(places: int, load: float) -> float:
    """Exact probability of having to wait in M/M/c (Erlang 1917), by the stable recursion over Erlang B. 0 <= load < 1."""
    offered, blocking = places * load, 1.0
    for k in range(1, places + 1):
        blocking = offered * blocking / (k + offered * blocking)
    return blocking / (1 - load + load * blocking)


def waiting_probability(places: FloatArray, load: FloatArray) -> FloatArray:
    """Closed form of Erlang C: rho^(sqrt(2(c+1)) - 1) (Sakasegawa 1977).

    Exact for c = 1; at most 0.06 too high and never more than 0.01 too low elsewhere, so that it errs towards a longer
    wait. 1 where the load is 1 or more.
    """
    load = np.clip(load, 0.0, 1.0)
    out: FloatArray = np.where(load >= 1, 1.0, load ** (np.sqrt(2 * (np.asarray(places) + 1)) - 1))
    return out


def variability(arrival_cv2: FloatArray | float, service_cv2: FloatArray | float) -> FloatArray:
    """Allen-Cunneen factor (ca^2 + cs^2) / 2: waits of G/G/c over those of M/M/c."""
    out: FloatArray = (np.asarray(arrival_cv2, dtype=np.float64) + np.asarray(service_cv2, dtype=np.float64)) / 2
    return out


def mean_wait_s(
    places: FloatArray, load: FloatArray, service_s: FloatArray, factor: FloatArray | float = 1.0
) -> FloatArray:
    """Mean wait of G/G/c, seconds: factor * P(wait) * S / (c (1 - rho)). Infinite at a load of 1 or more."""
    idle = places * (1 - load)
    with np.errstate(divide="ignore"):
        out: FloatArray = np.where(
            load >= 1, np.inf, factor * waiting_probability(places, load) * service_s / np.maximum(idle, 1e-300)
        )
    return out


def wait_quantile_s(
    places: FloatArray, load: FloatArray, service_s: FloatArray, factor: FloatArray | float, share: float
) -> FloatArray:
    """The wait that `share` of the requests stay within: those who wait do so exponentially (exact for M/M/c)."""
    probability = waiting_probability(places, load)
    scale = factor * service_s / np.maximum(places * (1 - load), 1e-300)
    with np.errstate(divide="ignore"):
        excess = np.log(np.maximum(probability, 1e-300) / (1 - share))
    out: FloatArray = np.where(load >= 1, np.inf, np.maximum(excess, 0.0) * scale)
    return out


def replicas_needed(
    rate: FloatArray,
    rate_per_replica: FloatArray,
    batch: FloatArray,
    wait_s: FloatArray,
    share: float,
    factor: FloatArray | float,
    utilisation_cap: FloatArray | float,
    pooled: bool = True,
) -> FloatArray:
    """Fewest replicas for which `share` of the requests wait no longer than `wait_s` and none is busier than the cap.

    `rate`: arrivals per second; `rate_per_replica`: completions per second of a full replica of `batch` places. `pooled`:
    a balancer hands each request to the replica that has a place free (all places form one queue); otherwise every replica
    queues alone. At least 1; shapes broadcast. A negative `wait_s` can be kept by no number: returned as infinite.
    """
    rate, rate_per_replica, batch, wait_s = np.broadcast_arrays(rate, rate_per_replica, batch, wait_s)
    service = batch / rate_per_replica
    hopeless = wait_s < 0

    def too_late(replicas: FloatArray) -> npt.NDArray[np.bool_]:
        places = replicas * batch if pooled else batch
        load = rate / (replicas * rate_per_replica)
        late: npt.NDArray[np.bool_] = wait_quantile_s(places, load, service, factor, share) > wait_s
        return late & ~hopeless

    enough = np.maximum(np.ceil(rate / (rate_per_replica * utilisation_cap) - 1e-9), 1.0)
    short = too_late(enough)
    if short.any():
        enough = _search(enough, short, too_late)
    out: FloatArray = np.where(hopeless, np.inf, enough)
    return out


def _search(
    start: FloatArray, short: npt.NDArray[np.bool_], too_late: Callable[[FloatArray], npt.NDArray[np.bool_]]
) -> FloatArray:
    """Smallest whole number above `start` that is not too late, where `start` is: doubling, then halving."""
    low, high = start.copy(), np.where(short, start + 1, start)
    step = np.ones_like(start)
    while (late := too_late(high)).any() and high.max() < _NEVER:
        low = np.where(late, high, low)
        step = np.where(late, step * 2, step)
        high = np.where(late, high + step, high)
    while (open_ := short & (high - low > 1)).any():
        middle = np.where(open_, np.floor((low + high) / 2), high)
        late = too_late(middle)
        low = np.where(open_ & late, middle, low)
        high = np.where(open_ & ~late, middle, high)
    return high


class LoadedReplicas:
    """Replicas behind a balancer as one birth-death chain whose speed depends on how many requests are inside.

    With n requests inside, each replica holds n/R of them and completes X(n/R) a second; above R*b they wait. The chain is
    exact for exponential work and, up to R*b, for any distribution of the work (processor sharing is insensitive to it);
    the wait above R*b is scaled by the Allen-Cunneen factor.
    """

    def __init__(
        self,
        rate: float,
        replicas: int,
        batch: int,
        concurrency: FloatArray,
        completions_per_s: FloatArray,
        factor: float = 1.0,
    ) -> None:
        """`completions_per_s[i]`: of one replica holding `concurrency[i]` requests (ascending, from 1)."""
        inside = np.arange(1, replicas * batch + 1, dtype=np.float64)
        per_replica = np.maximum(inside / replicas, 1.0)
        busy = np.minimum(inside, replicas)
        speed = np.interp(per_replica, concurrency, completions_per_s) * busy
        self._drain_per_s = float(speed[-1])
        self._load = rate / self._drain_per_s
        if self._load >= 1:
            raise ValueError("the replicas cannot keep up: load >= 1")
        self._factor = factor
        logs = np.concatenate(([0.0], np.cumsum(np.log(rate / speed))))
        weights = np.exp(logs - logs.max())
        beyond = weights[-1] * self._load / (1 - self._load)
        self._probability = weights / (weights.sum() + beyond)
        self._beyond = beyond / (weights.sum() + beyond)
        self._replicas = replicas
        self._rate = rate

    @property
    def waiting_probability(self) -> float:
        """Chance that an arriving request finds every place taken."""
        return float(self._probability[-1] + self._beyond)

    @property
    def mean_wait_s(self) -> float:
        return float(self._factor * self.waiting_probability / (self._drain_per_s * (1 - self._load)))

    def wait_quantile_s(self, share: float) -> float:
        chance = self.waiting_probability
        if chance <= 1 - share:
            return 0.0
        return self._factor * float(np.log(chance / (1 - share))) / (self._drain_per_s * (1 - self._load))

    @property
    def mean_in_service(self) -> float:
        """Requests being served, all replicas together (Little's law gives their mean residence over the rate)."""
        inside = np.arange(self._probability.size)
        return float(self._probability @ inside + self._beyond * inside[-1])

    @property
    def mean_residence_s(self) -> float:
        """Seconds in service, without the wait: Little's law, L = lambda W (Little 1961)."""
        return self.mean_in_service / self._rate

    def concurrency_quantile(self, share: float) -> float:
        """Requests per replica that an arriving request finds, itself included, in `share` of the cases at most."""
        index = int(np.searchsorted(np.cumsum(self._probability), share))
        index = min(index, self._probability.size - 1)
        found = index + 1 if index < self._probability.size - 1 else index
        return float(max(found / self._replicas, 1.0))
