"""Verdicts: worked cases, refusals with their reason, remedies that do what they say, and properties."""

from functools import lru_cache

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.catalogue import load_catalogue
from engine.deployment import Deployment
from engine.errors import Refused
from engine.estimate import Basis
from engine.memory.device_memory import context_bytes, usable_memory, visible_memory
from engine.memory.fit import fit
from engine.memory.inverse import best_format_that_fits, smallest_tensor_parallel, verdict
from engine.memory.need import need_of
from engine.memory.parallel import Split, check_split, device_weight_bytes, valid_tensor_parallel
from engine.memory.runtime import RuntimeQuestion, runtime_parts
from engine.units import BYTES, GIB, MIB
from tests.engine.memory.conftest import CATALOGUE


@lru_cache(maxsize=1)
def built_in():
    return load_catalogue(CATALOGUE)


def deployed(model, size, device, engine, **options):
    c = built_in()
    return Deployment(c.model(model), c.weight_format(size), c.device(device), c.engine(engine), **options)


def test_a_small_model_on_a_card_that_also_draws_the_desktop_is_not_certain():
    """Llama-3.1-8B Q4_K_M at 8K on 8 GB: it may, until somebody opens a browser. Never a promise."""
    result = fit(deployed("llama-3.1-8b", "q4_k_m", "nvidia-rtx-4060", "llama.cpp", context_tokens=8192))
    assert not result.fits
    assert result.tight
    assert "memory.note.desktop" in {note.key for note in result.notes}


def test_gpt_oss_120b_on_a_96_gb_card():
    assert fit(
        deployed("gpt-oss-120b", "mxfp4", "nvidia-rtx-pro-6000-workstation", "llama.cpp", context_tokens=32_768)
    ).fits


@pytest.mark.parametrize(
    ("model", "size", "context", "expected"),
    [
        ("qwen3.5-122b-a10b", "q4_k_m", 4096, False),  # llmfit 230: "33 GB perfect"; 70-75 GB are needed
        ("deepseek-v3", "q4_k_m", 4096, False),  # llmfit: 22 GB; about 390 GB are needed
        ("llama-3.1-70b", "fp16", 4096, False),  # accelerate 3379: 64.73 GB; about 140 GB
        ("qwen3-14b", "q4_k_m", 8192, True),
    ],
)
def test_false_fits_of_other_tools(model, size, context, expected):
    assert fit(deployed(model, size, "nvidia-rtx-pro-5000-48gb", "llama.cpp", context_tokens=context)).fits is expected


def test_mistral_small_at_32k(catalogue):
    """ollama 10359: 59 GB claimed on three cards; 26,694 MiB used with the vision part."""
    total = fit(
        deployed("mistral-small-3.2-24b", "q4_k_m", "nvidia-rtx-5090", "ollama", context_tokens=32_768)
    ).total_bytes
    assert 17 * GIB < total.value < 26_694 * MIB


def test_an_8_bit_cache_of_gemma_3(catalogue):
    """gpustack 2101: 139 GB claimed for gemma-3-27b Q4_K_M at 128,000; far below 32 GB with windows."""
    result = fit(
        deployed("gemma-3-27b", "q4_k_m", "nvidia-rtx-5090", "llama.cpp", context_tokens=128_000, kv_format="q8_0")
    )
    assert result.total_bytes.high < 32e9


def test_qwen3_5_9b_class_hybrid(catalogue):
    """LM Studio 1862: 75 GB claimed for Qwen3.6-27B Q8 at 262,144; about 47 GB."""
    result = fit(
        deployed(
            "qwen3.6-27b",
            "q8_0",
            "nvidia-rtx-pro-6000-workstation",
            "llama.cpp",
            context_tokens=262_144 // 4,
            concurrency=4,
        )
    )
    assert result.total_bytes.value / 1e9 == pytest.approx(47, rel=0.06)


def test_the_identity_of_vllm_on_h100(catalogue):
    """0.95 x 79.19 GiB = 14.99 + 1.89 + 0.25 + 58.11 (vLLM 0.19): each part, and the pool that is left."""
    deployment = deployed("llama-3.1-8b", "bf16", "nvidia-h100-sxm", "vllm", engine_version="0.19.0")
    result = fit(deployment)
    parts = dict(result.runtime_parts)
    assert result.weights_bytes.value / GIB == pytest.approx(14.99, abs=0.01)
    assert parts["activations"].value / GIB == pytest.approx(1.89, abs=0.05)
    assert parts["communication"].value / GIB == pytest.approx(0.25, abs=0.01)
    inside = result.weights_bytes.value + parts["activations"].value + parts["communication"].value
    assert (0.95 * 79.19 * GIB - inside) / GIB == pytest.approx(58.11, abs=0.1)


@pytest.mark.parametrize(("version", "gib"), [("0.16.0", 5.64), ("0.17.0", 2.23), ("0.18.0", 2.23)])
def test_activation_depends_on_the_version(version, gib):
    c = built_in()
    question = RuntimeQuestion(
        c.model("qwen3-14b"), c.weight_format("bf16"), c.device("nvidia-h100-sxm"), c.engine("vllm"), version
    )
    assert runtime_parts(question, 8192, 1)["activations"][0] / GIB == pytest.approx(gib, rel=0.02)


@pytest.mark.parametrize(
    ("model", "engine", "version", "flash", "tokens", "mib"),
    [
        ("llama-3-8b", "llama.cpp", "b3000", True, 8192, 258.5),
        ("llama-3-8b", "llama.cpp", "b3000", False, 8192, 560.0),
        (
            "qwen3.6-27b",
            "llama.cpp",
            "b9600",
            True,
            4096,
            132.0,
        ),  # 505 before PR 23861, printed for Qwen3.8-27B (same widths)
        ("qwen3.6-27b", "llama.cpp", "b9000", True, 4096, 505.0),
        ("gemma-3-4b", "ollama", "", True, 131_072, 203.0),
    ],
)
def test_compute_buffers_as_printed(model, engine, version, flash, tokens, mib):
    """Logs of llama.cpp and Ollama, without the library's own workspace."""
    c = built_in()
    question = RuntimeQuestion(
        c.model(model), c.weight_format("q4_k_m"), None, c.engine(engine), version, flash_attention=flash
    )
    value, low, high = (float(end) / MIB for end in runtime_parts(question, tokens, 1)["activations"])
    scratch = question.constant("scratch_gib").value * 1024
    assert value - scratch == pytest.approx(mib, rel=0.09)
    assert low < mib < high


def test_gemma3_4b_at_full_context():
    """ollama PR 17037: 3.0 GB claimed; 2,367 weights + 2,734 cache + 203 MiB compute on the card."""
    result = fit(deployed("gemma-3-4b", "q4_k_m", "nvidia-rtx-5080", "ollama", context_tokens=131_072))
    assert result.kv_cache_bytes.value / MIB == pytest.approx(2734, abs=1)
    assert result.weights_bytes.value / MIB == pytest.approx(2367, rel=0.01)


def test_device_memory_is_the_drivers():
    c = built_in()
    h100 = visible_memory(c.device("nvidia-h100-sxm"))
    assert h100.low <= 79.19 * GIB <= h100.high
    assert visible_memory(c.device("nvidia-t4")).low <= 14.74 * GIB <= visible_memory(c.device("nvidia-t4")).high
    gb10 = visible_memory(c.device("nvidia-dgx-spark-gb10"))
    assert gb10.high < 121.7 * GIB
    assert usable_memory(c.device("nvidia-h100-sxm"), c.engine("vllm")).value == pytest.approx(0.92 * h100.value)
    m2 = visible_memory(c.device("apple-m2-max"))
    assert m2.value / GIB == pytest.approx(72, rel=0.01)


def test_cuda_context_grows_with_the_card():
    """107 MiB on RTX 4060 Ti, 555 on RTX PRO 6000."""
    c = built_in()
    small, large = (
        context_bytes(c.device("nvidia-rtx-4060-ti-16gb")),
        context_bytes(c.device("nvidia-rtx-pro-6000-workstation")),
    )
    assert small[1] <= 107 * MIB <= small[2]
    assert large[1] <= 555 * MIB <= large[2]


def test_every_device_has_a_room_or_a_reason():
    for device in built_in().devices.values():
        if device.memory is None:
            with pytest.raises(Refused) as refused:
                visible_memory(device)
            assert refused.value.message.key == "memory.refused.no_capacity"
            continue
        memory = visible_memory(device)
        assert 0 < memory.low <= memory.value <= memory.high
        assert memory.unit == BYTES


@pytest.mark.parametrize(
    ("model", "size", "engine", "split", "key"),
    [
        ("llama-3.1-8b", "bf16", "vllm", Split(tensor=3), "memory.refused.heads"),
        ("qwen2.5-7b", "bf16", "vllm", Split(tensor=7), "memory.refused.kv_heads"),
        ("qwen3-235b-a22b", "fp8", "vllm", Split(tensor=8), "memory.refused.blocks"),
        ("qwen3-30b-a3b", "fp8", "vllm", Split(tensor=4), "memory.refused.blocks"),
        ("qwen3-30b-a3b", "bf16", "vllm", Split(data=3, expert=3), "memory.refused.experts"),
        ("llama-3.1-8b", "bf16", "vllm", Split(pipeline=64), "memory.refused.stages"),
        ("llama-3.1-8b", "mlx-4bit", "mlx", Split(tensor=2), "memory.refused.no_tensor_parallel"),
    ],
)
def test_forbidden_splits_say_why(model, size, engine, split, key):
    c = built_in()
    with pytest.raises(Refused) as refused:
        check_split(c.model(model), c.weight_format(size), c.engine(engine), split)
    assert refused.value.message.key == key


def test_a_nightly_is_the_newest():
    named = deployed("llama-3.1-8b", "bf16", "nvidia-b200", "sglang", engine_version="nightly-dev")
    assert fit(named).device_memory_bytes == fit(evolve(named, engine_version="0.5.9")).device_memory_bytes


def test_experts_are_cut_by_width_and_spread_whole():
    """TensorRT-LLM: TP 4 with EP 2 still spreads the experts over four devices; attention data parallelism over all."""
    c = built_in()
    model, fp8, trt = c.model("qwen3-235b-a22b"), c.weight_format("fp8"), c.engine("trt-llm")
    cut, mixed = (device_weight_bytes(model, fp8, trt, Split(tensor=4, expert=e)) for e in (1, 2))
    assert cut == mixed
    spread = device_weight_bytes(model, fp8, trt, Split(data=8, expert=8))
    assert spread < device_weight_bytes(model, fp8, trt, Split(data=8)) / 4


def test_valid_degrees():
    c = built_in()
    vllm, bf16, fp8 = c.engine("vllm"), c.weight_format("bf16"), c.weight_format("fp8")
    assert valid_tensor_parallel(c.model("qwen2.5-7b"), bf16, vllm) == (1, 2, 4)
    assert valid_tensor_parallel(c.model("qwen3-235b-a22b"), fp8, vllm) == (1, 2, 4)
    assert 8 in valid_tensor_parallel(c.model("qwen3-235b-a22b"), fp8, vllm, 8, expert_parallel=True)
    assert valid_tensor_parallel(c.model("llama-3.1-70b"), bf16, vllm, 16) == (1, 2, 4, 8, 16)


@pytest.mark.parametrize(
    ("model", "size", "split", "gib"),
    [
        ("llama-3.1-8b", "bf16", Split(), 14.99),
        ("qwen3-32b", "bf16", Split(), 61.03),
        ("qwen3-32b", "bf16", Split(tensor=2), 30.59),
        ("gpt-oss-20b", "mxfp4", Split(), 13.47),
        ("gpt-oss-120b", "mxfp4", Split(), 64.38),
        ("llama-3.1-70b", "fp8", Split(tensor=2), 33.88),
        ("deepseek-r1", "fp8", Split(tensor=8), 79.41),  # HabanaAI/vllm-fork 809
    ],
)
def test_weights_of_one_device_as_vllm_prints_them(model, size, split, gib):
    c = built_in()
    found = device_weight_bytes(c.model(model), c.weight_format(size), c.engine("vllm"), split)
    assert found / GIB == pytest.approx(gib, rel=0.004)


def test_pipeline_stages_by_hand():
    """Llama-3.1-8B in four stages: eight layers, one 128,256 x 4,096 table, the rotary table up to 131,072 tokens."""
    c = built_in()
    found = device_weight_bytes(c.model("llama-3.1-8b"), c.weight_format("bf16"), c.engine("vllm"), Split(pipeline=4))
    layer = 4096 * (2 * 4096 + 2 * 1024 + 3 * 14336)
    assert found == pytest.approx(2 * (8 * layer + 128_256 * 4096) + 131_072 * 128 * 2, rel=1e-4)


def test_an_offload_moves_experts_and_says_where_they_are():
    whole = deployed("qwen3-30b-a3b", "q4_k_m", "nvidia-rtx-4070", "llama.cpp", context_tokens=16_384)
    result = fit(whole)
    keys = [r.message.key for r in result.remedies]
    assert not result.fits
    assert "memory.remedy.offload_experts" in keys
    share = next(r.message.params["share"] for r in result.remedies if r.message.key == "memory.remedy.offload_experts")
    moved = fit(evolve(whole, offloaded_layer_share=share))
    assert moved.fits
    assert moved.host_bytes is not None
    assert moved.host_bytes.value > 8 * GIB
    assert moved.weights_bytes.value + moved.host_bytes.value == pytest.approx(
        result.weights_bytes.value + result.host_bytes.value
    )


def test_every_remedy_fits():
    """Each named change, made alone, leads to a certain fit."""
    c = built_in()
    short = deployed(
        "llama-3.1-8b",
        "bf16",
        "nvidia-rtx-4090",
        "vllm",
        context_tokens=32_768,
        concurrency=8,
        tensor_parallel=2,
        device_count=2,
    )
    result = fit(short, tuple(c.weight_formats.values()))
    assert not result.fits
    assert len(result.remedies) >= 3
    fields = {
        "serving.kv_format": "kv_format",
        "serving.context_tokens": "context_tokens",
        "serving.concurrency": "concurrency",
        "serving.tensor_parallel": "tensor_parallel",
        "serving.device_count": "device_count",
    }
    for remedy in result.remedies:
        changes = {fields[path]: value for path, value in remedy.changes.items() if path in fields}
        if "serving.weight_format" in remedy.changes:
            changes["weight_format"] = c.weight_format(remedy.changes["serving.weight_format"])
        assert fit(evolve(short, **changes)).fits, remedy


def test_inverse_questions():
    c = built_in()
    large = deployed("llama-3.1-70b", "bf16", "nvidia-h100-sxm", "vllm", context_tokens=8192, concurrency=16)
    assert smallest_tensor_parallel(large) == 4
    small = deployed("llama-3.1-8b", "bf16", "nvidia-rtx-4070", "llama.cpp", context_tokens=8192)
    best = best_format_that_fits(small, c.weight_formats.values())
    assert best is not None
    assert best.id == "q8_0"
    assert (
        best_format_that_fits(
            deployed("deepseek-v3", "bf16", "nvidia-rtx-4070", "llama.cpp"), c.weight_formats.values()
        )
        is None
    )


def test_longest_context_and_most_users_are_the_last_that_fit():
    deployment = deployed(
        "gemma-3-27b", "q4_k_m", "nvidia-rtx-pro-4000", "llama.cpp", context_tokens=8192, concurrency=2
    )
    result = fit(deployment)
    longest, most = int(result.max_context_tokens.low), int(result.max_concurrency.low)
    assert verdict(evolve(deployment, context_tokens=longest))[0]
    assert not verdict(evolve(deployment, context_tokens=longest + 256))[0]
    assert verdict(evolve(deployment, concurrency=most))[0]
    assert not verdict(evolve(deployment, concurrency=most + 1))[0]


def test_figures_carry_trace_basis_and_notes():
    result = fit(deployed("gemma-4-31b", "q4_k_m", "apple-m4-max", "llama.cpp", context_tokens=32_768))
    assert result.total_bytes.trace is not None
    assert [i.name for i in result.total_bytes.trace.inputs] == ["weights", "kv_cache", "runtime"]
    assert result.weights_bytes.basis is Basis.DATASHEET
    keys = {note.key for note in result.notes}
    assert {"memory.note.unified", "memory.note.projector", "memory.note.windows"} <= keys
    assert result.headroom_bytes == result.device_memory_bytes.value - result.total_bytes.value


def test_a_file_size_wins_and_counts_as_measured():
    result = fit(deployed("llama-3.1-8b", "ud-q4_k_xl", "nvidia-rtx-4090", "llama.cpp", file_bytes=4.8e9))
    assert result.weights_bytes.basis is Basis.MEASURED
    assert result.weights_bytes.value < 4.8e9  # the embedding stays in host memory


MODELS = ("llama-3.1-8b", "gemma-3-27b", "gpt-oss-20b", "qwen3.5-27b", "qwen3-30b-a3b", "deepseek-v2-lite")


@settings(deadline=None, max_examples=60)
@given(
    model=st.sampled_from(MODELS),
    engine=st.sampled_from(["vllm", "llama.cpp", "sglang", "trt-llm"]),
    tokens=st.integers(1, 120_000),
    more=st.integers(1, 20_000),
    users=st.integers(1, 64),
)
def test_more_never_needs_less(model, engine, tokens, more, users):
    base = deployed(model, "bf16", "nvidia-h100-sxm", engine, context_tokens=tokens, concurrency=users)
    need = need_of(base)
    first = need.total(tokens, users)
    for end in range(3):
        assert need.total(tokens + more, users)[end] >= first[end] > 0
        assert need.total(tokens, users + 1)[end] >= first[end]
    assert first[1] <= first[0] <= first[2]
    wider = need_of(evolve(base, kv_format="f32")).total(tokens, users)
    assert wider[0] >= first[0]


@settings(deadline=None, max_examples=40)
@given(model=st.sampled_from(MODELS), size=st.sampled_from(["bf16", "fp8", "awq-int4"]), expert=st.booleans())
def test_more_devices_never_hold_more_weights_each(model, size, expert):
    c = built_in()
    vllm = c.engine("vllm")
    sizes = []
    for degree in valid_tensor_parallel(c.model(model), c.weight_format(size), vllm, 8):
        ranks = degree if expert and c.model(model).is_moe else 1
        sizes.append(
            device_weight_bytes(c.model(model), c.weight_format(size), vllm, Split(tensor=degree, expert=ranks))
        )
    assert sizes == sorted(sizes, reverse=True)


def test_every_model_and_device_answers_or_refuses_with_a_reason():
    c = built_in()
    answered = 0
    for model in c.models.values():
        for device, engine, size in (
            ("nvidia-h100-sxm", "vllm", "bf16"),
            ("apple-m4-max", "llama.cpp", "q4_k_m"),
            ("apple-m4-max", "mlx", "mlx-4bit"),
            ("qualcomm-snapdragon-8-elite", "executorch", "int4"),
            ("google-tpu-v6e", "vllm", "bf16"),
            ("nvidia-b200", "trt-llm", "nvfp4"),
        ):
            deployment = deployed(model.id, size, device, engine, context_tokens=4096)
            if not model.n_layers:
                with pytest.raises(Refused):
                    fit(deployment)
                continue
            result = fit(deployment)
            answered += 1
            assert result.total_bytes.value > 0
            assert not (result.fits and result.tight)
    assert answered >= 143 * 6
