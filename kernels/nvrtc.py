"""NVIDIA's run-time compiler through ctypes.

NVIDIA's own bindings are used for the driver. Here they cannot be: one installation of them loads one major version of NVRTC,
and the pack needs two side by side (12.9 for Maxwell to Volta and for images old drivers take, 13.x for the newest devices).
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from attrs import frozen

FOLDERS: Final = (
    "nvidia/cuda_nvrtc/lib",
    "nvidia/cuda_nvrtc/bin",
    "nvidia/cu13/lib",
    "nvidia/cu13/bin/x86_64",
    "torch/lib",
)
"""Below site-packages, best first. Never the bare name: what stands on the path is somebody else's version."""
PATTERNS: Final = ("libnvrtc.so.*", "nvrtc64_*_0.dll")


class CompileError(Exception):
    """The compiler's own text: file(line) and what it did not like."""


class NotInstalled(Exception):
    """No NVRTC of the wanted major version in this interpreter's packages."""


@frozen
class Compiled:
    """One image: a cubin, or PTX text."""

    image: bytes
    log: str


class Compiler:
    """One NVRTC library."""

    def __init__(self, library: Path) -> None:
        """Load it by its full path, with its folder added to the search (its `builtins` lie beside it)."""
        if sys.platform == "win32":
            os.add_dll_directory(str(library.parent))
        self._dll = ctypes.CDLL(str(library))
        self._dll.nvrtcGetErrorString.restype = ctypes.c_char_p
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._check(self._dll.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
        self.version = (major.value, minor.value)

    @property
    def name(self) -> str:
        return f"{self.version[0]}.{self.version[1]}"

    def architectures(self) -> tuple[int, ...]:
        """Capabilities it can compile for: 75, 80, ... 120."""
        count = ctypes.c_int()
        self._check(self._dll.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
        found = (ctypes.c_int * count.value)()
        self._check(self._dll.nvrtcGetSupportedArchs(found))
        return tuple(found)

    def compile(self, source: str, name: str, target: str, options: Sequence[str] = ()) -> Compiled:
        """`target` is "sm_90a" for a cubin or "compute_80" for PTX. Raises CompileError with the compiler's text."""
        program = ctypes.c_void_p()
        flags = [f"--gpu-architecture={target}", *options]
        given = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
        self._check(self._dll.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None))
        try:
            status = self._dll.nvrtcCompileProgram(program, len(flags), given)
            log = self._text(program, "ProgramLog")
            if status != 0:
                raise CompileError(f"{name} for {target}: {log or self._error(status)}")
            kind = "PTX" if target.startswith("compute_") else "CUBIN"
            return Compiled(self._bytes(program, kind), log)
        finally:
            self._dll.nvrtcDestroyProgram(ctypes.byref(program))

    def _bytes(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._check(getattr(self._dll, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        held = ctypes.create_string_buffer(size.value)
        self._check(getattr(self._dll, f"nvrtcGet{what}")(program, held))
        return held.raw

    def _text(self, program: ctypes.c_void_p, what: str) -> str:
        return self._bytes(program, what).rstrip(b"\0").decode("utf-8", "replace").strip()

    def _error(self, status: int) -> str:
        return str(self._dll.nvrtcGetErrorString(status).decode())

    def _check(self, status: int) -> None:
        if status != 0:
            raise CompileError(self._error(status))


def libraries() -> tuple[Path, ...]:
    """Every NVRTC in this interpreter's packages, best first."""
    found = []
    for base in _site_folders():
        for folder in FOLDERS:
            for pattern in PATTERNS:
                found += [
                    p for p in sorted((base / folder).glob(pattern)) if "builtins" not in p.name and "alt" not in p.name
                ]
    return tuple(dict.fromkeys(found))


def find(major: int) -> Compiler:
    """The compiler of that major version. Raises NotInstalled."""
    for library in libraries():
        try:
            compiler = Compiler(library)
        except OSError:
            continue
        if compiler.version[0] == major:
            return compiler
    raise NotInstalled(f"NVRTC {major}")


def _site_folders() -> tuple[Path, ...]:
    """Folders that hold packages: the parents of every place `nvidia` (a namespace) and torch come from."""
    specs = [importlib.util.find_spec(package) for package in ("nvidia", "torch")]
    places = [place for spec in specs if spec for place in spec.submodule_search_locations or ()]
    return tuple(dict.fromkeys(Path(place).parent for place in places))
