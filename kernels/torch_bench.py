"""Library rates through torch on whatever accelerator it has: CUDA, ROCm (torch calls it cuda too), Apple's MPS, Intel's XPU."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from attrs import evolve, frozen

from engine.messages import Message, msg
from engine.probe.items import Item
from engine.probe.results import DeviceFacts, Reading, Status
from kernels.device.surroundings import device_id
from kernels.readings import REPEAT, mebibytes, reading_of, spread_of, without
from kernels.schedule import Schedule

BATCH_S: Final = 0.02
BATCHES: Final = 7
FEWEST: Final = 3
SMALL: Final = 1024
LARGE: Final = 8192
LARGE_FREE_BYTES: Final = 6 * 2**30
LAUNCH_S: Final = 0.020
COPY_BYTES: Final = 256 * 2**20
ATTENTION: Final = (1, 16, 4096, 128)
CPU_BF16_LIMIT_S: Final = 0.4


@frozen
class Backend:
    """One accelerator as torch sees it. `name` is "cuda", "rocm", "mps" or "xpu"; `device` torch's own word."""

    name: str
    device: str
    label: str
    capability: tuple[int, int] = (0, 0)
    free_bytes: float | None = None
    total_bytes: float | None = None
    uuid: str = ""

    def facts(self) -> DeviceFacts:
        return DeviceFacts(
            id=device_id(self.uuid or f"{self.name}:{self.label}"),
            name=self.label,
            backend=self.name,
            compute_capability="{}.{}".format(*self.capability) if self.name == "cuda" else "",
            memory_bytes=self.total_bytes,
            memory_free_bytes=self.free_bytes,
            integrated=True if self.name == "mps" else None,
        )


def find_backend(torch: Any, avoid_cuda: bool, wanted: str = "") -> Backend | Message:
    """The accelerator torch can use (of several CUDA devices the one with the wanted id), or why there is none."""
    of_cuda, of_rocm = torch.version.cuda is not None, torch.version.hip is not None
    if (of_rocm or (of_cuda and not avoid_cuda)) and torch.cuda.is_available():
        return _cuda(torch, wanted)
    if getattr(torch.backends, "mps", None) is not None and torch.backends.mps.is_available():
        total = torch.mps.recommended_max_memory() if hasattr(torch.mps, "recommended_max_memory") else None
        return Backend("mps", "mps", "Apple GPU", total_bytes=_maybe(total), free_bytes=_maybe(total))
    if hasattr(torch, "xpu") and torch.xpu.is_available():
        properties = torch.xpu.get_device_properties(0)
        total = float(properties.total_memory)
        return Backend("xpu", "xpu:0", str(properties.name), total_bytes=total, free_bytes=total)
    if avoid_cuda and of_cuda:
        return msg("probe.reason.torch_avoids_cuda")
    return msg("probe.reason.torch_sees_no_gpu" if of_cuda or of_rocm else "probe.reason.torch_without_gpu")


def _cuda(torch: Any, wanted: str) -> Backend | Message:
    known = [torch.cuda.get_device_properties(i) for i in range(torch.cuda.device_count())]
    index = next((i for i, p in enumerate(known) if wanted and device_id(_uuid(p)) == wanted), 0)
    properties = known[index]
    capability = (int(properties.major), int(properties.minor))
    if torch.version.hip is None and not supports(torch.cuda.get_arch_list(), capability):
        return msg("probe.reason.torch_too_new", capability="{}.{}".format(*capability))
    torch.cuda.set_device(index)
    free, total = torch.cuda.mem_get_info()
    name = "cuda" if torch.version.hip is None else "rocm"
    return Backend(name, f"cuda:{index}", properties.name, capability, float(free), float(total), _uuid(properties))


def _uuid(properties: Any) -> str:
    """As the management library writes it; "" where this torch does not say."""
    raw = str(getattr(properties, "uuid", "") or "")
    return raw if raw.startswith("GPU-") or not raw else f"GPU-{raw}"


def supports(architectures: list[str], capability: tuple[int, int]) -> bool:
    """Whether a torch built for these architectures has code for this device: same major and lower minor, or PTX of a lower one."""
    for entry in architectures:
        kind, _, digits = entry.partition("_")
        digits = digits.rstrip("af")
        if not digits.isdigit():
            continue
        built = (int(digits[:-1]), int(digits[-1]))
        if kind == "sm" and built[0] == capability[0] and built[1] <= capability[1]:
            return True
        if kind == "compute" and built <= capability:
            return True
    return False


def _maybe(value: Any) -> float | None:
    return None if value is None else float(value)


def _nothing() -> None:
    """The processor has finished when a call returns."""


class TorchBench:
    """Times calls on one backend: events where there are some, the host's clock around a synchronize elsewhere."""

    def __init__(self, torch: Any, backend: Backend, schedule: Schedule) -> None:
        self.torch, self.backend, self.schedule = torch, backend, schedule
        self._events = backend.name in ("cuda", "rocm")
        module = {"cuda": "cuda", "rocm": "cuda", "mps": "mps", "xpu": "xpu"}.get(backend.name, "")
        self.synchronize: Callable[[], None] = getattr(torch, module).synchronize if module else _nothing

    def seconds(self, call: Callable[[], Any], count: int = 1) -> float:
        torch = self.torch
        if not self._events:
            self.synchronize()
            begin = time.perf_counter()
            for _ in range(count):
                call()
            self.synchronize()
            return time.perf_counter() - begin
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(count):
            call()
        stop.record()
        stop.synchronize()
        return float(start.elapsed_time(stop)) / 1e3

    def batches(self, call: Callable[[], Any], budget_s: float) -> list[float]:
        """Seconds a call in each of up to seven batches of some 20 ms."""
        begin = time.monotonic()
        for _ in range(2):
            call()
            self.synchronize()
        repeats = int(min(1000, max(1, round(BATCH_S / max(self.seconds(call), 1e-7)))))
        times: list[float] = []
        while len(times) < BATCHES:
            times.append(self.seconds(call, repeats) / repeats)
            if len(times) >= FEWEST and time.monotonic() - begin > budget_s:
                break
        return times

    def measure(self, item: Item, call: Callable[[], Any], work: float, size: str, method: str = "library") -> Reading:
        budget_s = self.schedule.budget_s(item)
        times = self.batches(call, budget_s)
        if spread_of(times) > REPEAT:
            times = self.batches(call, budget_s)
        clock = "events" if self._events else "host clock"
        return reading_of(item.id, times, work=work, method=f"{clock}, {method}", size=size)

    def size_for(self, make: Callable[[int], Callable[[], Any]]) -> int:
        """Edge of the square product: 1,024 first, then the largest that stays within a launch and the memory."""
        call = make(SMALL)
        call()
        one = min(self.seconds(call), self.seconds(call))
        most = LARGE if (self.backend.free_bytes or 0) > LARGE_FREE_BYTES else LARGE // 2
        size = SMALL
        while size < most and one * (2 * size / SMALL) ** 3 <= LAUNCH_S:
            size *= 2
        return size

    def random(self, rows: int, columns: int, dtype: Any) -> Any:
        """Normal random numbers: constants would flatter the device."""
        return self.torch.randn(rows, columns, device=self.backend.device, dtype=self.torch.float32).to(dtype)


def copy(bench: TorchBench, item: Item) -> Reading:
    """One tensor onto another."""
    free = bench.backend.free_bytes or 4 * COPY_BYTES
    count = int(min(COPY_BYTES, free * 0.1)) // 4
    a = bench.torch.rand(count, device=bench.backend.device)
    b = bench.torch.empty_like(a)
    return bench.measure(item, lambda: b.copy_(a), 8.0 * count, mebibytes(4 * count))


def square(bench: TorchBench, item: Item) -> Reading:
    """blas.fp32, tf32, fp16, bf16: torch.matmul; one row checked against double precision."""
    torch, precision = bench.torch, item.id.split(".")[1]
    if precision == "tf32" and bench.backend.name != "cuda":
        return without(item.id, Status.UNSUPPORTED, msg("probe.reason.not_on_backend"))
    dtype = {"fp16": torch.float16, "bf16": torch.bfloat16}.get(precision, torch.float32)
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")

    def make(size: int) -> Callable[[], Any]:
        a, b = bench.random(size, size, dtype), bench.random(size, size, dtype)
        return lambda: torch.matmul(a, b)

    size = bench.size_for(make)
    a, b = bench.random(size, size, dtype), bench.random(size, size, dtype)
    reading = bench.measure(item, lambda: torch.matmul(a, b), 2.0 * size**3, f"{size} x {size}")
    found = torch.matmul(a, b)[0].float().cpu().double()
    wanted = a[0].float().cpu().double() @ b.float().cpu().double()
    wrong = float((found - wanted).abs().max()) > 0.05 * float(wanted.abs().max())
    return without(item.id, Status.FAILED, msg("probe.reason.wrong_result")) if wrong else reading


def fp8(bench: TorchBench, item: Item) -> Reading:
    """torch._scaled_mm with scales of one."""
    torch, one = bench.torch, bench.torch.ones((), device=bench.backend.device)

    def make(size: int) -> Callable[[], Any]:
        a = bench.random(size, size, torch.float8_e4m3fn)
        b = bench.random(size, size, torch.float8_e4m3fn).t()
        return lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)

    size = bench.size_for(make)
    return bench.measure(item, make(size), 2.0 * size**3, f"{size} x {size}")


def int8(bench: TorchBench, item: Item) -> Reading:
    """torch._int_mm."""
    torch = bench.torch

    def make(size: int) -> Callable[[], Any]:
        a, b = (torch.randint(-127, 128, (size, size), device=bench.backend.device, dtype=torch.int8) for _ in range(2))
        b = b.t()
        return lambda: torch._int_mm(a, b)

    size = bench.size_for(make)
    return bench.measure(item, make(size), 2.0 * size**3, f"{size} x {size}")


def attention(bench: TorchBench, item: Item) -> Reading:
    """Causal attention with one implementation forced: half the scores are masked, so half the products count."""
    from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: PLC0415

    torch, kind = bench.torch, item.id.split(".")[1]
    chosen = {
        "flash": SDPBackend.FLASH_ATTENTION,
        "cudnn": SDPBackend.CUDNN_ATTENTION,
        "efficient": SDPBackend.EFFICIENT_ATTENTION,
        "math": SDPBackend.MATH,
    }[kind]
    batch, heads, length, width = ATTENTION
    if kind == "math" and (bench.backend.free_bytes or 0) < LARGE_FREE_BYTES:
        length = length // 2
    q, k, v = (
        torch.randn(batch, heads, length, width, device=bench.backend.device, dtype=torch.bfloat16) for _ in range(3)
    )

    def call() -> Any:
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    work = 4.0 * batch * heads * length**2 * width / 2
    with sdpa_kernel(chosen):
        if bench.backend.name in ("cuda", "rocm"):
            torch.cuda.reset_peak_memory_stats()
        reading = bench.measure(item, call, work, f"{batch} x {heads} x {length} x {width}", f"attention {kind}")
        wrong = not bool(torch.isfinite(call().float()).all())
        if bench.backend.name in ("cuda", "rocm"):
            peak = mebibytes(float(torch.cuda.max_memory_allocated()))
            reading = evolve(reading, size=f"{reading.size}, peak {peak}")
    return without(item.id, Status.FAILED, msg("probe.reason.wrong_result")) if wrong else reading


def cpu_bf16(torch: Any, item: Item) -> Reading:
    """BF16 on the processor: 256 first, because without the instructions it takes seconds."""

    def once(size: int) -> tuple[float, Callable[[], Any]]:
        a, b = (torch.randn(size, size).to(torch.bfloat16) for _ in range(2))
        torch.matmul(a, b)
        begin = time.perf_counter()
        torch.matmul(a, b)
        return time.perf_counter() - begin, lambda: torch.matmul(a, b)

    size = 256
    took, call = once(size)
    while size < 1024 and took * 8 * (FEWEST + 3) < CPU_BF16_LIMIT_S:
        size *= 2
        took, call = once(size)
    times = []
    for _ in range(FEWEST if took > 0.02 else BATCHES):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return reading_of(
        item.id, np.asarray(times).tolist(), work=2.0 * size**3, method="host clock, torch", size=f"{size} x {size}"
    )
