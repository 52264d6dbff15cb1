"""Facts of the device CUDA offers, joined with what the management library said of the same one."""

from __future__ import annotations

from typing import Any

import psutil
from attrs import evolve

from engine.probe.results import DeviceFacts
from kernels.device.driver import Driver
from kernels.device.management import Management
from kernels.device.surroundings import device_id


def capability(driver: Driver, device: Any) -> tuple[int, int]:
    """(major, minor) compute capability; (0, 0) unknown."""
    major = driver.attribute(device, "COMPUTE_CAPABILITY_MAJOR") or 0
    return major, driver.attribute(device, "COMPUTE_CAPABILITY_MINOR") or 0


def find_device(driver: Driver, count: int, wanted: str) -> Any:
    """The device whose hashed id was asked for, else the first (in bus order)."""
    devices = [driver.call("cuDeviceGet", ordinal) for ordinal in range(count)]
    for device in devices:
        if wanted and device_id(driver.uuid(device)) == wanted:
            return device
    return devices[0]


def device_facts(driver: Driver, device: Any, management: Management | None) -> DeviceFacts:
    """CUDA's attributes over the management library's fields. A MIG slice knows its own memory, not its parent's."""
    uuid = driver.uuid(device)
    seen = management.by_uuid(uuid) if management is not None else None
    slice_of_mig = seen is None and management is not None and any(s.facts.mig for s in management.devices)
    base = seen.facts if seen is not None else DeviceFacts(id=device_id(uuid), name=driver.name(device), backend="cuda")
    total = float(driver.call("cuDeviceTotalMem", device))
    clock = _hertz(driver.attribute(device, "CLOCK_RATE"))
    memory_clock = _hertz(driver.attribute(device, "MEMORY_CLOCK_RATE"))
    return evolve(
        base,
        name=driver.name(device) or base.name,
        compute_capability="{}.{}".format(*capability(driver, device)),
        multiprocessors=driver.attribute(device, "MULTIPROCESSOR_COUNT"),
        l2_bytes=_number(driver.attribute(device, "L2_CACHE_SIZE")),
        shared_per_multiprocessor_bytes=_number(driver.attribute(device, "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR")),
        memory_bytes=total,
        memory_free_bytes=base.memory_free_bytes if not slice_of_mig else None,
        memory_bus_bits=driver.attribute(device, "GLOBAL_MEMORY_BUS_WIDTH") or base.memory_bus_bits,
        memory_clock_max_hz=base.memory_clock_max_hz or memory_clock,
        sm_clock_max_hz=base.sm_clock_max_hz or clock,
        integrated=_flag(driver.attribute(device, "INTEGRATED")),
        watchdog=_flag(driver.attribute(device, "KERNEL_EXEC_TIMEOUT")),
        ecc=base.ecc if base.ecc is not None else _flag(driver.attribute(device, "ECC_ENABLED")),
        mig_slice=slice_of_mig,
    )


def with_free_memory(facts: DeviceFacts, free: int, total: int) -> DeviceFacts:
    """Free memory as the context sees it; a device that shares the machine's memory can have no more than the machine has."""
    if facts.integrated:
        free = min(free, psutil.virtual_memory().available)
    return evolve(facts, memory_free_bytes=float(free), memory_bytes=float(total))


def _hertz(kilohertz: int | None) -> float | None:
    return None if not kilohertz else kilohertz * 1e3


def _number(value: int | None) -> float | None:
    return None if value is None else float(value)


def _flag(value: int | None) -> bool | None:
    return None if value is None else bool(value)
