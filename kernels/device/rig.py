"""Everything an item needs at hand: session, kernels, clock, and one block of device memory that all items share."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from engine.messages import msg
from engine.probe.items import Item
from engine.probe.outcome import OUT_OF_MEMORY
from engine.probe.results import DeviceFacts, Reading, Status
from engine.units import MIB
from kernels import reference
from kernels.device.bench import Bench
from kernels.device.driver import Arguments, DriverError, Session
from kernels.device.loader import Kernels
from kernels.readings import without
from kernels.schedule import Schedule
from kernels.talk import Talk

SMALLEST_ARRAY: Final = 64 * MIB
ALIGN: Final = 1 << 20
BLOCK: Final = 256


class OutOfMemory(Exception):
    """Not even a quarter of the block was to be had."""


class Rig:
    """One device set up for measuring. `block` is device memory of `block_bytes`; three arrays of it are `array_bytes` each."""

    def __init__(
        self, session: Session, kernels: Kernels, bench: Bench, talk: Talk, schedule: Schedule, facts: DeviceFacts
    ) -> None:
        self.session, self.kernels, self.bench, self.talk = session, kernels, bench, talk
        self.schedule, self.facts = schedule, facts
        self.multiprocessors = facts.multiprocessors or 1
        self.block = 0
        self.block_bytes = 0
        self.array_bytes = 0
        self.in_cache = False
        self.pinned = 0
        self.pinned_bytes = 0
        self.matrix_spent_s = 0.0
        self._filled = ""

    def take_memory(self, allowed: int) -> None:
        """Allocate the block: what streams and rotating weights want, at most `allowed`; halve twice. Raises OutOfMemory."""
        cache = int(self.facts.l2_bytes or 0)
        wanted = max(3 * max(SMALLEST_ARRAY, 4 * cache), 8 * 80 * MIB)
        size = min(wanted, allowed) // ALIGN * ALIGN
        for _ in range(3):
            if size < 3 * ALIGN:
                break
            try:
                self.block = self.session.allocate(size)
            except DriverError as error:
                if error.code != OUT_OF_MEMORY:
                    raise
                size = size // 2 // ALIGN * ALIGN
                continue
            self.block_bytes = size
            self.array_bytes = min(max(SMALLEST_ARRAY, 4 * cache), size // 3) // ALIGN * ALIGN
            self.in_cache = self.array_bytes < 4 * cache
            return
        raise OutOfMemory

    def array(self, number: int) -> int:
        """Address of one of the three arrays."""
        return self.block + number * self.array_bytes

    @property
    def elements(self) -> int:
        """FP32 elements of one array."""
        return self.array_bytes // 4

    def cache_note(self) -> tuple[Any, ...]:
        return (msg("probe.note.in_cache"),) if self.in_cache else ()

    def launch(
        self, source: str, name: str, grid: int, block: int, *values: Any, shared: int = 0
    ) -> Callable[[], None]:
        """A launch laid out once and repeated for the price of one call."""
        function, arguments, session = self.kernels.function(source, name), Arguments(*values), self.session
        return lambda: session.launch(function, grid, block, arguments, shared)

    def grid(self, source: str, name: str, waves: int = 1, shared: int = 0) -> int:
        """Blocks that fill the device exactly `waves` times: a part-filled last wave would be measured as slowness."""
        function = self.kernels.function(source, name)
        return self.multiprocessors * self.session.resident_blocks(function, BLOCK, shared) * waves

    def fill_streams(self) -> None:
        """Uniform random numbers in the first two arrays."""
        if self._filled == "streams":
            return
        for number, seed in ((0, 1), (1, 2)):
            self.fill_uniform(self.array(number), self.elements, seed)
        self.session.synchronize()
        self._filled = "streams"

    def spoil(self) -> None:
        """The block was used for something else: streams must be filled again."""
        self._filled = ""

    def fill_uniform(self, address: int, count: int, seed: int) -> None:
        values = (
            ctypes.c_longlong(count),
            ctypes.c_uint(reference.MASK),
            ctypes.c_uint(seed),
            ctypes.c_void_p(address),
        )
        self.launch("fill", "fill_uniform", self.multiprocessors * 8, BLOCK, *values)()

    def fill_bits(self, address: int, words: int, seed: int, keep: int, bits: int) -> None:
        values = (
            ctypes.c_longlong(words),
            ctypes.c_uint(reference.MASK),
            ctypes.c_uint(seed),
            ctypes.c_uint(keep),
            ctypes.c_uint(bits),
            ctypes.c_void_p(address),
        )
        self.launch("fill", "fill_bits", self.multiprocessors * 8, BLOCK, *values)()

    def samples(self, address: int, elements: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """(indices, values) of 4,096 elements in eight pieces, the first and the last among them."""
        piece = min(512, elements)
        random = np.random.default_rng(elements)
        starts = [0, elements - piece, *random.integers(0, max(1, elements - piece), 6)]
        values = [self.session.download(np.empty(piece, np.float32), address + 4 * int(s)) for s in starts]
        return np.concatenate([np.arange(int(s), int(s) + piece) for s in starts]), np.concatenate(values)

    def download(self, address: int, count: int, kind: Any = np.float32) -> Any:
        return self.session.download(np.empty(count, kind), address)

    def budget_s(self, item: Item) -> float:
        return self.schedule.budget_s(item)

    def checked(self, reading: Reading, right: bool) -> Reading:
        """The reading, or the word that its result was wrong."""
        return reading if right else without(reading.item, Status.FAILED, msg("probe.reason.wrong_result"))
