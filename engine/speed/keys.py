"""What decides which calibrated constants apply: the device's family, its link, the format's kernel, the engine."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from engine.catalogue.rows import Device, WeightFormat

_NVIDIA: Final = {"5": "maxwell", "6": "pascal", "7": "volta", "9": "hopper", "10": "blackwell", "11": "blackwell", "12": "blackwell-consumer"}
_NVIDIA_MINOR: Final = {"7.5": "turing", "8.9": "ada"}
_LINKS: Final = (
    ("nvlink", "nvlink"),
    ("infinity", "infinity-fabric"),
    ("ici", "ici"),
    ("c2c", "c2c"),
    ("neuronlink", "neuronlink"),
    ("ethernet", "ethernet"),
    ("gbe", "ethernet"),
)  # fmt: skip


@lru_cache(maxsize=1024)
def device_family(device: Device) -> str:
    """Chips whose kernels are alike: hopper, ada, rdna, cdna, apple, phone, cpu, tpu ..."""
    capability = device.compute_capability
    if device.vendor == "NVIDIA" and device.kind in ("gpu", "apu", "edge"):
        family = _NVIDIA_MINOR.get(capability) or _NVIDIA.get(capability.split(".")[0], "ampere")
        return f"{family}-unified" if device.unified_memory and device.kind != "gpu" else family
    if capability.startswith("gfx9"):
        return "cdna"
    if capability.startswith("gfx1"):
        return "rdna-unified" if device.unified_memory else "rdna"
    if device.vendor == "Intel" and device.kind == "gpu":
        return "arc"
    return {"apple-soc": "apple", "phone-soc": "phone", "apu": "laptop-npu"}.get(device.kind, device.kind)


@lru_cache(maxsize=1024)
def link_class(device: Device) -> str:
    """How two of these devices talk: nvlink, infinity-fabric, ici, neuronlink, ethernet, pcie, c2c, none."""
    name = device.interconnect.lower()
    for word, link in _LINKS:
        if word in name:
            return link
    return "pcie" if device.host_link.startswith("PCIe") else "none"


def format_class(weight_format: WeightFormat) -> str:
    """Formats whose weights are unpacked alike on the way to the arithmetic."""
    fmt = weight_format.id
    if weight_format.family == "gguf":
        if fmt.startswith(("iq", "q2", "q3", "ud-q3", "ds4")):
            return "gguf-small"
        return "gguf-8" if fmt.startswith(("q8", "ud-q8")) else "gguf-4"
    if weight_format.family == "mlx":
        return "mlx"
    if fmt in ("fp32", "fp16", "bf16"):
        return "wide"
    if weight_format.family in ("fp8", "fp4"):
        return fmt
    return "int8" if fmt == "int8" else "int4"


_ENGINES: Final = {"ollama": "llama.cpp", "other:ik_llama.cpp": "llama.cpp", "other:ds4": "ds4", "other:atom": "atom"}


def engine_class(engine_id: str) -> str:
    """Engines that share constants."""
    return _ENGINES.get(engine_id, engine_id.removeprefix("other:"))


def backend_of(deployment: object) -> str:
    return deployment.backend or "usual"  # type: ignore[attr-defined]
