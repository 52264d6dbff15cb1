"""What the curves of a run teach: a straight line through times, and where two lines cross.

T(n) = a + n / b: a fixed cost a and a rate b, fitted on relative errors so that small sizes count as much as large ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from engine.probe.results import Lesson, Series


@frozen
class Fit:
    """A fixed cost in seconds and a rate in elements a second; `error` is the median relative miss."""

    fixed_s: float
    rate_per_s: float
    error: float

    def seconds(self, n: float) -> float:
        return self.fixed_s + n / self.rate_per_s


def fit(x: Sequence[float], y: Sequence[float]) -> Fit:
    """Least squares of y = a + x / b with each point weighted by 1 / y; a and b are not negative.

    Raises ValueError for fewer than two different sizes or a time that is not above zero.
    """
    sizes, times = np.asarray(x, float), np.asarray(y, float)
    if len(np.unique(sizes)) < 2 or np.any(times <= 0) or not np.all(np.isfinite(times)):
        raise ValueError("a line needs two sizes and times above zero")
    weights = 1.0 / times
    design = np.stack([weights, sizes * weights], axis=1)
    (fixed, slope), *_ = np.linalg.lstsq(design, np.ones_like(times), rcond=None)
    if slope <= 0:
        fixed, slope = float(np.median(times)), 1e-30
    elif fixed < 0:
        fixed, slope = 0.0, float(np.sum(sizes * weights) / np.sum((sizes * weights) ** 2))
    error = float(np.median(np.abs((fixed + slope * sizes) / times - 1)))
    return Fit(float(fixed), float(1.0 / slope), error)


def crossing(slow_start: Fit, quick_start: Fit) -> float | None:
    """The size from which `slow_start` (a device with copies) is faster than `quick_start`; None: never. 0: always."""
    gain_per_element = 1.0 / quick_start.rate_per_s - 1.0 / slow_start.rate_per_s
    head_start_s = slow_start.fixed_s - quick_start.fixed_s
    if head_start_s <= 0:
        return 0.0 if gain_per_element >= 0 else None
    if gain_per_element <= 0:
        return None
    size = head_start_s / gain_per_element
    return size if size >= 1 else 0.0


@frozen
class BreakEven:
    """Where one way overtakes another: computed from the fits, `confirmed` by a run on each side (None: not run)."""

    slow_start: str
    quick_start: str
    size: float | None
    confirmed: bool | None = None


def best_of(*curves: Series) -> Series:
    """Point by point the faster of several curves, on the sizes they share."""
    known = [dict(zip(c.x, c.y, strict=True)) for c in curves]
    shared = sorted(set.intersection(*(set(k) for k in known)))
    return Series("best", tuple(shared), tuple(min(k[x] for k in known) for x in shared))


def break_even(lesson: Lesson, slow_start: str, quick_start: Sequence[str]) -> BreakEven | None:
    """The size from which `slow_start` beats the best of `quick_start`; None where a curve is missing or too short."""
    slow = lesson.series_of(slow_start)
    quick = [s for key in quick_start if (s := lesson.series_of(key)) is not None]
    if slow is None or not quick:
        return None
    best = best_of(*quick)
    try:
        size = crossing(fit(slow.x, slow.y), fit(best.x, best.y))
    except ValueError:
        return None
    return BreakEven(slow_start, quick[0].key, size, _confirmed(lesson, size))


def _confirmed(lesson: Lesson, size: float | None) -> bool | None:
    """Two runs near the crossing: the host wins on the small side, the device on the large one."""
    host, device = lesson.series_of("confirm_cpu"), lesson.series_of("confirm_gpu")
    if host is None or device is None or size is None or len(host.y) < 2 or len(device.y) < 2:
        return None
    return host.y[0] < device.y[0] and device.y[-1] < host.y[-1]


@frozen
class IndexWalk:
    """The worked example in numbers: n elements in blocks of `block_size`."""

    elements: int = 1_000_000
    block_size: int = 256

    @property
    def blocks(self) -> int:
        """Rounded up, so that no element is left over."""
        return (self.elements + self.block_size - 1) // self.block_size

    @property
    def spare_threads(self) -> int:
        return self.blocks * self.block_size - self.elements

    def element(self, block: int, thread: int) -> int:
        """blockIdx * blockDim + threadIdx."""
        return block * self.block_size + thread
