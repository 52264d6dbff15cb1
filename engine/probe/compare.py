"""Measured against the data sheet: the share reached, whether that is what good code reaches, and the first reason why not.

A share is judged by its own expected band, not by 100 %. Above 102 % of the peak the error is ours (a cache, a wrong peak): the
value is shown as implausible and never as good.
"""

from __future__ import annotations

import enum
from typing import Final

from attrs import frozen

from engine.catalogue import Catalogue, Device
from engine.messages import Message, Quantity, msg
from engine.probe.devices import catalogue_device, peak_bandwidth_bytes_per_s
from engine.probe.items import HOPPER_MMA_BAND, ITEMS, NO_BAND, Item, Reference
from engine.probe.results import DeviceFacts, ProbeRun, Reading
from engine.units import GIGA, RATIO, SECONDS

IMPLAUSIBLE: Final = 1.02
SPILLED: Final = 0.25
"""Under a quarter of what is expected, Windows has likely moved the memory to the machine's own."""

LANE_BYTES_PER_S: Final = {
    1: 0.25 * GIGA,
    2: 0.5 * GIGA,
    3: 0.985 * GIGA,
    4: 1.969 * GIGA,
    5: 3.938 * GIGA,
    6: 7.563 * GIGA,
}
"""One direction of one PCI Express lane by generation."""


class Judgement(enum.StrEnum):
    WITHIN = "within"
    ABOVE = "above"
    """Better than the band and still below the peak."""
    BELOW = "below"
    IMPLAUSIBLE = "implausible"
    NO_REFERENCE = "no_reference"


@frozen
class Comparison:
    """One reading beside what it is measured against. Band ends and `reference` are in the reading's own unit."""

    reading: Reading
    judgement: Judgement
    reference: float | None = None
    reference_name: Message | None = None
    low: float | None = None
    high: float | None = None
    share: float | None = None
    at_clock: float | None = None
    """The share of what the clock of the measurement allows: tells a held-back clock from a slow kernel."""
    lead: bool = False
    """The band is an expectation nobody published."""
    why: Message | None = None


def compare(run: ProbeRun, catalogue: Catalogue) -> tuple[Comparison, ...]:
    """Every measured reading with its judgement, in the order it was measured."""
    facts = run.measured_device()
    row = catalogue_device(facts, catalogue) if facts is not None else None
    return tuple(
        _compare(reading, run, facts, row) for reading in run.readings if reading.measured and reading.item in ITEMS
    )


def _compare(reading: Reading, run: ProbeRun, facts: DeviceFacts | None, row: Device | None) -> Comparison:
    item = ITEMS[reading.item]
    value = reading.value or 0.0
    if item.reference is Reference.ABSOLUTE:
        low, high = item.band
        judgement = _absolute(value, low, high, item.unit)
        return Comparison(reading, judgement, low=low, high=high, lead=item.lead)
    found = _reference(item, reading, run, facts, row)
    if found is None or facts is None or item.band == NO_BAND:
        return Comparison(reading, Judgement.NO_REFERENCE)
    reference, name = found
    band = HOPPER_MMA_BAND if item.id.startswith("mma.") and facts.compute_capability == "9.0" else item.band
    share = value / reference
    judgement = judged(share, band)
    why = explanation(reading, item, run, facts, share / band[0]) if judgement is Judgement.BELOW else None
    if judgement is Judgement.IMPLAUSIBLE:
        why = msg("probe.why.implausible")
    return Comparison(
        reading,
        judgement,
        reference,
        name,
        band[0] * reference,
        band[1] * reference,
        share,
        _at_clock(share, reading, item, facts),
        item.lead,
        why,
    )


def _absolute(value: float, low: float, high: float, unit: str) -> Judgement:
    """Times and ratios are better when small; only what is worse than the band is held against a device."""
    if unit == SECONDS:
        return Judgement.BELOW if value > high else Judgement.ABOVE if value < low else Judgement.WITHIN
    if unit == RATIO:
        return Judgement.WITHIN if low <= value <= high else Judgement.ABOVE if value < low else Judgement.BELOW
    return Judgement.NO_REFERENCE


def judged(share: float, band: tuple[float, float]) -> Judgement:
    """Where a share of the peak lies."""
    if share > IMPLAUSIBLE:
        return Judgement.IMPLAUSIBLE
    if share < band[0]:
        return Judgement.BELOW
    return Judgement.WITHIN if share <= band[1] else Judgement.ABOVE


def _reference(
    item: Item, reading: Reading, run: ProbeRun, facts: DeviceFacts | None, row: Device | None
) -> tuple[float, Message] | None:
    """(value, its name) of what the item's band is a share of; None where nobody knows or the comparison would be unfair."""
    if facts is None:
        return None
    of_reading = {Reference.READ: "read", Reference.PINNED_IN: "h2d.pinned", Reference.PINNED_OUT: "d2h.pinned"}
    if item.reference in of_reading:
        other = run.value(of_reading[item.reference])
        return None if other is None else (other, msg(f"probe.item.{of_reading[item.reference]}"))
    if item.reference is Reference.LINK:
        return link_peak(reading, facts)
    if facts.mig_slice:
        return None
    if item.reference is Reference.SHARED:
        return _shared_peak(facts)
    if item.reference is Reference.BANDWIDTH:
        return _bandwidth(facts, row)
    rate = None if row is None else getattr(row, item.reference.value, None)
    return None if rate is None else (rate.value, msg("probe.reference.datasheet"))


def _bandwidth(facts: DeviceFacts, row: Device | None) -> tuple[float, Message] | None:
    if row is not None and row.bandwidth is not None:
        return row.bandwidth.value, msg("probe.reference.datasheet")
    peak = peak_bandwidth_bytes_per_s(facts)
    return None if peak is None else (peak, msg("probe.reference.attributes"))


def _shared_peak(facts: DeviceFacts) -> tuple[float, Message] | None:
    if not facts.multiprocessors or not facts.sm_clock_max_hz:
        return None
    return facts.multiprocessors * 128.0 * facts.sm_clock_max_hz, msg("probe.reference.shared")


def link_peak(reading: Reading, facts: DeviceFacts) -> tuple[float, Message] | None:
    """Generation x lanes as they were under load (a resting link shows less); what the slot could do where load was not read."""
    seen = reading.conditions
    generation = seen.pcie_generation or facts.pcie_generation_max
    lanes = seen.pcie_lanes or facts.pcie_lanes_max
    if facts.integrated or generation not in LANE_BYTES_PER_S or not lanes:
        return None
    return LANE_BYTES_PER_S[generation] * lanes, msg("probe.reference.link", generation=generation, lanes=lanes)


_BY_CLOCK: Final = frozenset(
    {Reference.FP32, Reference.TF32, Reference.FP16, Reference.BF16, Reference.FP8, Reference.INT8, Reference.FP4}
)


def _at_clock(share: float, reading: Reading, item: Item, facts: DeviceFacts) -> float | None:
    now = reading.conditions.sm_clock_hz
    if item.reference not in _BY_CLOCK or not now or not facts.sm_clock_max_hz:
        return None
    return share * facts.sm_clock_max_hz / now


def explanation(reading: Reading, item: Item, run: ProbeRun, facts: DeviceFacts, of_expected: float) -> Message | None:
    """The first thing that was seen and would explain a value below its band."""
    seen = reading.conditions
    if facts.on_battery or run.host.on_battery:
        return msg("probe.why.battery")
    if "power_cap" in seen.throttle or "power_brake" in seen.throttle or _capped(facts):
        return msg("probe.why.power_cap", limit=Quantity(facts.power_limit_w or 0.0, "W"))
    if {"thermal", "hardware_thermal", "hardware_slowdown"} & set(seen.throttle):
        return msg("probe.why.thermal")
    if item.reference is Reference.LINK and _narrowed(reading, facts):
        most = f"Gen{facts.pcie_generation_max} x{facts.pcie_lanes_max}"
        return msg("probe.why.link", now=f"Gen{seen.pcie_generation} x{seen.pcie_lanes}", most=most)
    if facts.mig_slice:
        return msg("probe.why.slice")
    if (facts.utilisation or 0.0) > 0.2 or (facts.other_processes or 0) > 0:
        return msg("probe.why.shared")
    if any(note.key == "probe.note.in_cache" for note in reading.notes):
        return msg("probe.why.too_small")
    if of_expected < SPILLED and run.host.system.startswith("Windows") and item.reference is Reference.BANDWIDTH:
        return msg("probe.why.spilled")
    return _by_kind(item, facts)


def _capped(facts: DeviceFacts) -> bool:
    limit, usual = facts.power_limit_w, facts.power_default_limit_w
    return limit is not None and usual is not None and limit < 0.9 * usual


def _narrowed(reading: Reading, facts: DeviceFacts) -> bool:
    seen = reading.conditions
    generation, lanes = facts.pcie_generation_max, facts.pcie_lanes_max
    return bool(
        (seen.pcie_generation and generation and seen.pcie_generation < generation)
        or (seen.pcie_lanes and lanes and seen.pcie_lanes < lanes)
    )


_GDDR_BANDWIDTH: Final = 2.0e12
"""Above it the memory is stacked (HBM), whose error correction costs nothing."""


def _by_kind(item: Item, facts: DeviceFacts) -> Message | None:
    """What the device itself is known for."""
    peak = peak_bandwidth_bytes_per_s(facts)
    name = facts.name.lower()
    if item.reference is Reference.BANDWIDTH and facts.ecc and peak is not None and peak < _GDDR_BANDWIDTH:
        return msg("probe.why.ecc")
    if item.reference in (Reference.FP16, Reference.BF16) and "geforce" in name:
        return msg("probe.why.half_rate")
    if "laptop" in name or "max-q" in name:
        return msg("probe.why.laptop")
    return None
