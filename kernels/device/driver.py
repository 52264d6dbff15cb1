"""NVIDIA's driver through its own bindings: errors as exceptions, every allocation remembered, one stream, one context.

The primary context is retained, never a second one made. Nothing here changes a setting of the device.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

from engine.probe.outcome import BINDINGS_MISSING, LIBRARY_BROKEN, LIBRARY_MISSING, LIBRARY_TOO_OLD, STICKY
from engine.probe.results import DriverAnswer

LIBRARY: Final = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
LOG_BYTES: Final = 8192


class DriverError(Exception):
    """A call the driver refused."""

    def __init__(self, code: int, name: str, call: str) -> None:
        super().__init__(f"{call}: {name} ({code})")
        self.code, self.name, self.call = code, name, call

    @property
    def sticky(self) -> bool:
        return self.code in STICKY


class Refusal(Exception):
    """The driver will not work at all here."""

    def __init__(self, answer: DriverAnswer) -> None:
        super().__init__(answer.text)
        self.answer = answer


def refusal(stage: str, error: DriverError) -> Refusal:
    return Refusal(DriverAnswer(stage, error.code, error.name, str(error)))


class Driver:
    """The driver's functions. Raises Refusal when there is no library, or one too old for the bindings."""

    def __init__(self) -> None:
        try:
            from cuda.bindings import driver  # noqa: PLC0415 - an optional extra
        except ImportError as error:
            raise Refusal(DriverAnswer("library", BINDINGS_MISSING, text=str(error))) from error
        self.functions: Any = driver
        self._library_present()

    def _library_present(self) -> None:
        """Tell a library that is missing from one that is broken or older than CUDA 12."""
        try:
            library = ctypes.CDLL(LIBRARY)
        except OSError as error:
            code = LIBRARY_MISSING if _not_found(str(error)) else LIBRARY_BROKEN
            raise Refusal(DriverAnswer("library", code, text=str(error))) from error
        if not hasattr(library, "cuGetProcAddress_v2"):
            raise Refusal(DriverAnswer("library", LIBRARY_TOO_OLD, text="cuGetProcAddress_v2"))

    def call(self, name: str, *arguments: Any) -> Any:
        """One driver function: its value (or None, or a tuple), or DriverError."""
        status, *values = getattr(self.functions, name)(*arguments)
        if int(status) != 0:
            raise DriverError(int(status), status.name, name)
        return values[0] if len(values) == 1 else tuple(values) or None

    def start(self) -> None:
        """cuInit. Raises Refusal. After a failed one never try again in the same process: a second may hang (pytorch#52145)."""
        try:
            self.call("cuInit", 0)
        except DriverError as error:
            raise refusal("init", error) from error
        except RuntimeError as error:
            raise Refusal(DriverAnswer("library", LIBRARY_BROKEN, text=str(error))) from error

    def version(self) -> tuple[int, int]:
        """CUDA version the driver speaks."""
        number = int(self.call("cuDriverGetVersion"))
        return number // 1000, number % 1000 // 10

    def count(self) -> int:
        return int(self.call("cuDeviceGetCount"))

    def attribute(self, device: Any, name: str) -> int | None:
        """A device attribute, None where this driver does not know it."""
        attributes = self.functions.CUdevice_attribute
        with contextlib.suppress(DriverError, AttributeError):
            return int(self.call("cuDeviceGetAttribute", getattr(attributes, f"CU_DEVICE_ATTRIBUTE_{name}"), device))
        return None

    def uuid(self, device: Any) -> str:
        """As the management library writes it, or "" where the driver does not say."""
        try:
            raw = bytes(self.call("cuDeviceGetUuid", device).bytes)
        except DriverError:
            return ""
        text = raw.hex()
        return f"GPU-{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def name(self, device: Any) -> str:
        return bytes(self.call("cuDeviceGetName", 256, device)).split(b"\0")[0].decode("utf-8", "replace").strip()


def _not_found(text: str) -> bool:
    return "No such file" in text or "not found" in text or "Could not find" in text or "image not found" in text


class Arguments:
    """The parameters of a launch, laid out once: a launch then costs one call and no conversion."""

    def __init__(self, *values: ctypes._SimpleCData[Any]) -> None:
        self.values = values
        self._pointers = (ctypes.c_void_p * max(1, len(values)))(*(ctypes.addressof(v) for v in values))
        self.address = ctypes.addressof(self._pointers)


class Session:
    """One device at work: its context, one stream, modules and memory."""

    def __init__(self, driver: Driver, device: Any) -> None:
        """Retain the primary context and make it current. Raises DriverError."""
        self.driver, self.device = driver, device
        self.context = driver.call("cuDevicePrimaryCtxRetain", device)
        driver.call("cuCtxSetCurrent", self.context)
        self.stream = driver.call("cuStreamCreate", 1)
        self._memory: dict[int, int] = {}
        self._pinned: list[Any] = []
        self._launch = driver.functions.cuLaunchKernel

    def free_memory(self) -> tuple[int, int]:
        """(free, total) bytes as the driver sees them: right for a MIG slice and for unified memory."""
        free, total = self.driver.call("cuMemGetInfo")
        return int(free), int(total)

    def allocate(self, size: int) -> int:
        """Device memory; an address. Raises DriverError (2 when there is none)."""
        address = int(self.driver.call("cuMemAlloc", size))
        self._memory[address] = size
        return address

    def release(self, address: int) -> None:
        self.driver.call("cuMemFree", address)
        self._memory.pop(address, None)

    def pin(self, size: int) -> int:
        """Page-locked host memory; an address."""
        address = self.driver.call("cuMemHostAlloc", size, 0)
        self._pinned.append(address)
        return int(address)

    def module(self, image: bytes) -> Any:
        """Load a cubin or PTX; the driver's log becomes part of the error. Raises DriverError."""
        options = self.driver.functions.CUjit_option
        log = b"\0" * LOG_BYTES
        names = [options.CU_JIT_ERROR_LOG_BUFFER, options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
        try:
            return self.driver.call("cuModuleLoadDataEx", image, 2, names, [log, LOG_BYTES])
        except DriverError as error:
            text = log.split(b"\0")[0].decode("utf-8", "replace")
            error.args = (f"{error.args[0]} {text}".strip(),)
            raise

    def function(self, module: Any, name: str) -> Any:
        return self.driver.call("cuModuleGetFunction", module, name.encode())

    def launch(self, function: Any, grid: int, block: int, arguments: Arguments, shared: int = 0) -> None:
        """Enqueue one launch. Raises DriverError."""
        (status,) = self._launch(function, grid, 1, 1, block, 1, 1, shared, self.stream, arguments.address, 0)
        if int(status) != 0:
            raise DriverError(int(status), status.name, "cuLaunchKernel")

    def synchronize(self) -> None:
        self.driver.call("cuStreamSynchronize", self.stream)

    def upload(self, address: int, data: Any) -> None:
        """A contiguous NumPy array to the device; waits. On the stream: it does not order itself with the default one."""
        self.copy_async("HtoD", address, data.ctypes.data, data.nbytes)
        self.synchronize()

    def download(self, data: Any, address: int) -> Any:
        """Device memory into a contiguous NumPy array, after everything enqueued before; waits."""
        self.copy_async("DtoH", data.ctypes.data, address, data.nbytes)
        self.synchronize()
        return data

    def resident_blocks(self, function: Any, block: int, shared: int = 0) -> int:
        """Blocks of this size that one multiprocessor holds at a time; 4 where the driver does not say."""
        try:
            found = self.driver.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", function, block, shared)
        except DriverError as error:
            if error.sticky:
                raise
            return 4
        return max(1, int(found))

    def copy_async(self, kind: str, target: int, source: int, size: int) -> None:
        """kind: "HtoD", "DtoH" or "DtoD"; on the stream."""
        self.driver.call(f"cuMemcpy{kind}Async", target, source, size, self.stream)

    @contextlib.contextmanager
    def captured(self, graph: list[Any]) -> Iterator[None]:
        """What is launched inside becomes an executable graph, appended to `graph`."""
        relaxed = self.driver.functions.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        self.driver.call("cuStreamBeginCapture", self.stream, relaxed)
        try:
            yield
        finally:
            made = self.driver.call("cuStreamEndCapture", self.stream)
        graph.append(self.driver.call("cuGraphInstantiate", made, 0))

    def launch_graph(self, graph: Any) -> None:
        self.driver.call("cuGraphLaunch", graph, self.stream)

    def close(self) -> None:
        """Give everything back; errors no longer matter."""
        steps: Sequence[tuple[str, Any]] = (
            *(("cuMemFreeHost", p) for p in self._pinned),
            *(("cuMemFree", a) for a in self._memory),
            ("cuStreamDestroy", self.stream),
            ("cuDevicePrimaryCtxRelease", self.device),
        )
        for name, argument in steps:
            with contextlib.suppress(DriverError):
                self.driver.call(name, argument)
        self._memory.clear()
        self._pinned.clear()
