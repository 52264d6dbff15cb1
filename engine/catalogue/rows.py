"""The typed rows. SI units inside; a figure nobody published is None, never 0."""

from __future__ import annotations

from attrs import field, frozen

from engine.estimate import Basis, Input, Source


@frozen
class Figure:
    """One published value with where it was read."""

    value: float
    unit: str
    source: Source

    def as_input(self, name: str) -> Input:
        """The figure as a named input of a trace."""
        basis = Basis.DATASHEET if self.source.verified else Basis.ASSUMED
        return Input(name, self.value, self.unit, basis, self.source)


@frozen(cache_hash=True)
class Device:
    """An accelerator, a processor or a machine with unified memory. One row is one device as an engine counts it."""

    id: str
    name: str
    vendor: str
    kind: str
    """gpu, apu, apple-soc, phone-soc, cpu, tpu, lpu, wafer, npu, edge"""
    segment: str
    release_year: int | None
    memory: Figure | None
    """Marketed capacity in bytes (GB = 10^9)."""
    driver_memory: Figure | None
    """What the driver reports, in bytes; wins over `memory` wherever something has to fit."""
    memory_type: str
    bandwidth: Figure | None
    onchip: Figure | None
    onchip_bandwidth: Figure | None
    fp32: Figure | None
    tf32: Figure | None
    fp16: Figure | None
    bf16: Figure | None
    fp8: Figure | None
    int8: Figure | None
    fp4: Figure | None
    """Dense matrix rates in FLOP/s with FP32 accumulate (int8: operations/s)."""
    interconnect: str
    interconnect_bandwidth: Figure | None
    """Per direction, summed over the device's links."""
    host_link: str
    host_link_bandwidth: Figure | None
    power: Figure | None
    compute_capability: str
    max_devices_per_node: int | None
    notes: str = ""

    @property
    def unified_memory(self) -> bool:
        """True where the processor shares the machine's memory (a host copy is no copy)."""
        return self.kind in ("apu", "apple-soc", "phone-soc", "cpu") or self.host_link == "unified"


@frozen(cache_hash=True)
class CacheGroup:
    """Layers that keep their past in the same way."""

    kind: str
    """full, sliding, chunked, latent (MLA), state (linear or state-space), compressed, indexer (sparse attention's own keys),
    shared (own no cache), none"""
    n_layers: int
    n_kv_heads: int = 0
    key_dim: int = 0
    value_dim: int = 0
    """0 where keys and values share one tensor."""
    window_tokens: int = 0
    latent_dim: int = 0
    """Elements a token leaves per layer (MLA: kv_lora_rank + qk_rope_head_dim)."""
    compression: float = 1.0
    """Cached entries per token (1/ratio)."""
    state_bytes: float = 0.0
    """Fixed state a sequence keeps per layer, in bytes, all in FP32 (llama.cpp)."""
    served_state_bytes: float = 0.0
    """The same as vLLM and SGLang keep it: the convolution in 16 bits, and the state too where the config does not ask for FP32.
    0 where it is not known to differ."""


@frozen
class TensorGroup:
    """Tensors of one use and one shape, all layers together."""

    kind: str
    """One of engine.memory.tensors.KINDS."""
    count: int
    """Tensors of this shape, over all layers; every expert counts."""
    rows: int
    """Outputs."""
    cols: int
    """Inputs: the length of a row, along which block formats quantise."""
    layers: int = 0
    """Layers that hold such a tensor; 0 outside the layers."""

    @property
    def elements(self) -> int:
        return self.count * self.rows * self.cols


@frozen(cache_hash=True)
class Model:
    """A model's published shape. Empty cells of the source stay None."""

    id: str
    name: str
    family: str
    params_total: float
    params_active: float
    n_layers: int | None
    hidden: int | None
    n_heads: int | None
    n_kv_heads: int | None
    head_dim: int | None
    intermediate: int | None
    vocab: int | None
    tie_embeddings: bool | None
    attention: str
    sliding_window: int | None
    full_attention_layers: int | None
    kv_lora_rank: int | None
    qk_rope_head_dim: int | None
    n_experts: int | None
    experts_per_token: int | None
    n_shared_experts: int | None
    moe_intermediate: int | None
    dense_layers: int | None
    max_context: int | None
    native_dtype: str
    license: str
    modality: str
    release: str
    doubt: str
    source: Source
    cache_groups: tuple[CacheGroup, ...] = field(default=(), repr=False)
    """How each layer keeps its past; () when the shape is unpublished."""
    tensor_groups: tuple[TensorGroup, ...] = field(default=(), repr=False)
    """Every tensor, where the columns cannot say it (model_tensors.csv, an imported file); () = follows from the columns."""

    @property
    def is_moe(self) -> bool:
        return bool(self.n_experts)


@frozen(cache_hash=True)
class WeightFormat:
    """How weights are stored. `bits_per_weight` is nominal: exact sizes come from engine.memory.weights."""

    id: str
    name: str
    family: str
    """float, fp8, fp4, int, gguf, mlx, bnb"""
    bits_per_weight: float
    group_size: int | None
    source: Source


@frozen(cache_hash=True)
class ServingEngine:
    """A program that serves models; figures that depend on it name its version."""

    id: str
    name: str
    version: str
    paged_kv: bool
    continuous_batching: bool
    default_memory_share: float | None
    families: tuple[str, ...]
    """Weight-format families it loads."""
    device_kinds: tuple[str, ...]
    source: Source


@frozen
class GpuPrice:
    """A rented machine."""

    id: str
    device: str
    provider: str
    instance: str
    region: str
    count: float
    on_demand_usd_per_hour: float | None
    spot_usd_per_hour: float | None
    source: Source


@frozen
class ApiPrice:
    """A model behind somebody else's endpoint; USD per million tokens."""

    id: str
    provider: str
    model: str
    input_usd_per_mtok: float | None
    cached_input_usd_per_mtok: float | None
    output_usd_per_mtok: float | None
    context_tokens: int | None
    source: Source


@frozen
class OperatingCost:
    """One line of the cost of running things: a tariff band, a server price, a rate of exchange."""

    id: str
    item: str
    value: float
    unit: str
    region: str
    source: Source


@frozen
class Regulation:
    """A rule about where data may go: orientation, not legal advice."""

    id: str
    jurisdiction: str
    sector: str
    name: str
    what_it_restricts: str
    effect_on_placement: str
    in_force_since: str
    leave_device: str
    leave_organisation: str
    leave_country: str
    status: str
    confidence: str
    note: str
    source: Source


@frozen
class LatencyFact:
    """A round trip, a threshold of perception or a reading rate."""

    id: str
    origin: str
    target: str
    medium: str
    rtt_p50_s: float | None
    rtt_p95_s: float | None
    kind: str
    statistic: str
    value: str
    unit: str
    note: str
    confidence: str
    source: Source


@frozen(cache_hash=True)
class DeviceClass:
    """What a class of user devices holds. Ranges are (low, high)."""

    id: str
    name: str
    memory_bytes: tuple[float, float] | None
    model_memory_bytes: tuple[float, float] | None
    bandwidth_bytes_per_s: tuple[float, float] | None
    npu_tops: str
    storage_free: str
    installed_base: str
    download_limits: str
    battery_joules: tuple[float, float] | None
    examples: str
    note: str
    confidence: str
    source: Source


@frozen
class OsFact:
    id: str
    platform: str
    topic: str
    value: str
    unit: str
    condition: str
    note: str
    confidence: str
    source: Source


@frozen
class RolloutFact:
    """How fast an update reaches people, and what a download costs in users."""

    id: str
    kind: str
    what: str
    platform: str
    days_after_release: float | None
    share: float | None
    value: str
    unit: str
    population: str
    basis: str
    note: str
    confidence: str
    source: Source


@frozen
class TokenFact:
    """How many tokens a language costs in one vocabulary."""

    id: str
    tokenizer: str
    vocab_size: int | None
    language: str
    tokens_per_word: float | None
    tokens_per_char: float | None
    tokens_vs_english: float | None
    confidence: str
    source: Source
