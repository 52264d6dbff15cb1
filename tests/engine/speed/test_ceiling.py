"""The handbook's worked numbers, and ceilings that nothing beats."""

import math

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.deployment import Deployment
from engine.errors import Refused
from engine.estimate import Basis
from engine.speed.case import case_of
from engine.speed.ceiling import decode_ceiling_tokens_per_s, read_seconds
from engine.speed.parallel import chips_needed
from engine.speed.speed import speed
from engine.units import GIGA, MEGA, TERA


def test_seventy_gigabytes_over_three_terabytes_a_second() -> None:
    seconds = read_seconds(70 * GIGA, 3 * TERA)
    assert seconds == pytest.approx(23.3e-3, rel=2e-3)
    assert 1 / seconds == pytest.approx(43, rel=5e-3)


def test_on_chip_memory_is_twenty_seven_times_faster() -> None:
    on_chip, off_chip = read_seconds(70 * GIGA, 80 * TERA), read_seconds(70 * GIGA, 3 * TERA)
    assert on_chip == pytest.approx(0.875e-3)
    assert off_chip / on_chip == pytest.approx(27, abs=0.5)


def test_seventy_gigabytes_take_three_hundred_and_five_chips() -> None:
    assert chips_needed(70 * GIGA, 230 * MEGA) == 305


def test_ceiling_is_bandwidth_over_the_bytes_of_a_token(deploy) -> None:
    """Llama-3.1-8B BF16 reads all but the input table: 15.01 GB, and 131,072 bytes of cache a token."""
    d = deploy("llama-3.1-8b", "bf16", "nvidia-h100-sxm", "vllm")
    ceiling = float(decode_ceiling_tokens_per_s(case_of([d]), 1.0, 1000.0)[0])
    read = (8030261248 - 128256 * 4096) * 2 + 131072 * 1000
    assert ceiling == pytest.approx(3.35e12 / read, rel=1e-3)


def test_tensor_parallelism_adds_bandwidth_and_a_layer_split_does_not(deploy) -> None:
    one = deploy("llama-3.3-70b", "q4_k_m", "nvidia-rtx-4090", "llama.cpp")
    split = evolve(one, device_count=4, pipeline_parallel=4)
    cut = deploy("llama-3.3-70b", "fp8", "nvidia-h100-sxm", "vllm", device_count=4, tensor_parallel=4)
    alone = float(decode_ceiling_tokens_per_s(case_of([one]), 1.0, 100.0)[0])
    assert float(decode_ceiling_tokens_per_s(case_of([split]), 1.0, 100.0)[0]) == pytest.approx(alone)
    single = evolve(cut, device_count=1, tensor_parallel=1)
    four, lone = (float(decode_ceiling_tokens_per_s(case_of([x]), 1.0, 100.0)[0]) for x in (cut, single))
    assert four == pytest.approx(4 * lone)


def test_probe_reading_replaces_the_data_sheet(deploy) -> None:
    sheet = deploy("llama-3.1-8b", "bf16", "nvidia-h100-sxm", "vllm")
    read = evolve(sheet, measured_bandwidth_bytes_per_s=3.0e12)
    by_sheet, by_probe = speed(sheet), speed(read)
    ratio = by_probe.ceiling_tokens_per_s.value / by_sheet.ceiling_tokens_per_s.value
    assert ratio == pytest.approx(3.0e12 / 3.35e12)
    assert by_probe.ceiling_tokens_per_s.basis is Basis.MEASURED
    assert by_probe.decode_tokens_per_s.basis is Basis.MEASURED
    assert by_probe.decode_tokens_per_s.value < by_sheet.decode_tokens_per_s.value

    def width(e) -> float:
        return math.log(e.high / e.low)

    assert width(by_probe.time_per_output_token_s) < width(by_sheet.time_per_output_token_s)


def _usable(catalogue):
    models = [m for m in catalogue.models.values() if m.n_layers and m.n_heads and m.head_dim]
    devices = [x for x in catalogue.devices.values() if x.bandwidth]
    return models, devices


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_no_expected_speed_beats_its_ceiling(catalogue, data) -> None:
    """Over the whole catalogue: any model, format, device, engine, context and number of users."""
    models, devices = _usable(catalogue)
    engine = data.draw(st.sampled_from(("vllm", "llama.cpp", "trt-llm", "mlx", "sglang")))
    d = Deployment(
        data.draw(st.sampled_from(models)),
        data.draw(st.sampled_from(list(catalogue.weight_formats.values()))),
        data.draw(st.sampled_from(devices)),
        catalogue.engine(engine),
        concurrency=data.draw(st.integers(1, 512)),
        prompt_tokens=data.draw(st.floats(1, 60_000)),
        output_tokens=data.draw(st.floats(1, 8_000)),
        flash_attention=data.draw(st.booleans()),
        speculative_acceptance=data.draw(st.floats(1, 4)),
        offloaded_layer_share=data.draw(st.sampled_from((0.0, 0.3))),
    )
    result = speed(d)
    assert result.decode_tokens_per_s.value <= result.ceiling_tokens_per_s.value * (1 + 1e-9)
    assert result.prefill_tokens_per_s.value <= result.prefill_ceiling_tokens_per_s.value * (1 + 1e-9)
    at_load = float(
        decode_ceiling_tokens_per_s(case_of([d]), float(d.concurrency), d.prompt_tokens + d.output_tokens / 2)[0]
    )
    assert result.throughput_tokens_per_s.value <= at_load * (1 + 1e-9)


def test_forbidden_split_is_refused_with_its_reason(deploy) -> None:
    """Qwen2.5-7B has 28 heads and 4 key/value heads: 8 devices cannot share them."""
    with pytest.raises(Refused) as refused:
        speed(deploy("qwen2.5-7b", "bf16", "nvidia-h100-sxm", "vllm", device_count=8, tensor_parallel=8))
    assert refused.value.message.key in ("memory.refused.heads", "memory.refused.kv_heads")


def test_unpublished_bandwidth_is_refused(catalogue, deploy) -> None:
    nobody = next(d.id for d in catalogue.devices.values() if d.bandwidth is None)
    with pytest.raises(Refused) as refused:
        speed(deploy("llama-3.2-1b", "q4_k_m", nobody, "llama.cpp"))
    assert refused.value.message.key == "speed.refused.no_bandwidth"
