"""Builds the pack: every kernel for every architecture, without a GPU and without nvcc.

    python -m kernels.build            all targets -> kernels/pack/kernels.zip
    python -m kernels.build --check    compile again and compare with the pack, write nothing
    python -m kernels.build --only sm_90

The images are checked before they are packed (kernels.sass): a matrix kernel that the compiler emulates, or one that spills, stops
the build.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from kernels import nvrtc, pack, sass, sources
from kernels.pack import Image


def images(only: str = "") -> Iterator[tuple[Image, bytes]]:
    """Compile. Raises nvrtc.NotInstalled or nvrtc.CompileError."""
    for major in sources.ARCHITECTURES:
        compiler = nvrtc.find(major)
        for name in sources.names():
            text = sources.text(name)
            for target in sources.targets(name, major):
                if only and target != only:
                    continue
                data = compiler.compile(text, f"{name}.cu", target, sources.OPTIONS).image
                yield pack.describe(name, target, compiler.name, sources.digest(text), data), data


def differences(built: list[tuple[Image, bytes]], shipped: pack.Pack) -> list[str]:
    """Where the pack on disk is not what the sources give now."""
    known = {image.path: image for image in shipped.images}
    return [image.path for image, _ in built if known.get(image.path) != image]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m kernels.build", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the pack, write nothing")
    parser.add_argument("--only", default="", help="one target, for instance sm_90 (with --check)")
    parser.add_argument("--out", type=Path, default=sources.PACK)
    given = parser.parse_args(arguments)
    if given.only and not given.check:
        parser.error("--only goes with --check")
    begin = time.monotonic()
    try:
        built = list(images(given.only))
    except (nvrtc.NotInstalled, nvrtc.CompileError) as error:
        sys.stderr.write(f"kernels: {error}\n")
        return 1
    if given.check:
        wrong = differences(built, pack.Pack.shipped())
        sys.stdout.write(
            f"kernels: {len(built)} images compiled, {len(wrong)} differ from the pack {' '.join(wrong[:5])}\n"
        )
        return 1 if wrong else 0
    faults = sass.faults(built)
    if faults:
        sys.stderr.write("\n".join(f"kernels: {fault}" for fault in faults) + "\n")
        return 1
    compilers = {i.compiler.split(".")[0]: i.compiler for i, _ in built}
    size = pack.write(given.out, compilers, built)
    took = time.monotonic() - begin
    sys.stdout.write(f"kernels: {len(built)} images, {size / 1000:.0f} kB, {took:.1f} s\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
