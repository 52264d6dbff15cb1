"""A probe run as a value: what was measured, under which conditions, and why something was not.

Identifying data never enters: a device is known by a hash of its UUID, serial numbers and host names are not read, the text
a crashed child left behind (`ChildReport.details`) stays in memory and is not written.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType

from attrs import field, frozen

from engine.estimate import Basis, Estimate, Input, Source, Trace
from engine.messages import Message
from engine.probe.items import ITEMS
from engine.units import SECONDS

SCHEMA_VERSION = 1


def frozen_words(mapping: Mapping[str, str]) -> Mapping[str, str]:
    """A read-only copy."""
    return MappingProxyType(dict(mapping))


class Status(enum.StrEnum):
    OK = "ok"
    SKIPPED = "skipped"
    """Could have been measured; was not (time, memory, choice)."""
    UNSUPPORTED = "unsupported"
    """Has no meaning or no instruction here."""
    FAILED = "failed"
    ESTIMATED = "estimated"


class Ending(enum.StrEnum):
    """How a child process ended."""

    DONE = "done"
    CRASHED = "crashed"
    SILENT = "silent"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    ABANDONED = "abandoned"
    """Killed and still there: stuck inside the driver."""
    NOT_STARTED = "not_started"


class OutcomeCode(enum.StrEnum):
    """What became of the accelerator part. The processor part runs in every case."""

    MEASURED = "measured"
    PARTLY = "partly"
    """A device was measured, and the child ended before its work was done."""
    UNMEASURED = "unmeasured"
    """The device answers, and no item could run on it."""
    NO_DRIVER = "no_driver"
    DRIVER_MISMATCH = "driver_mismatch"
    COMPATIBILITY = "compatibility"
    DRIVER_LOST = "driver_lost"
    DRIVER_TOO_OLD = "driver_too_old"
    DRIVER_ERROR = "driver_error"
    NO_DEVICE = "no_device"
    HIDDEN = "hidden"
    CONTAINER = "container"
    NO_IMAGE = "no_image"
    TOO_OLD = "too_old"
    EXTERNAL = "external"
    """Behind a narrow or external link, where a first call may freeze the host: asked before it is touched."""
    ASLEEP = "asleep"
    NOT_INSTALLED = "not_installed"
    CRASHED = "crashed"
    SILENT = "silent"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    ABANDONED = "abandoned"
    NOT_ASKED = "not_asked"


@frozen
class Conditions:
    """The device while it worked. None: the driver does not say."""

    sm_clock_hz: float | None = None
    memory_clock_hz: float | None = None
    temperature_c: float | None = None
    power_w: float | None = None
    throttle: tuple[str, ...] = ()
    """Clock event reasons: "power_cap", "thermal", "hardware_slowdown", "power_brake", "sync"."""
    pcie_generation: int | None = None
    pcie_lanes: int | None = None


@frozen
class Reading:
    """One item's result. `value` is the median of `n` batches; `spread` is the interquartile range over it."""

    item: str
    status: Status
    value: float | None = None
    unit: str = "1"
    low: float | None = None
    high: float | None = None
    n: int = 0
    spread: float | None = None
    method: str = ""
    """"events", "events of a graph", "host clock", "from Python"."""
    work: float | None = None
    """Bytes or operations of one launch."""
    size: str = ""
    """"64 MiB", "4096 x 8192", as measured."""
    reason: Message | None = None
    notes: tuple[Message, ...] = ()
    conditions: Conditions = Conditions()
    seconds: float = 0.0
    """What the item took of the run."""
    detail: str = ""
    """Original text of a driver or library; shown, never interpreted."""

    @property
    def measured(self) -> bool:
        return self.status is Status.OK and self.value is not None

    def estimate(self) -> Estimate:
        """The reading as a figure: median, with the slowest and fastest batch as its band. Raises ValueError without one."""
        if self.value is None or self.status is not Status.OK:
            raise ValueError(f"{self.item} was not measured")
        work = ITEMS[self.item].work if self.item in ITEMS else "1"
        inputs = [Input("batches", float(self.n), "1", Basis.MEASURED, Source(self.method))]
        formula = "median(t)"
        if self.work is not None and self.unit != SECONDS:
            inputs.append(Input("work_per_launch", self.work, "1", Basis.MEASURED, Source(self.size or work)))
            formula = f"median(work_per_launch / t), work_per_launch = {work}"
        trace = Trace(f"probe.item.{self.item}", formula, tuple(inputs), "engine/probe/items.py")
        low, high = self.low if self.low is not None else self.value, self.high if self.high is not None else self.value
        return Estimate(self.value, min(low, self.value), max(high, self.value), self.unit, Basis.MEASURED, trace)


@frozen
class DeviceFacts:
    """What driver and management library say about one device, field by field; None is "does not say"."""

    id: str
    """Hash of the UUID."""
    name: str
    backend: str
    """"cuda", "rocm", "mps", "xpu"."""
    compute_capability: str = ""
    multiprocessors: int | None = None
    l2_bytes: float | None = None
    shared_per_multiprocessor_bytes: float | None = None
    memory_bytes: float | None = None
    memory_free_bytes: float | None = None
    memory_bus_bits: int | None = None
    memory_clock_max_hz: float | None = None
    sm_clock_max_hz: float | None = None
    ecc: bool | None = None
    mig: bool | None = None
    mig_slice: bool = False
    integrated: bool | None = None
    """Shares the machine's memory."""
    watchdog: bool | None = None
    power_limit_w: float | None = None
    power_default_limit_w: float | None = None
    on_battery: bool | None = None
    pcie_generation_max: int | None = None
    pcie_lanes_max: int | None = None
    nvlink_links: int | None = None
    slowdown_temperature_c: float | None = None
    utilisation: float | None = None
    """Share of time a kernel ran before we came; None unknown."""
    other_processes: int | None = None
    conditions: Conditions = Conditions()
    """At rest, before the first launch."""
    missing: Mapping[str, str] = field(factory=dict, converter=frozen_words, hash=False)
    """Field -> what the library answered instead."""


@frozen
class HostFacts:
    """The machine around it. No name, no user, no serial number."""

    processor: str = ""
    cores: int | None = None
    threads: int | None = None
    memory_bytes: float | None = None
    memory_available_bytes: float | None = None
    system: str = ""
    architecture: str = ""
    on_battery: bool | None = None
    wsl: bool = False
    container: bool = False


@frozen
class Surroundings:
    """What can be known of an NVIDIA device without loading its driver, and which libraries are here."""

    driver_library: bool | None = None
    device_nodes: int = 0
    pci_devices: int = 0
    kernel_driver: str = ""
    """Version of the kernel module, as the system states it."""
    wsl: bool = False
    wsl_device: bool = False
    container: bool = False
    jetson: bool = False
    visible_devices: str | None = None
    """The environment variable CUDA_VISIBLE_DEVICES (device ids hashed), where it is set."""
    bindings: bool = True
    management: str = ""
    """What the management library answered: "ok", or its error in words."""


@frozen
class DriverAnswer:
    """Where the driver said no, and its own words."""

    stage: str
    """"library", "init", "device", "context", "image"."""
    code: int
    name: str = ""
    text: str = ""


@frozen
class Outcome:
    """What became of the accelerator part, as sentences: what, and what to do about it."""

    code: OutcomeCode
    message: Message
    advice: Message | None = None
    detail: str = ""


@frozen
class Series:
    """One curve of a lesson."""

    key: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@frozen
class Lesson:
    """Curves measured side by side; `key` in LESSON_UNITS."""

    key: str
    series: tuple[Series, ...]

    def series_of(self, key: str) -> Series | None:
        return next((s for s in self.series if s.key == key), None)


@frozen
class ChildReport:
    """How one child process went."""

    child: str
    ending: Ending
    seconds: float = 0.0
    exit_code: int | None = None
    item: str = ""
    """What was running when it ended before its time."""
    message: Message | None = None
    details: str = field(default="", repr=False)
    """Last text on its error stream; never written to a file."""


@frozen
class ProbeRun:
    """Everything one press of Start found."""

    started: str
    """UTC, ISO 8601, to the second."""
    seconds: float
    quick: bool
    outcome: Outcome
    host: HostFacts = HostFacts()
    surroundings: Surroundings = Surroundings()
    devices: tuple[DeviceFacts, ...] = ()
    device: str = ""
    """Id of the device that was measured."""
    readings: tuple[Reading, ...] = ()
    lessons: tuple[Lesson, ...] = ()
    children: tuple[ChildReport, ...] = ()
    versions: Mapping[str, str] = field(factory=dict, converter=frozen_words, hash=False)
    """"driver", "cuda", "kernels", "torch", "numpy", "waypost"."""
    notes: tuple[Message, ...] = ()
    schema_version: int = SCHEMA_VERSION

    def reading(self, item: str) -> Reading | None:
        """The last result of that item."""
        return next((r for r in reversed(self.readings) if r.item == item), None)

    def value(self, item: str) -> float | None:
        """The measured value of that item, or None."""
        found = self.reading(item)
        return found.value if found is not None and found.measured else None

    def lesson(self, key: str) -> Lesson | None:
        return next((lesson for lesson in self.lessons if lesson.key == key), None)

    def measured_device(self) -> DeviceFacts | None:
        return next((d for d in self.devices if d.id == self.device), None)
