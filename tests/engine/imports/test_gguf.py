"""GGUF headers: files written by the `gguf` library for several architectures, and hostile ones written by hand."""

import struct
import tracemalloc

import gguf
import numpy as np
import pytest

from engine.errors import DamagedDocument
from engine.imports import import_gguf, import_model
from engine.imports.gguf_header import read_gguf_header
from engine.memory.kv_cache import CachePlan, cache_rule, kv_cache_bytes
from engine.memory.weights import weight_bytes

Q = gguf.GGMLQuantizationType


class Writer:
    """A small model of one architecture, written by the library."""

    def __init__(self, folder, arch, layers, hidden, **numbers):
        self.path = folder / f"{arch}.gguf"
        self.file = gguf.GGUFWriter(self.path, arch)
        self.arch, self.hidden = arch, hidden
        self.file.add_string("general.name", f"Tiny {arch}")
        self.file.add_uint32("general.file_type", 15)
        self.put(block_count=layers, embedding_length=hidden, context_length=4096, **numbers)
        self.file.add_array("tokenizer.ggml.tokens", [f"token {i}" for i in range(512)])
        self.file.add_array("tokenizer.ggml.scores", [float(i) for i in range(512)])
        self.matrix("token_embd.weight", 512, hidden, Q.Q6_K)
        self.vector("output_norm.weight", hidden)

    def put(self, **numbers):
        for key, value in numbers.items():
            name = f"{self.arch}.{key.replace('__', '.')}"
            if isinstance(value, list):
                self.file.add_array(name, value)
            else:
                self.file.add_uint32(name, value)

    def matrix(self, name, *shape, kind=None):
        *sides, last = shape
        if isinstance(last, Q):
            shape, kind = tuple(sides), last
        kind = kind or Q.Q4_K
        block, size = gguf.GGML_QUANT_SIZES[kind]
        raw = np.zeros((*shape[:-1], shape[-1] // block * size), np.uint8)
        self.file.add_tensor(name, raw, raw_dtype=kind)

    def vector(self, name, size):
        self.file.add_tensor(name, np.zeros(size, np.float32))

    def done(self):
        self.file.write_header_to_file()
        self.file.write_kv_data_to_file()
        self.file.write_tensors_to_file()
        self.file.close()
        return self.path


def attention(w, layer, queries, keys):
    w.matrix(f"blk.{layer}.attn_q.weight", queries, w.hidden)
    w.matrix(f"blk.{layer}.attn_k.weight", keys, w.hidden)
    w.matrix(f"blk.{layer}.attn_v.weight", keys, w.hidden, kind=Q.Q6_K)
    w.matrix(f"blk.{layer}.attn_output.weight", w.hidden, queries)
    w.vector(f"blk.{layer}.attn_norm.weight", w.hidden)


def dense(w, layer, width):
    w.matrix(f"blk.{layer}.ffn_gate.weight", width, w.hidden)
    w.matrix(f"blk.{layer}.ffn_up.weight", width, w.hidden)
    w.matrix(f"blk.{layer}.ffn_down.weight", w.hidden, width, kind=Q.Q6_K)


def experts(w, layer, count, width):
    w.matrix(f"blk.{layer}.ffn_gate_exps.weight", count, width, w.hidden)
    w.matrix(f"blk.{layer}.ffn_up_exps.weight", count, width, w.hidden)
    w.matrix(f"blk.{layer}.ffn_down_exps.weight", count, w.hidden, width)
    w.file.add_tensor(f"blk.{layer}.ffn_gate_inp.weight", np.zeros((count, w.hidden), np.float32))


def llama(folder):
    w = Writer(folder, "llama", 4, 512, attention__head_count=8, attention__head_count_kv=2, feed_forward_length=1024)
    w.matrix("output.weight", 512, 512, kind=Q.Q6_K)
    for layer in range(4):
        attention(w, layer, 512, 128)
        dense(w, layer, 1024)
    return w.done()


def gemma3(folder):
    w = Writer(
        folder, "gemma3", 12, 512, attention__head_count=4, attention__head_count_kv=2, attention__key_length=256,
        attention__value_length=256, attention__sliding_window=1024, feed_forward_length=1024,
    )  # fmt: skip
    for layer in range(12):
        attention(w, layer, 1024, 512)
        dense(w, layer, 1024)
    return w.done()


def qwen3moe(folder):
    w = Writer(
        folder, "qwen3moe", 4, 512, attention__head_count=8, attention__head_count_kv=2, attention__key_length=64,
        attention__value_length=64, expert_count=16, expert_used_count=4, expert_feed_forward_length=256, feed_forward_length=1024,
    )  # fmt: skip
    w.matrix("output.weight", 512, 512, kind=Q.Q6_K)
    for layer in range(4):
        attention(w, layer, 512, 128)
        experts(w, layer, 16, 256)
    return w.done()


def deepseek2(folder):
    w = Writer(
        folder, "deepseek2", 3, 512, attention__head_count=8, attention__head_count_kv=1, attention__key_length=576,
        attention__value_length=512, attention__key_length_mla=192, attention__value_length_mla=128, attention__kv_lora_rank=512,
        attention__q_lora_rank=256, rope__dimension_count=64, leading_dense_block_count=1, feed_forward_length=1024,
        expert_count=8, expert_used_count=2, expert_shared_count=1, expert_feed_forward_length=256,
    )  # fmt: skip
    w.matrix("output.weight", 512, 512, kind=Q.Q6_K)
    for layer in range(3):
        w.matrix(f"blk.{layer}.attn_q_a.weight", 256, 512)
        w.matrix(f"blk.{layer}.attn_q_b.weight", 1536, 256)
        w.matrix(f"blk.{layer}.attn_kv_a_mqa.weight", 576, 512)
        w.matrix(f"blk.{layer}.attn_k_b.weight", 8, 512, 128, kind=Q.Q8_0)
        w.matrix(f"blk.{layer}.attn_v_b.weight", 8, 128, 512)
        w.matrix(f"blk.{layer}.attn_output.weight", 512, 1024)
        if layer:
            experts(w, layer, 8, 256)
            w.matrix(f"blk.{layer}.ffn_up_shexp.weight", 256, 512)
        else:
            dense(w, layer, 1024)
    return w.done()


def qwen3next(folder):
    w = Writer(
        folder, "qwen3next", 8, 512, attention__head_count=4, attention__head_count_kv=2, attention__key_length=256,
        attention__value_length=256, full_attention_interval=4, ssm__conv_kernel=4, ssm__inner_size=1024, ssm__state_size=128,
        ssm__group_count=4, ssm__time_step_rank=8, feed_forward_length=1024,
    )  # fmt: skip
    for layer in range(8):
        if layer % 4 == 3:
            attention(w, layer, 2048, 512)
        else:
            w.matrix(f"blk.{layer}.attn_qkv.weight", 2048, 512)
            w.matrix(f"blk.{layer}.attn_gate.weight", 1024, 512)
            w.file.add_tensor(f"blk.{layer}.ssm_conv1d.weight", np.zeros((2048, 4), np.float32))
            w.matrix(f"blk.{layer}.ssm_out.weight", 512, 1024)
        dense(w, layer, 1024)
    return w.done()


def mamba(folder):
    w = Writer(
        folder, "mamba", 3, 512, attention__head_count=0, feed_forward_length=0, ssm__conv_kernel=4, ssm__inner_size=1024,
        ssm__state_size=16, ssm__time_step_rank=32,
    )  # fmt: skip
    for layer in range(3):
        w.matrix(f"blk.{layer}.ssm_in.weight", 2048, 512)
        w.file.add_tensor(f"blk.{layer}.ssm_conv1d.weight", np.zeros((1024, 4), np.float32))
        w.file.add_tensor(f"blk.{layer}.ssm_a", np.zeros((1024, 16), np.float32))
        w.matrix(f"blk.{layer}.ssm_out.weight", 512, 1024)
    return w.done()


def gemma4(folder):
    pattern = [True, True, False]
    w = Writer(
        folder, "gemma4", 3, 512, attention__head_count=8, attention__head_count_kv=[4, 4, 1], attention__key_length=512,
        attention__value_length=512, attention__key_length_swa=256, attention__value_length_swa=256,
        attention__sliding_window=1024, attention__sliding_window_pattern=pattern, feed_forward_length=1024,
    )  # fmt: skip
    for layer in range(3):
        attention(w, layer, 2048, 1024 if pattern[layer] else 512)
        dense(w, layer, 1024)
    return w.done()


ARCHITECTURES = (llama, gemma3, qwen3moe, deepseek2, qwen3next, mamba, gemma4)


@pytest.mark.parametrize("make", ARCHITECTURES)
def test_sizes_are_those_of_the_library(tmp_path, make):
    path = make(tmp_path)
    ours = {t.name: (tuple(t.shape), t.size_bytes) for t in read_gguf_header(path).tensors.tensors}
    theirs = {t.name: (tuple(int(n) for n in reversed(t.shape)), int(t.n_bytes)) for t in gguf.GGUFReader(path).tensors}
    assert ours == theirs


@pytest.mark.parametrize("make", ARCHITECTURES)
def test_an_imported_file_is_exact(catalogue, tmp_path, make):
    path = make(tmp_path)
    found = import_gguf(path)
    assert found.weight_format == "q4_k_m"
    assert found.file_bytes == sum(int(t.n_bytes) for t in gguf.GGUFReader(path).tensors)
    assert found.model.params_total == sum(int(t.n_elements) for t in gguf.GGUFReader(path).tensors)
    size = weight_bytes(found.model, catalogue.weight_format("q4_k_m"), catalogue.engine("llama.cpp"), found.file_bytes)
    assert size.total == pytest.approx(found.file_bytes)


def cache_of(path, tokens=8192):
    return float(kv_cache_bytes(import_gguf(path).model, CachePlan(cache_rule("", ""), "f16"), tokens, 1))


def test_caches(tmp_path):
    assert cache_of(llama(tmp_path)) == 4 * 2 * 2 * 64 * 2 * 8192
    assert cache_of(gemma3(tmp_path)) == 2 * 2 * 256 * 2 * 2 * 8192 + 10 * 2 * 256 * 2 * 2 * 1024
    assert cache_of(deepseek2(tmp_path)) == 3 * 576 * 2 * 8192
    state = 4 * (128 * 1024 + 3 * (1024 + 2 * 4 * 128))
    assert cache_of(qwen3next(tmp_path)) == 2 * 2 * 256 * 2 * 2 * 8192 + 6 * state
    assert cache_of(mamba(tmp_path)) == 3 * 4 * (16 * 1024 + 3 * 1024)
    assert cache_of(gemma4(tmp_path)) == 1 * 1024 * 2 * 8192 + 2 * 4 * 512 * 2 * 1024


def test_experts_are_counted_one_by_one(tmp_path):
    model = import_gguf(qwen3moe(tmp_path)).model
    assert (model.n_experts, model.experts_per_token, model.moe_intermediate) == (16, 4, 256)
    assert model.params_total - model.params_active == 12 * 3 * 4 * 512 * 256


def test_a_split_file_is_read_whole(tmp_path):
    whole = import_gguf(llama(tmp_path))
    names = [f"parts-{i:05d}-of-00002.gguf" for i in (1, 2)]
    for index, name in enumerate(names):
        file = gguf.GGUFWriter(tmp_path / name, "llama")
        file.add_uint16("split.count", 2)
        file.add_uint16("split.no", index)
        for key, value in (("block_count", 4), ("embedding_length", 512), ("attention.head_count", 8)):
            file.add_uint32(f"llama.{key}", value)
        file.add_tensor(f"blk.{index}.attn_k.weight", np.zeros((64, 512), np.float16))
        file.write_header_to_file()
        file.write_kv_data_to_file()
        file.write_tensors_to_file()
        file.close()
    both = import_gguf(tmp_path / names[0])
    assert both.file_bytes == 2 * 64 * 512 * 2
    assert whole.file_bytes != both.file_bytes
    (tmp_path / names[1]).unlink()
    with pytest.raises(DamagedDocument) as refused:
        import_gguf(tmp_path / names[0])
    assert refused.value.message.key == "import.part_missing"


def text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def header(tensors=0, keys=0, version=3):
    return b"GGUF" + struct.pack("<IQQ", version, tensors, keys)


ARCH = text("general.architecture") + struct.pack("<I", 8) + text("llama")


def tensor(name, sides, kind=0, offset=0):
    return text(name) + struct.pack(f"<I{len(sides)}QIQ", len(sides), *sides, kind, offset)


HOSTILE = {
    "not gguf": (b"GGML" + bytes(100), "import.no_gguf"),
    "empty": (b"", "import.cut_short"),
    "future version": (header(version=99), "import.gguf_version"),
    "2^60 tensors": (header(tensors=2**60), "import.too_many_tensors"),
    "2^60 keys": (header(keys=2**60), "import.too_much_metadata"),
    "key of 2^62 bytes": (header(keys=1) + struct.pack("<Q", 2**62), "import.too_much_metadata"),
    "string array of 2^60": (header(keys=1) + text("a") + struct.pack("<IIQ", 9, 8, 2**60), "import.too_much_metadata"),
    "number array of 4 GB": (
        header(keys=1) + text("a") + struct.pack("<IIQ", 9, 0, 4 * 2**30),
        "import.too_much_metadata",
    ),
    "arrays of arrays": (header(keys=1) + text("a") + struct.pack("<IIQ", 9, 9, 1) * 50, "import.unknown_type"),
    "unknown value type": (header(keys=1) + text("a") + struct.pack("<I", 77), "import.unknown_type"),
    "cut short": (header(keys=1) + text("a") + struct.pack("<I", 10), "import.cut_short"),
    "same key twice": (header(keys=2) + ARCH + ARCH, "import.key_twice"),
    "a side of zero": (header(1) + tensor("t", [0, 4]), "import.impossible_tensor"),
    "negative side": (header(1) + tensor("t", [2**64 - 1, 2]), "import.impossible_tensor"),
    "product overflows": (header(1) + tensor("t", [2**32, 2**32]), "import.impossible_tensor"),
    "a thousand dimensions": (header(1) + text("t") + struct.pack("<I", 1000), "import.impossible_tensor"),
    "unknown tensor type": (header(1) + tensor("t", [32], kind=200), "import.unknown_type"),
    "beyond the file": (header(1) + tensor("t", [1024, 1024]), "import.beyond_the_file"),
    "offset beyond": (header(1) + tensor("t", [1], offset=2**50), "import.beyond_the_file"),
    "half a block": (header(1) + tensor("t", [100], kind=12), "import.impossible_tensor"),
    "no architecture": (header(), "import.no_architecture"),
    "impossible layers": (
        header(0, 2) + ARCH + text("llama.block_count") + struct.pack("<IQ", 10, 2**60),
        "import.impossible_value",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_headers_are_refused_with_little_memory(tmp_path, name):
    raw, key = HOSTILE[name]
    path = tmp_path / "hostile.gguf"
    path.write_bytes(raw)
    tracemalloc.start()
    with pytest.raises(DamagedDocument) as refused:
        import_model(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert refused.value.message.key == key
    assert peak < 16 * 1024**2


def test_four_gigabytes_of_metadata_are_not_read(tmp_path):
    """A sparse file that claims strings up to its end: given up at the header's bound."""
    path = tmp_path / "huge.gguf"
    with path.open("wb") as stream:
        stream.write(header(keys=4000))
        for number in range(4000):
            stream.write(text(f"k{number}") + struct.pack("<IQ", 8, 2**20))
            stream.seek(2**20, 1)
        stream.truncate(4 * 1024**3)
    tracemalloc.start()
    with pytest.raises(DamagedDocument) as refused:
        import_model(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert refused.value.message.key == "import.too_much_metadata"
    assert peak < 256 * 1024**2


def test_cut_anywhere_is_refused_not_crashed(tmp_path):
    whole = llama(tmp_path).read_bytes()
    path = tmp_path / "cut.gguf"
    for size in (*range(0, 3000, 97), len(whole) // 2, len(whole) - 40_000):
        path.write_bytes(whole[:size])
        with pytest.raises(DamagedDocument):
            import_model(path)
