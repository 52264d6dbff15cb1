"""NVIDIA's management library, field by field: what is not supported is a value, never an error. Reads only, never sets.

Its answer and CUDA's are two answers; neither is inferred from the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from attrs import evolve, frozen

from engine.probe.results import Conditions, DeviceFacts
from kernels.device.surroundings import device_id

_REASONS: Final = (
    (0x4, "power_cap"),
    (0x8, "hardware_slowdown"),
    (0x10, "sync"),
    (0x20, "thermal"),
    (0x40, "hardware_thermal"),
    (0x80, "power_brake"),
)
"""Bits of the clock event reasons that cost speed (nvml.h, nvmlClocksEventReasons); idle and application settings are left out."""
NVLINKS: Final = 18


class Unavailable(Exception):
    """No management library, or it refused to start; the text is its own."""


@frozen
class Seen:
    """A device the management library lists."""

    handle: Any
    uuid: str
    facts: DeviceFacts


class Management:
    """The library once started. `devices` is what it lists."""

    def __init__(self) -> None:
        """Raises Unavailable."""
        try:
            import pynvml  # noqa: PLC0415 - an optional extra
        except ImportError as error:
            raise Unavailable(str(error)) from error
        self._nvml: Any = pynvml
        try:
            pynvml.nvmlInit()
            count = pynvml.nvmlDeviceGetCount()
        except (pynvml.NVMLError, OSError, AttributeError) as error:
            raise Unavailable(str(error)) from error
        self.devices = tuple(seen for i in range(count) if (seen := self._see(i)) is not None)

    def driver_version(self) -> str:
        return str(self._ask(self._nvml.nvmlSystemGetDriverVersion)[0] or "")

    def cuda_version(self) -> str:
        number = self._ask(self._nvml.nvmlSystemGetCudaDriverVersion_v2)[0]
        return "" if number is None else f"{number // 1000}.{number % 1000 // 10}"

    def by_uuid(self, uuid: str) -> Seen | None:
        return next((seen for seen in self.devices if seen.uuid == uuid), None)

    def close(self) -> None:
        self._ask(self._nvml.nvmlShutdown)

    def _ask(self, function: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
        """(value, "") or (None, what the library said)."""
        try:
            return function(*arguments), ""
        except (self._nvml.NVMLError, AttributeError, ValueError, TypeError, UnicodeDecodeError) as error:
            return None, str(error) or type(error).__name__

    def _see(self, index: int) -> Seen | None:
        handle, _ = self._ask(self._nvml.nvmlDeviceGetHandleByIndex, index)
        if handle is None:
            return None
        uuid = self._ask(self._nvml.nvmlDeviceGetUUID, handle)[0] or f"index-{index}"
        name = self._ask(self._nvml.nvmlDeviceGetName, handle)[0] or ""
        return Seen(handle, uuid, self._facts(handle, device_id(uuid), name))

    def _facts(self, handle: Any, identity: str, name: str) -> DeviceFacts:
        nvml, missing = self._nvml, {}

        def field(key: str, function: Callable[..., Any], *arguments: Any) -> Any:
            value, said = self._ask(function, handle, *arguments)
            if value is None:
                missing[key] = said
            return value

        memory = field("memory_bytes", nvml.nvmlDeviceGetMemoryInfo)
        ecc = field("ecc", nvml.nvmlDeviceGetEccMode)
        mig = field("mig", nvml.nvmlDeviceGetMigMode)
        source = field("on_battery", nvml.nvmlDeviceGetPowerSource)
        use = field("utilisation", nvml.nvmlDeviceGetUtilizationRates)
        others = field("other_processes", nvml.nvmlDeviceGetComputeRunningProcesses)
        slowdown = nvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN
        facts = DeviceFacts(
            id=identity,
            name=name,
            backend="cuda",
            memory_bytes=None if memory is None else float(memory.total),
            memory_free_bytes=None if memory is None else float(memory.free),
            memory_bus_bits=field("memory_bus_bits", nvml.nvmlDeviceGetMemoryBusWidth),
            memory_clock_max_hz=_hertz(
                field("memory_clock_max_hz", nvml.nvmlDeviceGetMaxClockInfo, nvml.NVML_CLOCK_MEM)
            ),
            sm_clock_max_hz=_hertz(field("sm_clock_max_hz", nvml.nvmlDeviceGetMaxClockInfo, nvml.NVML_CLOCK_SM)),
            ecc=None if ecc is None else bool(ecc[0]),
            mig=None if mig is None else bool(mig[0]),
            power_limit_w=_watts(field("power_limit_w", nvml.nvmlDeviceGetEnforcedPowerLimit)),
            power_default_limit_w=_watts(field("power_default_limit_w", nvml.nvmlDeviceGetPowerManagementDefaultLimit)),
            on_battery=None if source is None else source == nvml.NVML_POWER_SOURCE_BATTERY,
            pcie_generation_max=field("pcie_generation_max", nvml.nvmlDeviceGetMaxPcieLinkGeneration),
            pcie_lanes_max=field("pcie_lanes_max", nvml.nvmlDeviceGetMaxPcieLinkWidth),
            nvlink_links=self._nvlinks(handle),
            slowdown_temperature_c=_number(
                field("slowdown_temperature_c", nvml.nvmlDeviceGetTemperatureThreshold, slowdown)
            ),
            utilisation=None if use is None else use.gpu / 100.0,
            other_processes=None if others is None else len(others),
            conditions=self.conditions(handle),
        )
        return evolve(facts, missing=missing)

    def _nvlinks(self, handle: Any) -> int | None:
        states = [self._ask(self._nvml.nvmlDeviceGetNvLinkState, handle, link)[0] for link in range(NVLINKS)]
        known = [state for state in states if state is not None]
        return sum(1 for state in known if state) if known else None

    def conditions(self, handle: Any) -> Conditions:
        """Clocks, temperature, power, event reasons and link of this moment."""
        nvml, ask = self._nvml, self._ask
        reasons = ask(nvml.nvmlDeviceGetCurrentClocksEventReasons, handle)[0]
        if reasons is None:
            reasons = ask(nvml.nvmlDeviceGetCurrentClocksThrottleReasons, handle)[0]
        return Conditions(
            sm_clock_hz=_hertz(ask(nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_SM)[0]),
            memory_clock_hz=_hertz(ask(nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_MEM)[0]),
            temperature_c=_number(ask(nvml.nvmlDeviceGetTemperature, handle, nvml.NVML_TEMPERATURE_GPU)[0]),
            power_w=_watts(ask(nvml.nvmlDeviceGetPowerUsage, handle)[0]),
            throttle=tuple(word for bit, word in _REASONS if reasons is not None and reasons & bit),
            pcie_generation=ask(nvml.nvmlDeviceGetCurrPcieLinkGeneration, handle)[0],
            pcie_lanes=ask(nvml.nvmlDeviceGetCurrPcieLinkWidth, handle)[0],
        )


def _hertz(megahertz: Any) -> float | None:
    return None if megahertz is None else float(megahertz) * 1e6


def _watts(milliwatts: Any) -> float | None:
    return None if milliwatts is None else float(milliwatts) / 1000.0


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
