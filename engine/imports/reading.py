"""A model from its own files: a config.json, safetensors with or without a config, a GGUF file or the first of its parts.

Nothing is executed, no weight is loaded, no network is asked. What is read is bounded (engine.imports.limits) and refused in
words when it is not what it says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from attrs import evolve, field, frozen

from engine.catalogue.rows import Model, TensorGroup
from engine.errors import DamagedDocument
from engine.estimate import Source
from engine.imports.config_json import Config, packed_bits, read_config, shape_of
from engine.imports.config_tensors import groups_of
from engine.imports.gguf_header import GgufHeader, read_gguf_header
from engine.imports.gguf_shape import FILE_TYPES, shape_of_gguf
from engine.imports.limits import SHARDS, refuse
from engine.imports.safetensors_header import read_safetensors
from engine.imports.shape import model_of
from engine.imports.tensor_list import TensorList, total_elements
from engine.memory.tensors import BESIDE
from engine.messages import Message, Quantity, msg
from engine.units import BYTES

_PART: Final = re.compile(r"^(.*)-(\d{5})-of-(\d{5})\.gguf$")


@frozen
class ImportedModel:
    """What a model's files say."""

    model: Model
    weight_format: str | None
    """Id of the weight format the files hold; None where it has no id here."""
    file_bytes: float | None
    """Bytes of the weights in the files; None from a config alone."""
    bytes_by_kind: Mapping[str, int] = field(factory=dict, repr=False, hash=False)
    notes: tuple[Message, ...] = ()


def import_model(path: Path) -> ImportedModel:
    """Read a file or a folder. Raises DamagedDocument (what is wrong with it), Refused never."""
    if path.is_dir():
        return _of_folder(path)
    if path.suffix == ".gguf":
        return import_gguf(path)
    if path.name.endswith((".safetensors", ".safetensors.index.json")):
        return _of_folder(path.parent, path)
    if path.suffix == ".json":
        return import_config(path)
    raise refuse("import.unknown_kind", path)


def import_config(path: Path) -> ImportedModel:
    """A shape without weights: totals follow from the shape."""
    config = read_config(path)
    shape = shape_of(config, _name_of(config, path))
    model = model_of(shape, groups_of(config, shape), Source(f"{path.name} of {shape.name}", ""))
    notes = [msg("import.note.config_only")]
    if shape.modality != "text":
        notes.append(msg("import.note.tower_estimated"))
    return ImportedModel(model, format_of(config, None), None, {}, tuple(notes))


def import_gguf(path: Path) -> ImportedModel:
    """A GGUF file: exact tensors, metadata by layer. The first part of a split file reads the others beside it."""
    header = _all_parts(read_gguf_header(path), path)
    shape, groups = shape_of_gguf(header, path)
    tensors = _with_experts(header.tensors, shape.experts)
    model = evolve(model_of(shape, tensors, Source(f"{path.name}", "")), cache_groups=groups)
    by_kind = header.tensors.bytes_by_kind()
    size = float(header.tensors.size_bytes - sum(by_kind.get(kind, 0) for kind in BESIDE))
    stated = header.metadata.get("general.file_type")
    weight_format = FILE_TYPES.get(stated) if isinstance(stated, int) else None
    notes = (msg("import.note.read", size=Quantity(size, BYTES), tensors=len(header.tensors.tensors)),)
    return ImportedModel(model, weight_format, size, by_kind, notes)


def _of_folder(folder: Path, given: Path | None = None) -> ImportedModel:
    """A checkpoint's folder: safetensors for exact sizes, config.json for the layers. Either alone will do; a GGUF file too."""
    config_file = folder / "config.json"
    config = read_config(config_file) if config_file.is_file() else None
    if given is None and not any(folder.glob("*.safetensors*")):
        files = sorted(folder.glob("*.gguf"))
        if files:
            return import_gguf(files[0])
        if config is not None:
            return import_config(config_file)
    found = read_safetensors(given or folder)
    return _of_checkpoint(found, config, folder)


def _of_checkpoint(found: TensorList, config: Config | None, folder: Path) -> ImportedModel:
    if config is None:
        raise refuse("import.config_missing", folder)
    shape = shape_of(config, _name_of(config, folder / "config.json"))
    packed = TensorList(found.tensors, packed_bits(config))
    tensors = _with_experts(packed, shape.experts)
    if not any(g.kind == "lm_head" for g in tensors):
        shape = evolve(shape, tied=True)
    expected = total_elements(groups_of(config, shape))
    notes = [msg("import.note.read", size=Quantity(float(found.size_bytes), BYTES), tensors=len(found.tensors))]
    counted = total_elements(tensors)
    if expected and not 0.8 < counted / expected < 1.25:
        notes.append(msg("import.note.counts_differ", counted=counted / 1e9, expected=expected / 1e9))
    model = model_of(shape, tensors, Source(f"safetensors of {shape.name}", ""))
    return ImportedModel(model, format_of(config, found), float(found.size_bytes), found.bytes_by_kind(), tuple(notes))


def _with_experts(found: TensorList, experts: int) -> tuple[TensorGroup, ...]:
    """Groups; fused gate/up matrices of experts count as two, so that one expert is what the memory room means by it."""
    groups = []
    for group in found.groups():
        fused = group.kind == "expert_gate" and experts and group.rows % 2 == 0 and not _has(found, "expert_up")
        if fused:
            half = evolve(group, rows=group.rows // 2)
            groups += [half, evolve(half, kind="expert_up")]
        else:
            groups.append(group)
    return tuple(groups)


def _has(found: TensorList, kind: str) -> bool:
    return kind in found.bytes_by_kind()


def _all_parts(header: GgufHeader, path: Path) -> GgufHeader:
    """The tensors of every part of a split file."""
    parts = header.metadata.get("split.count")
    if not isinstance(parts, int) or parts <= 1:
        return header
    named = _PART.match(path.name)
    if named is None or parts > SHARDS or int(named.group(3)) != parts:
        raise refuse("import.part_missing", path)
    tensors, size = list(header.tensors.tensors), header.file_bytes
    for number in range(1, parts + 1):
        other = path.parent / f"{named.group(1)}-{number:05d}-of-{parts:05d}.gguf"
        if other.name == path.name:
            continue
        if not other.is_file():
            raise refuse("import.part_missing", other)
        more = read_gguf_header(other)
        tensors += more.tensors.tensors
        size += more.file_bytes
        if "general.architecture" in more.metadata and "general.architecture" not in header.metadata:
            header = evolve(header, metadata=more.metadata)
    return evolve(header, tensors=TensorList(tuple(tensors)), file_bytes=size)


def format_of(config: Config, found: TensorList | None) -> str | None:
    """The weight format's id: from the quantization config, else from the stored types."""
    quantised: Any = config.raw("quantization_config")
    if isinstance(quantised, dict):
        return _quantised_format(quantised)
    sizes = dict(found.bytes_by_dtype()) if found else {}
    stored = max(sizes, key=lambda d: sizes[d]) if sizes else ""
    words = {"BF16": "bf16", "F16": "fp16", "F32": "fp32", "F8_E4M3": "fp8"}
    return words.get(stored) or shape_dtype(config)


def shape_dtype(config: Config) -> str | None:
    stated = config.raw("dtype", "torch_dtype")
    return {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}.get(stated) if isinstance(stated, str) else None


def _quantised_format(cells: Mapping[str, Any]) -> str | None:
    method, bits = cells.get("quant_method"), packed_bits_of(cells)
    text = str(cells).lower()[:20_000]
    if method == "bitsandbytes":
        if cells.get("load_in_4bit") is True:
            return "bnb-nf4-dq" if cells.get("bnb_4bit_use_double_quant") is True else "bnb-nf4"
        return "int8"
    if method in ("gptq", "awq") and bits == 4:
        return f"{method}-int4"
    if method in ("fp8", "fbgemm_fp8", "mxfp4"):
        return "mxfp4" if method == "mxfp4" else "fp8"
    if method in ("modelopt", "compressed-tensors"):
        if "nvfp4" in text:
            return "nvfp4"
        if "mxfp4" in text:
            return "mxfp4"
        if bits == 4:
            return "int4"
        return "fp8" if "float" in text or "fp8" in text else "int8"
    return None


def packed_bits_of(cells: Mapping[str, Any]) -> int | None:
    """Bits a quantization config states, at its top or in its first group."""
    bits = cells.get("bits", cells.get("w_bit"))
    groups = cells.get("config_groups")
    if bits is None and isinstance(groups, dict) and groups:
        first = next(iter(groups.values()))
        weights = first.get("weights") if isinstance(first, dict) else None
        bits = weights.get("num_bits") if isinstance(weights, dict) else None
    return bits if isinstance(bits, int) and not isinstance(bits, bool) else None


def _name_of(config: Config, path: Path) -> str:
    stated = config.raw("_name_or_path")
    if isinstance(stated, str) and stated.strip(" ./"):
        return stated.strip().rstrip("/").rsplit("/", 1)[-1][:120]
    return path.parent.resolve().name[:120] or "imported model"


__all__ = ["DamagedDocument", "ImportedModel", "import_config", "import_gguf", "import_model"]
