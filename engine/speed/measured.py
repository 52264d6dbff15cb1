"""Measured rows (the columns of a table of public measurements) as deployments: what was run, and what was counted."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

from attrs import evolve, frozen

from engine.catalogue import Catalogue
from engine.catalogue.rows import Device, ServingEngine
from engine.deployment import Deployment
from engine.errors import InvalidInput, Refused
from engine.estimate import Source
from engine.messages import msg
from engine.speed.case import cache_room
from engine.speed.keys import SERVERS, device_family, engine_class
from engine.units import GIB

_BACKENDS: Final = (
    ("vulkan", "vulkan"),
    ("rocm", "rocm"),
    ("sycl", "sycl"),
    ("cpu path", "cpu"),
    ("gpu path", "gpu"),
    ("npu path", "npu"),
    ("; ane", "npu"),
)
_FILE_GIB: Final = re.compile(r"file_gib=([0-9.]+)")
_MAXIMA: Final = "lengths are maxima"
_MEAN_OF_MAXIMUM: Final = 0.9
"""Lengths drawn evenly from 80 to 100 % of the nominal one (InferenceMAX, random range ratio 0.8)."""
SHORT_PROMPT_TOKENS: Final = 64.0
"""Cached tokens where a row only says that the prompt was short (a few dozen tokens)."""
_NO_FLASH: Final = "no flash attention"
_FLASH_SINCE_2024: Final = "2023"
_MOST_SEQUENCES: Final = 2048.0
_FP8_CACHE_FORMATS: Final = frozenset({"fp8", "nvfp4"})


@frozen
class MeasuredRow:
    """One row as a question: a deployment and the kind of figure."""

    row_id: str
    kind: str
    deployment: Deployment


def question_of(row: Mapping[str, str], catalogue: Catalogue) -> MeasuredRow:
    """The row's question. Raises UnknownId, InvalidInput or Refused where it has none."""
    note, kind = row.get("note", "") or "", row["kind"]
    mean = _MEAN_OF_MAXIMUM if _MAXIMA in note else 1.0
    concurrency = _number(row, "concurrency", math.nan)
    engine = engine_of(row.get("engine", ""), catalogue)
    size = _FILE_GIB.search(note)
    deployment = Deployment(
        model=catalogue.model(row["model"]),
        weight_format=catalogue.weight_format(row["format"]),
        device=catalogue.device(row["device"]),
        engine=engine,
        kv_format=row.get("kv_format", "")
        or default_kv_format(engine.id, row["format"], catalogue.device(row["device"])),
        device_count=int(_number(row, "devices", 1.0)),
        tensor_parallel=int(_number(row, "tp", 1.0)),
        pipeline_parallel=int(_number(row, "pp", 1.0)),
        data_parallel=int(_number(row, "dp", 1.0)),
        expert_parallel=int(_number(row, "ep", 1.0)),
        context_tokens=int(_number(row, "context_tokens", 0.0 if kind == "prefill" else SHORT_PROMPT_TOKENS)),
        concurrency=1 if math.isnan(concurrency) else max(round(concurrency), 1),
        prompt_tokens=_number(row, "prompt_tokens", 256.0) * mean,
        output_tokens=_number(row, "output_tokens", 128.0) * mean,
        flash_attention=_flash(row, note),
        engine_version=_release(row.get("engine_version", "") or ""),
        file_bytes=float(size.group(1)) * GIB if size else None,
        backend=_backend(note),
        arrival=_arrival(note, kind, concurrency, engine.id),
        maximum_load=math.isnan(concurrency),
    )
    return MeasuredRow(row["row_id"], kind, at_maximum_load(deployment) if deployment.maximum_load else deployment)


def engine_of(engine_id: str, catalogue: Catalogue) -> ServingEngine:
    """The catalogue's engine, or a bare one for a program it does not list ("other:...")."""
    found = catalogue.engines.get(engine_id)
    if found is not None:
        return found
    if not engine_id.startswith("other:"):
        return catalogue.engine(engine_id)
    return ServingEngine(engine_id, engine_id, "", False, False, None, (), (), Source("", "", verified=False))


def default_kv_format(engine_id: str, format_id: str, device: Device) -> str:
    """What servers run an 8-bit checkpoint's cache in when nobody says: TensorRT-LLM follows NVIDIA's checkpoints (FP8), and on
    Blackwell, whose attention kernels are written for it, vLLM and SGLang are run with FP8 too. Others keep 16 bits.
    """
    if format_id not in _FP8_CACHE_FORMATS:
        return "f16"
    blackwell = engine_id in ("vllm", "sglang") and device_family(device).startswith("blackwell")
    return "fp8" if engine_id == "trt-llm" or blackwell else "f16"


def at_maximum_load(deployment: Deployment) -> Deployment:
    """The deployment at as many users as its cache holds (at most 2,048 a replica)."""
    room, claim = cache_room(deployment)
    places = min(max(room / claim, 1.0), _MOST_SEQUENCES)
    return evolve(deployment, concurrency=max(int(places), 1) * deployment.data_parallel)


def _number(row: Mapping[str, str], column: str, fallback: float) -> float:
    cell = (row.get(column) or "").strip()
    if not cell:
        return fallback
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise InvalidInput(msg("speed.refused.bad_cell", column=column, found=cell))
    return value


def _release(version: str) -> str:
    """The version where it is a number; a nightly build counts as the newest."""
    return version if version[:1].isdigit() else ""


def _flash(row: Mapping[str, str], note: str) -> bool:
    if _NO_FLASH in note:
        return False
    return not (row.get("engine") == "llama.cpp" and (row.get("engine_version") or "").startswith(_FLASH_SINCE_2024))


def _backend(note: str) -> str:
    low = note.lower()
    return next((backend for word, backend in _BACKENDS if word in low), "")


def _arrival(note: str, kind: str, concurrency: float, engine_id: str) -> str:
    if "static batch" in note or "batch 1 " in note:
        return "static"
    if "all requests arrive at once" in note:
        return "at_once"
    alone = kind == "ttft" and concurrency <= 1 and engine_class(engine_id) not in SERVERS
    return "static" if alone else "closed_loop"


def check_known(row: Mapping[str, str]) -> None:
    """Raises Refused for a row that names no device or format: there is nothing to compute a speed from."""
    for column in ("model", "format", "device"):
        if not (row.get(column) or "").strip():
            raise Refused(msg("speed.refused.empty_cell", column=column))
