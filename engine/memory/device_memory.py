"""What memory a device really has: the driver's reading, what the programming interface offers of it, what the system keeps.

Marketed gigabytes are not what a program gets. Where the driver's reading is known it wins; else the marketed figure is read as
GiB (NVIDIA, AMD and most makers mean that) with a wider band. Unified memory is shared with the system: see memory_share.csv.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from engine.catalogue.read import Row, read_rows
from engine.catalogue.rows import Device, ServingEngine
from engine.errors import DamagedDocument, Refused
from engine.estimate import Basis, Estimate, Input, Source, Trace
from engine.memory.constants import constant
from engine.messages import Name, msg
from engine.units import BYTES, GIB, GIGA, MIB, RATIO, TERA

_FILE: Final = Path(__file__).resolve().parents[2] / "assets" / "calibration" / "memory_share.csv"
_MARKETED: Final = 0.995
"""A marketed GiB figure against the driver's reading: 0.93 (288 decimal GB of B300) to 1.02 (97,887 MiB of 96 GiB)."""


@frozen
class MemoryShare:
    """What programs get of a kind of device's memory."""

    id: str
    kind: str
    segment: str
    vendor: str
    min_gib: float
    binary_units: bool
    marketed_low: float
    """Least the driver has been seen to report of a marketed GiB figure, for this kind of device."""
    visible: tuple[float, float, float]
    """Value, low, high."""
    reserve_gib: tuple[float, float, float]
    source: Source


@lru_cache(maxsize=1024)
def visible_memory(device: Device) -> Estimate:
    """Bytes a program can see on one device, less what system and desktop keep. Raises Refused when no capacity is published."""
    figure = device.driver_memory or device.memory
    if figure is None:
        raise Refused(msg("memory.refused.no_capacity", device=Name("device", device.id)))
    share = _share(device, figure.value)
    read = device.driver_memory is not None
    marketed = figure.value / GIGA * (GIB if share.binary_units else GIGA)
    nominal = (figure.value,) * 3 if read else (marketed * _MARKETED, marketed * share.marketed_low, marketed)
    value, low, high = (
        max(n * v - r * GIB, 0.05 * n)
        for n, v, r in zip(nominal, share.visible, _worst_last(share.reserve_gib), strict=True)
    )
    trace = Trace(
        "trace.device_memory",
        "capacity * visible_share - reserve",
        (
            figure.as_input("driver_memory" if read else "marketed_memory"),
            Input("visible_share", share.visible[0], RATIO, Basis.DATASHEET, share.source),
            Input("reserve", share.reserve_gib[0] * GIB, BYTES, Basis.DATASHEET, share.source),
        ),
        share.source.where,
    )
    basis = Basis.DATASHEET if figure.source.verified and "assumed" not in share.source.where else Basis.ASSUMED
    return Estimate(value, min(low, value), max(high, value), BYTES, basis, trace)


def desktop_reserve(device: Device) -> float:
    """Bytes a desktop may take of a card that also draws one (most seen); 0 for devices without a desktop."""
    figure = device.driver_memory or device.memory
    if device.kind != "gpu" or figure is None:
        return 0.0
    return _share(device, figure.value).reserve_gib[2] * GIB


def memory_share(engine: ServingEngine, version: str) -> float:
    """Share of memory the engine takes for itself: 1 where it takes what it needs."""
    return constant(engine.id, version or engine.version, "memory_share").value


def usable_memory(device: Device, engine: ServingEngine, version: str = "") -> Estimate:
    """Bytes weights, cache and runtime of an engine may take on one device (its share of what is visible)."""
    visible = visible_memory(device)
    share = memory_share(engine, version)
    if engine.id != "vllm" or share >= 1.0:
        return visible
    return visible.scaled(share)


@lru_cache(maxsize=1024)
def context_bytes(device: Device) -> tuple[float, float, float]:
    """What a process costs on a device before it loads anything: value, low, high. A CUDA context grows with the card."""
    floor = constant("*", "", "context_floor_mib")
    if device.kind not in ("gpu", "apu", "edge") or device.vendor == "Apple" or device.fp32 is None:
        return floor.value * MIB * 0.5, 0.0, floor.high * MIB
    slope = constant("*", "", "context_mib_per_tflop")
    rate = min(device.fp32.value / TERA, 110.0)
    value, low, high = (max(s * rate, f) * MIB for s, f in zip(_triple(slope), _triple(floor), strict=True))
    return value, low, high


def _triple(entry: Any) -> tuple[float, float, float]:
    return entry.value, entry.low, entry.high


def _worst_last(reserve: tuple[float, float, float]) -> tuple[float, float, float]:
    """Reserve for the value, the low end (most reserved) and the high end."""
    value, low, high = reserve
    return value, high, low


def _share(device: Device, capacity_bytes: float) -> MemoryShare:
    gib = capacity_bytes / (GIB if device.driver_memory else GIGA)
    fitting = [
        s
        for s in _shares()
        if s.kind == device.kind
        and s.segment in ("*", device.segment)
        and s.vendor in ("*", device.vendor)
        and gib >= s.min_gib
    ]
    if not fitting:
        raise Refused(msg("memory.refused.no_capacity", device=Name("device", device.id)))
    return max(fitting, key=lambda s: ((s.segment != "*") + (s.vendor != "*"), s.min_gib))


@lru_cache(maxsize=1)
def _shares() -> tuple[MemoryShare, ...]:
    problems: list[Any] = []
    rows = read_rows(_FILE, _row, problems)
    if problems:
        raise DamagedDocument(msg("error.cannot_read", path=str(_FILE), why=str(problems[0])))
    return tuple(rows)


def _row(row: Row) -> MemoryShare:
    def three(*columns: str) -> tuple[float, float, float]:
        a, b, c = (row.number(column) or 0.0 for column in columns)
        return a, b, c

    return MemoryShare(
        row.required("id"),
        row.required("kind"),
        row.required("segment"),
        row.required("vendor"),
        row.number("min_gib") or 0.0,
        bool(row.truth("binary_units")),
        row.number("marketed_low", 0.5, 1.0) or 1.0,
        three("visible", "visible_low", "visible_high"),
        three("reserve_gib", "reserve_low", "reserve_high"),
        row.source(),
    )
