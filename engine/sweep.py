"""The whole catalogue at once: every device, number of devices and format that holds one model, with speed and cost.

Arrays with one axis each for format, device and number of devices, an engine at a time, through the same memory tables and the
same speed formulas as one deployment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from attrs import fields, frozen

from engine.catalogue import Catalogue
from engine.catalogue.rows import Device, Model, ServingEngine, WeightFormat
from engine.memory.kv_cache import KV_BYTES
from engine.memory.tables import MemoryTables, memory_tables
from engine.speed.batching import serve
from engine.speed.calibration import Calibration, load_calibration
from engine.speed.case import (
    RESERVES_WHOLE,
    Case,
    Floats,
    Labels,
    chunk_tokens,
    device_bandwidth,
    link_bandwidth,
    power_limit,
)
from engine.speed.ceiling import decode_ceiling_tokens_per_s
from engine.speed.decode import decode_step
from engine.speed.keys import KEYS, SERVERS, engine_class, labels_of
from engine.speed.rates import matrix_rates
from engine.speed.shape import ModelShape, model_shape
from engine.units import SECONDS_PER_HOUR, TOKENS_PER_MTOK

DEGREES: Final = (1, 2, 4, 8)
SKIPPED_ENGINES: Final = frozenset({"ollama", "transformers"})
"""Ollama runs llama.cpp's kernels; Transformers is nobody's server."""


@frozen
class SweepQuestion:
    """What is swept: one model under one load."""

    model: Model
    context_tokens: float = 8192.0
    """Tokens one sequence may grow to: what has to fit."""
    concurrency: float = 1.0
    prompt_tokens: float = 1024.0
    output_tokens: float = 256.0
    kv_format: str = "f16"
    degrees: tuple[int, ...] = DEGREES


@frozen
class SweepResult:
    """Columns of equal length, one entry a configuration that fits for certain. NaN where there is no figure."""

    question: SweepQuestion
    device: npt.NDArray[np.str_]
    weight_format: npt.NDArray[np.str_]
    engine: npt.NDArray[np.str_]
    count: npt.NDArray[np.intp]
    need_bytes: Floats
    """Of one device, upper end."""
    room_bytes: Floats
    """Of one device, lower end."""
    ceiling_tokens_per_s: Floats
    decode_tokens_per_s: Floats
    time_to_first_token_s: Floats
    time_per_output_token_s: Floats
    throughput_tokens_per_s: Floats
    usd_per_hour: Floats
    """Lowest on-demand price found for the device, times their number; NaN where nobody rents it out."""
    usd_per_mtok: Floats
    configurations: int
    """How many were evaluated, fitting or not."""

    def __len__(self) -> int:
        return int(self.device.size)

    def rows(self, most: int | None = None, by: str = "usd_per_mtok") -> Iterator[dict[str, Any]]:
        """The configurations as plain values (None for NaN), least `by` first, those without it last."""
        key = np.nan_to_num(np.asarray(getattr(self, by), np.float64), nan=np.inf)
        names = [f.name for f in fields(SweepResult) if f.name not in ("question", "configurations")]
        columns = {name: getattr(self, name).tolist() for name in names}
        for place in np.argsort(key, kind="stable")[:most].tolist():
            yield {name: _plain(column[place]) for name, column in columns.items()}


def sweep(question: SweepQuestion, catalogue: Catalogue, calibration: Calibration | None = None) -> SweepResult:
    """Every configuration of the catalogue that holds the model, with its speed and cost. Raises Refused (no shape)."""
    constants = calibration or load_calibration()
    prices = lowest_prices(catalogue)
    grids = [_grid(question, catalogue, engine, constants) for engine in _engines(catalogue)]
    found = [g for g in grids if g is not None]
    merged = {name: np.concatenate([g[name] for g in found]) for name in found[0] if name != "configurations"}
    per_hour = np.array([prices.get(d, np.nan) for d in merged["device"].tolist()]) * merged["count"]
    tokens_an_hour = merged["throughput_tokens_per_s"] * SECONDS_PER_HOUR
    return SweepResult(
        question=question,
        usd_per_hour=per_hour,
        usd_per_mtok=per_hour / tokens_an_hour * TOKENS_PER_MTOK,
        configurations=sum(g["configurations"] for g in found),
        **merged,
    )


def lowest_prices(catalogue: Catalogue) -> dict[str, float]:
    """Device -> lowest on-demand USD an hour of one device."""
    found: dict[str, float] = {}
    for price in catalogue.gpu_prices.values():
        if price.on_demand_usd_per_hour is not None:
            each = price.on_demand_usd_per_hour / price.count
            found[price.device] = min(found.get(price.device, np.inf), each)
    return found


def _engines(catalogue: Catalogue) -> Iterator[ServingEngine]:
    return (e for e in catalogue.engines.values() if e.id not in SKIPPED_ENGINES)


@frozen(eq=False)
class _Axes:
    """What one engine can run: formats, devices, degrees, and everything about them that no load changes."""

    engine: ServingEngine
    formats: tuple[WeightFormat, ...]
    devices: tuple[Device, ...]
    tables: MemoryTables
    shape: ModelShape
    labels: tuple[Labels, ...]
    bandwidth: Floats
    link: Floats
    matrix: Floats
    attention: Floats
    peak: Floats
    power: Floats
    chunk: Floats


def _grid(
    question: SweepQuestion, catalogue: Catalogue, engine: ServingEngine, calibration: Calibration
) -> dict[str, Any] | None:
    """Columns of the fitting configurations of one engine."""
    axes = _axes(question.model, engine, _Tables(catalogue), question.degrees, question.kv_format)
    if axes is None:
        return None
    f = np.arange(len(axes.formats))[:, None, None]
    d = np.arange(len(axes.devices))[None, :, None]
    t = np.arange(len(question.degrees))[None, None, :]
    m = np.zeros((1, 1, 1), np.intp)
    tokens, users = np.float64(question.context_tokens), np.float64(question.concurrency)
    with np.errstate(invalid="ignore"):
        value, high = axes.tables.total_bytes(m, f, t, d, np.array(tokens), np.array(users))
        expected, low = axes.tables.room_bytes(m, t, d)
        fits = high <= low
        idle = value - axes.tables.cache_bytes(m, t, d, np.array(tokens)) * users
        case = _case(question, axes, expected - idle, axes.tables.cache_bytes(m, t, d, np.array(tokens)))
        constants = calibration.constants(case)
        load = serve(case, constants)
        depth = question.prompt_tokens + question.output_tokens / 2.0
        alone = 1.0 / decode_step(case, constants, 1.0, depth).seconds
        ceiling = decode_ceiling_tokens_per_s(case, 1.0, depth)
    where = np.nonzero(fits)

    def kept(values: Any) -> Any:
        return np.broadcast_to(values, fits.shape)[where]

    return {
        "device": np.array([x.id for x in axes.devices])[where[1]],
        "weight_format": np.array([x.id for x in axes.formats])[where[0]],
        "engine": np.full(where[0].size, engine.id),
        "count": np.array(question.degrees, np.intp)[where[2]],
        "need_bytes": kept(high),
        "room_bytes": kept(low),
        "ceiling_tokens_per_s": kept(ceiling),
        "decode_tokens_per_s": kept(np.minimum(alone, ceiling)),
        "time_to_first_token_s": kept(load.time_to_first_token_s),
        "time_per_output_token_s": kept(load.time_per_output_token_s),
        "throughput_tokens_per_s": kept(load.throughput_tokens_per_s),
        "configurations": int(fits.size),
    }


class _Tables:
    """The catalogue by identity, so that axes can be cached."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def __hash__(self) -> int:
        return hash((self.catalogue.version, id(self.catalogue)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Tables) and other.catalogue is self.catalogue


@lru_cache(maxsize=64)
def _axes(
    model: Model, engine: ServingEngine, tables: _Tables, degrees: tuple[int, ...], kv_format: str
) -> _Axes | None:
    catalogue = tables.catalogue
    formats = tuple(x for x in catalogue.weight_formats.values() if x.family in engine.families)
    devices = tuple(x for x in catalogue.devices.values() if x.kind in engine.device_kinds and x.bandwidth)
    if not formats or not devices:
        return None
    shapes = [model_shape(model, x, engine) for x in formats]
    by_name: dict[str, Any] = {
        f.name: np.array([getattr(s, f.name) for s in shapes])[:, None, None] for f in fields(ModelShape)
    }
    rates = [[matrix_rates(d, f, engine.id) for d in devices] for f in formats]

    def rate(name: str) -> Floats:
        return np.array([[getattr(r, name) for r in row] for row in rates])[:, :, None]

    labels = _labels(formats, devices, engine)
    by_engine = labels[KEYS.index("engine")]
    return _Axes(
        engine=engine,
        formats=formats,
        devices=devices,
        tables=memory_tables([model], formats, devices, engine, degrees, kv_format),
        shape=ModelShape(**by_name),
        labels=labels,
        bandwidth=np.array([device_bandwidth(d) for d in devices])[None, :, None],
        link=np.array([link_bandwidth(d) for d in devices])[None, :, None],
        matrix=rate("kernels"),
        attention=rate("attention"),
        peak=rate("peak"),
        power=np.array([[power_limit(d, r) for d, r in zip(devices, row, strict=True)] for row in rates])[:, :, None],
        chunk=np.array([chunk_tokens(level) for level in by_engine.levels])[by_engine.codes],
    )


def _labels(formats: Sequence[WeightFormat], devices: Sequence[Device], engine: ServingEngine) -> tuple[Labels, ...]:
    names = np.array([[labels_of(d, f, engine.id, "", True) for d in devices] for f in formats])
    found = []
    for i in range(len(KEYS)):
        levels, codes = np.unique(names[:, :, i], return_inverse=True)
        found.append(Labels(tuple(levels.tolist()), codes.reshape(names.shape[:2])[:, :, None]))
    return tuple(found)


def _case(question: SweepQuestion, axes: _Axes, room: Floats, claim: Floats) -> Case:
    one, no = np.ones((1, 1, 1)), np.zeros((1, 1, 1), bool)
    degrees = np.array(question.degrees, np.float64)[None, None, :]
    split = engine_class(axes.engine.id) in SERVERS
    return Case(
        shape=axes.shape,
        cache_bytes=one * KV_BYTES.get(question.kv_format, 2.0),
        bandwidth=axes.bandwidth,
        matrix=axes.matrix,
        attention=axes.attention,
        peak=axes.peak,
        power=axes.power,
        link=axes.link,
        host_bandwidth=axes.bandwidth,
        cache_room=np.maximum(room, 1.0),
        sequence_cache=np.maximum(claim, 1.0),
        tensor=degrees if split else one,
        pipeline=one if split else degrees,
        data=one,
        spread_experts=no,
        attention_data=no,
        concurrency=one * question.concurrency,
        prompt=one * question.prompt_tokens,
        output=one * question.output_tokens,
        context=one * question.context_tokens,
        cached_prefix=one * 0.0,
        tokens_a_step=one,
        offload=one * 0.0,
        planned=no,
        flash=~no,
        reserves_whole=no if axes.engine.id not in RESERVES_WHOLE else ~no,
        closed_loop=~no,
        static=no,
        chunk=axes.chunk,
        labels=axes.labels,
    )


def _plain(value: Any) -> Any:
    """A column's entry for JSON: NaN is nobody's number."""
    return None if isinstance(value, float) and np.isnan(value) else value
