"""The kernels' sources, the architectures they are built for, and the key that ties an image to the text it came from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent / "cuda"
PACK: Final = Path(__file__).resolve().parent / "pack" / "kernels.zip"
OPTIONS: Final = ("--std=c++17", "--restrict")

ARCHITECTURES: Final[Mapping[int, tuple[str, ...]]] = MappingProxyType(
    {
        12: (
            "sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87",
            "sm_89", "sm_90", "sm_90a", "sm_100", "sm_103", "sm_120", "sm_120a", "sm_121", "sm_121a",
        ),
        13: ("sm_88", "sm_107", "sm_110"),
    }
)  # fmt: skip
"""Major version of NVRTC -> targets. 12.9 wherever it can: it still writes images (ELF ABI 7 up to sm_90) that older drivers were
made for, and it is the last to know Maxwell, Pascal and Volta."""

PTX: Final = ("compute_50", "compute_75", "compute_90", "compute_120")
"""For devices newer than this pack, by 12.9. Matrix kernels are not in it: on an unknown device they might be emulated."""

NATIVE: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "mma": frozenset(
            {"sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_120", "sm_121", "sm_120a", "sm_121a"}
        ),
        "wgmma": frozenset({"sm_90a"}),
    }
)
"""Sources whose instructions exist on some architectures only. A target with `a` is built for these sources alone."""

SMALLEST: Final = "sm_50"


def names() -> tuple[str, ...]:
    """Every source, in order."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.cu")))


def text(name: str) -> str:
    """One source as it stands in the tree, with line ends as the compiler saw them."""
    return (FOLDER / f"{name}.cu").read_text(encoding="utf-8").replace("\r\n", "\n")


def digest(source: str) -> str:
    """What an image is tied to: the text and the options."""
    return hashlib.sha256("\n".join((source, *OPTIONS)).encode()).hexdigest()


def targets(name: str, major: int) -> tuple[str, ...]:
    """The targets one source is built for with NVRTC `major`, PTX included."""
    native = NATIVE.get(name)
    if native is not None:
        return tuple(t for t in ARCHITECTURES[major] if t in native)
    plain = tuple(t for t in ARCHITECTURES[major] if not t.endswith("a"))
    return (*plain, *PTX) if major == 12 else plain
