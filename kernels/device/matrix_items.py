"""Arithmetic: FP32 chains, and matrix products by the instruction the architecture really has."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from typing import Final

import numpy as np

from engine.messages import Message, msg
from engine.probe.items import Item
from engine.probe.results import Reading, Status
from kernels import reference
from kernels.device.rig import BLOCK, Rig
from kernels.device.safety import MATRIX_BUDGET_S
from kernels.readings import without

INT = ctypes.c_int
POINTER = ctypes.c_void_p
TARGET_S: Final = 0.010
WARM_UP_S: Final = 0.4
STEADY_CLOCK: Final = 0.02
FMA_SCALE: Final = 0.75
FMA_SHIFT: Final = 0.2
CHECK_ROUNDS: Final = 2
TOLERANCE: Final = {"fp16_half": 2e-2, "fp8": 4e-3, "fp4": 4e-3, "int8": 0.0, "int4": 0.0}
"""Of the largest result; 2e-3 for the rest. FP8 sums are kept with fewer bits inside the unit."""


def _chains(rig: Rig) -> tuple[int, Callable[[int], Callable[[], None]]]:
    grid = rig.grid("fma", "fma_chains")
    rig.spoil()
    rig.fill_uniform(rig.array(0), grid * BLOCK, 5)

    def make(rounds: int) -> Callable[[], None]:
        values = (INT(rounds), ctypes.c_float(FMA_SCALE), ctypes.c_float(FMA_SHIFT))
        return rig.launch("fma", "fma_chains", grid, BLOCK, *values, POINTER(rig.array(0)), POINTER(rig.array(1)))

    return grid, make


def fma(rig: Rig, item: Item) -> Reading:
    """FP32 multiply-adds without memory: 16 operations a thread and round."""
    grid, make = _chains(rig)
    rounds = rig.bench.sized(make, 1 << 17, step=8, target_s=TARGET_S)
    reading = rig.bench.measure(
        item, make(rounds), rig.budget_s(item), work=16.0 * rounds * grid * BLOCK, size=f"{rounds} rounds"
    )
    make(24)()
    wanted = reference.fma_chains(24, FMA_SCALE, FMA_SHIFT, reference.fill_uniform(np.arange(BLOCK), reference.MASK, 5))
    return rig.checked(reading, reference.close(rig.download(rig.array(1), BLOCK), wanted, 1e-4))


def warm_up(rig: Rig, clock_hz: Callable[[], float | None]) -> None:
    """Bring the clocks up: arithmetic until the multiprocessor clock moves less than two per cent, 0.4 s at most."""
    _, make = _chains(rig)
    launch = make(rig.bench.sized(make, 1 << 17, step=8, target_s=TARGET_S))
    begin, before = time.monotonic(), clock_hz()
    while time.monotonic() - begin < WARM_UP_S:
        rig.bench.seconds(launch, 5)
        now = clock_hz()
        settled = now is not None and before is not None and abs(now - before) < STEADY_CLOCK * now
        if settled or (now is None and time.monotonic() - begin > WARM_UP_S / 4):
            return
        before = now


def matrix(rig: Rig, item: Item) -> Reading:
    """mma.* and wgmma.*: unsupported where the architecture has no such instruction, never emulated."""
    kind, precision = item.id.split(".")
    kernel = f"{kind}_{precision}"
    if not rig.kernels.has(kind, kernel):
        return without(item.id, Status.UNSUPPORTED, why_not(rig.facts.compute_capability, precision))
    if rig.matrix_spent_s > MATRIX_BUDGET_S:
        return without(item.id, Status.SKIPPED, msg("probe.reason.heat_budget"))
    begin = time.monotonic()
    reading = (_wgmma if kind == "wgmma" else _mma)(rig, item, kernel, precision)
    rig.matrix_spent_s += time.monotonic() - begin
    return reading


def why_not(capability: str, precision: str) -> Message:
    """Why this architecture shows no figure of its own for a precision."""
    major, minor = (int(part) for part in capability.split("."))
    if major in (10, 11):
        return msg("probe.reason.needs_tcgen05")
    emulated = (major == 9 and precision == "fp8") or (precision == "int4" and major >= 9)
    if emulated:
        return msg("probe.reason.emulated", precision=precision.upper(), capability=capability)
    return msg("probe.reason.no_instruction", precision=precision.upper(), capability=f"{major}.{minor}")


def _mma(rig: Rig, item: Item, kernel: str, precision: str) -> Reading:
    """A warp and round: a 32 x K by 32 x K product, K of eight words (four on Turing)."""
    stored = "fp16" if precision == "fp16_half" else precision
    words = 4 if rig.facts.compute_capability == "7.5" else 8
    a, b = (reference.matrix(stored, 32, words, seed) for seed in (7, 8))
    grid, warps = rig.multiprocessors * 2, rig.multiprocessors * 2 * BLOCK // 32
    results = 512 if precision == "fp16_half" else 1024
    where = _lay(rig, a, b, 4 * results * warps)
    if where is None:
        return without(item.id, Status.SKIPPED, msg("probe.reason.no_block_memory"))

    def make(rounds: int) -> Callable[[], None]:
        return rig.launch("mma", kernel, grid, BLOCK, INT(rounds), *(POINTER(p) for p in where))

    def result(warp: int) -> np.ndarray:
        raw = rig.download(
            where[2] + 4 * results * warp, results, np.int32 if precision.startswith("int") else np.uint32
        )
        return _as_numbers(raw, precision).reshape(32, 32)

    flop = 2.0 * 32 * 32 * words * 32 / reference.BITS[stored] * warps
    wanted = reference.product(stored, a, b, CHECK_ROUNDS)
    return _timed(rig, item, make, flop, 1 << 16, lambda: result(warps - 1), lambda: result(0), wanted)


def _wgmma(rig: Rig, item: Item, kernel: str, precision: str) -> Reading:
    """A block and round: a 128 x K by 256 x K product, K of 32 words."""
    a, b = reference.matrix(precision, 128, 32, 7), reference.matrix(precision, 256, 32, 8)
    grid, results = rig.multiprocessors, 128 * 256
    where = _lay(rig, a, b, 4 * results * grid)
    if where is None:
        return without(item.id, Status.SKIPPED, msg("probe.reason.no_block_memory"))

    def make(rounds: int) -> Callable[[], None]:
        return rig.launch("wgmma", kernel, grid, BLOCK, INT(rounds), *(POINTER(p) for p in where))

    def result(block: int) -> np.ndarray:
        raw = rig.download(where[2] + 4 * results * block, results, np.int32 if precision == "int8" else np.uint32)
        return _as_numbers(raw, precision).reshape(128, 256)

    flop = 2.0 * 128 * 256 * 32 * 32 / reference.BITS[precision] * grid
    wanted = reference.product(precision, a, b, CHECK_ROUNDS)
    return _timed(rig, item, make, flop, 1 << 14, lambda: result(grid - 1), lambda: result(0), wanted)


def _lay(rig: Rig, a: np.ndarray, b: np.ndarray, result_bytes: int) -> tuple[int, int, int] | None:
    """Addresses of both sides and of the results in the shared block; None when they do not fit."""
    rig.spoil()
    first = rig.block
    second, third = first + (1 << 16), first + (1 << 17)
    if third + result_bytes > rig.block + rig.block_bytes:
        return None
    rig.session.upload(first, np.ascontiguousarray(a))
    rig.session.upload(second, np.ascontiguousarray(b))
    return first, second, third


def _as_numbers(raw: np.ndarray, precision: str) -> np.ndarray:
    if precision.startswith("int"):
        return raw.astype(np.float64)
    if precision == "fp16_half":
        return reference.fp16_pairs(raw.view(np.uint32))
    return raw.view(np.float32).astype(np.float64)


def _timed(
    rig: Rig,
    item: Item,
    make: Callable[[int], Callable[[], None]],
    flop: float,
    most: int,
    last: Callable[[], np.ndarray],
    first: Callable[[], np.ndarray],
    wanted: np.ndarray,
) -> Reading:
    """Time many rounds; then the same kernel with two rounds against NumPy, in the first and in the last place."""
    rounds = rig.bench.sized(make, most, step=4, target_s=TARGET_S)
    reading = rig.bench.measure(item, make(rounds), rig.budget_s(item), work=flop * rounds, size=f"{rounds} rounds")
    right = np.array_equal(last(), first(), equal_nan=True)
    make(CHECK_ROUNDS)()
    tolerance = TOLERANCE.get(item.id.split(".")[1], 2e-3)
    right = right and reference.close(first(), wanted, tolerance) and reference.close(last(), wanted, tolerance)
    return rig.checked(reading, right)
