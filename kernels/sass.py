"""Reads the machine code of the images: is the matrix instruction the hardware's own, are the accesses 128 bits wide, does anything
spill? What a kernel's figure means hangs on this, and it can be known without a GPU.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from attrs import frozen

from kernels.pack import Image

FIRST_READABLE: Final = 75
"""cuobjdump 13 reads machine code from sm_75 on; resource usage of every image."""

WIDE: Final[Mapping[str, tuple[tuple[str, int], ...]]] = MappingProxyType(
    {
        "stream_read": ((r"LDG\.E\.128", 5),),
        "stream_copy": ((r"LDG\.E\.128", 5), (r"STG\.E\.128", 5)),
        "stream_triad": ((r"LDG\.E\.128", 6), (r"STG\.E\.128", 3)),
        "stream_write": ((r"STG\.E\.128", 5),),
        "gemv_bf16": ((r"LDG\.E\.128", 8),),
        "gemv_int4": ((r"LDG\.E\.128", 6), (r"IDP\.4A", 16)),
        "shared_read": ((r"LDS\.(?:U\.)?128", 8),),
        "fma_chains": ((r"FFMA", 64),),
    }
)
"""Kernel -> instructions it must hold, with the smallest count."""

_HALF: Final = r"HMMA\.16816\.F32(?!\.BF16)"
_NATIVE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "mma_bf16": r"HMMA\.16816\.F32\.BF16",
        "mma_fp16": _HALF,
        "mma_fp16_half": r"HMMA\.16816\.F16",
        "mma_tf32": r"HMMA\.1688\.F32\.TF32",
        "mma_int8": r"IMMA\.16832\.S8\.S8",
        "mma_int4": r"IMMA\.16864\.S4\.S4",
        "mma_fp8": r"QMMA\.16832\.F32\.E4M3\.E4M3",
        "mma_fp4": r"OMMA\.SF\.16864\.F32\.E2M1\.E2M1",
        "wgmma_bf16": r"HGMMA",
        "wgmma_fp16": r"HGMMA",
        "wgmma_tf32": r"HGMMA",
        "wgmma_fp8": r"QGMMA",
        "wgmma_int8": r"IGMMA",
    }
)
_TURING: Final[Mapping[str, str]] = MappingProxyType(
    {"mma_fp16": r"HMMA\.1688\.F32", "mma_int8": r"IMMA\.8816\.S8\.S8", "mma_int4": r"IMMA\.8832\.S4\.S4"}
)
ANY_MATRIX: Final = re.compile(r"^(?:[HIQO]G?MMA)\.")

PRECISIONS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "sm_75": frozenset({"mma_fp16", "mma_int8", "mma_int4"}),
        **{
            arch: frozenset({"mma_bf16", "mma_fp16", "mma_fp16_half", "mma_tf32", "mma_int8", "mma_int4"})
            for arch in ("sm_80", "sm_86", "sm_87", "sm_88")
        },
        "sm_89": frozenset({"mma_bf16", "mma_fp16", "mma_fp16_half", "mma_tf32", "mma_int8", "mma_int4", "mma_fp8"}),
        "sm_90": frozenset({"mma_bf16", "mma_fp16", "mma_fp16_half", "mma_tf32", "mma_int8"}),
        "sm_90a": frozenset({"wgmma_bf16", "wgmma_fp16", "wgmma_tf32", "wgmma_fp8", "wgmma_int8"}),
        **{
            arch: frozenset({"mma_bf16", "mma_fp16", "mma_fp16_half", "mma_tf32", "mma_int8", "mma_fp8"})
            for arch in ("sm_120", "sm_121")
        },
        **{
            arch: frozenset({"mma_bf16", "mma_fp16", "mma_fp16_half", "mma_tf32", "mma_int8", "mma_fp8", "mma_fp4"})
            for arch in ("sm_120a", "sm_121a")
        },
    }
)
"""Target -> the matrix kernels that exist there, each with the hardware's own instruction. Read off the machine code; FP8 on
sm_90 and sm_100..110 and INT4 from sm_90 on would be emulated and are not built."""


@frozen
class Code:
    """What one kernel is made of."""

    kernel: str
    registers: int
    stack_bytes: int
    local_bytes: int
    instructions: Mapping[str, int]
    """Opcode with its modifiers -> count; empty where the tool cannot read the architecture."""

    def count(self, pattern: str) -> int:
        return sum(n for op, n in self.instructions.items() if re.match(pattern, op))


class ToolMissing(Exception):
    """cuobjdump or nvdisasm is not installed."""


def tool(name: str) -> Path:
    """cuobjdump or nvdisasm from this interpreter's packages. Raises ToolMissing."""
    spec = importlib.util.find_spec("nvidia")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        for found in sorted(Path(place).glob(f"**/bin/{name}*")):
            if found.is_file() and os.access(found, os.X_OK):
                return found
    raise ToolMissing(name)


def dump(data: bytes) -> str:
    """cuobjdump's resource usage and machine code of a cubin."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "image.cubin"
        file.write_bytes(data)
        found = tool("cuobjdump")
        search = os.pathsep.join((str(found.parent), os.environ.get("PATH", "")))
        run = subprocess.run(
            [found, "-sass", "-res-usage", file],
            capture_output=True,
            text=True,
            env={**os.environ, "PATH": search},
            timeout=60,
            check=False,
        )
        return run.stdout + run.stderr


_RESOURCES = re.compile(r"Function (\w+):\s+REG:(\d+) STACK:(\d+) SHARED:\d+ LOCAL:(\d+)")
_FUNCTION = re.compile(r"Function : (\w+)")
_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[T0-9]+ )?([A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*)")


def read(text: str) -> tuple[Code, ...]:
    """The kernels of a dump."""
    counts: dict[str, Counter[str]] = {}
    current: Counter[str] = Counter()
    for line in text.splitlines():
        if named := _FUNCTION.search(line):
            current = counts.setdefault(named.group(1), Counter())
        elif op := _INSTRUCTION.search(line):
            current[op.group(1)] += 1
    return tuple(
        Code(name, int(registers), int(stack), int(local), dict(counts.get(name, {})))
        for name, registers, stack, local in _RESOURCES.findall(text)
    )


def image_faults(image: Image, codes: Sequence[Code]) -> list[str]:
    """Everything wrong with one image, in words for a builder."""
    found = []
    if {c.kernel for c in codes} != set(image.kernels):
        found.append(
            f"{image.path}: the tool sees {sorted(c.kernel for c in codes)}, the manifest {list(image.kernels)}"
        )
    wanted = PRECISIONS.get(image.target, frozenset())
    if image.source in ("mma", "wgmma"):
        expected = {k for k in wanted if k.startswith(f"{image.source}_")}
        if set(image.kernels) != expected:
            found.append(f"{image.path}: holds {list(image.kernels)}, native are {sorted(expected)}")
    for code in codes:
        found += [f"{image.path}: {code.kernel} {what}" for what in _code_faults(image, code)]
    return found


def _code_faults(image: Image, code: Code) -> Iterable[str]:
    if code.stack_bytes or code.local_bytes:
        yield f"uses {code.stack_bytes} B of stack and {code.local_bytes} B of local memory"
    if not code.instructions:
        if int(re.sub(r"\D", "", image.target)) >= FIRST_READABLE:
            yield "has no readable machine code"
        return
    if code.count(r"LDL|STL"):
        yield "spills"
    for pattern, least in WIDE.get(code.kernel, ()):
        if code.count(pattern) < least:
            yield f"holds {code.count(pattern)} of at least {least} {pattern}"
    if code.kernel == "divergence" and (code.count(r"BRA") < 4 or code.count(r"FSEL|SEL")):
        yield "does not branch"
    native = (_TURING if image.target == "sm_75" else _NATIVE).get(code.kernel)
    if native is not None:
        yield from _matrix_faults(code, native)


def _matrix_faults(code: Code, native: str) -> Iterable[str]:
    own = code.count(native)
    others = sum(n for op, n in code.instructions.items() if ANY_MATRIX.match(op) and not re.match(native, op))
    if own < 4:
        yield f"holds {own} of {native}: emulated or removed"
    if others:
        yield f"holds {others} other matrix instructions: emulated"
    if code.count(r"CALL"):
        yield "calls a helper routine: emulated"


def faults(built: Iterable[tuple[Image, bytes]]) -> list[str]:
    """Everything wrong with these images (PTX has no machine code and is left out). Raises ToolMissing."""
    found = []
    for image, data in built:
        if not image.is_ptx:
            found += image_faults(image, read(dump(data)))
    return found
