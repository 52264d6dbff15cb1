"""What a tensor's name says about its use: names of Hugging Face checkpoints and of GGUF files to the kinds of the memory room."""

from __future__ import annotations

import re
from typing import Final

_LAYER: Final = re.compile(r"(?:^|\.)(?:layers|blk|h|block|blocks|layer)\.(\d+)\.")
_EXPERT: Final = re.compile(r"\.experts\.(\d+)\.")

_RULES: Final = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (
            r"^(v\.|mm\.|vision|visual|model\.vision|model\.visual|vision_tower|multi_modal|mm_projector|embed_vision)",
            "vision",
        ),
        (r"(vision_tower|vision_model|visual\.|multi_modal_projector|embed_vision|patch_embed)", "vision"),
        (r"(^a\.|audio_tower|audio_encoder|embed_audio)", "audio"),
        (r"(per_layer_token_embd|embed_tokens_per_layer)", "per_layer_embedding"),
        (r"(token_embd|embed_tokens|wte|word_embeddings|tok_embeddings|embeddings\.weight)", "token_embedding"),
        (r"(position_embd|wpe|position_embeddings|token_types|token_type_embeddings)", "position_embedding"),
        (r"(^output\.weight|lm_head|embed_out|^head\.weight)", "lm_head"),
        (r"(conv1d|shortconv)", "conv"),
        (r"indexer", "indexer"),
        (r"compressor", "compressor"),
        (r"(ffn_gate_inp|mlp\.gate\.weight|router|block_sparse_moe\.gate\.|mixer\.gate\.weight)", "router"),
        (r"(ffn_gate_shexp|shared_experts?\.gate_proj)", "shared_gate"),
        (r"(ffn_up_shexp|shared_experts?\.up_proj)", "shared_up"),
        (r"(ffn_down_shexp|shared_experts?\.down_proj)", "shared_down"),
        (r"(ffn_gate_exps|ffn_gate_up_exps|experts\.(\d+\.)?(gate_proj|gate_up_proj|w1)\b)", "expert_gate"),
        (r"(ffn_up_exps|experts\.(\d+\.)?(up_proj|w3)\b)", "expert_up"),
        (r"(ffn_down_exps|experts\.(\d+\.)?(down_proj|w2)\b)", "expert_down"),
        (r"(linear_attn\.in_proj_qkv|linear_attn\.in_proj_qkvz)", "linear_qkv"),
        (r"(attn_gate|linear_attn\.in_proj_z)", "linear_gate"),
        (r"(ssm_ba|ssm_alpha|ssm_beta|linear_attn\.in_proj_(ba|a|b)\b|ssm_f_|ssm_g_)", "linear_small"),
        (r"(linear_attn\.out_proj)", "linear_output"),
        (r"(ssm_in|mixer\.in_proj|mamba\.in_proj)", "ssm_in"),
        (r"(ssm_out|mixer\.out_proj|mamba\.out_proj)", "ssm_out"),
        (r"(ssm_x|ssm_dt|ssm_a\b|ssm_d\b|x_proj|dt_proj|A_log)", "ssm_small"),
        (r"(attn_q_a|q_a_proj)", "mla_q_a"),
        (r"(attn_q_b|q_b_proj)", "mla_q_b"),
        (r"(attn_kv_a_mqa|kv_a_proj)", "mla_kv_a"),
        (r"(attn_kv_b|kv_b_proj|attn_k_b)", "mla_k_b"),
        (r"(attn_v_b)", "mla_v_b"),
        (r"(attn_qkv|query_key_value|c_attn|qkv_proj|Wqkv)", "attention_qkv"),
        (
            r"(attn_output|self_attn\.o_proj|attn\.c_proj|self_attention\.dense|attention\.output\.dense|attention\.wo)",
            "attention_output",
        ),
        (r"(attn_q\b|q_proj|attention\.self\.query|attention\.wq)", "attention_q"),
        (r"(attn_k\b|k_proj|attention\.self\.key|attention\.wk)", "attention_k"),
        (r"(attn_v\b|v_proj|attention\.self\.value|attention\.wv)", "attention_v"),
        (r"(ffn_gate\b|gate_proj|feed_forward\.w1)", "mlp_gate"),
        (r"(ffn_up\b|up_proj|c_fc|h_to_4h|gate_up_proj|fc1|intermediate\.dense|feed_forward\.w3)", "mlp_up"),
        (r"(ffn_down\b|down_proj|mlp\.c_proj|4h_to_h|fc2|output\.dense|feed_forward\.w2)", "mlp_down"),
    )
)


def kind_of(name: str, dimensions: int) -> str:
    """The kind of a tensor. One-dimensional ones (norms, biases, scales) are vectors; what no rule knows is "mixer"."""
    if dimensions < 2 or name.endswith((".bias", "_norm.weight", "norm.weight")):
        return "vision" if _RULES[0][0].search(name) or _RULES[1][0].search(name) else "vector"
    for pattern, kind in _RULES:
        if pattern.search(name):
            return kind
    return "mixer"


def layer_of(name: str) -> int | None:
    """The layer a tensor belongs to; None outside the layers."""
    found = _LAYER.search(name)
    return int(found.group(1)) if found and len(found.group(1)) < 6 else None
