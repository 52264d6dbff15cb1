"""What decides which calibrated constants apply: the device's family, its memory and link, the format's kernel, the engine."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from engine.catalogue.rows import Device, WeightFormat
from engine.memory.versions import at_least

KEYS: Final = ("engine", "vendor", "site", "memory", "format", "kernel", "link", "backend", "flash", "release")
"""The questions a constant may depend on; see `labels_of`."""
SERVERS: Final = frozenset({"vllm", "sglang", "trt-llm", "atom"})
"""Engines whose kernels are written for batches on data-centre chips; the others serve one user on one machine."""
USUAL: Final = frozenset({("backend", "usual"), ("flash", "on"), ("format", "wide"), ("release", "usual")})
"""Levels every base constant is for: they carry no factor of their own."""

_GENERATIONS: Final = (("trt-llm", "1.0", "trt-llm before 1.0"), ("trt-llm", "1.1", "trt-llm 1.0"))

COMPILED: Final = "compiled"
"""The engine of chips that keep the model on-chip: a schedule fixed at compile time, no server's launches."""

_NVIDIA: Final = {
    "3": "kepler",
    "5": "maxwell",
    "6": "pascal",
    "7": "volta",
    "9": "hopper",
    "10": "blackwell",
    "11": "blackwell",
    "12": "blackwell-consumer",
}
_NVIDIA_MINOR: Final = {"7.5": "turing", "8.9": "ada"}
_LINKS: Final = (
    ("neuronlink", "neuronlink"),
    ("nvlink", "nvlink"),
    ("infinity", "infinity-fabric"),
    ("ici", "ici"),
    ("c2c", "c2c"),
    ("ethernet", "ethernet"),
    ("gbe", "ethernet"),
)  # fmt: skip
_SAME_ENGINE: Final = {
    "ollama": "llama.cpp",
    "other:ik_llama.cpp": "llama.cpp",
}
_SMALL_GGUF: Final = ("iq", "q2", "q3", "ud-q3", "ds4")
_WIDE: Final = frozenset({"fp32", "fp16", "bf16"})


@lru_cache(maxsize=1024)
def device_family(device: Device) -> str:
    """Chips whose kernels are alike: hopper, ada, rdna, cdna4, apple, phone, cpu, tpu ..."""
    capability = device.compute_capability
    if device.vendor == "NVIDIA" and device.kind in ("gpu", "apu", "edge"):
        family = _NVIDIA_MINOR.get(capability) or _NVIDIA.get(capability.split(".")[0], "ampere")
        if family == "ampere" and device.memory_type.startswith("HBM"):
            return "ampere-hbm"
        return f"{family}-unified" if device.unified_memory else family
    if capability.startswith("gfx9"):
        return "cdna4" if capability == "gfx950" else "cdna3"
    if capability.startswith("gfx1"):
        return "rdna-unified" if device.unified_memory else "rdna"
    if device.vendor == "Intel" and device.kind == "gpu":
        return "arc"
    return {"apple-soc": "apple", "phone-soc": "phone", "apu": "laptop-npu"}.get(device.kind, device.kind)


def release_of(engine_id: str, version: str) -> str:
    """Generations of an engine whose request handling differs; "usual" for the present one and where nobody says.

    TensorRT-LLM's PyTorch server took several times longer to start a request before 1.1 (measured on 1.0.0rc3).
    """
    for engine, before, level in _GENERATIONS:
        if engine_id == engine and version and not at_least(version, before):
            return level
    return "usual"


def maker(device: Device) -> str:
    """Whose instruction set and compilers the kernels are written for: nvidia, rdna, apple, arc, or the family itself.

    CDNA3 and CDNA4 stay apart: the rows of one would mislead about the other (early ROCm against a tuned engine).
    """
    family = device_family(device)
    if device.vendor == "NVIDIA" and device.kind in ("gpu", "apu", "edge"):
        return "nvidia"
    return family.removesuffix("-unified")


@lru_cache(maxsize=1024)
def link_class(device: Device) -> str:
    """How two of these devices talk: nvlink, infinity-fabric, ici, neuronlink, ethernet, pcie, c2c, none."""
    name = device.interconnect.lower()
    for word, link in _LINKS:
        if word in name:
            return link
    return "pcie" if device.host_link.startswith("PCIe") else "none"


@lru_cache(maxsize=1024)
def memory_class(device: Device) -> str:
    """hbm, gddr, lpddr, ddr, sram, unknown."""
    name = device.memory_type.upper()
    for word in ("HBM", "GDDR", "LPDDR", "DDR", "SRAM"):
        if word in name:
            return word.lower()
    return "unknown"


@lru_cache(maxsize=256)
def format_class(weight_format: WeightFormat) -> str:
    """Formats whose weights are unpacked alike on the way to the arithmetic."""
    name, family = weight_format.id, weight_format.family
    if family == "gguf":
        if name.startswith(_SMALL_GGUF):
            return "gguf-small"
        return "gguf-8" if name.startswith(("q8", "ud-q8")) else "gguf-4"
    if family == "mlx":
        return "mlx"
    if name in _WIDE:
        return "wide"
    return name if family in ("fp8", "fp4") or name == "int8" else "int4"


def engine_class(engine_id: str) -> str:
    """Engines that share constants under one name."""
    return _SAME_ENGINE.get(engine_id, engine_id.removeprefix("other:"))


@lru_cache(maxsize=4096)
def labels_of(
    device: Device, weight_format: WeightFormat, engine_id: str, backend: str, flash_attention: bool, version: str = ""
) -> tuple[str, ...]:
    """The level of each of KEYS, in order."""
    family, form, memory = device_family(device), format_class(weight_format), memory_class(device)
    engine = COMPILED if memory == "sram" else engine_class(engine_id)
    site = f"{'serve' if engine in SERVERS else 'local'}/{family}"
    return (
        engine,
        f"{site.split('/', maxsplit=1)[0]}/{maker(device)}",
        site,
        memory,
        form,
        f"{site}/{form}",
        link_class(device),
        backend or "usual",
        "on" if flash_attention else "off",
        release_of(engine_id, version),
    )
