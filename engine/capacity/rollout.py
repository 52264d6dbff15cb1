"""New versions: how many people a bad one reaches, how long a fix takes to reach people, and what a download costs in users."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from engine.capacity.lengths import normal_quantile
from engine.capacity.results import Download, Exposure, Reach
from engine.catalogue.rows import RolloutFact
from engine.estimate import Basis, Estimate, Input, Source, Trace
from engine.messages import Message, msg
from engine.units import COUNT, DAYS, MEGA, RATIO, SECONDS, USERS

FloatArray = npt.NDArray[np.float64]


def exposure(
    requests_per_s: Estimate, users: Estimate, canary_share: float, detection_minutes: float, rollback_minutes: float
) -> Exposure:
    """Requests and people a faulty version reaches: canary share x traffic x (detection + rollback).

    People: the requests land on `canary_share` of the users at random (sticky routing); of n such users, k requests touch
    n (1 - exp(-k/n)) different ones.
    """
    minutes = detection_minutes + rollback_minutes
    seconds = minutes * 60

    def hit(rate: float, share: float) -> float:
        return rate * share * seconds

    def touched(rate: float, people: float) -> float:
        group = people * canary_share
        return group * -math.expm1(-hit(rate, canary_share) / group) if group > 0 else 0.0

    inputs = (
        Input("canary_share", canary_share, RATIO, Basis.DATASHEET),
        Input("traffic", requests_per_s.value, requests_per_s.unit, requests_per_s.basis, None, requests_per_s.trace),
        Input("detection", detection_minutes, "min", Basis.DATASHEET),
        Input("rollback", rollback_minutes, "min", Basis.DATASHEET),
    )
    trace = Trace("capacity.trace.exposure", "canary_share * traffic * (detection + rollback) * 60", inputs)
    r = requests_per_s
    return Exposure(
        requests=_of(r, lambda rate: hit(rate, canary_share), COUNT, trace),
        people=Estimate(
            touched(r.value, users.value), touched(r.low, users.low), touched(r.high, users.high), USERS, r.basis, trace
        ),
        without_canary=_of(r, lambda rate: hit(rate, 1.0), COUNT, trace),
        minutes=minutes,
    )


def _of(rate: Estimate, make: Callable[[float], float], unit: str, trace: Trace) -> Estimate:
    return Estimate(make(rate.value), make(rate.low), make(rate.high), unit, rate.basis, trace)


_NO_TRAFFIC_PER_S: Final = 1e-9
"""A request in thirty years: nothing is ever noticed."""


def requests_to_notice(usual_failures: float, faulty_failures: float, confidence: float = 0.95) -> float | None:
    """Requests of the new version that tell a fault from chance.

    One-sided test of a proportion against a known one with equal error rates (normal approximation, Fleiss 1981, ch. 3):
    n = ((z sqrt(p0 q0) + z sqrt(p1 q1)) / (p1 - p0))^2. None where it fails no more often.
    """
    if faulty_failures <= usual_failures:
        return None
    z = normal_quantile(confidence)
    spread = math.sqrt(usual_failures * (1 - usual_failures)) + math.sqrt(faulty_failures * (1 - faulty_failures))
    return max((z * spread / (faulty_failures - usual_failures)) ** 2, 1.0)


def minutes_to_notice(
    requests_per_s: float, canary_share: float, usual_failures: float, faulty_failures: float, confidence: float = 0.95
) -> float | None:
    """Minutes until a canary of that share has served `requests_to_notice`; None where it never shows."""
    needed = requests_to_notice(usual_failures, faulty_failures, confidence)
    if needed is None or requests_per_s * canary_share <= _NO_TRAFFIC_PER_S:
        return None
    return needed / (requests_per_s * canary_share) / 60


_DRAWN_DAYS: Final = (0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 14.0, 21.0, 30.0, 45.0, 60.0, 90.0, 120.0, 180.0)


@frozen
class ReachCurve:
    """Share of the installed base that runs a new version, by days since its release."""

    id: str
    label: Message
    days: tuple[float, ...]
    """Ascending from 0."""
    share: tuple[float, ...]
    ceiling: float
    """Share it never passes: those who never update."""
    source: Source
    illustrative: bool
    """True: an example, not a measurement."""

    def reached(self, days: FloatArray | float) -> FloatArray:
        """Share reached after so many days: straight between the points, then towards the ceiling with the last slope."""
        d = np.asarray(days, dtype=np.float64)
        known = np.interp(d, self.days, self.share)
        gap = self.ceiling - self.share[-1]
        if gap <= 0:
            return np.minimum(known, self.ceiling)
        beyond = np.maximum(d - self.days[-1], 0.0)
        out: FloatArray = np.where(beyond > 0, self.ceiling - gap * np.exp(-beyond * self._last_slope() / gap), known)
        return out

    def days_until(self, share: float) -> float | None:
        """Days until that share runs the new version; None where it never does."""
        if share <= self.share[0]:
            return self.days[0]
        for (d0, s0), (d1, s1) in pairwise(zip(self.days, self.share, strict=True)):
            if share <= s1:
                return d0 + (share - s0) / (s1 - s0) * (d1 - d0)
        gap = self.ceiling - self.share[-1]
        if share >= self.ceiling or gap <= 0:
            return None
        return self.days[-1] - gap / self._last_slope() * math.log((self.ceiling - share) / gap)

    def read(self) -> Reach:
        """The curve as an answer, drawn over half a year."""
        return Reach(
            self.id,
            self.label,
            self.illustrative,
            self.source,
            _DRAWN_DAYS,
            tuple(float(x) for x in self.reached(np.array(_DRAWN_DAYS))),
            self.days_until(0.5),
            self.days_until(0.8),
        )

    def _last_slope(self) -> float:
        if len(self.days) < 2 or self.share[-1] <= self.share[-2]:
            return 1e-9
        return (self.share[-1] - self.share[-2]) / (self.days[-1] - self.days[-2])


CLOUD: Final = ReachCurve(
    "cloud", msg("capacity.reach.cloud"), (0.0,), (1.0,), 1.0, Source("one place to change", ""), illustrative=False
)
ILLUSTRATIVE: Final = ReachCurve(
    "illustrative",
    msg("capacity.reach.illustrative"),
    (0.0, 3.0, 14.0, 60.0),
    (0.0, 0.30, 0.70, 0.85),
    0.90,
    Source("illustrative curve of the handbook, 12.6.5", "", verified=False),
    illustrative=True,
)

_STAYS_BEHIND: Final = 0.10
"""Share that never updates, for measured curves that stop early (5-15 %: rule of thumb, facts row forced-update)."""
_FAMILIES: Final[Mapping[str, tuple[str, Message]]] = {
    "app10k": ("adoption", msg("capacity.reach.app10k")),
    "mylyrics": ("updates_executed", msg("capacity.reach.mylyrics")),
    "android": ("updates_executed", msg("capacity.reach.android")),
}


def measured_curves(facts: Iterable[RolloutFact]) -> tuple[ReachCurve, ...]:
    """The curves of rollout.csv: one app's installs, and two whose shares are of those who updated at all.

    The latter are scaled to the share that updates at all (90 %), so that all curves speak of the installed base.
    """
    rows = [f for f in facts if f.days_after_release is not None and f.share is not None]
    curves = []
    for prefix, (kind, label) in _FAMILIES.items():
        mine = sorted(
            (f for f in rows if f.kind == kind and f.id.startswith(f"{prefix}-")),
            key=lambda f: f.days_after_release or 0,
        )
        if not mine:
            continue
        scale = 1.0 if kind == "adoption" else 1 - _STAYS_BEHIND
        curves.append(
            ReachCurve(
                prefix,
                label,
                (0.0, *(float(f.days_after_release or 0) for f in mine)),
                (0.0, *((f.share or 0.0) * scale for f in mine)),
                1 - _STAYS_BEHIND,
                mine[0].source,
                illustrative=False,
            )
        )
    return tuple(curves)


def days_until(curves: Iterable[ReachCurve], share: float) -> Estimate | None:
    """Days until a fix reaches that share: the illustrative or first curve, its band spanned by all of them.

    None where the first curve never gets there.
    """
    found = list(curves)
    first = found[0].days_until(share)
    if first is None:
        return None
    others = [d for d in (c.days_until(share) for c in found) if d is not None]
    inputs = (Input("share", share, RATIO, Basis.ASSUMED, found[0].source),)
    trace = Trace("capacity.trace.reach", "first day with reach >= share", inputs)
    return Estimate(first, min(others), max(others), DAYS, Basis.ASSUMED, trace)


_CELLULAR_PROMPT_BYTES: Final = 200 * MEGA
_KNOWN_TO_BYTES: Final = 150 * MEGA
_LOSS_PER_MB: Final = (0.0017, 0.0012, 0.0045)
"""Of installs per MB: Google Play 1 % per 6 MB below 100 MB; one iOS app 0.45 % per MB (rollout.csv: play-6mb, ios-seg-below)."""
_LIMITS: Final = (
    (0.5e9, msg("capacity.download.play_base")),
    (1.5e9, msg("capacity.download.play_pack")),
    (4e9, msg("capacity.download.store_app")),
)
"""Store limits: os_facts.csv rows play-base, play-pack, ios-app-size and play-install-total."""


def download(size_bytes: float, link_bit_per_s: Estimate) -> Download:
    """Waiting time, prompts, store limits and lost installs of a download.

    The loss was measured up to some 150 MB only; beyond, it is not extrapolated.
    """
    bits = size_bytes * 8
    trace = Trace(
        "capacity.trace.download",
        "size * 8 / link",
        (
            Input("size", size_bytes, "B", Basis.DATASHEET),
            Input("link", link_bit_per_s.value, link_bit_per_s.unit, link_bit_per_s.basis),
        ),
    )
    seconds = Estimate(
        bits / link_bit_per_s.value,
        bits / link_bit_per_s.high,
        bits / link_bit_per_s.low,
        SECONDS,
        Basis.ASSUMED,
        trace,
    )
    lost = None
    if size_bytes <= _KNOWN_TO_BYTES:
        value, low, high = (min(size_bytes / MEGA * rate, 1.0) for rate in _LOSS_PER_MB)
        lost = Estimate(value, low, high, RATIO, Basis.ASSUMED)
    notes = [message for limit, message in _LIMITS if size_bytes > limit]
    if lost is None:
        notes.append(msg("capacity.download.loss_unknown"))
    return Download(seconds, size_bytes > _CELLULAR_PROMPT_BYTES, lost, tuple(notes))
