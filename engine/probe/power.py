"""Whether the machine runs on its battery, as the operating system says. Touches no device."""

from __future__ import annotations

import contextlib

import psutil


def on_battery() -> bool | None:
    """True on battery, False on mains, None where there is no battery or nobody says."""
    with contextlib.suppress(OSError, RuntimeError, AttributeError, NotImplementedError):
        battery = psutil.sensors_battery()
        if battery is not None and battery.power_plugged is not None:
            return not battery.power_plugged
    return None
