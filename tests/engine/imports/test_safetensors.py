"""Safetensors headers: files written by the library, an index with shards, and hostile ones."""

import json
import struct
import tracemalloc

import numpy as np
import pytest
from safetensors.numpy import save_file

from engine.errors import DamagedDocument
from engine.imports import import_model
from engine.imports.safetensors_header import read_safetensors
from engine.memory.tensors import inventory

LLAMA = {
    "model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 128, "vocab_size": 256, "tie_word_embeddings": False, "max_position_embeddings": 2048,
}  # fmt: skip
MOE = {**LLAMA, "model_type": "qwen3_moe", "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32}


def llama_tensors():
    found = {
        "model.embed_tokens.weight": np.zeros((256, 64), np.float16),
        "lm_head.weight": np.zeros((256, 64), np.float16),
        "model.norm.weight": np.zeros(64, np.float16),
    }
    for layer in range(2):
        at = f"model.layers.{layer}."
        for name, shape in (
            ("self_attn.q_proj", (64, 64)),
            ("self_attn.k_proj", (32, 64)),
            ("self_attn.v_proj", (32, 64)),
            ("self_attn.o_proj", (64, 64)),
            ("mlp.gate_proj", (128, 64)),
            ("mlp.up_proj", (128, 64)),
            ("mlp.down_proj", (64, 128)),
        ):
            found[f"{at}{name}.weight"] = np.zeros(shape, np.float16)
        for norm in ("input_layernorm", "post_attention_layernorm"):
            found[f"{at}{norm}.weight"] = np.zeros(64, np.float16)
    return found


def moe_tensors(fused):
    found = {n: t for n, t in llama_tensors().items() if ".mlp." not in n}
    for layer in range(2):
        at = f"model.layers.{layer}.mlp."
        found[f"{at}gate.weight"] = np.zeros((8, 64), np.float16)
        if fused:
            found[f"{at}experts.gate_up_proj"] = np.zeros((8, 64, 64), np.float16)
            found[f"{at}experts.down_proj"] = np.zeros((8, 64, 32), np.float16)
            continue
        for expert in range(8):
            for name, shape in (("gate_proj", (32, 64)), ("up_proj", (32, 64)), ("down_proj", (64, 32))):
                found[f"{at}experts.{expert}.{name}.weight"] = np.zeros(shape, np.float16)
    return found


def folder_of(path, config, tensors):
    (path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
    return path


def test_a_checkpoint_is_exact(tmp_path):
    tensors = llama_tensors()
    found = import_model(folder_of(tmp_path, LLAMA, tensors))
    assert found.file_bytes == sum(t.nbytes for t in tensors.values())
    assert found.model.params_total == sum(t.size for t in tensors.values())
    assert found.weight_format == "fp16"
    assert found.bytes_by_kind["mlp_down"] == 2 * 2 * 64 * 128
    held = inventory(found.model)
    assert held.unexplained_share == 0
    assert held.elements({"attention_k"}) == 2 * 32 * 64


@pytest.mark.parametrize("fused", [False, True])
def test_experts_are_the_same_fused_or_not(tmp_path, fused):
    found = import_model(folder_of(tmp_path, MOE, moe_tensors(fused))).model
    held = inventory(found)
    assert held.one_expert == 3 * 64 * 32
    assert held.routed_layers == 2
    assert found.params_total - found.params_active == 2 * 6 * held.one_expert


def test_an_index_reads_its_shards(tmp_path):
    tensors = llama_tensors()
    names = sorted(tensors)
    halves = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
    for file, part in halves.items():
        save_file({n: tensors[n] for n in part}, tmp_path / file)
    index = {"metadata": {"total_size": 1}, "weight_map": {n: f for f, part in halves.items() for n in part}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    (tmp_path / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    assert import_model(tmp_path).file_bytes == sum(t.nbytes for t in tensors.values())
    assert import_model(tmp_path / "model.safetensors.index.json").model.n_layers == 2
    (tmp_path / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(DamagedDocument):
        import_model(tmp_path)


def test_packed_weights_count_as_what_they_hold(tmp_path):
    """GPTQ: eight 4-bit weights in a stored integer, with scales and zeros beside them."""
    tensors = {n: t for n, t in llama_tensors().items() if "_proj" not in n}
    for name, array in llama_tensors().items():
        if "_proj" in name:
            rows, cols = array.shape
            stem = name.removesuffix(".weight")
            tensors[f"{stem}.qweight"] = np.zeros((rows, cols // 8), np.int32)
            tensors[f"{stem}.scales"] = np.zeros((rows, 1), np.float16)
            tensors[f"{stem}.qzeros"] = np.zeros((rows // 8, 1), np.int32)
    found = import_model(
        folder_of(tmp_path, {**LLAMA, "quantization_config": {"quant_method": "gptq", "bits": 4}}, tensors)
    )
    assert found.weight_format == "gptq-int4"
    assert found.model.params_total == sum(t.size for t in llama_tensors().values())
    assert found.file_bytes < 0.75 * sum(t.nbytes for t in llama_tensors().values())


def test_weights_without_a_config_are_refused(tmp_path):
    save_file(llama_tensors(), tmp_path / "model.safetensors")
    with pytest.raises(DamagedDocument) as refused:
        import_model(tmp_path)
    assert refused.value.message.key == "import.config_missing"


def raw(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def one(shape=(2, 2), dtype="F16", offsets=(0, 8)):
    return {"t": {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}}


HOSTILE = {
    "empty": (b"", "import.cut_short"),
    "2^60 bytes of header": (raw({}, length=2**60), "import.too_much_metadata"),
    "header beyond the file": (raw({}, length=1000), "import.cut_short"),
    "no json": (raw(b"{" * 1000), "import.no_json"),
    "nested without end": (raw(b"[" * 90_000), "import.no_json"),
    "a million lists": (raw(b"[" + b"[]," * 1_000_000 + b"[]]"), "import.too_much_metadata"),
    "a list": (raw([1]), "import.no_json"),
    "negative size": (raw(one((-2, 2)), bytes(8)), "import.impossible_tensor"),
    "2^60 elements": (raw(one((2**60, 2)), bytes(8)), "import.impossible_tensor"),
    "backwards": (raw(one(offsets=(8, 0)), bytes(8)), "import.impossible_tensor"),
    "wrong size": (raw(one(offsets=(0, 6)), bytes(8)), "import.impossible_tensor"),
    "beyond the file": (raw(one((1000, 1000), offsets=(0, 2_000_000)), bytes(8)), "import.beyond_the_file"),
    "unknown type": (raw(one(dtype="X9"), bytes(8)), "import.unknown_type"),
    "many dimensions": (raw(one((1,) * 1000), bytes(8)), "import.impossible_tensor"),
    "a string for a tensor": (raw({"t": "x"}), "import.impossible_tensor"),
    "fractions": (raw(one((2.5, 2)), bytes(8)), "import.impossible_tensor"),
    "overlapping": (raw({"a": one()["t"], "b": one(offsets=(4, 12))["t"]}, bytes(12)), "import.impossible_tensor"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_headers_are_refused_with_little_memory(tmp_path, name):
    content, key = HOSTILE[name]
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises(DamagedDocument) as refused:
        read_safetensors(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert refused.value.message.key == key
    assert peak < 64 * 1024**2


@pytest.mark.parametrize(
    "shard",
    ["../secret.safetensors", "/etc/passwd", "a/b.safetensors", "model.safetensors.index.json", ".x.safetensors"],
)
def test_an_index_may_not_point_elsewhere(tmp_path, shard):
    """Nor at itself: a cycle is refused by name."""
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"t": shard}}), encoding="utf-8")
    with pytest.raises(DamagedDocument) as refused:
        read_safetensors(tmp_path)
    assert refused.value.message.key == "import.foreign_shard"
