"""What the tool knows of the world: devices, models, formats, engines, prices, tariffs, rules. Each figure has a source."""

from engine.catalogue.catalogue import Catalogue, load_catalogue
from engine.catalogue.rows import (
    ApiPrice,
    Device,
    DeviceClass,
    Figure,
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

__all__ = [
    "ApiPrice",
    "Catalogue",
    "Device",
    "DeviceClass",
    "Figure",
    "GpuPrice",
    "LatencyFact",
    "Model",
    "OperatingCost",
    "OsFact",
    "Regulation",
    "RolloutFact",
    "ServingEngine",
    "TokenFact",
    "WeightFormat",
    "load_catalogue",
]
