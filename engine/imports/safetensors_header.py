"""The header of safetensors files: one file, or an index with its shards. Read with bounds; no weight is touched.

The library memory-maps the file to hand out weights, and has no call that returns names, shapes and sizes alone; the header is
one length and one JSON object (huggingface/safetensors, README), so it is read here. Files written by the library are what the
tests read.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any, Final

from engine.imports.limits import (
    CONFIG_BYTES,
    DIMENSIONS,
    ELEMENTS,
    SAFETENSORS_HEADER_BYTES,
    SHARDS,
    TENSORS,
    TENSORS_A_FILE,
    refuse,
    whole,
)
from engine.imports.tensor_list import Tensor, TensorList

_BITS: Final = {
    "F64": 64, "F32": 32, "F16": 16, "BF16": 16, "I64": 64, "I32": 32, "I16": 16, "I8": 8, "U64": 64, "U32": 32, "U16": 16, "U8": 8,
    "BOOL": 8, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
    "C64": 64,
}  # fmt: skip
_INDEX: Final = ".safetensors.index.json"


def read_safetensors(path: Path) -> TensorList:
    """Tensors of a file, of an index with its shards, or of a folder that holds either. Raises DamagedDocument."""
    if path.is_dir():
        return read_safetensors(_in_folder(path))
    if path.name.endswith(".json"):
        return _of_index(path)
    return TensorList(tuple(read_header(path)))


def _in_folder(folder: Path) -> Path:
    indexes = sorted(folder.glob(f"*{_INDEX}"))
    if indexes:
        return indexes[0]
    files = sorted(folder.glob("*.safetensors"))
    if len(files) == 1:
        return files[0]
    raise refuse("import.no_index" if files else "import.no_model_file", folder)


def _of_index(path: Path) -> TensorList:
    index = read_json(path, SAFETENSORS_HEADER_BYTES)
    mapping = index.get("weight_map")
    if not isinstance(mapping, dict) or not mapping or len(mapping) > TENSORS:
        raise refuse("import.no_index", path)
    names = sorted({n for n in mapping.values() if isinstance(n, str)})
    if len(names) > SHARDS or any(not _plain(n) for n in names):
        raise refuse("import.foreign_shard", path)
    tensors: list[Tensor] = []
    for name in names:
        tensors.extend(read_header(path.parent / name))
        if len(tensors) > TENSORS:
            raise refuse("import.too_many_tensors", path, count=float(len(tensors)), limit=TENSORS)
    missing = mapping.keys() - {t.name for t in tensors}
    if missing:
        raise refuse("import.tensor_missing", path, name=str(min(missing))[:80])
    return TensorList(tuple(tensors))


def _plain(name: str) -> bool:
    """A shard beside its index: no folders, no other kind of file."""
    return name.endswith(".safetensors") and "/" not in name and "\\" not in name and not name.startswith(".")


def read_header(path: Path) -> list[Tensor]:
    """Tensors of one file. Raises DamagedDocument."""
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            start = stream.read(8)
            if len(start) < 8:
                raise refuse("import.cut_short", path)
            (length,) = struct.unpack("<Q", start)
            if length > SAFETENSORS_HEADER_BYTES:
                raise refuse("import.too_much_metadata", path)
            if length > size - 8:
                raise refuse("import.cut_short", path)
            text = stream.read(length)
    except OSError as error:
        raise refuse("import.cannot_read", path, why=str(error.strerror or error)) from error
    if (
        text.count(b"{") > TENSORS_A_FILE
        or text.count(b"[") > 2 * TENSORS_A_FILE
        or text.count(b",") > 12 * TENSORS_A_FILE
    ):
        raise refuse("import.too_much_metadata", path)
    header = _parse(text, path)
    header.pop("__metadata__", None)
    if len(header) > TENSORS_A_FILE:
        raise refuse("import.too_many_tensors", path, count=float(len(header)), limit=TENSORS_A_FILE)
    tensors = [_tensor(name, entry, size - 8 - length, path) for name, entry in header.items()]
    _check_overlap(header, path)
    return tensors


def _tensor(name: str, entry: Any, data_bytes: int, path: Path) -> Tensor:
    if not isinstance(entry, dict):
        raise refuse("import.impossible_tensor", path, name=name[:80])
    shape, dtype, offsets = entry.get("shape"), entry.get("dtype"), entry.get("data_offsets")
    if not isinstance(shape, list) or len(shape) > DIMENSIONS or not isinstance(offsets, list) or len(offsets) != 2:
        raise refuse("import.impossible_tensor", path, name=name[:80])
    if not isinstance(dtype, str) or dtype not in _BITS:
        raise refuse("import.unknown_type", path, kind=str(dtype)[:20])
    sides = [whole(side, 0, ELEMENTS) for side in shape]
    begin, end = (whole(offset, 0, 2**62) for offset in offsets)
    if any(side is None for side in sides) or begin is None or end is None or begin > end:
        raise refuse("import.impossible_tensor", path, name=name[:80])
    tensor = Tensor(name, tuple(side or 0 for side in sides), dtype, end - begin)
    if tensor.elements > ELEMENTS or tensor.elements * _BITS[dtype] != 8 * tensor.size_bytes:
        raise refuse("import.impossible_tensor", path, name=name[:80])
    if end > data_bytes:
        raise refuse("import.beyond_the_file", path, name=name[:80])
    return tensor


def _check_overlap(header: dict[str, Any], path: Path) -> None:
    """Two tensors may not share bytes."""
    at = 0
    for begin, end, name in sorted((*entry["data_offsets"], name) for name, entry in header.items()):
        if begin < at:
            raise refuse("import.impossible_tensor", path, name=str(name)[:80])
        at = end


def read_json(path: Path, limit: int = CONFIG_BYTES) -> dict[str, Any]:
    """A JSON object from a file of bounded size. Raises DamagedDocument."""
    try:
        if path.stat().st_size > limit:
            raise refuse("import.too_much_metadata", path)
        with path.open("rb") as stream:
            return _parse(stream.read(limit), path)
    except OSError as error:
        raise refuse("import.cannot_read", path, why=str(error.strerror or error)) from error


def _parse(text: bytes, path: Path) -> dict[str, Any]:
    try:
        found = json.loads(text.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise refuse("import.no_json", path) from error
    if not isinstance(found, dict):
        raise refuse("import.no_json", path)
    return found
