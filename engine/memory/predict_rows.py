"""From one measured row (shared vocabulary of the truth file) to what this room would have predicted for it.

Pure: no file is read but the catalogue and the constants. A row that cannot be predicted raises Refused with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from attrs import evolve, frozen

from engine.catalogue import Catalogue
from engine.catalogue.rows import ServingEngine, WeightFormat
from engine.errors import Refused
from engine.memory.bands import cache_band, weight_band
from engine.memory.constants import constant
from engine.memory.kv_cache import CachePlan, cache_kernel, cache_rule
from engine.memory.parallel import Split, device_weight_bytes
from engine.memory.runtime import RuntimeQuestion, activations, communication, step_limits
from engine.memory.training import STATE_BYTES, TrainingQuestion, training_memory
from engine.memory.weights import is_gguf
from engine.messages import msg
from engine.units import GIB

KINDS: Final = ("memory_weights", "memory_kv", "memory_total", "memory_training")
_FILE_SIZE: Final = re.compile(r"file_gib=([\d.]+)")
_TOKENIZER_BYTES: Final = 62.0
"""A GGUF file's header by vocabulary entry: token, score, merges (7.4 MiB for Llama-3's 128,256)."""
_UNSTATED_CONTEXT: Final = {"other:executorch": 2048.0, "executorch": 2048.0}
"""Context of a row that does not state one: what the runtime's published programs were exported with."""
_UNSTATED_SHORT: Final = 256.0
_WIDE_CACHE: Final = frozenset({"other:executorch", "executorch"})


@frozen
class Prediction:
    """Value and band in the row's unit (GiB)."""

    value: float
    low: float
    high: float


def predict(row: Mapping[str, str], catalogue: Catalogue) -> Prediction:
    """Predict one memory row. Raises Refused (reason), UnknownId (a model or format nobody knows)."""
    kind = row.get("kind", "")
    makers = {
        "memory_weights": _predict_weights,
        "memory_kv": _predict_cache,
        "memory_total": _predict_total,
        "memory_training": _predict_training,
    }
    if kind not in makers:
        raise Refused(msg("memory.refused.missing", field="kind"))
    return makers[kind](_Row(row, catalogue))


class _Row:
    """A row's cells, typed."""

    def __init__(self, cells: Mapping[str, str], catalogue: Catalogue) -> None:
        self._cells = cells
        self.model = catalogue.model(self.text("model"))
        self.weight_format: WeightFormat = catalogue.weight_format(
            self.text("format") or self.model.native_dtype or "bf16"
        )
        self.engine: ServingEngine = _engine(self.text("engine"), catalogue)
        self.version = self.text("engine_version")
        device = self.text("device")
        self.device = catalogue.device(device) if device else None
        self.note = self.text("note")

    def text(self, name: str) -> str:
        return (self._cells.get(name) or "").strip()

    def number(self, name: str) -> float | None:
        text = self.text(name)
        return float(text) if text else None

    def whole(self, name: str, default: int = 1) -> int:
        value = self.number(name)
        return default if value is None else int(value)

    @property
    def split(self) -> Split:
        """Degrees as stated; devices without any are tensor-parallel. Attention data parallelism still spreads the experts."""
        tensor, pipeline, data, expert = (self.whole(name) for name in ("tp", "pp", "dp", "ep"))
        if self.whole("devices") > 1 and not any(self.text(name) for name in ("tp", "pp", "dp")):
            tensor = self.whole("devices")
        if data > 1 and expert == 1 and self.model.is_moe:
            expert = tensor * data
        return Split(tensor, pipeline, data, expert)

    @property
    def file_bytes(self) -> float | None:
        found = _FILE_SIZE.search(self.note)
        return float(found.group(1)) * GIB if found else None

    @property
    def kv_format(self) -> str:
        stated = self.text("kv_format")
        if stated:
            return stated
        wide = self.weight_format.id == "fp32" or self.engine.id in _WIDE_CACHE
        return "f32" if wide else "f16"


def _engine(name: str, catalogue: Catalogue) -> ServingEngine:
    """The catalogue's engine, or a framework of that name that is in no catalogue (plain allocation, its own constants)."""
    if name in catalogue.engines:
        return catalogue.engines[name]
    plain = name.removeprefix("other:")
    if plain in catalogue.engines and plain != "transformers":
        return catalogue.engines[plain]
    return evolve(catalogue.engines["transformers"], id=name or "transformers", version="")


def _weights(row: _Row, on_card: bool = False) -> tuple[float, tuple[float, float]]:
    """Bytes and band; on a discrete card without the embedding that llama.cpp leaves to the host."""
    left = on_card and row.engine.id in ("llama.cpp", "ollama") and row.device is not None and row.device.kind == "gpu"
    size = device_weight_bytes(row.model, row.weight_format, row.engine, row.split, row.file_bytes, left)
    gguf = is_gguf(row.weight_format, row.engine)
    return size, weight_band(row.model, row.weight_format, row.file_bytes, gguf)


def _predict_weights(row: _Row) -> Prediction:
    size, (below, above) = _weights(row)
    if is_gguf(row.weight_format, row.engine) and row.file_bytes is None:
        size += _TOKENIZER_BYTES * (row.model.vocab or 0)
    return Prediction(size / GIB, size * (1 - below) / GIB, size * (1 + above) / GIB)


def _cache(row: _Row) -> tuple[float, tuple[float, float]]:
    tokens = row.number("context_tokens")
    if tokens is None:
        tokens = _UNSTATED_CONTEXT.get(row.engine.id, _UNSTATED_SHORT)
    count = row.number("concurrency")
    chunk, _ = step_limits(row.device, row.engine)
    plan = CachePlan(
        cache_rule(row.engine.id, row.version or row.engine.version),
        row.kv_format,
        row.split.tensor,
        row.split.pipeline,
        chunk,
    )
    size = float(cache_kernel(row.model, plan).bytes(tokens, 1.0 if count is None else count))
    return size, cache_band(row.model, row.engine, row.whole("pp"))


def _predict_cache(row: _Row) -> Prediction:
    if row.number("context_tokens") is None:
        raise Refused(msg("memory.refused.missing", field="context_tokens"))
    size, (below, above) = _cache(row)
    return Prediction(size / GIB, size * (1 - below) / GIB, size * (1 + above) / GIB)


def _predict_total(row: _Row) -> Prediction:
    """Weights, cache, activations and the libraries' memory, as these rows count: without graphs and the process's context."""
    weights, (w_below, w_above) = _weights(row, on_card=True)
    cache, (c_below, c_above) = _cache(row)
    question = RuntimeQuestion(
        row.model, row.weight_format, row.device, row.engine, row.version, row.split, row.kv_format
    )
    tokens = row.number("context_tokens") or _UNSTATED_SHORT
    count = row.number("concurrency") or 1.0
    buffers = [float(end) for end in activations(question, float(tokens), float(count))]
    if row.engine.id in ("vllm", "sglang", "trt-llm"):
        buffers = [a + float(b) for a, b in zip(buffers, communication(question), strict=True)]
    value = weights + cache + buffers[0]
    spread_low = weights * w_below + cache * c_below + (buffers[0] - buffers[1])
    spread_high = weights * w_above + cache * c_above + (buffers[2] - buffers[0])
    return Prediction(value / GIB, (value - spread_low) / GIB, (value + spread_high) / GIB)


def _predict_training(row: _Row) -> Prediction:
    options = row.text("method").split("+")
    tokens = row.number("sequence_length")
    if tokens is None:
        raise Refused(msg("memory.refused.missing", field="sequence_length"))
    context = next((int(o[2:]) for o in options if re.fullmatch(r"cp\d+", o)), 1)
    question = TrainingQuestion(
        model=row.model,
        weight_format=row.weight_format,
        method=options[0],
        optimizer=_optimizer(options),
        mixed_precision=_master_weights(options, row),
        checkpointing=_checkpoints(options, row),
        zero_stage=row.whole("zero_stage", 0),
        shards=max(row.whole("dp") * context, 1),
        tensor_parallel=row.whole("tp"),
        pipeline_parallel=row.whole("pp"),
        context_parallel=context,
        sequence_length=int(tokens),
        micro_batch=row.whole("micro_batch"),
        cpu_offload=any("offload" in o and "activation" not in o for o in options),
        framework=row.engine.id,
        compiled="compile" in options,
        deepspeed=any("deepspeed" in word for word in (*options, row.engine.id)),
        flash_attention=not any(o in ("no-flash", "eager", "eager-attention") for o in options),
        fused_optimizer=any("optimizer-in-b" in o or "fused-backward" in o for o in options),
        fused_loss=any(word in o for o in options for word in ("liger", "fused-c", "fused-l", "cut-cross", "chunked")),
    )
    total = training_memory(question).total_bytes
    return Prediction(total.value / GIB, total.low / GIB, total.high / GIB)


def _optimizer(options: list[str]) -> str:
    """The optimizer named among the options; AdamW where none is."""
    for option in options:
        if "adam" in option:
            return "adamw-8bit" if "8bit" in option or "8-bit" in option else "adamw"
        if option in STATE_BYTES or option.startswith(("sgd", "lion", "adafactor")):
            return option if option in STATE_BYTES else option.split("-")[0]
    return "adamw"


def _master_weights(options: list[str], row: _Row) -> bool:
    """FP32 master weights: as stated, else the framework's habit; adapters train in the weights' own type."""
    if options[0] != "full" or any(o in ("bf16-true", "pure-bf16", "bf16-states") for o in options):
        return False
    if any("mixed" in o or "fp32" in o or o == "amp" for o in options):
        return True
    return constant(row.engine.id, "", "master_weights").value > 0


def _checkpoints(options: list[str], row: _Row) -> bool:
    """As stated; where it is not, sharded training of large models does (the recipes' default) and one device does not."""
    if "no-checkpointing" in options:
        return False
    return "full-checkpointing" in options or "checkpointing" in options or row.whole("zero_stage", 0) > 0
