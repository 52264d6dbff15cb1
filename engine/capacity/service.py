"""What one replica does at each batch size: the batching curve, from whatever knows the speed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

FloatArray = npt.NDArray[np.float64]

_STEPS: Final = np.unique(np.round(2.0 ** np.arange(0, 12.01, 0.5)))
"""Batch sizes looked at: 1, 2, 3, 4, 6, 8, 11, 16, ... 4,096."""


@frozen
class LoadPoint:
    """One replica at one batch size: the batching curve."""

    concurrency: int
    requests_per_s: float
    throughput_tokens_per_s: float
    time_to_first_token_s: float
    time_per_output_token_s: float
    end_to_end_s: float


class SpeedAt(Protocol):
    """Speed of one replica against the sequences it holds at once."""

    def __call__(self, concurrency: FloatArray, /) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(time to first token s, time per output token s, output tokens per second), each shaped like `concurrency`."""
        ...


@frozen
class ServiceCurve:
    """One replica, batch size by batch size; arrays share one length, `concurrency` ascends from 1."""

    concurrency: FloatArray = field(eq=False)
    time_to_first_token_s: FloatArray = field(eq=False)
    time_per_output_token_s: FloatArray = field(eq=False)
    throughput_tokens_per_s: FloatArray = field(eq=False)
    output_tokens: float
    """Mean answer; what turns tokens per second into requests per second."""

    @property
    def requests_per_s(self) -> FloatArray:
        return self.throughput_tokens_per_s / self.output_tokens

    @property
    def end_to_end_s(self) -> FloatArray:
        """First token plus the others, at the mean answer."""
        return self.time_to_first_token_s + max(self.output_tokens - 1, 0.0) * self.time_per_output_token_s

    @property
    def residence_s(self) -> FloatArray:
        """Seconds a place is held, by Little's law: concurrency over completions."""
        return self.concurrency / self.requests_per_s

    def at(self, concurrency: float) -> LoadPoint:
        """The curve at one batch size, linear between its points."""

        def read(values: FloatArray) -> float:
            return float(np.interp(concurrency, self.concurrency, values))

        return LoadPoint(
            concurrency=round(concurrency),
            requests_per_s=read(self.requests_per_s),
            throughput_tokens_per_s=read(self.throughput_tokens_per_s),
            time_to_first_token_s=read(self.time_to_first_token_s),
            time_per_output_token_s=read(self.time_per_output_token_s),
            end_to_end_s=read(self.end_to_end_s),
        )

    def points(self) -> tuple[LoadPoint, ...]:
        columns = (
            self.concurrency,
            self.requests_per_s,
            self.throughput_tokens_per_s,
            self.time_to_first_token_s,
            self.time_per_output_token_s,
            self.end_to_end_s,
        )
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return tuple(LoadPoint(round(n), *rest) for n, *rest in rows)


def batch_sizes(max_concurrency: float) -> FloatArray:
    """Batch sizes the curve is asked at: some twenty up to what memory holds, that number itself the last."""
    top = float(np.floor(max_concurrency))
    return np.append(_STEPS[top > _STEPS], top)


def service_curve(speed_at: SpeedAt, output_tokens: float, max_concurrency: float) -> ServiceCurve:
    """Ask for the speed at some twenty batch sizes up to what memory holds. Raises ValueError below one sequence.

    Throughput is made to never fall with the batch: a server that slows down past some batch size is run below it.
    """
    if max_concurrency < 1:
        raise ValueError("a replica must hold at least one sequence")
    concurrency = batch_sizes(max_concurrency)
    first, per_token, throughput = speed_at(concurrency)
    return ServiceCurve(
        concurrency,
        np.maximum.accumulate(first),
        np.maximum.accumulate(per_token),
        np.maximum.accumulate(throughput),
        max(output_tokens, 1.0),
    )


def curve_of_points(points: Iterable[LoadPoint], output_tokens: float) -> ServiceCurve:
    """The curve behind load points somebody measured or computed. Raises ValueError when there are none."""
    found = sorted(points, key=lambda p: p.concurrency)
    if not found:
        raise ValueError("no load point")
    rows = np.array(
        [(p.concurrency, p.time_to_first_token_s, p.time_per_output_token_s, p.throughput_tokens_per_s) for p in found],
        dtype=np.float64,
    ).T
    return ServiceCurve(rows[0], rows[1], rows[2], rows[3], max(output_tokens, 1.0))
