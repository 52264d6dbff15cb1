"""The catalogue as one value: every table by id, the user's own rows on top, and a check that names every bad row."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from attrs import evolve, frozen

from engine.catalogue import build
from engine.catalogue.cache_groups import cache_groups
from engine.catalogue.overlay import Overlay, Own, own_version
from engine.catalogue.read import Problem, Row
from engine.catalogue.rows import (
    ApiPrice,
    Device,
    DeviceClass,
    GpuPrice,
    LatencyFact,
    Model,
    OperatingCost,
    OsFact,
    Regulation,
    RolloutFact,
    ServingEngine,
    TokenFact,
    WeightFormat,
)
from engine.catalogue.tariffs import TARIFFS
from engine.errors import DamagedDocument, UnknownId
from engine.messages import msg

R = TypeVar("R")

_SIMPLE: Final[Mapping[str, Callable[[Row], Any]]] = {
    "weight_formats": build.weight_format,
    "engines": build.serving_engine,
    "gpu_cloud_prices": build.gpu_price,
    "api_prices": build.api_price,
    "operating_costs": build.operating_cost,
    "regulations": build.regulation,
    "latency": build.latency,
    "device_classes": build.device_class,
    "os_facts": build.os_fact,
    "rollout": build.rollout,
    "tokens": build.token,
}


@frozen
class Catalogue:
    """Tables by id. Look-ups raise UnknownId with the nearest three names."""

    version: str
    devices: Mapping[str, Device]
    models: Mapping[str, Model]
    weight_formats: Mapping[str, WeightFormat]
    engines: Mapping[str, ServingEngine]
    gpu_prices: Mapping[str, GpuPrice]
    api_prices: Mapping[str, ApiPrice]
    operating_costs: Mapping[str, OperatingCost]
    regulations: Mapping[str, Regulation]
    latency: Mapping[str, LatencyFact]
    device_classes: Mapping[str, DeviceClass]
    os_facts: Mapping[str, OsFact]
    rollout: Mapping[str, RolloutFact]
    tokens: Mapping[str, TokenFact]
    problems: tuple[Problem, ...] = ()
    overridden: frozenset[tuple[str, str]] = frozenset()
    """(table, id) of the rows that are the user's."""

    def device(self, device_id: str) -> Device:
        return _find("device", self.devices, device_id)

    def model(self, model_id: str) -> Model:
        return _find("model", self.models, model_id)

    def weight_format(self, format_id: str) -> WeightFormat:
        return _find("weight_format", self.weight_formats, format_id)

    def engine(self, engine_id: str) -> ServingEngine:
        return _find("engine", self.engines, engine_id)

    def ids(self, table: str) -> tuple[str, ...]:
        """The ids a question of kind CATALOGUE may name."""
        tables: dict[str, Iterable[str]] = {
            "device": self.devices,
            "model": self.models,
            "weight_format": self.weight_formats,
            "engine": self.engines,
            "kv_format": KV_FORMATS,
            "api_model": self.api_prices,
            "gpu_instance": self.gpu_prices,
            "regulation": self.regulations,
            "tariff": TARIFFS,
            "target": (*self.device_classes, *self.devices),
        }
        return tuple(tables[table])


KV_FORMATS: Final = ("f32", "f16", "bf16", "fp8", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "nvfp4")


def _find(kind: str, table: Mapping[str, R], wanted: str) -> R:
    try:
        return table[wanted]
    except KeyError:
        raise UnknownId(kind, wanted, table) from None


def load_catalogue(folder: Path, own: Own | None = None) -> Catalogue:
    """Read every table of `folder`, with the user's rows (`engine.catalogue.overlay`) on top.

    Bad rows are left out and named in `problems`. Raises DamagedDocument.
    """
    problems: list[Problem] = []
    own = own or {}
    overlay = Overlay(folder, own, problems)
    overlay.sources(build.source_key)
    tables = {name: overlay.by_id(name, make) for name, make in _SIMPLE.items()}
    devices = overlay.by_id("devices", build.device_builder(overlay.keys))
    special = overlay.groups("model_cache", build.cache_group)
    tensors = overlay.groups("model_tensors", build.tensor_group)
    models = {
        model_id: evolve(
            m,
            cache_groups=special.get(model_id) or cache_groups(m),
            tensor_groups=tensors.get(model_id, ()),
        )
        for model_id, m in overlay.by_id("models", build.model).items()
    }
    made = Catalogue(
        version=_version(folder) + own_version(own),
        devices=devices,
        models=models,
        weight_formats=tables["weight_formats"],
        engines=tables["engines"],
        gpu_prices=tables["gpu_cloud_prices"],
        api_prices=tables["api_prices"],
        operating_costs=tables["operating_costs"],
        regulations=tables["regulations"],
        latency=tables["latency"],
        device_classes=tables["device_classes"],
        os_facts=tables["os_facts"],
        rollout=tables["rollout"],
        tokens=tables["tokens"],
        overridden=frozenset(overlay.overridden),
    )
    return evolve(made, problems=(*problems, *_dangling(made, special, tensors)))


def _version(folder: Path) -> str:
    path = folder / "catalogue.json"
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["version"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedDocument(msg("error.cannot_read", path=str(path), why=str(error))) from error


def _dangling(catalogue: Catalogue, special: Iterable[str], tensors: Iterable[str]) -> Iterable[Problem]:
    """References to rows that do not exist."""
    for price in catalogue.gpu_prices.values():
        if price.device not in catalogue.devices:
            own = "own/" if ("gpu_cloud_prices", price.id) in catalogue.overridden else ""
            found = msg("catalogue.dangling", found=price.device)
            yield Problem(f"{own}gpu_cloud_prices.csv", 0, price.id, "device", found)
    for table, ids in (("model_cache", special), ("model_tensors", tensors)):
        for model_id in ids:
            if model_id not in catalogue.models:
                own = "own/" if (table, model_id) in catalogue.overridden else ""
                yield Problem(f"{own}{table}.csv", 0, model_id, "model", msg("catalogue.dangling", found=model_id))
