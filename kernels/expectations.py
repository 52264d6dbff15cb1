"""What one H200 in a virtual machine (driver 580, CUDA 13.0) is expected to show; the reason for each stands beside it.

None of the kernels of this tree has run on a GPU yet: bands marked LEAD are expectations without a measurement behind them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from attrs import frozen

TERA, GIGA, MICRO = 1e12, 1e9, 1e-6
OUTSIDE: Final = 0.10
"""A value further outside its band than this asks for a reason before the band may change."""


@frozen
class Expected:
    low: float
    high: float
    why: str
    lead: bool = False


H200: Final[Mapping[str, Expected]] = MappingProxyType(
    {
        "read": Expected(
            4.1 * TERA, 4.5 * TERA, "enough loads in flight; below 3.9 too few (gpu-benches, l2 plateau 3.89)"
        ),
        "copy": Expected(4.2 * TERA, 4.4 * TERA, "device copy 4.3 seen on an H200"),
        "copy_driver": Expected(4.2 * TERA, 4.4 * TERA, "device copy 4.3 seen on an H200"),
        "triad": Expected(4.2 * TERA, 4.5 * TERA, "GH200: 95 % for loads and stores, 79 % for scale (gpu-benches)"),
        "write": Expected(4.6 * TERA, 4.75 * TERA, "GH200: 99 % (gpu-benches)"),
        "gemv.bf16": Expected(3.8 * TERA, 4.3 * TERA, "85 to 95 % of read"),
        "shared": Expected(28 * TERA, 32.5 * TERA, "85 to 97 % of 132 x 128 B x 1.98 GHz"),
        "h2d.pinned": Expected(50 * GIGA, 57 * GIGA, "Gen5 x16, 78 to 90 % of 63", lead=True),
        "d2h.pinned": Expected(50 * GIGA, 57 * GIGA, "Gen5 x16, 78 to 90 % of 63", lead=True),
        "h2d.pageable": Expected(5 * GIGA, 15 * GIGA, "bound by one processor core", lead=True),
        "launch.back_to_back": Expected(2.5 * MICRO, 4 * MICRO, "gpu-small-kernels plus the interpreter"),
        "launch.graph": Expected(1.3 * MICRO, 1.6 * MICRO, "gpu-small-kernels, h200"),
        "launch.round_trip": Expected(6 * MICRO, 10 * MICRO, "clpeak: 6.1 to 8.7 elsewhere"),
        "fma.fp32": Expected(60 * TERA, 66 * TERA, "90 to 98 % of 67"),
        "mma.bf16": Expected(600 * TERA, 640 * TERA, "mma.sync stops at 63 to 65 % of a Hopper's rate"),
        "wgmma.bf16": Expected(700 * TERA, 950 * TERA, "depends on data and power", lead=True),
        "wgmma.fp8": Expected(1300 * TERA, 1850 * TERA, "depends on data and power", lead=True),
        "blas.fp32": Expected(47 * TERA, 52 * TERA, "H100: 47 to 50 at 8192"),
        "blas.tf32": Expected(400 * TERA, 430 * TERA, "H100: 412 to 418 at 8192"),
        "blas.bf16": Expected(769 * TERA, 798 * TERA, "788 on random data seen on an H200"),
        "blas.fp16": Expected(740 * TERA, 800 * TERA, "H100: 750 to 762 at 8192"),
        "blas.fp8": Expected(1250 * TERA, 1460 * TERA, "H200: 1453 at the best shape (ml-engineering)"),
        "blas.int8": Expected(1000 * TERA, 1500 * TERA, "nobody published it", lead=True),
        "attention.flash": Expected(350 * TERA, 600 * TERA, "35 to 60 % of BF16", lead=True),
        "divergence": Expected(25, 33, "one way after another", lead=True),
        "block_size": Expected(0.55, 0.85, "32 threads in a block", lead=True),
        "vector_add": Expected(4 * MICRO, 7 * MICRO, "12 MB lie in the cache"),
    }
)
UNSUPPORTED_ON_H200: Final = frozenset({"mma.fp8", "mma.int4", "mma.fp4"})
"""Emulated or absent: they must not show a number."""
