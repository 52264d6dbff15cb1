"""Tensors that follow from a config alone, where no weight file is at hand: attention of any kind, gated MLPs, experts, towers."""

from __future__ import annotations

from engine.catalogue.rows import TensorGroup
from engine.imports.config_json import Config
from engine.imports.limits import LAYERS, WIDTH
from engine.imports.shape import Shape

_UNGATED = frozenset(
    {"gpt2", "gpt_neox", "falcon", "bert", "opt", "bloom", "nemotron_h", "phi", "starcoder2", "gptj", "roberta"}
)
"""Model types whose MLP has two matrices."""
_POSITIONS = frozenset({"gpt2", "bert", "roberta", "opt"})
"""Model types that learn a table of positions."""


def groups_of(config: Config, shape: Shape) -> tuple[TensorGroup, ...]:
    """Groups by kind; norms and biases are left to the rest."""
    groups = [TensorGroup("token_embedding", 1, shape.vocabulary, shape.hidden)]
    if not shape.tied:
        groups.append(TensorGroup("lm_head", 1, shape.vocabulary, shape.hidden))
    if shape.architecture in _POSITIONS:
        groups.append(TensorGroup("position_embedding", 1, shape.context, shape.hidden))
    groups += _attention(config, shape)
    groups += _linear(config, shape)
    groups += _feed_forward(config, shape)
    groups.append(TensorGroup("vector", 2 * shape.layers + 1, shape.hidden, 1, shape.layers))
    towers = _tower(config)
    if towers:
        groups.append(TensorGroup("vision", 1, towers, 1))
    return tuple(g for g in groups if g.elements)


def _attention(config: Config, shape: Shape) -> list[TensorGroup]:
    hidden, layers = shape.hidden, shape.layers - shape.linear_layers
    if shape.full_layers is not None:
        layers = shape.full_layers + shape.windowed_layers
    if not layers or not shape.heads:
        return []
    if shape.latent:
        return _latent(config, shape, layers)
    gate = 2 if config.flag("attn_output_gate") or shape.architecture.startswith(("qwen3_next", "qwen3_5")) else 1
    values = shape.value_dim or shape.head_dim
    groups = []
    for count, heads, keys, side, value in (
        (shape.windowed_layers or 0, shape.heads, shape.kv_heads, shape.head_dim, values),
        (
            layers - shape.windowed_layers,
            shape.heads,
            shape.global_kv_heads or shape.kv_heads,
            shape.global_head_dim or shape.head_dim,
            shape.global_head_dim or values,
        ),
    ):
        if count:
            groups += [
                TensorGroup("attention_q", count, gate * heads * side, hidden, count),
                TensorGroup("attention_k", count, keys * side, hidden, count),
                TensorGroup("attention_v", count, keys * value, hidden, count),
                TensorGroup("attention_output", count, hidden, heads * value, count),
            ]
    return groups


def _latent(config: Config, shape: Shape, layers: int) -> list[TensorGroup]:
    nope, value = config.number(WIDTH, "qk_nope_head_dim"), config.number(WIDTH, "v_head_dim")
    rank, queries = config.number(WIDTH, "q_lora_rank"), shape.heads * shape.head_dim
    into = [TensorGroup("attention_q", layers, queries, shape.hidden, layers)]
    if rank:
        into = [
            TensorGroup("mla_q_a", layers, rank, shape.hidden, layers),
            TensorGroup("mla_q_b", layers, queries, rank, layers),
        ]
    return [
        *into,
        TensorGroup("mla_kv_a", layers, shape.latent + shape.rope_dim, shape.hidden, layers),
        TensorGroup("mla_k_b", layers, shape.heads * nope, shape.latent, layers),
        TensorGroup("mla_v_b", layers, shape.heads * value, shape.latent, layers),
        TensorGroup("attention_output", layers, shape.hidden, shape.heads * value, layers),
    ]


def _linear(config: Config, shape: Shape) -> list[TensorGroup]:
    layers, hidden = shape.linear_layers, shape.hidden
    if not layers:
        return []
    heads = config.number(WIDTH, "linear_num_value_heads")
    if heads:
        value = heads * config.number(WIDTH, "linear_value_head_dim")
        return [
            TensorGroup("linear_qkv", layers, shape.linear.conv_channels, hidden, layers),
            TensorGroup("linear_gate", layers, value, hidden, layers),
            TensorGroup("linear_small", layers, 2 * heads, hidden, layers),
            TensorGroup("linear_output", layers, hidden, value, layers),
        ]
    count = config.number(WIDTH, "mamba_num_heads", "mamba_n_heads")
    if count:
        inner = count * config.number(WIDTH, "mamba_head_dim", "mamba_d_head")
        return [
            TensorGroup("ssm_in", layers, inner + shape.linear.conv_channels + count, hidden, layers),
            TensorGroup("ssm_out", layers, hidden, inner, layers),
        ]
    kda = config.raw("linear_attn_config")
    if isinstance(kda, dict):
        inner = shape.linear.conv_channels // 3
        return [
            TensorGroup("linear_qkv", 3 * layers, inner, hidden, layers),
            TensorGroup("linear_output", layers, hidden, inner, layers),
        ]
    inner, state = shape.linear.conv_channels, config.number(WIDTH, "state_size", "mamba_d_state", "ssm_state_size")
    step = (
        config.number(WIDTH, "time_step_rank", "mamba_dt_rank")
        if isinstance(config.raw("time_step_rank"), int)
        else -(-hidden // 16)
    )
    return [
        TensorGroup("ssm_in", layers, 2 * inner, hidden, layers),
        TensorGroup("ssm_out", layers, hidden, inner, layers),
        TensorGroup("ssm_small", layers, inner, 2 * step + 3 * state, layers),
    ]


def _feed_forward(config: Config, shape: Shape) -> list[TensorGroup]:
    pattern = config.raw("hybrid_override_pattern")
    gated = shape.architecture not in _UNGATED
    if isinstance(pattern, str):
        sparse, dense = pattern.count("E"), pattern.count("-")
    elif shape.experts:
        period = max(config.number(LAYERS, "decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_freq"), 1)
        sparse = (shape.layers - shape.dense_layers) // period
        dense = shape.layers - sparse
    else:
        state_only = shape.linear_layers == shape.layers and not shape.heads
        sparse, dense = 0, 0 if state_only else shape.layers
    dense_width = config.number(WIDTH, "intermediate_size_mlp", "dense_intermediate_size") or shape.intermediate
    groups = _mlp("mlp", dense, 1, dense_width, shape.hidden, gated)
    if sparse and shape.experts:
        groups.append(TensorGroup("router", sparse, shape.experts, shape.hidden, sparse))
        groups += _mlp("expert", sparse, shape.experts, shape.expert_width, shape.hidden, gated)
        shared = config.number(WIDTH, "shared_expert_intermediate_size", "moe_shared_expert_intermediate_size")
        groups += _mlp("shared", sparse, 1, shared or shape.shared_experts * shape.expert_width, shape.hidden, gated)
    return groups


def _mlp(prefix: str, layers: int, experts: int, width: int, hidden: int, gated: bool) -> list[TensorGroup]:
    count = layers * experts
    groups = [
        TensorGroup(f"{prefix}_up", count, width, hidden, layers),
        TensorGroup(f"{prefix}_down", count, hidden, width, layers),
    ]
    return [TensorGroup(f"{prefix}_gate", count, width, hidden, layers), *groups] if gated else groups


def _tower(config: Config) -> int:
    """Elements of a vision tower: four attention matrices and two of its MLP a layer."""
    vision = config.outer.get("vision_config")
    if not isinstance(vision, dict):
        return 0
    cells = Config(vision, config.path)
    hidden, depth = cells.number(WIDTH, "hidden_size", "embed_dim"), cells.number(LAYERS, "num_hidden_layers", "depth")
    width = cells.number(WIDTH, "intermediate_size") or 4 * hidden
    return depth * (4 * hidden * hidden + 2 * hidden * width)
