"""Matrix rates by format: what the kernels use, and the most that the chip could do."""

from __future__ import annotations

import math
from typing import Final

from engine.deployment import Deployment
from engine.catalogue.rows import Figure

FLOP_PER_BYTE: Final = {"apple": 40.0, "phone": 40.0, "cpu": 15.0, "laptop-npu": 30.0, "edge": 60.0}


def _v(f: Figure | None) -> float:
    return f.value if f else math.nan


def _first(*values: float) -> float:
    return next((v for v in values if v == v), math.nan)


def matrix_rate(d: Deployment) -> float:
    if d.measured_flop_per_s:
        return d.measured_flop_per_s
    dev = d.device
    half = _first(_v(dev.fp16), _v(dev.bf16), _v(dev.fp32))
    if not half == half:
        half = (dev.bandwidth.value if dev.bandwidth else math.nan) * FLOP_PER_BYTE.get(dev.kind.removesuffix("-soc"), 60.0)
    fam = d.weight_format.family
    if d.weight_format.id == "fp32":
        return _first(_v(dev.tf32), _v(dev.fp32), half)
    if fam == "fp8":
        return _first(_v(dev.fp8), half)
    if fam == "fp4":
        return _first(_v(dev.fp4), half)
    if d.weight_format.id == "int8":
        return _first(_v(dev.int8), half)
    if fam == "gguf":
        return _first(_v(dev.int8), half) if dev.kind == "gpu" and dev.vendor == "NVIDIA" else half
    return half


def attention_rate(d: Deployment) -> float:
    dev = d.device
    half = _first(_v(dev.fp16), _v(dev.bf16), _v(dev.fp32))
    if not half == half:
        half = (dev.bandwidth.value if dev.bandwidth else math.nan) * FLOP_PER_BYTE.get(dev.kind.removesuffix("-soc"), 60.0)
    return half


def peak_rate(d: Deployment) -> float:
    return matrix_rate(d)
