"""Memory of training on one device: weights, gradients, optimizer, saved activations, logits, workspace.

Full training in mixed precision keeps 16 bytes a parameter (FP32 weights, gradients and two AdamW moments, or BF16 weights and
gradients with an FP32 master copy); adapters train a sliver and hold the rest frozen. ZeRO and FSDP divide what their stage says
(arXiv 1910.02054). A layer saves what its backward pass needs; with checkpointing only its input and one layer's worth at a time
(arXiv 2205.05198).
"""

from __future__ import annotations

import math
from typing import Final

from attrs import evolve, frozen

from engine.catalogue.rows import Model, WeightFormat
from engine.errors import Refused
from engine.estimate import Basis, Estimate, Input, Source, Trace, as_input
from engine.memory.constants import Constant, constant
from engine.memory.tensors import EMBEDDINGS, inventory
from engine.memory.weights import weight_bytes
from engine.messages import msg
from engine.units import BYTES, COUNT, GIB

METHODS: Final = ("full", "lora", "qlora", "adapter", "adapter-v2", "qadapter", "qadapter-v2")
STATE_BYTES: Final = {
    "adamw": 8.0,
    "adam": 8.0,
    "adamw-8bit": 2.0,
    "lion": 4.0,
    "sgd-momentum": 4.0,
    "sgd": 0.0,
    "adafactor": 0.1,
}
"""Optimizer -> bytes of state a trained parameter."""

_MAP_BYTES: Final = 5.0
"""Bytes of attention maps a head, token and attended token without flash attention: scores, softmax, dropout mask
(arXiv 2205.05198)."""


@frozen
class TrainingQuestion:
    """One training run as one device sees it."""

    model: Model
    weight_format: WeightFormat
    """How frozen weights are held (adapters); full training computes in 16 bits."""
    method: str = "lora"
    optimizer: str = "adamw"
    mixed_precision: bool = True
    """FP32 master weights and moments; False: everything in BF16 (8 bytes a parameter with AdamW)."""
    checkpointing: bool = False
    zero_stage: int = 0
    """0 none, 1 optimizer, 2 and gradients, 3 and weights (FSDP full shard)."""
    shards: int = 1
    """Devices the states are divided over (data-parallel ranks, times context-parallel ones)."""
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    context_parallel: int = 1
    sequence_length: int = 2048
    micro_batch: int = 1
    """Sequences a device takes in a step (all micro-batches of a pipeline together)."""
    lora_rank: int = 16
    deepspeed: bool = False
    """DeepSpeed leaves 4-bit weights unsharded; FSDP can divide them."""
    cpu_offload: bool = False
    """Weights and optimizer states wait in host memory."""
    framework: str = "transformers"
    compiled: bool = False
    flash_attention: bool = True
    """False: attention maps are saved, and grow with the square of the sequence."""
    fused_optimizer: bool = False
    """The optimizer steps inside the backward pass, so that gradients live a layer at a time."""
    fused_loss: bool = False
    """The loss is computed with the head, without whole logits (Liger and cut cross-entropy kernels)."""

    @property
    def trains_everything(self) -> bool:
        return self.method == "full"


@frozen
class TrainingMemory:
    """Peak on the fullest device and its parts."""

    total_bytes: Estimate
    parts: tuple[tuple[str, Estimate], ...]
    """weights, gradients, optimizer, activations, logits, workspace"""


def training_memory(question: TrainingQuestion) -> TrainingMemory:
    """Peak memory of one device. Raises Refused for an unknown method or an unpublished shape."""
    if question.method not in METHODS or question.optimizer not in STATE_BYTES:
        wrong = question.method if question.method not in METHODS else question.optimizer
        known = METHODS if question.method not in METHODS else STATE_BYTES
        raise Refused(msg("memory.refused.training_method", method=wrong, known=", ".join(known)))
    parts = {
        "weights": _weights(question),
        "gradients": _exactly(_gradients(question)),
        "optimizer": _exactly(_optimizer(question)),
        "activations": _activations(question),
        "logits": _logits(question),
        "workspace": _workspace(question),
    }
    factor = _constant(question, "reserved_factor")
    estimates = tuple((name, _estimate(name, *band)) for name, band in parts.items())
    ends = [sum(band[i] for band in parts.values()) for i in range(3)]
    value = ends[0] * factor.value
    low, high = min(ends[1] * factor.low, value * 0.92), max(ends[2] * factor.high, value * 1.08)
    inputs = (*(as_input(name, e) for name, e in estimates), factor.as_input(COUNT))
    trace = Trace("trace.training_memory", " + ".join(["(" + " + ".join(parts) + ") * reserved_factor"]), inputs)
    return TrainingMemory(Estimate(value, low, high, BYTES, Basis.CALIBRATED, trace), estimates)


Band = tuple[float, float, float]


def _constant(question: TrainingQuestion, parameter: str) -> Constant:
    return constant(question.framework, "", parameter)


def _exactly(value: float) -> Band:
    return value, value * 0.98, value * 1.02


def _estimate(name: str, value: float, low: float, high: float) -> Estimate:
    given = Input(name, value, BYTES, Basis.CALIBRATED, Source("assets/calibration/memory_training.csv", "2026-12-01"))
    trace = Trace(f"trace.training.{name}", name, (given,), "arXiv 1910.02054, 2205.05198")
    return Estimate(value, min(low, value), max(high, value), BYTES, Basis.CALIBRATED, trace)


def _cut(question: TrainingQuestion) -> float:
    """Into how many parts tensor and pipeline parallelism cut the weights."""
    return float(question.tensor_parallel * question.pipeline_parallel)


def trainable(question: TrainingQuestion) -> float:
    """Parameters that are trained. LoRA: rank x (inputs + outputs) of query and value projections; adapters: a few a layer."""
    model = question.model
    if question.trains_everything:
        return inventory(model).total
    layers, hidden = model.n_layers or 0, model.hidden or 0
    queries = (model.n_heads or 0) * (model.head_dim or 0)
    values = (model.n_kv_heads or 0) * (model.head_dim or 0)
    if "lora" in question.method:
        return float(layers * question.lora_rank * (2 * hidden + queries + values))
    return float(
        layers * 10 * hidden
        if not question.method.endswith("v2")
        else layers * (14 * hidden + 4 * (model.intermediate or 0))
    )


def _shards(question: TrainingQuestion, from_stage: int) -> float:
    return float(question.shards) if question.zero_stage >= from_stage else 1.0


def _weights(question: TrainingQuestion) -> Band:
    """Weights as held, with the layers gathered at a time under full sharding."""
    cut, total = _cut(question), inventory(question.model).total
    gathered = _gathered(question)
    if question.trains_everything:
        held = _full_weights(question, total / cut)
        return held + gathered[0], held + gathered[1], held + gathered[2]
    frozen_bytes = weight_bytes(question.model, question.weight_format).total / cut
    divided = question.zero_stage >= 3 and not (question.weight_format.family == "bnb" and question.deepspeed)
    shard = frozen_bytes / (question.shards if divided else 1)
    copy = frozen_bytes * _constant(question, "unsharded_copy").value if divided and question.shards > 1 else 0.0
    held = shard + copy + trainable(question) * (4.0 if question.mixed_precision else 2.0)
    return held + gathered[0], held * 0.99 + gathered[1], held * 1.01 + gathered[2]


def _full_weights(question: TrainingQuestion, parameters: float) -> float:
    """FP32 master weights by the optimizer's sharding, and the 16-bit weights that are computed with by the weights'."""
    if question.cpu_offload:
        return 0.0
    wide = 4.0 if question.mixed_precision else 2.0
    if question.zero_stage >= 3:
        return wide * parameters / question.shards
    if question.zero_stage == 0:
        return wide * parameters
    return wide * parameters / question.shards + 2.0 * parameters


def _gathered(question: TrainingQuestion) -> Band:
    """The layers (and the embedding with the head) that full sharding gathers in 16 bits while they are computed."""
    if question.zero_stage < 3 or question.shards == 1:
        return 0.0, 0.0, 0.0
    tensors = inventory(question.model)
    outside = tensors.embedding + (0.0 if tensors.tied else tensors.head)
    layer = (tensors.total - tensors.elements(EMBEDDINGS | {"lm_head", "vision", "audio"})) / max(
        question.model.n_layers or 1, 1
    )
    width = 2.0 / question.tensor_parallel
    entry = _constant(question, "gathered_layers")
    value, low, high = (
        width * (layer * count + outside * share)
        for count, share in ((entry.value, 0.5), (entry.low, 0.0), (entry.high, 1.0))
    )
    return value, low, high


def _gradients(question: TrainingQuestion) -> float:
    """Gradients: 4 bytes (2 in pure BF16), divided from stage 2 on; a pipeline keeps them whole while micro-batches add up."""
    width = 4.0 if question.mixed_precision else 2.0
    count = trainable(question) / (_cut(question) if question.trains_everything else 1.0)
    if question.cpu_offload and question.trains_everything:
        return 0.0
    if question.fused_optimizer:
        count /= max(question.model.n_layers or 1, 1)
    whole = 2.0 * count if question.pipeline_parallel > 1 and question.trains_everything else 0.0
    return width * count / _shards(question, 2) + whole


def _optimizer(question: TrainingQuestion) -> float:
    """Optimizer states, divided from stage 1 on."""
    if question.cpu_offload:
        return 0.0
    width = STATE_BYTES[question.optimizer] * (1.0 if question.mixed_precision else 0.5)
    count = trainable(question) / (_cut(question) if question.trains_everything else 1.0)
    return width * count / _shards(question, 1)


def tokens_held(question: TrainingQuestion) -> float:
    """Tokens whose activations a device holds at a time."""
    return float(question.micro_batch * question.sequence_length) / question.context_parallel


def layer_bytes(question: TrainingQuestion) -> Band:
    """Bytes a token leaves in one layer for the backward pass, with flash attention.

    Always: both norm inputs, queries, keys and values, the attention's output, gate, up and activation of the MLP. Trained
    linear layers also keep their inputs; adapter-v2 scales every linear layer's output.
    """
    model = question.model
    hidden = float(model.hidden or 0)
    queries = float((model.n_heads or 0) * (model.head_dim or 0))
    keys = float((model.n_kv_heads or model.n_heads or 0) * (model.head_dim or 0))
    width = _mlp_width(model)
    elements = 2.0 * hidden + 2.0 * queries + 2.0 * keys + 3.0 * width
    if question.trains_everything:
        elements += 2.0 * hidden + width
    elif "lora" in question.method:
        elements += hidden
    elif question.method.endswith("v2"):
        elements += 3.0 * hidden + queries + 2.0 * keys + 3.0 * width
    norm = _constant(question, "norm_bytes")
    maps = 0.0 if question.flash_attention else _MAP_BYTES * (model.n_heads or 0) * question.sequence_length
    value, low, high = (2.0 * elements + maps + n * hidden for n in (norm.value, norm.low, norm.high))
    return value, low, high


def _activations(question: TrainingQuestion) -> Band:
    model = question.model
    tokens = tokens_held(question) / question.tensor_parallel
    layers = math.ceil((model.n_layers or 0) / question.pipeline_parallel)
    if question.method in ("adapter", "qadapter"):
        layers = max(layers - 2, 1)  # LLaMA-Adapter leaves the first two layers alone
    per_layer = layer_bytes(question)
    if not question.checkpointing:
        value, low, high = (tokens * layers * p for p in per_layer)
        return value, low, high
    inputs = tokens * layers * 2.0 * (model.hidden or 0)
    running = tokens / (question.pipeline_parallel if question.pipeline_parallel <= question.micro_batch else 1)
    value, low, high = (inputs + running * p for p in per_layer)
    return value, low, high


def _logits(question: TrainingQuestion) -> Band:
    """Logits of a micro-batch with their loss and gradient, divided over tensor-parallel ranks."""
    if question.fused_loss:
        return 0.0, 0.0, 0.3 * GIB
    entry = _constant(question, "logit_bytes")
    tokens = tokens_held(question) / question.tensor_parallel
    tokens /= question.pipeline_parallel if question.pipeline_parallel <= question.micro_batch else 1
    value, low, high = (tokens * (question.model.vocab or 0) * b for b in (entry.value, entry.low, entry.high))
    return value, low, high


def _workspace(question: TrainingQuestion) -> Band:
    entry = _constant(question, "workspace_gib")
    quantised = _constant(question, "quantised_scratch_gib")
    extra = question.weight_format.family == "bnb" and not question.trains_everything
    value, low, high = (
        (w + (q if extra else 0.0)) * GIB
        for w, q in ((entry.value, quantised.value), (entry.low, quantised.low), (entry.high, quantised.high))
    )
    return value, low, high


def _mlp_width(model: Model) -> float:
    """MLP elements a token passes in a layer (its experts and the shared ones together)."""
    if not model.n_experts:
        return float(model.intermediate or 0)
    return float((model.moe_intermediate or 0) * ((model.experts_per_token or 0) + (model.n_shared_experts or 0)))


def fewest_shards(question: TrainingQuestion, room: Estimate, most: int = 1024) -> int | None:
    """The least power of two of devices over which full sharding certainly fits in `room`; None when not even `most` do."""
    shards = 1
    while shards <= most:
        sharded = evolve(question, zero_stage=3 if shards > 1 else question.zero_stage, shards=shards)
        if training_memory(sharded).total_bytes.high <= room.low:
            return shards
        shards *= 2
    return None
