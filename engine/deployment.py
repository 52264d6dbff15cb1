"""One model on one kind of machine, served one way: what fit, speed, capacity and cost are asked about."""

from __future__ import annotations

from attrs import frozen

from engine.catalogue.rows import Device, Model, ServingEngine, WeightFormat


@frozen(cache_hash=True)
class Deployment:
    """A question to the memory and speed rooms. Ids are already resolved; degrees multiply to `device_count`."""

    model: Model
    weight_format: WeightFormat
    device: Device
    engine: ServingEngine
    kv_format: str = "f16"
    device_count: int = 1
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    data_parallel: int = 1
    """Replicas of the attention (and of the whole model unless `expert_parallel` spreads the experts over them)."""
    expert_parallel: int = 1
    context_tokens: int = 8192
    """Tokens one sequence may grow to: what the cache is sized for."""
    concurrency: int = 1
    """Sequences in flight over all devices."""
    prompt_tokens: float = 1024.0
    output_tokens: float = 256.0
    cached_prefix_share: float = 0.0
    speculative_acceptance: float = 1.0
    """Tokens a decode step yields on average; 1 without speculation."""
    flash_attention: bool = True
    offloaded_layer_share: float = 0.0
    """Share of the layers (or of the experts, for MoE) whose weights stay in host memory."""
    engine_version: str = ""
    file_bytes: float | None = None
    """Real size of the weight file where it is known; wins over the estimate."""
    measured_bandwidth_bytes_per_s: float | None = None
    measured_flop_per_s: float | None = None
    """From the probe, for the format's matrix rate; replaces the data sheet, with basis measured."""
    backend: str = ""
    """Which of an engine's paths runs: cuda, rocm, vulkan, metal, sycl, cpu, gpu, npu; empty: the device's usual one."""
    arrival: str = "closed_loop"
    """closed_loop (each user asks again when answered), at_once (all requests in one burst), static (one fixed batch)."""
    maximum_load: bool = False
    """True: `concurrency` is whatever the memory holds; the speed room then chooses it."""
