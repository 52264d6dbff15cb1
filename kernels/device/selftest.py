"""Every kernel on the real device against NumPy, at sizes with every kind of tail. One JSON object a kernel on standard output.

    python -m kernels.device.selftest

Run under `compute-sanitizer` it also finds accesses outside memory and races that the processor build cannot show.
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from attrs import frozen

from kernels import reference, sass
from kernels.device.driver import Arguments, Driver, DriverError, Refusal, Session
from kernels.device.facts import capability, find_device
from kernels.device.loader import Kernels, Missing
from kernels.pack import Pack

LONG, INT, FLOAT, WORD = ctypes.c_longlong, ctypes.c_int, ctypes.c_float, ctypes.c_uint
RANDOM: Final = np.random.default_rng(31)
GUARD: Final = 4096
POISON: Final = 0xCB


@frozen
class Bed:
    """A session with its kernels: launches with arrays in place of addresses."""

    session: Session
    kernels: Kernels

    def run(self, source: str, name: str, grid: int, block: int, *values: Any, shared: int = 0) -> list[np.ndarray]:
        """Launch; arrays go to the device, those in `Out` come back. Raises AssertionError when a guard was touched."""
        held, outs = [], []
        for value in values:
            if isinstance(value, Out):
                address = self.session.allocate(value.size + 2 * GUARD)
                self.session.upload(address, np.full(value.size + 2 * GUARD, POISON, np.uint8))
                outs.append((address, value))
                held.append(ctypes.c_void_p(address + GUARD))
            elif isinstance(value, np.ndarray):
                address = self.session.allocate(max(16, value.nbytes))
                self.session.upload(address, np.ascontiguousarray(value))
                held.append(ctypes.c_void_p(address))
            else:
                held.append(value)
        function = self.kernels.function(source, name)
        self.session.launch(function, grid, block, Arguments(*held), shared)
        return [self._back(name, address, out) for address, out in outs]

    def _back(self, name: str, address: int, out: Out) -> np.ndarray:
        raw = self.session.download(np.empty(out.size + 2 * GUARD, np.uint8), address)
        assert (raw[:GUARD] == POISON).all(), f"{name} wrote before its output"
        assert (raw[-GUARD:] == POISON).all(), f"{name} wrote behind its output"
        found: np.ndarray = raw[GUARD:-GUARD].copy().view(out.kind)
        return found


@frozen
class Out:
    """An output of `count` elements, poisoned and guarded."""

    count: int
    kind: Any = np.float32

    @property
    def size(self) -> int:
        return int(self.count * np.dtype(self.kind).itemsize)


def uniform(count: int) -> np.ndarray:
    return RANDOM.random(count, dtype=np.float32)


def check_vector_add(bed: Bed) -> bool:
    right = True
    for n in (1, 255, 256, 1_000_000):
        a, b = uniform(n), uniform(n)
        (c,) = bed.run("vector_add", "vector_add", (n + 255) // 256, 256, INT(n), a, b, Out(n))
        right = right and bool(np.array_equal(c, a + b))
    block, thread = bed.run("vector_add", "index_walk", 4, 256, INT(1000), Out(1000, np.int32), Out(1000, np.int32))
    return right and (int(block[522]), int(thread[522])) == (2, 10)


def check_fill(bed: Bed) -> bool:
    n, index = 5000, np.arange(5000)
    (a,) = bed.run("fill", "fill_uniform", 3, 64, LONG(n), WORD(255), WORD(9), Out(n))
    keep, bits = 0x80FF80FF, 0x3F003F00
    (b,) = bed.run("fill", "fill_bits", 3, 64, LONG(n), WORD(255), WORD(9), WORD(keep), WORD(bits), Out(n, np.uint32))
    same = np.array_equal(a, reference.fill_uniform(index, 255, 9))
    return bool(same and np.array_equal(b, reference.fill_bits(index, 255, 9, keep, bits)))


def check_stream(bed: Bed) -> bool:
    right = True
    for count4 in (1, 63, 64, 4097, 100_003):
        a, b = uniform(4 * count4), uniform(4 * count4)
        (sums,) = bed.run("stream", "stream_read", 3, 64, LONG(count4), a, Out(6))
        (copied,) = bed.run("stream", "stream_copy", 3, 64, LONG(count4), a, Out(4 * count4))
        (triad,) = bed.run("stream", "stream_triad", 3, 64, LONG(count4), FLOAT(0.4), a, b, Out(4 * count4))
        (written,) = bed.run("stream", "stream_write", 3, 64, LONG(count4), FLOAT(2.0), Out(4 * count4))
        right = right and bool(
            np.isclose(sums.sum(dtype=np.float64), a.sum(dtype=np.float64), rtol=1e-4)
            and np.array_equal(copied, a)
            and np.allclose(triad, a + np.float32(0.4) * b, rtol=1e-6)
            and np.array_equal(written, reference.stream_write(count4, 2.0))
        )
    return right


def check_reduction(bed: Bed) -> bool:
    right = True
    for n, grid, block in ((1, 1, 32), (5003, 3, 64), (1_000_000, 64, 256)):
        a = uniform(n)
        (partial,) = bed.run("reduction", "reduce_sum", grid, block, INT(n), a, Out(grid), shared=4 * block)
        right = right and bool(np.isclose(partial.sum(dtype=np.float64), a.sum(dtype=np.float64), rtol=1e-4))
    return right


def check_shared(bed: Bed) -> bool:
    wide, narrow = uniform(4096), uniform(2048)
    (found,) = bed.run("shared", "shared_read", 2, 256, INT(5), wide, Out(512))
    right = reference.close(found, np.tile(reference.shared_read(5, wide, 256), 2), 1e-4)
    for stride in (1, 2, 8, 32):
        (found,) = bed.run("shared", "shared_stride", 2, 256, INT(6), INT(stride), narrow, Out(512))
        right = right and reference.close(found, np.tile(reference.shared_stride(6, stride, narrow, 256), 2), 1e-4)
    return right


def check_divergence(bed: Bed) -> bool:
    a = uniform(512)
    runs = [(p, bed.run("divergence", "divergence", 2, 256, INT(p), INT(9), a, Out(512))[0]) for p in (1, 2, 7, 32)]
    return all(reference.close(found, reference.divergence(p, 9, a), 1e-5) for p, found in runs)


def check_fma(bed: Bed) -> bool:
    a = uniform(256)
    (found,) = bed.run("fma", "fma_chains", 1, 256, INT(33), FLOAT(0.75), FLOAT(0.2), a, Out(256))
    return reference.close(found, reference.fma_chains(33, 0.75, 0.2, a), 1e-5)


def check_gemv(bed: Bed) -> bool:
    rows, columns = 19, 4096
    w, x = reference.matrix("bf16", rows, columns // 2, 3), reference.matrix("bf16", 1, columns // 2, 4)
    (y,) = bed.run("gemv", "gemv_bf16", 5, 128, INT(rows), INT(columns), w, x, Out(rows))
    right = reference.close(y, reference.bf16_pairs(w) @ reference.bf16_pairs(x)[0], 1e-4)
    groups, packed = columns // 32, reference.matrix("int4", rows, columns // 8, 5)
    scale, x_scale = uniform(rows * groups), uniform(groups)
    x8 = RANDOM.integers(-127, 128, columns).astype(np.int8)
    sums = x8.reshape(groups, 32).sum(axis=1).astype(np.int32)
    values = (INT(rows), INT(columns), packed, scale, x8, x_scale, sums, Out(rows))
    (y,) = bed.run("gemv", "gemv_int4", 5, 128, *values)
    return right and reference.close(y, reference.gemv_int4(packed, scale.reshape(rows, groups), x8, x_scale), 1e-4)


def check_matrix(bed: Bed, kernel: str, turing: bool) -> bool:
    """One to three rounds of a matrix kernel: fragments, descriptors and result layout all stand or fall here."""
    kind, precision = kernel.split("_", 1)
    stored = "fp16" if precision == "fp16_half" else precision
    rows_a, rows_b, words = (128, 256, 32) if kind == "wgmma" else (32, 32, 4 if turing else 8)
    a, b = reference.matrix(stored, rows_a, words, 7), reference.matrix(stored, rows_b, words, 8)
    half, whole = precision == "fp16_half", precision.startswith("int")
    places = 2 if kind == "wgmma" else 16
    right = True
    for rounds in (1, 2, 3):
        count = rows_a * rows_b * places // (2 if half else 1)
        out = Out(count, np.int32 if whole else np.uint32 if half else np.float32)
        (raw,) = bed.run(kind, kernel, 2, 256, INT(rounds), a, b, out)
        values = reference.fp16_pairs(raw) if half else raw.astype(np.float64)
        wanted = np.tile(reference.product(stored, a, b, rounds).ravel(), places)
        right = right and reference.close(values, wanted, 0.0 if whole else 2e-2 if half else 4e-3)
    return right


CHECKS: Final[dict[str, Callable[[Bed], bool]]] = {
    "vector_add": check_vector_add,
    "fill": check_fill,
    "stream": check_stream,
    "reduction": check_reduction,
    "shared": check_shared,
    "divergence": check_divergence,
    "fma": check_fma,
    "gemv": check_gemv,
}


def matrix_kernels(bed: Bed) -> Iterator[str]:
    """The matrix kernels this device has an image of."""
    for kernel in sorted(set().union(*sass.PRECISIONS.values())):
        if bed.kernels.has(kernel.split("_", 1)[0], kernel):
            yield kernel


def main() -> int:
    """0: all right; 1: a wrong result; 2: no device to test on."""
    try:
        driver = Driver()
        driver.start()
        device = find_device(driver, driver.count(), "")
    except (Refusal, DriverError, IndexError) as error:
        sys.stdout.write(json.dumps({"kernel": "", "ok": False, "detail": str(error)}) + "\n")
        return 2
    session = Session(driver, device)
    bed = Bed(session, Kernels(session, Pack.shipped(), capability(driver, device), driver.version()))
    turing = capability(driver, device) == (7, 5)
    checks: dict[str, Callable[[], bool]] = {name: lambda c=check: c(bed) for name, check in CHECKS.items()}  # type: ignore[misc]
    checks |= {k: lambda k=k: check_matrix(bed, k, turing) for k in matrix_kernels(bed)}  # type: ignore[misc]
    wrong = 0
    for name, check in checks.items():
        try:
            right, detail = check(), ""
        except (DriverError, Missing, AssertionError) as error:
            right, detail = False, str(error)
        wrong += not right
        sys.stdout.write(json.dumps({"kernel": name, "ok": right, "detail": detail}) + "\n")
        sys.stdout.flush()
    session.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
