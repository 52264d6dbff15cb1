"""Deployments as one struct of arrays: what the speed formulas read. Every numeric field broadcasts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import fields, frozen
from numpy.typing import NDArray

from engine.deployment import Deployment
from engine.speed.keys import backend_of, device_family, engine_class, format_class, link_class
from engine.speed.rates import matrix_rate, peak_rate, attention_rate
from engine.speed.shape import ModelShape, model_shape

Floats = NDArray[np.float64]
_BITS = {"": 16, "f32": 32, "f16": 16, "bf16": 16, "fp8": 8, "q8_0": 8.5, "q5_1": 6, "q5_0": 5.5, "q4_1": 5, "q4_0": 4.5, "nvfp4": 4.5}


@frozen
class Case:
    shape: Any
    cache_bytes: Floats
    bandwidth: Floats
    onchip_bandwidth: Floats
    memory: Floats
    matrix: Floats
    peak: Floats
    attention: Floats
    link: Floats
    devices: Floats
    tp: Floats
    pp: Floats
    dp: Floats
    ep: Floats
    attention_dp: NDArray[np.bool_]
    concurrency: Floats
    prompt: Floats
    output: Floats
    context: Floats
    prefix: Floats
    acceptance: Floats
    offload: Floats
    static: NDArray[np.bool_]
    at_once: NDArray[np.bool_]
    keys: dict[str, NDArray[np.str_]]


def case_of(deployments: Sequence[Deployment]) -> Case:
    d = list(deployments)
    shapes = [model_shape(x.model, x.weight_format, x.file_bytes) for x in d]
    def arr(f): return np.array([f(x) for x in d], dtype=float)
    sh = ModelShape(*(np.array(col, dtype=float) for col in zip(*[[getattr(s, a.name) for a in fields(ModelShape)] for s in shapes])))
    dp = arr(lambda x: x.data_parallel)
    tp = arr(lambda x: x.tensor_parallel)
    return Case(
        shape=sh,
        cache_bytes=arr(lambda x: _BITS.get(x.kv_format, 16) / 8),
        bandwidth=arr(lambda x: x.measured_bandwidth_bytes_per_s or (x.device.bandwidth.value if x.device.bandwidth else np.nan)),
        onchip_bandwidth=arr(lambda x: x.device.onchip_bandwidth.value if x.device.onchip_bandwidth else np.nan),
        memory=arr(lambda x: (x.device.driver_memory or x.device.memory).value if (x.device.driver_memory or x.device.memory) else np.nan),
        matrix=arr(matrix_rate), peak=arr(peak_rate), attention=arr(attention_rate),
        link=arr(lambda x: x.device.interconnect_bandwidth.value if x.device.interconnect_bandwidth else (x.device.host_link_bandwidth.value if x.device.host_link_bandwidth else 1e10)),
        devices=arr(lambda x: x.device_count), tp=tp, pp=arr(lambda x: x.pipeline_parallel), dp=dp, ep=arr(lambda x: x.expert_parallel),
        attention_dp=(dp > 1) & (sh.n_experts > 0),
        concurrency=arr(lambda x: x.concurrency), prompt=arr(lambda x: x.prompt_tokens), output=arr(lambda x: x.output_tokens),
        context=arr(lambda x: x.context_tokens), prefix=arr(lambda x: x.cached_prefix_share), acceptance=arr(lambda x: x.speculative_acceptance),
        offload=arr(lambda x: x.offloaded_layer_share),
        static=np.array([x.arrival == "static" for x in d]), at_once=np.array([x.arrival == "at_once" for x in d]),
        keys=dict(
            engine=np.array([engine_class(x.engine.id) for x in d]),
            family=np.array([device_family(x.device) for x in d]),
            format=np.array([format_class(x.weight_format) for x in d]),
            link=np.array([link_class(x.device) for x in d]),
            backend=np.array([backend_of(x) for x in d]),
            flash=np.array(["on" if x.flash_attention else "off" for x in d]),
        ),
    )
