"""From numbers to points: linear and logarithmic axes with ticks a person would choose."""

from __future__ import annotations

import math
from collections.abc import Iterable

from attrs import frozen


@frozen
class Scale:
    """Maps low..high onto start..end."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high, value = self.low, self.high, min(max(value, self.low), self.high)
        if self.log:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        share = 0.5 if high == low else (value - low) / (high - low)
        return self.start + share * (self.end - self.start)


def spanning(values: Iterable[float], start: float, end: float, *, log: bool, from_zero: bool = False) -> Scale:
    """A scale over all finite values; a log scale leaves out what is not positive, at most five decades."""
    known = [v for v in values if math.isfinite(v) and (not log or v > 0)]
    if not known:
        return Scale(0.0 if not log else 1.0, 1.0 if not log else 10.0, start, end, log)
    low, high = min(known), max(known)
    if log:
        low = max(low, high / 1e5)
        return Scale(low, high if high > low else low * 10, start, end, log=True)
    low = 0.0 if from_zero and low >= 0 else low
    high = high if high > low else low + (abs(low) or 1.0)
    return Scale(low, high, start, end)


def nice_ticks(low: float, high: float, most: int = 5) -> tuple[float, ...]:
    """Steps of 1, 2 or 5 times a power of ten."""
    if not high > low:
        return (low,)
    rough = (high - low) / most
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough)
    first = math.ceil(low / step - 1e-9)
    count = math.floor(high / step + 1e-9) - first + 1
    return tuple((first + n) * step for n in range(count))


def log_ticks(low: float, high: float, most: int = 6) -> tuple[float, ...]:
    """Powers of ten, or 1-2-5 steps where the axis spans less than two decades."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1,) if last - first > 2 else (1, 2, 5)
    ticks = [m * 10.0**p for p in range(first, last + 1) for m in steps]
    inside = [t for t in ticks if low * 0.999 <= t <= high * 1.001]
    every = max(1, -(-len(inside) // most))
    return tuple(inside[::every])


def pushed_apart(wanted: list[float], gap: float, low: float, high: float) -> list[float]:
    """Positions at least `gap` apart and within low..high, as near to the wanted ones as that allows."""
    order = sorted(range(len(wanted)), key=lambda n: wanted[n])
    placed = [0.0] * len(wanted)
    last = low - gap
    for n in order:
        last = max(wanted[n], last + gap)
        placed[n] = last
    over = last - high
    if over > 0:
        above = high + gap
        for n in reversed(order):
            above = min(placed[n], above - gap)
            placed[n] = above
    return placed
