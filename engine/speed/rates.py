"""Matrix rates by format: what an engine's kernels run on, and the most the chip could do."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

from attrs import frozen

from engine.catalogue.rows import Device, Figure, WeightFormat

ASSUMED_FLOP_PER_BYTE: Final = {"apple-soc": 40.0, "phone-soc": 40.0, "cpu": 15.0, "apu": 30.0, "lpu": 10.0}
"""Half-precision FLOP for a byte of memory bandwidth where no rate is published: the middle of the published chips of that kind
in the catalogue (Apple M1 to M4: 31 to 38)."""
_DEFAULT_FLOP_PER_BYTE: Final = 60.0
_GEFORCE: Final = ("consumer", "laptop")
_HALF_ACCUMULATE: Final = 2.0
"""GeForce chips run matrices at twice the listed rate when sums are kept in FP16 (NVIDIA architecture papers, Turing on)."""


@frozen
class MatrixRates:
    """FLOP/s of one device for one format. `assumed`: nobody published a rate, it is guessed from the bandwidth."""

    kernels: float
    """Of the number format the engine's kernels multiply in."""
    attention: float
    peak: float
    """The fastest way the chip has for these weights: no measurement may beat it. NaN where no rate is published."""
    assumed: bool


def _value(figure: Figure | None) -> float:
    return figure.value if figure is not None else math.nan


def _first(*values: float) -> float:
    return next((v for v in values if not math.isnan(v)), math.nan)


def _most(*values: float) -> float:
    return max((v for v in values if not math.isnan(v)), default=math.nan)


@lru_cache(maxsize=4096)
def matrix_rates(device: Device, weight_format: WeightFormat, engine_id: str) -> MatrixRates:
    """Rates of one device for a format under an engine. GGUF and other integer formats are unpacked to half precision."""
    published = _first(_value(device.fp16), _value(device.bf16), _value(device.fp32))
    half, assumed = published, math.isnan(published)
    if assumed:
        bandwidth = _value(device.bandwidth)
        half = _first(bandwidth, 1e11) * ASSUMED_FLOP_PER_BYTE.get(device.kind, _DEFAULT_FLOP_PER_BYTE)
    vector = 2 * _value(device.fp32)
    if device.kind == "cpu" and not math.isnan(vector):
        half = min(half, vector)
    doubled = _HALF_ACCUMULATE if _half_accumulate(device) else 1.0
    kernels = _kernel_rate(device, weight_format, half)
    if doubled > 1 and engine_id in ("llama.cpp", "ollama") and weight_format.family in ("gguf", "float"):
        kernels = half * doubled
    return MatrixRates(kernels, half, _peak(device, weight_format, doubled), assumed)


def _half_accumulate(device: Device) -> bool:
    if device.vendor != "NVIDIA" or device.kind != "gpu" or device.segment not in _GEFORCE:
        return False
    return device.fp16 is not None


def _kernel_rate(device: Device, weight_format: WeightFormat, half: float) -> float:
    if weight_format.id == "fp32":
        return _first(_value(device.tf32), _value(device.fp32), half)
    wanted = {"fp8": device.fp8, "fp4": device.fp4}.get(weight_format.family)
    if weight_format.id == "int8":
        wanted = device.int8
    return _first(_value(wanted), half)


def _peak(device: Device, weight_format: WeightFormat, doubled: float) -> float:
    """The best of half precision and every narrower unit the weights could be fed to."""
    half = _most(_value(device.fp16), _value(device.bf16)) * doubled
    rates = [half, _value(device.fp32)]
    if weight_format.id == "fp32":
        return _most(*rates, _value(device.tf32))
    if weight_format.bits_per_weight <= 9:
        rates += [_value(device.int8), _value(device.fp8) * doubled]
    if weight_format.bits_per_weight <= 5 and weight_format.family == "fp4":
        rates.append(_value(device.fp4))
    return _most(*rates)
