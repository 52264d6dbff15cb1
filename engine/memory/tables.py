"""The memory of every model, format, device and degree at once: tables built once, evaluated over millions of combinations.

The numbers are those of `engine.memory.fit` (same kernels, gathered by index), except that llama.cpp's embedding table, which a
discrete card leaves to the host, counts on the device. A combination that the shape forbids is nan. Index arrays broadcast: a
factorial sweep is cheapest with one axis each (m[:, None, ...], ...).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from engine.catalogue.rows import Device, Model, ServingEngine, WeightFormat
from engine.errors import Refused
from engine.memory.bands import cache_band, weight_band
from engine.memory.constants import constant
from engine.memory.device_memory import context_bytes, visible_memory
from engine.memory.kv_cache import CachePlan, cache_kernel, cache_rule
from engine.memory.parallel import Split, device_weight_bytes, refusals
from engine.memory.runtime import RuntimeQuestion, buffer_kernel, evaluate, fixed_parts, step_limits
from engine.memory.weights import is_gguf

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]

_LAYER_ENGINES = frozenset({"llama.cpp", "ollama"})


@frozen(eq=False)
class MemoryTables:
    """Tables for one engine, version and cache format. Axes: m model, f format, t degree, d device, w wide batch (0, 1)."""

    engine: ServingEngine
    degrees: tuple[int, ...]
    weights: Array
    """m f t: bytes on one device; nan where the split or the format is not possible."""
    weight_above: Array
    """m f: how far above the truth may lie, relative."""
    cache_width: Array
    """w m t g: bytes a token in each group of layers (zero where a model has fewer groups)."""
    cache_reach: Array
    cache_compression: Array
    cache_page: Array
    cache_state: Array
    """w m t: bytes a sequence."""
    cache_above: Array
    """m t"""
    pad: float
    buffers: Array
    """w m f t 3 8: coefficients of the activations' (value, low, high)."""
    chunk: float
    beside: Array
    """w m t 3: graphs and communication, (value, low, high)."""
    inside_share: float
    graphs_outside: Array
    """w m t: graphs that lie outside the engine's share of memory."""
    visible: Array
    """d 3: what programs see of a device, (value, low, high); nan where unpublished."""
    context: Array
    """d 3: the process's own context."""
    wide: Index
    """d: 1 where the engine sizes its steps widely."""

    def cache_bytes(self, m: Index, t: Index, d: Index, context_tokens: Array) -> Array:
        """Bytes one sequence takes on one device; all arguments broadcast."""
        w = self.wide[d]
        padded = np.ceil(context_tokens / self.pad) * self.pad
        held = np.minimum(padded[..., None], self.cache_reach[w, m, t])
        page = self.cache_page[w, m, t]
        entries = np.ceil(np.ceil(held * self.cache_compression[w, m, t]) / page) * page
        found: Array = np.einsum("...g,...g->...", entries, self.cache_width[w, m, t]) + self.cache_state[w, m, t]
        return found

    def total_bytes(
        self, m: Index, f: Index, t: Index, d: Index, context_tokens: Array, sequences: Array
    ) -> tuple[Array, Array]:
        """Weights, cache and runtime of one device: expected and upper end; nan where not possible. All arguments broadcast."""
        w = self.wide[d]
        weights = self.weights[m, f, t]
        cache = self.cache_bytes(m, t, d, context_tokens) * sequences
        count = np.maximum(sequences, 1.0)
        total = np.ceil(context_tokens / 256.0) * 256.0 * count
        batch = np.minimum(context_tokens, self.chunk) * count
        runtime = [
            evaluate(self.buffers[w, m, f, t, end], total, batch, count)
            + self.beside[w, m, t, end]
            + self.context[d, end]
            for end in (0, 2)
        ]
        high = weights * (1 + self.weight_above[m, f]) + cache * (1 + self.cache_above[m, t]) + runtime[1]
        return weights + cache + runtime[0], high

    def room_bytes(self, m: Index, t: Index, d: Index) -> tuple[Array, Array]:
        """What the need may take of a device: expected and lower end."""
        w = self.wide[d]
        value, low = self.visible[d, 0], self.visible[d, 1]
        if self.inside_share >= 1.0:
            return value, low
        outside = self.context[d, 0] + self.graphs_outside[w, m, t]
        scale = np.minimum(value, self.inside_share * value + outside) / value
        return value * scale, low * scale

    def fits(
        self, m: Index, f: Index, t: Index, d: Index, context_tokens: Array, sequences: Array
    ) -> npt.NDArray[np.bool_]:
        """Whether it fits for certain: the upper end of the need within the lower end of the room."""
        certain: npt.NDArray[np.bool_] = (
            self.total_bytes(m, f, t, d, context_tokens, sequences)[1] <= self.room_bytes(m, t, d)[1]
        )
        return certain


def memory_tables(
    models: Sequence[Model],
    formats: Sequence[WeightFormat],
    devices: Sequence[Device],
    engine: ServingEngine,
    degrees: Sequence[int] = (1, 2, 4, 8),
    kv_format: str = "f16",
    version: str = "",
) -> MemoryTables:
    """Build the tables. SGLang's and TensorRT-LLM's rooms are taken as a plain share (a little tighter than in `fit`)."""
    splits = [_split(engine, degree) for degree in degrees]
    weights, above = _weight_tables(models, formats, engine, splits)
    cache, state, pad = _cache_tables(models, devices, engine, splits, kv_format, version)
    buffers, beside, graphs, chunk = _runtime_tables(models, formats, devices, engine, splits, kv_format, version)
    release = version or engine.version
    inside = constant(engine.id, release, "graphs_in_budget").value > 0
    return MemoryTables(
        engine=engine,
        degrees=tuple(degrees),
        weights=weights,
        weight_above=above,
        cache_width=cache[..., 0],
        cache_reach=cache[..., 1],
        cache_compression=cache[..., 2],
        cache_page=cache[..., 3],
        cache_state=state,
        cache_above=np.array([[cache_band(m, engine, s.pipeline)[1] for s in splits] for m in models]),
        pad=pad,
        buffers=buffers,
        chunk=chunk,
        beside=beside,
        inside_share=constant(engine.id, release, "memory_share").value,
        graphs_outside=np.zeros_like(graphs) if inside else graphs,
        visible=np.array([_visible(d) for d in devices]),
        context=np.array([context_bytes(d) for d in devices]),
        wide=np.array([_is_wide(d, engine) for d in devices], np.intp),
    )


def _split(engine: ServingEngine, degree: int) -> Split:
    return Split(pipeline=degree) if engine.id in _LAYER_ENGINES else Split(tensor=degree)


def _weight_tables(
    models: Sequence[Model], formats: Sequence[WeightFormat], engine: ServingEngine, splits: Sequence[Split]
) -> tuple[Array, Array]:
    weights = np.full((len(models), len(formats), len(splits)), np.nan)
    above = np.zeros((len(models), len(formats)))
    for i, model in enumerate(models):
        for j, weight_format in enumerate(formats):
            if not model.n_layers or weight_format.family not in engine.families:
                continue
            above[i, j] = weight_band(model, weight_format, None, is_gguf(weight_format, engine))[1]
            for k, split in enumerate(splits):
                if not refusals(model, weight_format, engine, split):
                    weights[i, j, k] = device_weight_bytes(model, weight_format, engine, split)
    return weights, above


def _cache_tables(
    models: Sequence[Model],
    devices: Sequence[Device],
    engine: ServingEngine,
    splits: Sequence[Split],
    kv_format: str,
    version: str,
) -> tuple[Array, Array, float]:
    rule = cache_rule(engine.id, version or engine.version)
    groups = max((len(m.cache_groups) for m in models), default=1) or 1
    table = np.zeros((2, len(models), len(splits), groups, 4))
    table[..., 1], table[..., 2], table[..., 3] = np.inf, 1.0, 1.0
    state = np.zeros((2, len(models), len(splits)))
    for w, example in _examples(devices, engine):
        tokens, _ = step_limits(example, engine)
        for k, split in enumerate(splits):
            plan = CachePlan(rule, kv_format, split.tensor, split.pipeline, tokens, _batch(engine, version))
            for i, model in enumerate(models):
                if not model.cache_groups:
                    continue
                kernel = cache_kernel(model, plan)
                table[w, i, k, : len(kernel.groups)] = np.reshape(kernel.groups, (-1, 4))
                state[w, i, k] = kernel.state_bytes
    return table, state, float(rule.pad_tokens)


def _runtime_tables(
    models: Sequence[Model],
    formats: Sequence[WeightFormat],
    devices: Sequence[Device],
    engine: ServingEngine,
    splits: Sequence[Split],
    kv_format: str,
    version: str,
) -> tuple[Array, Array, Array, float]:
    buffers = np.zeros((2, len(models), len(formats), len(splits), 3, 8))
    beside = np.zeros((2, len(models), len(splits), 3))
    graphs = np.zeros((2, len(models), len(splits)))
    chunk = np.inf
    for w, example in _examples(devices, engine):
        for i, model in enumerate(models):
            for k, split in enumerate(splits):
                first = RuntimeQuestion(model, formats[0], example, engine, version, split, kv_format)
                parts = {n: b for n, b in fixed_parts(first).items() if n != "context"}
                beside[w, i, k] = np.array([sum(float(b[end]) for b in parts.values()) for end in range(3)])
                graphs[w, i, k] = parts.get("graphs", (0.0,))[0]
                for j, weight_format in enumerate(formats):
                    if weight_format.family in engine.families:
                        kernel = buffer_kernel(evolve(first, weight_format=weight_format))
                        buffers[w, i, j, k], chunk = kernel.rows, kernel.chunk
    return buffers, beside, graphs, chunk


def _examples(devices: Sequence[Device], engine: ServingEngine) -> list[tuple[int, Device]]:
    """One device of each batch class that occurs."""
    found: dict[int, Device] = {}
    for device in devices:
        found.setdefault(_is_wide(device, engine), device)
    return list(found.items())


def _is_wide(device: Device, engine: ServingEngine) -> int:
    return int(step_limits(device, engine)[0] > 2048)


def _batch(engine: ServingEngine, version: str) -> int:
    return int(constant(engine.id, version or engine.version, "batch_tokens").value) or 512


def _visible(device: Device) -> tuple[float, float, float]:
    try:
        memory = visible_memory(device)
    except Refused:
        return np.nan, np.nan, np.nan
    return memory.value, memory.low, memory.high
