"""How much the probe may take of somebody else's machine."""

from __future__ import annotations

from typing import Final

import psutil

from engine.probe.results import Conditions, DeviceFacts
from engine.units import GIB, MIB

LAUNCH_TARGET_S: Final = 0.020
LAUNCH_LIMIT_S: Final = 0.050
"""A display stutters above; the watchdog of Windows ends a kernel after two seconds."""
CALIBRATION: Final = 16
"""The first launch does one part in this many of the work."""
PINNED_BYTES: Final = 64 * MIB
HOT_C: Final = 87.0
NEAR_SLOWDOWN_C: Final = 3.0
MATRIX_BUDGET_S: Final = 2.5
LITTLE_BYTES: Final = 400 * MIB
"""Under this the arrays are small and the run says so."""
LEAST_BYTES: Final = 96 * MIB
"""Under this, facts and lessons only: a stream would run in the cache."""


def allowance_bytes(free: float, facts: DeviceFacts, has_display: bool) -> int:
    """Device memory the probe may allocate: a quarter of what is free, a ceiling, and a remainder for everybody else."""
    if facts.integrated:
        return int(min(0.15 * psutil.virtual_memory().available, 2 * GIB))
    ceiling = 4 * GIB if free > 40 * GIB else 2 * GIB
    leave = 1 * GIB if has_display else 512 * MIB
    return max(0, int(min(0.25 * free, ceiling, free - leave)))


def too_hot(conditions: Conditions, facts: DeviceFacts) -> bool:
    """True at 87 degrees, or within three of where the device slows itself down."""
    if conditions.temperature_c is None:
        return False
    limit = facts.slowdown_temperature_c
    return conditions.temperature_c >= min(HOT_C, (limit - NEAR_SLOWDOWN_C) if limit else HOT_C)


def rest_s(facts: DeviceFacts, host_on_battery: bool | None) -> float:
    """Pause after each quarter second of load on a laptop or on battery."""
    laptop = "laptop" in facts.name.lower() or "max-q" in facts.name.lower() or host_on_battery is not None
    return 0.05 if laptop or facts.on_battery else 0.0
