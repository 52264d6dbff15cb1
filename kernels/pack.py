"""The pack: images of every kernel for every architecture in one zip, with a manifest that says what each came from."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import asdict, frozen

from kernels import sources

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


@frozen
class Image:
    """One image of one source."""

    source: str
    target: str
    """"sm_90a" (a cubin) or "compute_80" (PTX)."""
    compiler: str
    digest: str
    """Of source text and options: see kernels.sources.digest."""
    sha256: str
    """Of the image itself."""
    kernels: tuple[str, ...]
    abi: int = 0
    """ELF ABI of a cubin; 0 for PTX."""

    @property
    def path(self) -> str:
        return f"{self.source}.{self.target}.{'ptx' if self.is_ptx else 'cubin'}"

    @property
    def is_ptx(self) -> bool:
        return self.target.startswith("compute_")


class Damaged(Exception):
    """A pack whose image is not what its manifest says."""


class Pack:
    """A pack on disk or in memory."""

    def __init__(self, data: bytes) -> None:
        """Raises Damaged for anything but a pack of this format."""
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            manifest = json.loads(self._zip.read(MANIFEST))
            if manifest["format"] != FORMAT:
                raise Damaged(f"format {manifest['format']}")
            self.compilers: Mapping[str, str] = manifest["compilers"]
            self.images = tuple(Image(**{**i, "kernels": tuple(i["kernels"])}) for i in manifest["images"])
        except (zipfile.BadZipFile, KeyError, ValueError, TypeError) as error:
            raise Damaged(str(error)) from error

    @classmethod
    def shipped(cls) -> Pack:
        """The pack of this installation. Raises FileNotFoundError or Damaged."""
        return cls(sources.PACK.read_bytes())

    def read(self, image: Image) -> bytes:
        """The image's bytes, checked. Raises Damaged."""
        data = self._zip.read(image.path)
        if hashlib.sha256(data).hexdigest() != image.sha256:
            raise Damaged(image.path)
        return data

    def choose(self, source: str, capability: tuple[int, int], driver_cuda: tuple[int, int]) -> tuple[Image, ...]:
        """Images of `source` that a device of this capability can run, best first.

        The device's own target, with `a` before without; else the highest lower minor of the same major; else PTX of the highest
        lower capability, and only for a driver at least as new as the compiler that wrote it.
        """
        of_source = [i for i in self.images if i.source == source]
        cubins = [i for i in of_source if not i.is_ptx and _runs(i.target, capability)]
        cubins.sort(key=lambda i: (_number(i.target), i.target.endswith("a")), reverse=True)
        ptx = [
            i for i in of_source if i.is_ptx and _number(i.target) <= capability and driver_cuda >= _version(i.compiler)
        ]
        ptx.sort(key=lambda i: _number(i.target), reverse=True)
        return (*cubins, *ptx[:1])


def _number(target: str) -> tuple[int, int]:
    digits = re.sub(r"\D", "", target)
    return int(digits[:-1]), int(digits[-1])


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def _runs(target: str, capability: tuple[int, int]) -> bool:
    major, minor = _number(target)
    if target.endswith("a"):
        return (major, minor) == capability
    return major == capability[0] and minor <= capability[1]


def write(path: Path, compilers: Mapping[str, str], images: Iterable[tuple[Image, bytes]]) -> int:
    """Write a pack and return its size. The same images give the same bytes: fixed order, times and attributes."""
    ordered = sorted(images, key=lambda pair: pair[0].path)
    manifest = {
        "format": FORMAT,
        "compilers": dict(sorted(compilers.items())),
        "images": [_plain(i) for i, _ in ordered],
    }
    members = [(MANIFEST, (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode())]
    members += [(image.path, data) for image, data in ordered]
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name, data in members:
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            out.writestr(entry, data)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(held.getvalue())
    return path.stat().st_size


def _plain(image: Image) -> dict[str, Any]:
    return {**asdict(image), "kernels": list(image.kernels)}


def describe(source: str, target: str, compiler: str, digest: str, data: bytes) -> Image:
    """The manifest's entry of a freshly compiled image."""
    is_ptx = target.startswith("compute_")
    return Image(
        source=source,
        target=target,
        compiler=compiler,
        digest=digest,
        sha256=hashlib.sha256(data).hexdigest(),
        kernels=tuple(kernel_names(data, is_ptx)),
        abi=0 if is_ptx else data[8],
    )


def kernel_names(data: bytes, is_ptx: bool) -> Sequence[str]:
    """Entry points of an image: `.entry NAME` of PTX, sections `.text.NAME` of a cubin."""
    found = re.findall(rb"\.entry\s+(\w+)" if is_ptx else rb"\0\.text\.(\w+)(?=\0)", data)
    return sorted({name.decode() for name in found})
