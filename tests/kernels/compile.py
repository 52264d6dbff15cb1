"""The kernels' sources made fit for a plain C++ compiler, planted faults included, and the three builds of them.

One translation unit for all kernels: three compilations in a whole test run, kept between runs by the text they came from.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path

from filelock import FileLock

from kernels import sources

HERE = Path(__file__).parent
SHIM = HERE / "shim"
NO_GPU_NEEDED = ("divergence", "fill", "fma", "gemv", "reduction", "shared", "stream", "vector_add")

KERNEL = re.compile(r'extern "C" __global__ void\s+(?:__launch_bounds__\(\d+\)\s*)?(\w+)\(')
DYNAMIC = re.compile(r"extern __shared__ (\w+) (\w+)\[\];")
FIXED = re.compile(r"__shared__ (\w+) (\w+)\[(\w+)\];")

FAULTS: dict[str, tuple[str, str, str, str]] = {
    "no_barrier_in_loop": ("reduction", "reduce_sum", "        __syncthreads();  // in the loop\n", ""),
    "no_barrier_after_load": ("reduction", "reduce_sum", "    __syncthreads();  // after the load\n", ""),
    "barrier_in_branch": (
        "reduction",
        "reduce_sum",
        "            cell[t] += cell[t + half];\n        }\n        __syncthreads();  // in the loop\n",
        "            cell[t] += cell[t + half];\n            __syncthreads();\n        }\n",
    ),
    "no_bound_check": (
        "vector_add",
        "vector_add",
        "    if (i < n) {\n        c[i] = a[i] + b[i];\n    }",
        "    c[i] = a[i] + b[i];",
    ),
    "half_a_warp_lost": ("gemv", "gemv_bf16", "for (int lane = 16;", "for (int lane = 8;"),
}
"""Name -> (source, kernel, text taken out, text put in): each must be noticed by a test."""

NEIGHBOUR = """
extern "C" __global__ void neighbour_race(int n, const float* a, float* out) {
    __shared__ float cell[512];
    int t = threadIdx.x;
    cell[t] = a[t];
    out[t] = t > 0 ? cell[t - 1] + cell[t] : cell[t];
}
"""
"""Reads its left neighbour's cell without a barrier: the ascending order hides it."""


def planted(name: str) -> str:
    """The source of one planted fault, its kernel renamed to it. Raises AssertionError when the place is gone."""
    source, kernel, taken, put = FAULTS[name]
    text = sources.text(source)
    assert text.count(taken) == 1, f"{name}: the text to take out stands {text.count(taken)} times in {source}.cu"
    changed = text.replace(taken, put)
    for other in KERNEL.findall(changed):
        changed = re.sub(rf"\b{other}\(", f"{name if other == kernel else f'unused_{name}_{other}'}(", changed)
    return changed


def rewritten(text: str) -> str:
    """Shared memory handed out by the shim instead of declared."""
    text = DYNAMIC.sub(r"\1* \2 = static_cast<\1*>(shim::dynamic_memory());", text)
    return FIXED.sub(r"auto& \2 = *static_cast<\1 (*)[\3]>(shim::fixed_memory(__COUNTER__, sizeof(\1) * (\3)));", text)


def _launcher(unit_name: str, kernel: str) -> str:
    call = f"shim::launch(unit_{unit_name}::{kernel}, dim3(g[0], g[1], g[2]), dim3(b[0], b[1], b[2]), s, a)"
    return f'extern "C" int launch_{kernel}(unsigned* g, unsigned* b, unsigned s, void** a) {{ return {call}; }}'


def unit() -> str:
    """One C++ source with every kernel and every planted fault, and a launcher for each."""
    parts = ['#include "cuda_cpu.h"']
    bodies = {name: sources.text(name) for name in NO_GPU_NEEDED}
    bodies |= {f"fault_{name}": planted(name) for name in FAULTS}
    bodies["fault_neighbour"] = NEIGHBOUR
    for name, text in bodies.items():
        parts.append(f'namespace unit_{name} {{\n#line 1 "{name}.cu"\n{rewritten(text)}\n}}')
        parts += [_launcher(name, kernel) for kernel in KERNEL.findall(text)]
    return "\n".join(parts)


def build(folder: Path, name: str, files: list[Path], text: str, flags: list[str]) -> Path:
    """Compile once for this text, these files and flags; a second worker waits and finds it."""
    key = hashlib.sha256("\0".join([text, *flags, *(f.read_text() for f in [*files, SHIM / "cuda_cpu.h"])]).encode())
    out = folder / f"{name}-{key.hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f"{name}.lock"):
        if not out.exists():
            source = folder / f"{name}.cpp"
            source.write_text(text)
            command = ["g++", "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-U_FORTIFY_SOURCE", f"-I{SHIM}", *flags]
            making = out.with_suffix(".tmp")
            subprocess.run([*command, "-o", making, source, *files], check=True, timeout=240)
            making.rename(out)
    return out


def shared_library(folder: Path) -> Path:
    """The fibre build that Python and the fake driver load."""
    return build(folder, "kernels", [SHIM / "cuda_cpu.cpp"], unit(), ["-shared", "-fPIC"])


def program(folder: Path, kind: str) -> Path:
    """An executable with main.cpp: "address" (fibres) or "thread" (one system thread each)."""
    flags = [f"-fsanitize={kind}", "-g"] + (["-DSHIM_THREADS", "-pthread"] if kind == "thread" else [])
    return build(folder, f"main-{kind}", [SHIM / "cuda_cpu.cpp", SHIM / "main.cpp"], unit(), flags)


def fake_driver(folder: Path) -> Path:
    """A folder with libcuda.so.1 and libnvidia-ml.so.1 to put first on the library path."""
    fake = HERE / "fake"
    driver = build(folder, "fake-cuda", [], (fake / "fake_cuda.cpp").read_text(), ["-shared", "-fPIC", "-ldl"])
    management = build(folder, "fake-nvml", [], (fake / "fake_nvml.cpp").read_text(), ["-shared", "-fPIC"])
    return _as_libraries(folder, driver, {"libcuda.so.1": driver, "libnvidia-ml.so.1": management})


def old_driver(folder: Path) -> Path:
    """A driver from before CUDA 12: no cuGetProcAddress_v2."""
    text = (HERE / "fake" / "fake_cuda.cpp").read_text()
    driver = build(folder, "old-cuda", [], text, ["-shared", "-fPIC", "-DFAKE_OLD_DRIVER", "-ldl"])
    return _as_libraries(folder, driver, {"libcuda.so.1": driver})


def _as_libraries(folder: Path, key: Path, names: dict[str, Path]) -> Path:
    place = folder / f"lib-{key.name}"
    place.mkdir(exist_ok=True)
    with FileLock(folder / "lib.lock"):
        for name, file in names.items():
            link = place / name
            if not link.is_symlink() or link.readlink() != file:
                link.unlink(missing_ok=True)
                link.symlink_to(file)
    return place


def driver_kernels(folder: Path) -> Path:
    """What the fake driver launches: the shim's kernels, with processor versions of the matrix kernels."""
    matrix = (HERE / "fake" / "matrix.cpp").read_text()
    return build(folder, "driver-kernels", [SHIM / "cuda_cpu.cpp"], unit() + "\n" + matrix, ["-shared", "-fPIC"])
