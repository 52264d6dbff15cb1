"""From a load and a promise to batch size and replicas.

The batch size is a choice: a large batch serves more requests a second and each of them more slowly. Every batch size of the
curve that keeps the promise is tried, and the one that needs fewest replicas wins.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from engine.capacity import lengths, queueing
from engine.capacity.service import ServiceCurve

FloatArray = npt.NDArray[np.float64]

UTILISATION_CAP: Final = 0.85
"""Busiest a replica may be at the peak where nobody said: what is left is the headroom for bursts and for a mean that was
guessed too low."""


_CHOICES: Final = 6
"""Batch sizes tried; each is 1.4 times the one before."""


@frozen
class Promise:
    """What must hold for `percentile` of the requests. None: not promised."""

    percentile: float = 0.95
    time_to_first_token_s: float | None = None
    time_per_output_token_s: float | None = None
    end_to_end_s: float | None = None

    @property
    def empty(self) -> bool:
        return (self.time_to_first_token_s, self.time_per_output_token_s, self.end_to_end_s) == (None, None, None)


@frozen
class Sizing:
    """Everything that turns a peak rate into replicas of one deployment; usable for arrays of rates."""

    curve: ServiceCurve
    promise: Promise
    prompt_sigma: float = 0.0
    output_sigma: float = 0.0
    """Shapes of the lognormal lengths (`engine.capacity.lengths.sigma_of`)."""
    arrival_cv2: float = 1.0
    """1: independent users (Poisson); above 1: bursts."""
    utilisation_cap: float = UTILISATION_CAP
    pooled: bool = True
    """A balancer sends each request to a replica with a free place."""
    margin_s: FloatArray = field(eq=False, init=False)
    """Wait each batch size of the curve leaves room for; negative where it breaks the promise by itself."""
    factor: FloatArray = field(eq=False, init=False)
    """Allen-Cunneen factor of each batch size."""

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "margin_s", self._margins())
        object.__setattr__(self, "factor", queueing.variability(self.arrival_cv2, self.service_cv2()))

    def first_token_s(self) -> FloatArray:
        """Time to first token at the percentile, without the wait: it grows with the length of the prompt."""
        return self.curve.time_to_first_token_s * lengths.quantile_over_mean(self.prompt_sigma, self.promise.percentile)

    def end_to_end_s(self) -> FloatArray:
        """Whole answer at the percentile, without the wait: the deviations of prompt and answer add in quadrature."""
        share = self.promise.percentile
        first = self.first_token_s() - self.curve.time_to_first_token_s
        answer = self.curve.end_to_end_s - self.curve.time_to_first_token_s
        rest = answer * (lengths.quantile_over_mean(self.output_sigma, share) - 1)
        out: FloatArray = self.curve.end_to_end_s + np.hypot(np.maximum(first, 0), np.maximum(rest, 0))
        return out

    def service_cv2(self) -> FloatArray:
        """Squared variation of the time a place is held."""
        answer = self.curve.end_to_end_s - self.curve.time_to_first_token_s
        spread = lengths.variation_squared(self.output_sigma) * answer**2
        spread = spread + lengths.variation_squared(self.prompt_sigma) * self.curve.time_to_first_token_s**2
        out: FloatArray = spread / np.maximum(self.curve.end_to_end_s, 1e-12) ** 2
        return out

    def _margins(self) -> FloatArray:
        margin = np.full(self.curve.concurrency.shape, np.inf)
        p = self.promise
        if p.time_to_first_token_s is not None:
            margin = np.minimum(margin, p.time_to_first_token_s - self.first_token_s())
        if p.end_to_end_s is not None:
            margin = np.minimum(margin, p.end_to_end_s - self.end_to_end_s())
        if p.time_per_output_token_s is not None:
            margin = np.where(self.curve.time_per_output_token_s <= p.time_per_output_token_s, margin, -1.0)
        return margin

    @property
    def keepable(self) -> bool:
        """Some batch size keeps the promise when nobody queues."""
        return bool((self.margin_s >= 0).any())

    @cached_property
    def usable(self) -> npt.NDArray[np.intp]:
        """Batch sizes to choose from, as places on the curve: the largest that keep the promise, down to a fifth or so of
        the largest (smaller ones serve too little for the wait they save); the smallest of all where none keeps it."""
        kept = np.flatnonzero(self.margin_s >= 0)
        return kept[-_CHOICES:] if kept.size else np.zeros(1, dtype=np.intp)

    def one_by_one(self, rate: float) -> float:
        """Fewest replicas when requests enter the model one at a time: enough work for none to be busier than the cap, waits not
        counted."""
        return float(np.ceil(rate / (self.curve.requests_per_s[0] * self.utilisation_cap) - 1e-9))

    def options(self, rate: FloatArray) -> FloatArray:
        """Replicas for each usable batch size, infinite for the others; shape `rate.shape + (batch sizes,)`."""
        usable = self.usable
        out = np.full((*np.shape(rate), self.curve.concurrency.size), np.inf)
        out[..., usable] = self._needed(rate, usable)
        return out

    def _needed(self, rate: FloatArray, places: npt.NDArray[np.intp]) -> FloatArray:
        """Replicas at the batch sizes of those places on the curve; a promise already broken is not counted."""
        return queueing.replicas_needed(
            np.asarray(rate, dtype=np.float64)[..., None],
            self.curve.requests_per_s[places],
            self.curve.concurrency[places],
            np.where(self.margin_s[places] < 0, np.inf, self.margin_s[places]),
            self.promise.percentile,
            self.factor[places],
            self.utilisation_cap,
            self.pooled,
        )

    def replicas(self, rate: FloatArray, work: FloatArray | float = 1.0) -> FloatArray:
        """Fewest replicas for these arrivals per second; never falls as the rate grows.

        `work`: seconds of service a request needs over those of the curve (longer answers, a slower machine), broadcast
        against `rate`: a service that takes twice as long needs the replicas of twice the rate.
        """
        wanted = np.asarray(rate, dtype=np.float64) * work
        rates, back = np.unique(wanted, return_inverse=True)
        fewest: FloatArray = self.options(rates).min(axis=-1)[back].reshape(wanted.shape)
        return fewest

    def work(
        self, batch: float, speed: FloatArray | float, prompt: FloatArray | float, answer: FloatArray | float
    ) -> FloatArray:
        """Service of a request over that of the curve when speed, prompt and answer length are these multiples of what the
        curve was asked for: reading follows the prompt, writing the answer."""
        i = self.index(batch)
        reading = self.curve.time_to_first_token_s[i] / self.curve.end_to_end_s[i]
        out: FloatArray = (reading * np.asarray(prompt) + (1 - reading) * np.asarray(answer)) / np.asarray(speed)
        return out

    @cached_property
    def batch(self) -> int:
        """The limit to set in the engine: the largest batch that keeps the promise by itself.

        The replicas may have been counted with a smaller one; a larger limit lets in at once whom the smaller one would have
        kept waiting, and still keeps the promise.
        """
        return int(self.curve.concurrency[self.usable[-1]])

    def index(self, batch: float) -> int:
        """Where on the curve a batch size stands."""
        return int(np.searchsorted(self.curve.concurrency, batch))


def with_zones(replicas: FloatArray | float, zones: int) -> FloatArray:
    """Replicas in all when the loss of one of `zones` equal zones must leave `replicas`. zones >= 2."""
    out: FloatArray = np.ceil(np.asarray(replicas, dtype=np.float64) / (zones - 1)) * zones
    return out
