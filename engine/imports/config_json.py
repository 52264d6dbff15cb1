"""A Hugging Face config.json as a shape: explicit fields first, a model type's habits only where it leaves them out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from engine.errors import DamagedDocument
from engine.imports.limits import CONTEXT, EXPERTS, LAYERS, VOCABULARY, WIDTH, refuse, whole
from engine.imports.safetensors_header import read_json
from engine.imports.shape import LinearShape, Shape

_PERIOD: Final[Mapping[str, int]] = MappingProxyType(
    {
        "gemma2": 2,
        "gemma3": 6,
        "gemma3_text": 6,
        "cohere2": 4,
        "gpt_oss": 2,
        "exaone4": 4,
        "olmo3": 4,
        "llama4": 4,
        "llama4_text": 4,
    }
)
"""Model type -> one full layer in how many, where the config does not list its layers."""
_TIED: Final = frozenset(
    {
        "gemma",
        "gemma2",
        "gemma3",
        "gemma3_text",
        "gemma3n",
        "gemma3n_text",
        "gemma4",
        "gemma4_text",
        "gpt2",
        "cohere",
        "cohere2",
    }
)
"""Model types whose default is a tied head."""
_FULL: Final = frozenset({"full_attention", "attention", "indexed_attention", "deepseek_sparse_attention"})
_LINEAR: Final = frozenset({"linear_attention", "mamba", "mamba2", "kda", "conv"})
_WINDOWED: Final = frozenset({"sliding_attention", "chunked_attention", "local_attention"})


class Config:
    """A config's cells with bounds. The text part of a multimodal config comes first."""

    def __init__(self, cells: Mapping[str, Any], path: Path) -> None:
        self.path, self.outer = path, cells
        inner: Mapping[str, Any] = next(
            (cells[k] for k in ("text_config", "llm_config", "language_config") if isinstance(cells.get(k), dict)), {}
        )
        self._cells = {**cells, **inner}

    def raw(self, *names: str) -> Any:
        """The first of these that is given and not null."""
        return next((self._cells[n] for n in names if self._cells.get(n) is not None), None)

    def number(self, high: int, *names: str, low: int = 0) -> int:
        """A whole number, 0 where it is not given; refused out of bounds. A list (one value a layer) counts by its largest."""
        value = self.raw(*names)
        if value is None:
            return 0
        if isinstance(value, list) and 0 < len(value) <= LAYERS:
            counted = [whole(v, low, high) for v in value]
            if all(v is not None for v in counted):
                return max(v for v in counted if v is not None)
        found = whole(value, low, high)
        if found is None:
            raise refuse("import.impossible_value", self.path, name=names[0], value=str(value)[:40])
        return found

    def flag(self, name: str) -> bool | None:
        value = self._cells.get(name, self.outer.get(name))
        return value if isinstance(value, bool) else None

    @property
    def model_type(self) -> str:
        found = self.raw("model_type")
        return found if isinstance(found, str) else ""


def read_config(path: Path) -> Config:
    """Raises DamagedDocument for a file that is no config of a model."""
    config = Config(read_json(path), path)
    if not config.raw("num_hidden_layers", "n_layer", "n_layers", "num_layers") or not config.raw(
        "hidden_size", "n_embd", "d_model"
    ):
        raise refuse("import.no_config", path)
    return config


def shape_of(config: Config, name: str) -> Shape:
    """The shape a config states. Raises DamagedDocument for impossible values."""
    layers = config.number(LAYERS, "num_hidden_layers", "n_layer", "n_layers", "num_layers", low=1)
    hidden = config.number(WIDTH, "hidden_size", "n_embd", "d_model", low=1)
    heads = config.number(WIDTH, "num_attention_heads", "n_head")
    latent = config.number(WIDTH, "kv_lora_rank")
    rope = config.number(WIDTH, "qk_rope_head_dim") if latent else 0
    head_dim = config.number(WIDTH, "head_dim", "attention_head_dim") or (hidden // heads if heads else 0)
    if latent:
        head_dim = config.number(WIDTH, "qk_nope_head_dim") + rope or head_dim
    kinds = layer_kinds(config, layers)
    experts = config.number(EXPERTS, "n_routed_experts", "num_experts", "num_local_experts", "moe_num_experts")
    width = config.number(WIDTH, "moe_intermediate_size", "expert_ffn_hidden_size")
    dense = config.number(WIDTH, "intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size")
    if experts and not width:
        width, dense = dense, 0
    if not experts and not dense:
        dense = 4 * hidden
    return Shape(
        name=name,
        architecture=config.model_type,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=_kv_heads(config, heads),
        head_dim=head_dim,
        value_dim=config.number(WIDTH, "v_head_dim") if not latent else 0,
        intermediate=dense,
        vocabulary=config.number(VOCABULARY, "vocab_size", low=1),
        tied=_tied(config),
        window=config.number(CONTEXT, "sliding_window", "attention_chunk_size", "local_attention_window_size")
        if kinds["windowed"]
        else 0,
        full_layers=kinds["full"],
        windowed_layers=kinds["windowed"],
        chunked=config.raw("attention_chunk_size") is not None and config.raw("sliding_window") is None,
        linear_layers=kinds["linear"],
        linear=linear_shape(config),
        shared_layers=min(config.number(LAYERS, "num_kv_shared_layers"), layers - 1),
        global_kv_heads=config.number(WIDTH, "num_global_key_value_heads"),
        global_head_dim=config.number(WIDTH, "global_head_dim"),
        latent=latent,
        rope_dim=rope,
        indexer_dim=config.number(WIDTH, "index_head_dim"),
        experts=experts,
        experts_per_token=min(
            config.number(EXPERTS, "num_experts_per_tok", "num_experts_per_token", "top_k_experts", "moe_top_k"),
            experts,
        ),
        shared_experts=_shared_experts(config, width) if experts else 0,
        expert_width=width if experts else 0,
        dense_layers=_dense_layers(config, layers) if experts else 0,
        context=config.number(CONTEXT, "max_position_embeddings", "n_positions", "max_sequence_length"),
        dtype=_dtype(config),
        modality="text+image"
        if any(isinstance(config.outer.get(k), dict) for k in ("vision_config", "visual"))
        else "text",
    )


def layer_kinds(config: Config, layers: int) -> dict[str, int]:
    """How many layers are full, windowed, linear; the rest (experts only) keeps nothing."""
    stated = config.raw("layer_types", "layers_block_type", "attn_type_list")
    pattern = config.raw("hybrid_override_pattern")
    if isinstance(pattern, str) and len(pattern) == layers:
        return {"full": pattern.count("*"), "windowed": 0, "linear": pattern.count("M")}
    if isinstance(stated, list) and len(stated) == layers and all(isinstance(k, str) for k in stated):
        return {
            "full": sum(k in _FULL or k.endswith("sparse") for k in stated),
            "windowed": sum(k in _WINDOWED for k in stated),
            "linear": sum(k in _LINEAR for k in stated),
        }
    linear = config.raw("linear_attn_config")
    if isinstance(linear, dict) and isinstance(linear.get("full_attn_layers"), list):
        full = min(len(linear["full_attn_layers"]), layers)
        return {"full": full, "windowed": 0, "linear": layers - full}
    interval = config.number(LAYERS, "full_attention_interval")
    if interval > 1 or "mamba" in config.model_type:
        full = layers // interval if interval > 1 else 0
        return {"full": full, "windowed": 0, "linear": layers - full}
    return _windowed(config, layers)


def _windowed(config: Config, layers: int) -> dict[str, int]:
    window = config.raw("sliding_window", "attention_chunk_size")
    unused = config.flag("use_sliding_window") is False or window is None
    pattern = config.raw("sliding_window_pattern", "_sliding_window_pattern")
    period = (
        pattern
        if isinstance(pattern, int) and not isinstance(pattern, bool) and pattern > 0
        else _PERIOD.get(config.model_type, 0)
    )
    if unused:
        return {"full": layers, "windowed": 0, "linear": 0}
    if period > 1:
        return {"full": layers // period, "windowed": layers - layers // period, "linear": 0}
    return {"full": 0, "windowed": layers, "linear": 0}


def linear_shape(config: Config) -> LinearShape:
    """State of a linear layer: gated delta net (Qwen3-Next), Kimi delta attention, Mamba 1 and 2."""
    heads, keys = config.number(WIDTH, "linear_num_value_heads"), config.number(WIDTH, "linear_num_key_heads")
    if heads:
        key, value = config.number(WIDTH, "linear_key_head_dim"), config.number(WIDTH, "linear_value_head_dim")
        kernel = config.number(WIDTH, "linear_conv_kernel_dim")
        return LinearShape(heads * key * value, 2 * keys * key + heads * value, kernel, _wide_state(config))
    kda = config.raw("linear_attn_config")
    if isinstance(kda, dict):
        cells = Config(kda, config.path)
        count, side = cells.number(WIDTH, "num_heads"), cells.number(WIDTH, "head_dim")
        return LinearShape(count * side * side, 3 * count * side, cells.number(WIDTH, "short_conv_kernel_size"))
    state = config.number(WIDTH, "ssm_state_size", "state_size", "mamba_d_state")
    kernel = config.number(WIDTH, "conv_kernel", "mamba_d_conv")
    count = config.number(WIDTH, "mamba_num_heads", "mamba_n_heads")
    if count:
        inner = count * config.number(WIDTH, "mamba_head_dim", "mamba_d_head")
        groups = config.number(WIDTH, "n_groups", "mamba_n_groups")
        return LinearShape(inner * state, inner + 2 * groups * state, kernel, _wide_state(config))
    inner = config.number(WIDTH, "intermediate_size", "d_inner") if state else 0
    return LinearShape(inner * state, inner, kernel, _wide_state(config)) if state else LinearShape()


def _wide_state(config: Config) -> bool:
    """Whether the config asks servers to keep the recurrent state in FP32."""
    return bool(config.raw("mamba_ssm_dtype", "mamba_ssm_cache_dtype") == "float32")


def _kv_heads(config: Config, heads: int) -> int:
    stated = config.number(WIDTH, "num_key_value_heads", "num_kv_heads", "n_head_kv")
    if stated:
        return stated
    return 1 if config.flag("multi_query") and config.flag("new_decoder_architecture") is not True else heads


def _tied(config: Config) -> bool:
    stated = config.flag("tie_word_embeddings")
    return config.model_type in _TIED if stated is None else stated


def _shared_experts(config: Config, width: int) -> int:
    count = config.number(EXPERTS, "n_shared_experts", "num_shared_experts")
    wide = config.number(WIDTH, "shared_expert_intermediate_size", "moe_shared_expert_intermediate_size")
    return count or (max(round(wide / width), 1) if wide and width else 0)


def _dense_layers(config: Config, layers: int) -> int:
    listed = config.raw("mlp_only_layers")
    first = config.number(LAYERS, "first_k_dense_replace", "moe_layer_start_index")
    return min(first or (len(listed) if isinstance(listed, list) else 0), layers)


def _dtype(config: Config) -> str:
    quantised = config.raw("quantization_config")
    if isinstance(quantised, dict):
        method = quantised.get("quant_method")
        return str(method)[:32] if isinstance(method, str) else ""
    stated = config.raw("dtype", "torch_dtype")
    words = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}
    return words.get(stated, "") if isinstance(stated, str) else ""


def packed_bits(config: Config | None) -> float | None:
    """Bits of a weight where a checkpoint packs several into one stored element."""
    quantised = config.raw("quantization_config") if config else None
    if not isinstance(quantised, dict):
        return None
    if quantised.get("load_in_4bit") is True:
        return 4.0
    bits = quantised.get("bits", quantised.get("w_bit"))
    if bits is None:
        groups = quantised.get("config_groups")
        first = next(iter(groups.values()), None) if isinstance(groups, dict) else None
        weights = first.get("weights") if isinstance(first, dict) else None
        bits = weights.get("num_bits") if isinstance(weights, dict) else None
    found = whole(bits, 1, 8)
    return float(found) if found in (2, 3, 4) else None


__all__ = ["Config", "DamagedDocument", "packed_bits", "read_config", "shape_of"]
