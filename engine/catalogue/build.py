"""How each file's columns become a typed row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from engine.catalogue.read import Provenance, Row, figure
from engine.catalogue.rows import (
    ApiPrice,
    CacheGroup,
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
    TensorGroup,
    TokenFact,
    WeightFormat,
)
from engine.estimate import Source
from engine.messages import msg
from engine.units import BYTES, BYTES_PER_S, FLOP_PER_S, GIGA, MEGA, MIB, MILLI, SECONDS_PER_HOUR, TERA, WATTS

DEVICE_KINDS: Final = ("gpu", "apu", "apple-soc", "phone-soc", "cpu", "tpu", "lpu", "wafer", "npu", "edge")
ATTENTIONS: Final = ("mha", "gqa", "mqa", "mla", "hybrid-sliding", "hybrid-linear", "ssm", "")
LEAVES: Final = ("yes", "no", "conditional", "n/a", "not stated")


def source_key(row: Row) -> tuple[str, Source]:
    key = row.required("key")
    return key, Source(row.required("where"), row.text("as_of"), key not in ("unverified", "SEEN"))


def device_builder(keys: Mapping[str, Source]) -> Callable[[Row], Device]:
    """Device rows need the table of source keys."""

    def build(row: Row) -> Device:
        origin = Provenance(row.required("source"), keys, row.complain)
        kind = row.required("kind")
        if kind not in DEVICE_KINDS:
            row.complain("kind", msg("catalogue.not_one_of", found=kind, allowed=", ".join(DEVICE_KINDS)))

        def flops(column: str) -> Figure | None:
            return figure(row, origin, column, FLOP_PER_S, TERA)

        return Device(
            id=row.required("id"),
            name=row.required("name"),
            vendor=row.required("vendor"),
            kind=kind,
            segment=row.required("segment"),
            release_year=row.whole("release_year", 1990, 2100),
            memory=figure(row, origin, "memory_gb", BYTES, GIGA),
            driver_memory=figure(row, origin, "driver_memory_mib", BYTES, MIB),
            memory_type=row.text("memory_type"),
            bandwidth=figure(row, origin, "bandwidth_gb_s", BYTES_PER_S, GIGA),
            onchip=figure(row, origin, "onchip_sram_mb", BYTES, MEGA),
            onchip_bandwidth=figure(row, origin, "onchip_bandwidth_gb_s", BYTES_PER_S, GIGA),
            fp32=flops("fp32_tflops"),
            tf32=flops("tf32_tflops"),
            fp16=flops("fp16_tflops_dense"),
            bf16=flops("bf16_tflops_dense"),
            fp8=flops("fp8_tflops_dense"),
            int8=flops("int8_tops_dense"),
            fp4=flops("fp4_tflops_dense"),
            interconnect=row.text("interconnect"),
            interconnect_bandwidth=figure(row, origin, "interconnect_gb_s_per_direction", BYTES_PER_S, GIGA),
            host_link=row.text("host_link"),
            host_link_bandwidth=figure(row, origin, "host_link_gb_s", BYTES_PER_S, GIGA),
            power=figure(row, origin, "tdp_w", WATTS, 1.0),
            compute_capability=row.text("compute_capability"),
            max_devices_per_node=row.whole("max_devices_per_node", 1, 1_000_000),
            notes=row.text("notes"),
        )

    return build


def model(row: Row) -> Model:
    attention = row.text("attention")
    if attention not in ATTENTIONS:
        row.complain("attention", msg("catalogue.not_one_of", found=attention, allowed=", ".join(ATTENTIONS)))
    total, active = row.number("params_total", 1), row.number("params_active", 1)
    if total is None or active is None or active > total:
        row.complain("params_active", msg("catalogue.active_above_total"))
    return Model(
        id=row.required("id"),
        name=row.required("name"),
        family=row.required("family"),
        params_total=total or 1.0,
        params_active=active or 1.0,
        n_layers=row.whole("n_layers", 1),
        hidden=row.whole("hidden", 1),
        n_heads=row.whole("n_heads", 1),
        n_kv_heads=row.whole("n_kv_heads", 1),
        head_dim=row.whole("head_dim", 1),
        intermediate=row.whole("intermediate", 1),
        vocab=row.whole("vocab", 1),
        tie_embeddings=row.truth("tie_embeddings"),
        attention=attention,
        sliding_window=row.whole("sliding_window", 1),
        full_attention_layers=row.whole("full_attention_layers", 0),
        kv_lora_rank=row.whole("kv_lora_rank", 1),
        qk_rope_head_dim=row.whole("qk_rope_head_dim", 1),
        n_experts=row.whole("n_experts", 1),
        experts_per_token=row.whole("experts_per_token", 1),
        n_shared_experts=row.whole("n_shared_experts", 0),
        moe_intermediate=row.whole("moe_intermediate", 1),
        dense_layers=row.whole("dense_layers", 0),
        max_context=row.whole("max_context", 1),
        native_dtype=row.text("native_dtype"),
        license=row.text("license"),
        modality=row.text("modality"),
        release=row.text("release"),
        doubt=row.text("doubt"),
        source=row.source(),
    )


def cache_group(row: Row) -> tuple[str, CacheGroup]:
    return row.required("model"), CacheGroup(
        kind=row.required("kind"),
        n_layers=row.whole("n_layers", 1) or 0,
        n_kv_heads=row.whole("n_kv_heads") or 0,
        key_dim=row.whole("key_dim") or 0,
        value_dim=row.whole("value_dim") or 0,
        window_tokens=row.whole("window_tokens") or 0,
        latent_dim=row.whole("latent_dim") or 0,
        compression=row.number("compression", 0, 1) or 1.0,
        state_bytes=row.number("state_bytes") or 0.0,
        served_state_bytes=row.number("served_state_bytes") or 0.0,
    )


def tensor_group(row: Row) -> tuple[str, TensorGroup]:
    return row.required("model"), TensorGroup(
        kind=row.required("kind"),
        count=row.whole("count", 1) or 0,
        rows=row.whole("rows", 1) or 0,
        cols=row.whole("cols", 1) or 0,
        layers=row.whole("layers") or 0,
    )


def weight_format(row: Row) -> WeightFormat:
    bits = row.number("bits_per_weight", 0.5, 64)
    return WeightFormat(
        row.required("id"),
        row.required("name"),
        row.required("family"),
        bits or 16.0,
        row.whole("group_size", 1),
        row.source(),
    )


def _split(cell: str) -> tuple[str, ...]:
    return tuple(filter(None, (part.strip() for part in cell.split(";"))))


def serving_engine(row: Row) -> ServingEngine:
    return ServingEngine(
        id=row.required("id"),
        name=row.required("name"),
        version=row.required("version"),
        paged_kv=bool(row.truth("paged_kv")),
        continuous_batching=bool(row.truth("continuous_batching")),
        default_memory_share=row.number("default_memory_share", 0, 1),
        families=_split(row.required("families")),
        device_kinds=_split(row.required("device_kinds")),
        source=row.source(),
    )


def gpu_price(row: Row) -> GpuPrice:
    on_demand = row.number("usd_per_hour_on_demand", 0.01, 10_000)
    spot = row.number("usd_per_hour_spot", 0.01, 10_000)
    if on_demand is None and spot is None:
        row.complain("usd_per_hour_on_demand", msg("catalogue.no_price"))
    return GpuPrice(
        id=row.required("id"),
        device=row.required("device"),
        provider=row.required("provider"),
        instance=row.required("instance"),
        region=row.required("region"),
        count=row.number("count", 0.01, 1024) or 1.0,
        on_demand_usd_per_hour=on_demand,
        spot_usd_per_hour=spot,
        source=row.source(),
    )


def api_price(row: Row) -> ApiPrice:
    return ApiPrice(
        id=row.required("id"),
        provider=row.required("provider"),
        model=row.required("model"),
        input_usd_per_mtok=row.number("input_usd_per_mtok", 0, 1000),
        cached_input_usd_per_mtok=row.number("cached_input_usd_per_mtok", 0, 1000),
        output_usd_per_mtok=row.number("output_usd_per_mtok", 0, 5000),
        context_tokens=row.whole("context", 1),
        source=row.source(),
    )


def operating_cost(row: Row) -> OperatingCost:
    value = row.number("value")
    return OperatingCost(
        row.required("id"),
        row.required("item"),
        value or 0.0,
        row.required("unit"),
        row.required("region"),
        row.source(),
    )


def regulation(row: Row) -> Regulation:
    leaves = {c: row.required(c) for c in ("leave_device", "leave_organisation", "leave_country")}
    for column, value in leaves.items():
        if value not in LEAVES:
            row.complain(column, msg("catalogue.not_one_of", found=value, allowed=", ".join(LEAVES)))
    return Regulation(
        id=row.required("id"),
        jurisdiction=row.required("jurisdiction"),
        sector=row.required("sector"),
        name=row.required("name"),
        what_it_restricts=row.text("what_it_restricts"),
        effect_on_placement=row.text("effect_on_placement"),
        in_force_since=row.text("in_force_since"),
        status=row.text("status"),
        confidence=row.text("confidence"),
        note=row.text("note"),
        source=row.source(),
        **leaves,
    )


def latency(row: Row) -> LatencyFact:
    p50, p95 = row.number("rtt_ms_p50"), row.number("rtt_ms_p95")
    if p50 is not None and p95 is not None and p95 < p50:
        row.complain("rtt_ms_p95", msg("catalogue.range_backwards", found=row.text("rtt_ms_p95")))
    return LatencyFact(
        id=row.required("id"),
        origin=row.text("from"),
        target=row.text("to"),
        medium=row.text("medium"),
        rtt_p50_s=None if p50 is None else p50 * MILLI,
        rtt_p95_s=None if p95 is None else p95 * MILLI,
        kind=row.required("kind"),
        statistic=row.text("stat"),
        value=row.text("value"),
        unit=row.text("unit"),
        note=row.text("note"),
        confidence=row.text("confidence"),
        source=row.source(),
    )


def device_class(row: Row) -> DeviceClass:
    return DeviceClass(
        id=row.required("id"),
        name=row.required("class"),
        memory_bytes=row.span("typical_memory_gb", GIGA),
        model_memory_bytes=row.span("memory_available_to_model_gb", GIGA),
        bandwidth_bytes_per_s=row.span("memory_bandwidth_gb_s", GIGA),
        npu_tops=row.text("npu_tops"),
        storage_free=row.text("storage_free_gb"),
        installed_base=row.text("share_of_installed_base_pct"),
        download_limits=row.text("app_download_limits"),
        battery_joules=row.span("battery_wh", SECONDS_PER_HOUR),
        examples=row.text("examples"),
        note=row.text("note"),
        confidence=row.text("confidence"),
        source=row.source(),
    )


def os_fact(row: Row) -> OsFact:
    return OsFact(
        id=row.required("id"),
        platform=row.text("platform"),
        topic=row.text("topic"),
        value=row.text("value"),
        unit=row.text("unit"),
        condition=row.text("condition"),
        note=row.text("note"),
        confidence=row.text("confidence"),
        source=row.source(),
    )


def rollout(row: Row) -> RolloutFact:
    share = row.number("share_pct", 0, 100)
    return RolloutFact(
        id=row.required("id"),
        kind=row.required("kind"),
        what=row.text("what"),
        platform=row.text("platform"),
        days_after_release=row.number("days_after_release"),
        share=None if share is None else share / 100,
        value=row.text("value"),
        unit=row.text("unit"),
        population=row.text("population"),
        basis=row.text("basis"),
        note=row.text("note"),
        confidence=row.text("confidence"),
        source=row.source(),
    )


def token(row: Row) -> TokenFact:
    return TokenFact(
        id=row.required("id"),
        tokenizer=row.required("tokenizer"),
        vocab_size=row.whole("vocab_size", 1),
        language=row.text("language"),
        tokens_per_word=row.number("tokens_per_word"),
        tokens_per_char=row.number("tokens_per_char"),
        tokens_vs_english=row.number("tokens_vs_english_same_content"),
        confidence=row.text("confidence"),
        source=row.source(),
    )
