"""What an engine needs besides weights and cache: activations or compute buffers, graphs, communication, the process itself.

Physics with few constants (assets/calibration/memory_runtime.csv): vLLM's profiling run is decided by its sampler (logits of every
sequence it may hold), llama.cpp's compute buffer by the logits of a micro-batch or by the attention scores without flash attention.
All byte figures broadcast over tokens and sequences and come as (value, low, high).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
from attrs import astuple, field, frozen

from engine.arithmetic import Number, least, most, number, rounded_up
from engine.catalogue.rows import Device, Model, ServingEngine, WeightFormat
from engine.memory.constants import Constant, constant
from engine.memory.device_memory import context_bytes
from engine.memory.parallel import Split
from engine.memory.tensors import inventory
from engine.units import GIB, MIB

Array = npt.NDArray[np.float64]
Band = tuple[Number, Number, Number]

_WIDE_BATCH_GIB = 70.0
_AMPERE = "8.0"
"""vLLM's defaults: 8,192 tokens and 1,024 sequences a step from 70 GiB on, except on A100 (compute capability 8.0).
Below: 2,048 and 256."""
_TRT_SHARES = {1: 1.0, 2: 0.6}
"""TensorRT-LLM activations by tensor parallelism, relative to one device; 0.5 from four on (AIConfigurator)."""


@frozen(cache_hash=True)
class RuntimeQuestion:
    """What decides the runtime's memory on one device."""

    model: Model
    weight_format: WeightFormat
    device: Device | None
    engine: ServingEngine
    version: str = ""
    split: Split = field(factory=Split)
    kv_format: str = "f16"
    flash_attention: bool = True

    @property
    def release(self) -> str:
        return self.version or self.engine.version

    def constant(self, parameter: str) -> Constant:
        return constant(self.engine.id, self.release, parameter)


@frozen
class Coefficients:
    """max(base, score_slope * T + score_base) + slope * T + batch_slope * B + max(keep_slope * B, last_slope * S) + fixed.

    T: padded tokens of all sequences; B: tokens of a prefill step of all sequences; S: sequences.
    """

    base: float = 0.0
    score_slope: float = 0.0
    score_base: float = 0.0
    slope: float = 0.0
    batch_slope: float = 0.0
    keep_slope: float = 0.0
    last_slope: float = 0.0
    fixed: float = 0.0


@frozen(eq=False)
class BufferKernel:
    """Coefficients of (value, low, high), and the tokens of a prefill step."""

    rows: tuple[tuple[float, ...], ...]
    """3 x 8, in the order of Coefficients."""
    chunk: float
    constant: bool
    """It depends on neither tokens nor sequences."""

    @classmethod
    def of(cls, rows: Sequence[Coefficients], chunk: float = math.inf) -> BufferKernel:
        numbers = tuple(tuple(float(x) for x in astuple(row)) for row in rows)
        return cls(numbers, float(chunk), not any(any(row[:7]) for row in numbers))

    def bytes(self, tokens: Number, sequences: Number) -> Band:
        """Bytes as (value, low, high); tokens and sequences broadcast."""
        if self.constant:
            return self.rows[0][7], self.rows[1][7], self.rows[2][7]
        count = most(sequences, 1.0)
        total = rounded_up(tokens / 256.0) * 256.0 * count
        batch = least(tokens, self.chunk) * count
        value, low, high = (combine(row, total, batch, count) for row in self.rows)
        return value, low, high


def evaluate(coefficients: Array, total: Array, batch: Array, count: Array) -> Number:
    """The formula of Coefficients; the last axis of `coefficients` holds the eight of them, the rest broadcasts."""
    return combine(tuple(coefficients[..., i] for i in range(8)), total, batch, count)


def combine(eight: Sequence[Number], total: Number, batch: Number, count: Number) -> Number:
    """max(base, score_slope * T + score_base) + slope * T + batch_slope * B + max(keep_slope * B, last_slope * S) + fixed."""
    base, score_slope, score_base, slope, batch_slope, keep_slope, last_slope, fixed = eight
    peak = most(base, score_slope * total + score_base)
    return peak + slope * total + batch_slope * batch + most(keep_slope * batch, last_slope * count) + fixed


def fixed_buffer(band: Band) -> BufferKernel:
    """A buffer that depends on neither context nor sequences."""
    return BufferKernel.of([Coefficients(fixed=float(end)) for end in band])


def step_limits(device: Device | None, engine: ServingEngine) -> tuple[int, int]:
    """Tokens and sequences a step of a serving engine is sized for, by its defaults."""
    if engine.id in ("llama.cpp", "ollama", "mlx"):
        return int(constant(engine.id, "", "batch_tokens").value), 1
    memory = (device.driver_memory or device.memory) if device else None
    wide = device is None or (memory is not None and memory.value >= _WIDE_BATCH_GIB * GIB)
    if device is not None and device.compute_capability == _AMPERE:
        wide = False
    return (8192, 1024) if wide else (2048, 256)


def runtime_parts(
    question: RuntimeQuestion, context_tokens: npt.ArrayLike, sequences: npt.ArrayLike
) -> dict[str, Band]:
    """Named parts in bytes on one device: "activations", "graphs", "communication", "context"."""
    tokens, count = number(context_tokens), number(sequences)
    return {"activations": activations(question, tokens, count), **fixed_parts(question)}


@lru_cache(maxsize=8192)
def fixed_parts(question: RuntimeQuestion) -> Mapping[str, Band]:
    """The parts that depend on neither context nor sequences."""
    parts: dict[str, Band] = {}
    if question.engine.id in ("vllm", "sglang", "trt-llm"):
        parts["graphs"] = graphs(question)
        parts["communication"] = communication(question)
    if question.device is not None:
        parts["context"] = context_bytes(question.device)
    return MappingProxyType(parts)


def activations(question: RuntimeQuestion, tokens: Number, sequences: Number) -> Band:
    """Activations or compute buffers, by engine."""
    return buffer_kernel(question).bytes(tokens, sequences)


@lru_cache(maxsize=16384)
def buffer_kernel(question: RuntimeQuestion) -> BufferKernel:
    """The activations as coefficients: the same formula for one answer and for a sweep."""
    match question.engine.id:
        case "vllm":
            return fixed_buffer(vllm_activations(question))
        case "sglang" | "trt-llm":
            return fixed_buffer(_server_activations(question))
        case "llama.cpp" | "ollama":
            return llama_cpp_buffers(question)
        case _:
            return _eager_activations(question)


@lru_cache(maxsize=4096)
def vllm_activations(question: RuntimeQuestion) -> Band:
    """Peak of vLLM's profiling run: the sampler over every sequence's logits plus hidden states, or a layer's own peak."""
    model, (tokens, sequences) = question.model, step_limits(question.device, question.engine)
    vocabulary, hidden = model.vocab or 0, model.hidden or 0
    wide = 4.0 if question.weight_format.id == "fp32" else 2.0
    workspace = moe_workspace(question, tokens) * wide
    widths = _mlp_width(model) / question.split.tensor
    ends = []
    for pick in ("value", "low", "high"):
        logit, copies, forward, moe = (
            getattr(question.constant(p), pick)
            for p in ("logit_bytes", "hidden_copies", "forward_copies", "moe_workspace")
        )
        logit += 2.0 * (wide - 2.0) / 2.0
        sampler = sequences * vocabulary * logit + tokens * hidden * wide * copies + workspace * moe
        layer = tokens * wide * (3.0 * widths + 4.0 * hidden) * forward + workspace * moe
        ends.append(max(sampler, layer))
    return ends[0], ends[1], ends[2] * 1.05


def moe_workspace(question: RuntimeQuestion, tokens: float) -> float:
    """Elements fused experts need beside the hidden states; none for MXFP4, whose kernels work in place."""
    model = question.model
    if not model.experts_per_token or question.weight_format.id == "mxfp4":
        return 0.0
    ranks = 1 if question.split.expert > 1 else question.split.tensor
    width = (model.moe_intermediate or 0) / ranks
    return tokens * model.experts_per_token * (3.0 * width + (model.hidden or 0))


def _server_activations(question: RuntimeQuestion) -> Band:
    """TensorRT-LLM (and, assumed, SGLang): bytes a token and query element, fewer with tensor parallelism."""
    model, (tokens, _) = question.model, step_limits(question.device, question.engine)
    width = max((model.n_heads or 1) * (model.head_dim or 1), model.hidden or 0)
    share = _TRT_SHARES.get(question.split.tensor, 0.5)
    copies = question.constant("activation_copies")
    moe = moe_workspace(question, tokens) * 2.0
    value, low, high = (
        max(2.0 * tokens * width * c * share, 70 * MIB) + moe for c in (copies.value, copies.low, copies.high)
    )
    return value, low, high


def llama_cpp_buffers(question: RuntimeQuestion) -> BufferKernel:
    """llama.cpp's compute buffer: the larger of the logits it reserves and a layer's MLP with the mask or the attention scores.

    Its logs: 258 MiB for Llama-3-8B with flash attention and 560 without at 8,192 tokens (logits of a whole micro-batch); 132 MiB
    instead of 505 for Qwen3.8-27B once the server reserves one row a slot (PR 23861). The mask is F16, with an F32 copy in some
    builds. A quantised cache is copied to F16 a layer at a time under flash attention.
    """
    model = question.model
    batch, rows_out = question.constant("batch_tokens").value, question.constant("output_rows").value
    hidden = model.hidden or 0
    widest = max(_mlp_width(model), _expert_width(model))
    logits = 4.0 * (rows_out * (model.vocab or 0) + batch * hidden)
    layer = batch * 4.0 * (3.0 * widest + 3.0 * hidden)
    growing = any(g.kind in ("full", "latent") for g in model.cache_groups)
    scores = 0.0 if question.flash_attention or not growing else (model.n_heads or 0) * batch * 4.0
    scratch, copies = question.constant("scratch_gib"), question.constant("quantised_cache_copies")
    staging = _quantised_cache_width(question) * 2.0
    rows = [
        Coefficients(
            base=logits * loose,
            score_slope=scores * loose + (mask * batch if growing else 0.0),
            score_base=(6.0 * batch * hidden * 4.0 if scores else layer) * loose,
            slope=staging * copy,
            fixed=extra * GIB,
        )
        for loose, mask, copy, extra in (
            (1.0, 2.0, copies.value, scratch.value),
            (0.8, 1.6, copies.low, scratch.low),
            (1.15, 6.0, copies.high, scratch.high),
        )
    ]
    return BufferKernel.of(rows)


def _quantised_cache_width(question: RuntimeQuestion) -> float:
    """Elements of one layer's cache a token, where flash attention makes an f16 copy of it; 0 for a cache kept wide."""
    if question.kv_format in ("f32", "f16", "bf16") or not question.flash_attention:
        return 0.0
    groups = [g for g in question.model.cache_groups if g.kind in ("full", "latent")]
    return float(max((g.n_kv_heads * (g.key_dim + g.value_dim) + g.latent_dim for g in groups), default=0))


def _eager_activations(question: RuntimeQuestion) -> BufferKernel:
    """Frameworks without a planned buffer: logits of the prompt (where they are kept), a layer's MLP, workspace."""
    model = question.model
    chunk = question.constant("batch_tokens").value
    logits, scratch = question.constant("all_logits"), question.constant("scratch_gib")
    quantised = question.constant("quantised_scratch_gib")
    vocabulary = model.vocab or 0
    widest = max(_mlp_width(model), _expert_width(model))
    staging = _dequantised_matrix(question)
    bnb = question.weight_format.family == "bnb"
    rows = [
        Coefficients(
            batch_slope=2.0 * (3.0 * widest + 4.0 * (model.hidden or 0)),
            keep_slope=keep * (2.0 if chunk else 6.0) * vocabulary,
            last_slope=6.0 * vocabulary,
            fixed=extra * GIB + (workspace * GIB if bnb else copy),
        )
        for keep, extra, workspace, copy in (
            (logits.value, scratch.value, quantised.value, staging),
            (logits.low, scratch.low, quantised.low, 0.0),
            (logits.high, scratch.high, quantised.high, staging),
        )
    ]
    return BufferKernel.of(rows, chunk or math.inf)


def _dequantised_matrix(question: RuntimeQuestion) -> float:
    """The largest matrix in 16 bits, for formats that are unpacked before they are multiplied."""
    if question.weight_format.family not in ("int", "bnb") or question.engine.id in ("mlx", "executorch", "litert-lm"):
        return 0.0
    inside = [g.rows * g.cols for g in inventory(question.model).groups if g.layers]
    return 2.0 * max(inside, default=0)


def graphs(question: RuntimeQuestion) -> Band:
    """CUDA graphs: a fixed part and a part a layer, up to twice with experts."""
    base, layer = question.constant("graph_base_gib"), question.constant("graph_layer_gib")
    layers = (question.model.n_layers or 0) / question.split.pipeline
    moe = 1.6 if question.model.is_moe else 1.0
    shrink = question.split.tensor**-0.2
    value, low, high = (
        b + p * layers for b, p in ((base.value, layer.value), (base.low, layer.low), (base.high, layer.high))
    )
    return value * moe * shrink * GIB, low * shrink * GIB, high * moe * GIB


def communication(question: RuntimeQuestion) -> Band:
    """Memory outside the framework's allocator: libraries on one device, NCCL and its buffers on more."""
    if question.engine.id != "vllm":
        entry = question.constant("communication_gib")
        return (
            (0.0, 0.0, 0.1 * GIB)
            if question.split.devices == 1
            else (entry.value * GIB, entry.low * GIB, entry.high * GIB)
        )
    if question.split.tensor * question.split.data > 1:
        entry = question.constant("non_torch_ranks_gib")
    elif question.split.pipeline > 1:
        entry = question.constant("non_torch_stages_gib")
    else:
        entry = question.constant("non_torch_gib")
    return entry.value * GIB, entry.low * GIB, entry.high * GIB


def _mlp_width(model: Model) -> float:
    """Widest MLP a token passes outside fused experts."""
    shared = (model.n_shared_experts or 0) * (model.moe_intermediate or 0)
    return float(max(model.intermediate or 0, shared))


def _expert_width(model: Model) -> float:
    """MLP width of one token's experts together, where each is computed by itself."""
    return float((model.moe_intermediate or 0) * (model.experts_per_token or 0))
