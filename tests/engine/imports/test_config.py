"""config.json of known models: totals and caches agree with the catalogue, which counted real architectures."""

import json

import pytest

from engine.errors import DamagedDocument
from engine.imports import import_config, import_model
from engine.memory.fit import fit
from engine.memory.kv_cache import CachePlan, cache_rule, kv_cache_bytes
from engine.memory.tensors import inventory
from tests.engine.imports.configs import CONFIGS


def written(folder, cells, name="config.json"):
    path = folder / name
    path.write_text(json.dumps(cells), encoding="utf-8")
    return path


@pytest.mark.parametrize("model_id", CONFIGS)
def test_totals_agree_with_the_catalogue(catalogue, tmp_path, model_id):
    """Within 0.2 % of the count of the built architecture (multimodal ones: within 3 %, their towers are estimated)."""
    known = catalogue.model(model_id)
    found = import_config(written(tmp_path, CONFIGS[model_id])).model
    assert found.params_total == pytest.approx(known.params_total, rel=0.03 if "image" in known.modality else 0.002)
    assert inventory(found).active == pytest.approx(inventory(known).active, rel=0.01)


@pytest.mark.parametrize("model_id", CONFIGS)
@pytest.mark.parametrize("tokens", [1_000, 100_000])
def test_caches_agree_with_the_catalogue(catalogue, tmp_path, model_id, tokens):
    known, found = catalogue.model(model_id), import_config(written(tmp_path, CONFIGS[model_id])).model
    plan = CachePlan(cache_rule("", ""), "f16")
    assert float(kv_cache_bytes(found, plan, tokens, 2)) == pytest.approx(
        float(kv_cache_bytes(known, plan, tokens, 2)), rel=1e-3
    )
    assert found.attention == known.attention or known.sliding_window or known.attention == "mla"


def test_an_imported_model_is_asked_like_any_other(catalogue, tmp_path):
    from engine.deployment import Deployment

    found = import_config(written(tmp_path, CONFIGS["qwen3-30b-a3b"])).model
    answers = [
        fit(
            Deployment(
                model,
                catalogue.weight_format("q4_k_m"),
                catalogue.device("nvidia-rtx-5090"),
                catalogue.engine("llama.cpp"),
                context_tokens=16_384,
            )
        )
        for model in (found, catalogue.model("qwen3-30b-a3b"))
    ]
    assert answers[0].total_bytes.value == pytest.approx(answers[1].total_bytes.value, rel=2e-3)
    assert answers[0].valid_tensor_parallel == answers[1].valid_tensor_parallel


@pytest.mark.parametrize(
    ("quantised", "expected"),
    [
        ({"quant_method": "gptq", "bits": 4}, "gptq-int4"),
        ({"quant_method": "awq", "bits": 4}, "awq-int4"),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8"),
        ({"quant_method": "mxfp4"}, "mxfp4"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_use_double_quant": True}, "bnb-nf4-dq"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4"),
        (
            {"quant_method": "compressed-tensors", "config_groups": {"g": {"weights": {"num_bits": 4, "type": "int"}}}},
            "int4",
        ),
    ],
)
def test_the_quantisation_is_read(tmp_path, quantised, expected):
    cells = {**CONFIGS["llama-3.1-8b"], "quantization_config": quantised}
    assert import_config(written(tmp_path, cells)).weight_format == expected


LLAMA = CONFIGS["llama-3.1-8b"]


@pytest.mark.parametrize(
    ("cells", "key"),
    [
        ({**LLAMA, "num_hidden_layers": 2**60}, "import.impossible_value"),
        ({**LLAMA, "num_hidden_layers": -1}, "import.impossible_value"),
        ({**LLAMA, "hidden_size": 4096.5}, "import.impossible_value"),
        ({**LLAMA, "vocab_size": "many"}, "import.impossible_value"),
        ({**LLAMA, "num_attention_heads": True}, "import.impossible_value"),
        ({**LLAMA, "vocab_size": 1e300}, "import.impossible_value"),
        ({"model_type": "llama"}, "import.no_config"),
        ([1, 2], "import.no_json"),
    ],
)
def test_hostile_configs_are_refused(tmp_path, cells, key):
    with pytest.raises(DamagedDocument) as refused:
        import_config(written(tmp_path, cells))
    assert refused.value.message.key == key


def test_a_nest_without_end_is_refused(tmp_path):
    path = tmp_path / "config.json"
    path.write_bytes(b"[" * 1_000_000)
    with pytest.raises(DamagedDocument) as refused:
        import_model(path)
    assert refused.value.message.key == "import.no_json"


def test_a_config_of_gigabytes_is_not_read(tmp_path):
    path = tmp_path / "config.json"
    with path.open("wb") as stream:
        stream.truncate(4 * 1024**3)
    with pytest.raises(DamagedDocument) as refused:
        import_model(path)
    assert refused.value.message.key == "import.too_much_metadata"


def test_what_is_no_model_file_is_refused(tmp_path):
    for name, key in (("model.bin", "import.unknown_kind"), ("absent.json", "import.cannot_read")):
        with pytest.raises(DamagedDocument) as refused:
            import_model(tmp_path / name)
        assert refused.value.message.key == key
    with pytest.raises(DamagedDocument) as refused:
        import_model(tmp_path)
    assert refused.value.message.key == "import.no_model_file"
