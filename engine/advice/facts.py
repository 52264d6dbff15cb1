"""What the advice takes from the catalogue, read once per catalogue: round trips, device memory, how fast a fix spreads."""

from __future__ import annotations

import statistics
import weakref
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from engine.capacity.rollout import ILLUSTRATIVE, ReachCurve, measured_curves
from engine.catalogue.catalogue import Catalogue
from engine.catalogue.rows import DeviceClass as ClassRow
from engine.catalogue.rows import LatencyFact
from engine.consultation import DeviceClass, Intelligence
from engine.estimate import Basis, Estimate, Input, Trace
from engine.units import BYTES, GIGA, MILLI, SECONDS

CLASS_ROWS: Final[Mapping[DeviceClass, tuple[str, ...]]] = {
    DeviceClass.PHONE: (
        "phone-flagship-android",
        "phone-flagship-iphone",
        "phone-iphone-8gb",
        "phone-mid",
        "phone-entry",
        "phone-old",
    ),
    DeviceClass.PC: (
        "laptop-no-gpu",
        "laptop-copilot-plus",
        "laptop-mac",
        "laptop-gaming",
        "desktop-gaming",
        "workstation",
    ),
    DeviceClass.CAR: ("car-cockpit", "car-central"),
    DeviceClass.CAMERA: ("camera-npu",),
    DeviceClass.ROBOT: ("edge-box-jetson", "edge-box-thor"),
    DeviceClass.MACHINE: ("edge-box-jetson", "edge-box-thor", "sbc", "mcu"),
    DeviceClass.WEARABLE: ("watch", "earbuds-glasses", "vr-headset"),
    DeviceClass.SPEAKER: ("smart-speaker",),
    DeviceClass.KIOSK: ("kiosk-pos",),
    DeviceClass.VESSEL: ("edge-box-jetson", "edge-box-thor"),
}
"""The rows of device_classes.csv a class of the questionnaire stands for. A server is no device of the user's."""

SMALLEST_MODEL_BYTES: Final[Mapping[Intelligence, float]] = {
    Intelligence.NARROW: 0.08 * GIGA,
    Intelligence.MEDIUM: 5.0 * GIGA,
    Intelligence.FRONTIER: 60.0 * GIGA,
}
"""Weights at four bits plus a short cache of the smallest model that does such work: a trained-for-one-task model of some
80 MB, a general model of 8 billion parameters (4.6 GB and 0.4 GB), an open model of 100 billion and more."""

MODEL_CLASS_PARAMS: Final[Mapping[Intelligence, tuple[float, float]]] = {
    Intelligence.NARROW: (0.02e9, 4e9),
    Intelligence.MEDIUM: (7e9, 40e9),
    Intelligence.FRONTIER: (100e9, 2000e9),
}
"""Parameters of the models that usually do such work."""


@frozen(eq=False, repr=False)
class Facts:
    """Figures of one catalogue, as the rules use them."""

    mobile_round_trip: Estimate
    """Device on a mobile network to a cloud region and back, without processing."""
    wired_round_trip: Estimate
    """Building on a fixed line to a cloud region and back."""
    lan_round_trip: Estimate
    class_memory_bytes: Mapping[str, tuple[float, float]]
    """Row of device_classes -> memory an app may use for a model."""
    reach: tuple[ReachCurve, ...]
    """How an app update spreads: the measured curve of all installs first, then the others and the teaching curve."""
    named_memory_bytes: Mapping[str, float]
    """Device id -> memory, for a named target."""

    def round_trip(self, away: bool) -> Estimate:
        return self.mobile_round_trip if away else self.wired_round_trip

    def fit_share(self, device_class: DeviceClass | None, target: str | None, need_bytes: float) -> float | None:
        """Share of the class's kinds of device whose usual memory holds `need_bytes`; None when the class is unknown.

        A named target counts alone: 1 or 0.
        """
        if target is not None and target in self.class_memory_bytes:
            return float(_middle(self.class_memory_bytes[target]) >= need_bytes)
        if target is not None and target in self.named_memory_bytes:
            return float(self.named_memory_bytes[target] >= need_bytes)
        spans = self.class_spans(device_class)
        if not spans:
            return None
        return sum(_middle(span) >= need_bytes for span in spans) / len(spans)

    def class_spans(self, device_class: DeviceClass | None) -> tuple[tuple[float, float], ...]:
        rows = CLASS_ROWS.get(device_class, ()) if device_class else ()
        return tuple(self.class_memory_bytes[row] for row in rows if row in self.class_memory_bytes)

    def class_memory(self, device_class: DeviceClass | None, target: str | None) -> Estimate | None:
        """Memory a model may have on such a device: the median kind, from the smallest to the largest."""
        if target is not None and target in self.named_memory_bytes:
            whole = self.named_memory_bytes[target]
            return Estimate(whole, whole, whole, BYTES, Basis.DATASHEET)
        spans = (
            (self.class_memory_bytes[target],)
            if target is not None and target in self.class_memory_bytes
            else self.class_spans(device_class)
        )
        if not spans:
            return None
        middle = statistics.median(_middle(span) for span in spans)
        return Estimate(middle, min(s[0] for s in spans), max(s[1] for s in spans), BYTES, Basis.ASSUMED)


def _middle(span: tuple[float, float]) -> float:
    return (span[0] + span[1]) / 2


_MADE: dict[int, tuple[weakref.ref[Catalogue], Facts]] = {}


def facts_of(catalogue: Catalogue) -> Facts:
    """The facts of a catalogue, read once while the catalogue lives."""
    held = _MADE.get(id(catalogue))
    if held is not None and held[0]() is catalogue:
        return held[1]
    made = _read(catalogue)
    for key in [k for k, (ref, _) in _MADE.items() if ref() is None]:
        del _MADE[key]
    _MADE[id(catalogue)] = (weakref.ref(catalogue), made)
    return made


def _read(catalogue: Catalogue) -> Facts:
    latency = catalogue.latency
    return Facts(
        mobile_round_trip=_mobile(latency),
        wired_round_trip=_wired(latency),
        lan_round_trip=_lan(latency),
        class_memory_bytes={i: r.model_memory_bytes for i, r in catalogue.device_classes.items() if _has_memory(r)},  # type: ignore[misc]
        reach=(*measured_curves(catalogue.rollout.values()), ILLUSTRATIVE),
        named_memory_bytes={
            i: (d.driver_memory or d.memory).value  # type: ignore[union-attr]
            for i, d in catalogue.devices.items()
            if d.driver_memory or d.memory
        },
    )


def _has_memory(row: ClassRow) -> bool:
    return row.model_memory_bytes is not None


def _milliseconds(rows: Mapping[str, LatencyFact], row_id: str) -> float | None:
    """A round trip of the table in ms: the median where it has one, else the stated value (the middle of a range)."""
    row = rows.get(row_id)
    if row is None:
        return None
    if row.rtt_p50_s is not None:
        return row.rtt_p50_s / MILLI
    try:
        low, _, high = row.value.partition("-")
        return (float(low) + float(high or low)) / 2
    except ValueError:
        return None


def _band(
    rows: Mapping[str, LatencyFact], value: str, low: str, high_ms: float, fallback: tuple[float, float]
) -> Estimate:
    """An assumed round trip from two rows of the table; `fallback` (value, low in ms) where a row is missing."""
    middle = _milliseconds(rows, value) or fallback[0]
    least = min(_milliseconds(rows, low) or fallback[1], middle)
    used = tuple(
        Input(row_id, _milliseconds(rows, row_id) or 0.0, "ms", Basis.ASSUMED, rows[row_id].source)
        for row_id in (value, low)
        if row_id in rows
    )
    trace = Trace("advice.trace.round_trip", "typical path, from the nearest region to another continent", used)
    return Estimate(middle * MILLI, least * MILLI, high_ms * MILLI, SECONDS, Basis.ASSUMED, trace)


FAR_CLOUD_MS: Final = 200.0
"""A region on another continent, or a weak connection: the upper end of what a good connection shows."""


def _mobile(rows: Mapping[str, LatencyFact]) -> Estimate:
    return _band(rows, "abroad-5g", "kr-5g-2024", FAR_CLOUD_MS, (53.6, 20.0))


def _wired(rows: Mapping[str, LatencyFact]) -> Estimate:
    return _band(rows, "az-kr-tokyo", "kr-fixed", FAR_CLOUD_MS, (29.0, 4.0))


def _lan(rows: Mapping[str, LatencyFact]) -> Estimate:
    row = rows.get("lan")
    p50 = row.rtt_p50_s if row and row.rtt_p50_s else 0.5 * MILLI
    p95 = row.rtt_p95_s if row and row.rtt_p95_s else 1.0 * MILLI
    return Estimate(p50, 0.1 * MILLI, p95, SECONDS, Basis.ASSUMED)
