"""Compiled once a session and kept between runs: the kernels under a plain C++ compiler."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.kernels import compile as builds

GUARD = 4096
POISON = 0xCB


@pytest.fixture(scope="session")
def build_folder(request) -> Path:
    return Path(request.config.cache.mkdir("kernels"))


@pytest.fixture(scope="session")
def library(build_folder) -> ctypes.CDLL:
    """Every kernel and every planted fault, each thread a fibre."""
    loaded = ctypes.CDLL(str(builds.shared_library(build_folder)))
    loaded.shim_message.restype = ctypes.c_char_p
    return loaded


class Output:
    """An array poisoned before the launch, with guard bytes on both sides that nobody may touch."""

    def __init__(self, count: int, dtype: Any) -> None:
        size = count * np.dtype(dtype).itemsize
        self._held = np.full(size + 2 * GUARD + 16, POISON, np.uint8)
        start = GUARD + (-(self._held.ctypes.data + GUARD) % 16)
        self._before, self._after = self._held[:start], self._held[start + size :]
        self.array = self._held[start : start + size].view(dtype)

    @property
    def untouched_around(self) -> bool:
        return bool((self._before == POISON).all() and (self._after == POISON).all())


class Shim:
    """Launches kernels on the processor."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def launch(self, name: str, grid: int, block: int, *arguments: Any, shared: int = 0) -> str:
        """Run; the shim's complaint, or "" when every barrier was reached by all. NumPy arrays become pointers."""
        held = [_as_c(a) for a in arguments]
        pointers = (ctypes.c_void_p * len(held))(*(ctypes.addressof(h) for h in held))
        three = ctypes.c_uint * 3
        status = getattr(self._library, f"launch_{name}")(three(grid, 1, 1), three(block, 1, 1), shared, pointers)
        for output in (a for a in arguments if isinstance(a, Output)):
            assert output.untouched_around, f"{name} wrote outside its output"
        return self._library.shim_message().decode() if status else ""


def _as_c(value: Any) -> Any:
    if isinstance(value, Output):
        return ctypes.c_void_p(value.array.ctypes.data)
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        return ctypes.c_void_p(value.ctypes.data)
    return value if isinstance(value, ctypes._SimpleCData) else ctypes.c_int(value)


@pytest.fixture(params=["ascending", "descending"])
def shim(request, library, monkeypatch) -> Shim:
    """Both orders of the threads of a block: each hides faults the other shows."""
    return ordered(library, monkeypatch, request.param)


def ordered(library: ctypes.CDLL, monkeypatch: pytest.MonkeyPatch, order: str) -> Shim:
    if order == "descending":
        monkeypatch.setenv("SHIM_REVERSE", "1")
    else:
        monkeypatch.delenv("SHIM_REVERSE", raising=False)
    return Shim(library)


def aligned(array: np.ndarray) -> np.ndarray:
    """The same values at an address that 128-bit accesses may use."""
    output = Output(array.size, array.dtype)
    output.array[:] = array.ravel()
    return output.array
