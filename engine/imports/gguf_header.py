"""The header of a GGUF file: metadata and tensor list, read with bounds and without touching a weight.

A reader of our own: `gguf.GGUFReader` maps the whole file, believes the counts in its header and builds an object for every
token of the vocabulary; importing the package alone takes a quarter of a second. Files written by it are what the tests read.
Layout: ggml-org/ggml docs/gguf.md (versions 2 and 3, little endian).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Final

from attrs import field, frozen

from engine.imports.limits import (
    ARRAY_STRINGS,
    DIMENSIONS,
    ELEMENTS,
    GGUF_HEADER_BYTES,
    METADATA_KEYS,
    STRING_BYTES,
    TENSORS_A_FILE,
    refuse,
)
from engine.imports.tensor_list import Tensor, TensorList
from engine.memory.gguf_mix import BLOCKS

_MAGIC: Final = b"GGUF"
_SCALARS: Final = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING: Final = 8
_ARRAY: Final = 9
_KEPT_ARRAY: Final = 16_384
"""Numbers of an array that are kept (one a layer); longer arrays are counted only."""
_TYPES: Final = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 9: "Q8_1", 10: "Q2_K", 11: "Q3_K", 12: "Q4_K",
    13: "Q5_K", 14: "Q6_K", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S",
    22: "IQ2_S", 23: "IQ4_XS", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64", 29: "IQ1_M", 30: "BF16", 34: "TQ1_0",
    35: "TQ2_0", 39: "MXFP4", 40: "NVFP4", 41: "Q1_0",
}  # fmt: skip
_BLOCKS: Final = {
    **BLOCKS, "Q8_1": (32, 40), "Q8_K": (256, 292), "I8": (1, 1), "I16": (1, 2), "I32": (1, 4), "I64": (1, 8), "F64": (1, 8),
    "TQ1_0": (256, 54), "TQ2_0": (256, 66), "Q1_0": (128, 18),
}  # fmt: skip
_CHUNK: Final = 1024**2


@frozen
class ArraySize:
    """An array whose contents were skipped."""

    length: int


@frozen
class GgufHeader:
    """Metadata by key (long arrays as their size) and the tensors."""

    metadata: Mapping[str, Any] = field(repr=False)
    tensors: TensorList
    file_bytes: int


def read_gguf_header(path: Path) -> GgufHeader:
    """Read it. Raises DamagedDocument for a file that is no GGUF, is cut short, or claims what no model has."""
    try:
        with path.open("rb") as stream:
            size = path.stat().st_size
            return _Reader(path, stream, size).header()
    except OSError as error:
        raise refuse("import.cannot_read", path, why=str(error.strerror or error)) from error


class _Reader:
    """Reads forward in chunks; stops at the header's bound."""

    def __init__(self, path: Path, stream: BinaryIO, size: int) -> None:
        self._path, self._stream, self._size = path, stream, size
        self._buffer, self._at, self._read, self._strings = b"", 0, 0, 0

    def header(self) -> GgufHeader:
        if self._take(4) != _MAGIC:
            raise refuse("import.no_gguf", self._path)
        version = self._number("<I")
        if version not in (2, 3):
            raise refuse("import.gguf_version", self._path, version=version)
        tensor_count, key_count = self._number("<Q"), self._number("<Q")
        if tensor_count > TENSORS_A_FILE:
            raise refuse("import.too_many_tensors", self._path, count=float(tensor_count), limit=TENSORS_A_FILE)
        if key_count > METADATA_KEYS:
            raise refuse("import.too_much_metadata", self._path)
        metadata: dict[str, Any] = {}
        for _ in range(key_count):
            key = self._string()
            if key in metadata:
                raise refuse("import.key_twice", self._path, name=key[:80])
            metadata[key] = self._value(self._number("<I"))
        tensors = tuple(self._tensor() for _ in range(tensor_count))
        self._check_data(tensors, metadata)
        return GgufHeader(MappingProxyType(metadata), TensorList(tensors), self._size)

    def _take(self, count: int) -> bytes:
        """The next bytes. Refuses beyond the file, or beyond the bound."""
        if self._at + count > len(self._buffer):
            wanted = max(count - (len(self._buffer) - self._at), _CHUNK)
            if self._read + wanted > GGUF_HEADER_BYTES + _CHUNK:
                raise refuse("import.too_much_metadata", self._path)
            fresh = self._stream.read(wanted)
            self._read += len(fresh)
            self._buffer, self._at = self._buffer[self._at :] + fresh, 0
            if count > len(self._buffer):
                raise refuse("import.cut_short", self._path)
        taken = self._buffer[self._at : self._at + count]
        self._at += count
        return taken

    def _number(self, layout: str) -> Any:
        return struct.unpack(layout, self._take(struct.calcsize(layout)))[0]

    def _string(self) -> str:
        length = self._number("<Q")
        if length > STRING_BYTES:
            raise refuse("import.too_much_metadata", self._path)
        return self._take(length).decode("utf-8", "replace")

    def _skip(self, count: int) -> None:
        while count > 0:
            step = min(count, _CHUNK)
            self._take(step)
            count -= step

    def _value(self, kind: int) -> Any:
        if kind in _SCALARS:
            return self._number(_SCALARS[kind])
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            return self._array()
        raise refuse("import.unknown_type", self._path, kind=kind)

    def _array(self) -> Any:
        kind, length = self._number("<I"), self._number("<Q")
        if kind == _STRING:
            return self._skip_strings(length)
        if kind not in _SCALARS:  # arrays of arrays are in no model
            raise refuse("import.unknown_type", self._path, kind=kind)
        layout = _SCALARS[kind]
        width = struct.calcsize(layout)
        if length * width > GGUF_HEADER_BYTES or length * width > self._size:
            raise refuse("import.too_much_metadata", self._path)
        if length > _KEPT_ARRAY:
            self._skip(length * width)
            return ArraySize(length)
        return struct.unpack(f"<{length}{layout[1]}", self._take(length * width))

    def _skip_strings(self, length: int) -> ArraySize:
        self._strings += length
        if self._strings > ARRAY_STRINGS:
            raise refuse("import.too_much_metadata", self._path)
        buffer, at = self._buffer, self._at
        for _ in range(length):
            end = at + 8
            size = int.from_bytes(buffer[at:end], "little")
            if end > len(buffer) or end + size > len(buffer):
                self._at = at
                size = self._number("<Q")
                if size > STRING_BYTES:
                    raise refuse("import.too_much_metadata", self._path)
                self._take(size)
                buffer, at = self._buffer, self._at
            else:
                at = end + size
        self._at = at
        return ArraySize(length)

    def _tensor(self) -> Tensor:
        name, dimensions = self._string(), self._number("<I")
        if dimensions > DIMENSIONS:
            raise refuse("import.impossible_tensor", self._path, name=name[:80])
        sides = tuple(self._number("<Q") for _ in range(dimensions))
        kind, offset = self._number("<I"), self._number("<Q")
        block_type = _TYPES.get(kind)
        if block_type is None:
            raise refuse("import.unknown_type", self._path, kind=kind)
        elements = 1
        for side in sides:
            elements *= side
            if side == 0 or elements > ELEMENTS:
                raise refuse("import.impossible_tensor", self._path, name=name[:80])
        block, width = _BLOCKS[block_type]
        if sides and sides[0] % block:
            raise refuse("import.impossible_tensor", self._path, name=name[:80])
        size = elements // block * width
        if offset > self._size or size > self._size:
            raise refuse("import.beyond_the_file", self._path, name=name[:80])
        return Tensor(name, tuple(reversed(sides)), block_type, size)

    def _check_data(self, tensors: tuple[Tensor, ...], metadata: Mapping[str, Any]) -> None:
        if sum(t.size_bytes for t in tensors) > self._size:
            raise refuse("import.beyond_the_file", self._path, name=str(metadata.get("general.name", ""))[:80])
        if len({t.name for t in tensors}) != len(tensors):
            raise refuse("import.key_twice", self._path, name="tensor")


__all__ = ["ArraySize", "GgufHeader", "read_gguf_header"]
