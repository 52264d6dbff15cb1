"""How sure a figure is: the band of like rows, wider where the chip, the model or the load was never measured."""

from __future__ import annotations

from typing import Final

from attrs import evolve, frozen

from engine.deployment import Deployment
from engine.speed.calibration import Band, Calibration
from engine.speed.keys import device_family, engine_class
from engine.speed.measured import SHORT_PROMPT_TOKENS

_BUCKETS: Final = ((1, "1"), (8, "8"), (32, "32"), (128, "128"))
_MANY: Final = "many"
_OUTSIDE: Final = 1.5
"""A figure outside what was measured: its band is this much wider (in the logarithm)."""
_UNLIKE: Final = 1.6
"""The same for a family of chips or an engine no row was of."""
_UNKNOWN: Final = Band(0.5, 2.0, 0)
"""Where no like rows are known at all."""
_MEASURED_HERE: Final = 0.7
"""With the probe's reading instead of the data sheet's: the spread between copies of a chip is gone from the band."""


@frozen
class BandState:
    """A band and what is to be said about it."""

    band: Band
    calibrated: bool
    unlike: tuple[str, ...]
    """What was never measured: "family", "engine"."""
    unseen: tuple[str, ...]
    """What was not in the rows though its like was: "device", "model"."""
    outside: tuple[str, ...]
    """Quantities beyond the measured range."""


def bucket(concurrency: float) -> str:
    """The concurrency class of a row."""
    return next((name for most, name in _BUCKETS if concurrency <= most), _MANY)


def group_names(kind: str, deployment: Deployment, concurrency: float | None = None) -> tuple[str, ...]:
    """Groups of like rows a figure belongs to, finest first; the kind alone is always one."""
    engine, family = engine_class(deployment.engine.id), device_family(deployment.device)
    load = bucket(deployment.concurrency if concurrency is None else concurrency)
    return (
        f"{kind}|{engine}|{family}|{load}",
        f"{kind}|{engine}|{family}",
        f"{kind}|{engine}|*",
        f"{kind}|*|{family}",
        kind,
    )


def band_of(calibration: Calibration, kind: str, deployment: Deployment, alone_at: float | None = None) -> BandState:
    """The band of a figure of that kind (one of expected.KINDS): of the deployment's load or, with `alone_at`, of one user with
    that many cached tokens.

    Where an engine was only measured the other way round (a server's step under load, a laptop's rate alone), the band of the
    matching kind is taken, turned over where one is a rate and the other a time.
    """
    engine = engine_class(deployment.engine.id)
    used = next((k for k in (kind, *_MATCHING[kind]) if engine in calibration.seen.get(f"{k}.engine", ())), kind)
    users, depth = (deployment.concurrency, deployment.context_tokens) if alone_at is None else (1, alone_at)
    state = _state(calibration, used, deployment, float(users), max(float(depth), SHORT_PROMPT_TOKENS))
    return state if (used in _TIMES) == (kind in _TIMES) else evolve(state, band=_turned(state.band))


_TIMES: Final = frozenset({"ttft", "tpot"})
_MATCHING: Final = {
    "decode": ("tpot",),
    "tpot": ("decode",),
    "prefill": ("ttft",),
    "ttft": ("prefill",),
    "throughput": ("tpot", "decode"),
}


def _turned(band: Band) -> Band:
    return Band(1.0 / band.high, 1.0 / band.low, band.rows)


def _state(calibration: Calibration, kind: str, deployment: Deployment, users: float, depth: float) -> BandState:
    def never(**of: str) -> tuple[str, ...]:
        seen = calibration.seen
        return tuple(name for name, value in of.items() if value not in seen.get(f"{kind}.{name}", ()))

    unlike = never(family=device_family(deployment.device), engine=engine_class(deployment.engine.id))
    unseen = never(device=deployment.device.id, model=deployment.model.id)
    outside = tuple(
        name
        for name, value in _quantities(kind, deployment, users, depth)
        if not _within(value, calibration.ranges.get(f"{kind}.{name}"))
    )
    table = calibration.bands["unseen" if unseen or unlike else "known"]
    found = next((table[g] for g in group_names(kind, deployment, users) if g in table), _UNKNOWN)
    width = (_UNLIKE if unlike else 1.0) * (_OUTSIDE if outside else 1.0)
    if deployment.measured_bandwidth_bytes_per_s or deployment.measured_flop_per_s:
        width *= _MEASURED_HERE
    return BandState(widened(found, width), not unlike, unlike, unseen, outside)


def widened(band: Band, factor: float) -> Band:
    """The band with its distance from 1 stretched in the logarithm."""
    low, high = min(band.low, 1.0), max(band.high, 1.0)
    return Band(low**factor, high**factor, band.rows)


def _quantities(kind: str, d: Deployment, users: float, depth: float) -> tuple[tuple[str, float], ...]:
    if kind == "decode":
        return ("context", depth), ("concurrency", users)
    if kind == "prefill":
        return ("context", depth), ("prompt", d.prompt_tokens)
    return ("prompt", d.prompt_tokens), ("output", d.output_tokens), ("concurrency", users)


def _within(value: float, span: tuple[float, float] | None) -> bool:
    return span is not None and span[0] * 0.5 <= value <= span[1] * 2.0
