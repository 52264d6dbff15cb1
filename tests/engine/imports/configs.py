"""Shapes as published in config.json files (facts only, the fields that are read)."""


def _types(pattern, layers):
    return [pattern[i % len(pattern)] for i in range(layers)]


_FULL, _WINDOW, _LINEAR = "full_attention", "sliding_attention", "linear_attention"

CONFIGS = {
    "llama-3.1-8b": {
        "model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 14336, "vocab_size": 128256, "tie_word_embeddings": False, "max_position_embeddings": 131072,
        "torch_dtype": "bfloat16",
    },
    "qwen3-0.6b": {
        "model_type": "qwen3", "num_hidden_layers": 28, "hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 8,
        "head_dim": 128, "intermediate_size": 3072, "vocab_size": 151936, "tie_word_embeddings": True, "sliding_window": None,
        "use_sliding_window": False, "max_position_embeddings": 40960,
    },
    "qwen3-30b-a3b": {
        "model_type": "qwen3_moe", "num_hidden_layers": 48, "hidden_size": 2048, "num_attention_heads": 32,
        "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 6144, "moe_intermediate_size": 768,
        "num_experts": 128, "num_experts_per_tok": 8,
        "decoder_sparse_step": 1, "mlp_only_layers": [], "vocab_size": 151936, "tie_word_embeddings": False,
        "max_position_embeddings": 40960,
    },
    "deepseek-v3": {
        "model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168, "num_attention_heads": 128,
        "num_key_value_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
        "v_head_dim": 128, "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 256,
        "n_shared_experts": 1,
        "num_experts_per_tok": 8, "first_k_dense_replace": 3, "moe_layer_freq": 1, "vocab_size": 129280,
        "tie_word_embeddings": False, "quantization_config": {"quant_method": "fp8"},
    },
    "gpt-oss-20b": {
        "model_type": "gpt_oss", "num_hidden_layers": 24, "hidden_size": 2880, "num_attention_heads": 64, "num_key_value_heads": 8,
        "head_dim": 64, "intermediate_size": 2880, "num_local_experts": 32, "num_experts_per_tok": 4, "sliding_window": 128,
        "layer_types": _types([_WINDOW, _FULL], 24), "vocab_size": 201088, "tie_word_embeddings": False,
        "quantization_config": {"quant_method": "mxfp4"},
    },
    "gemma-3-27b": {
        "model_type": "gemma3",
        "text_config": {
            "model_type": "gemma3_text", "num_hidden_layers": 62, "hidden_size": 5376, "num_attention_heads": 32,
            "num_key_value_heads": 16, "head_dim": 128, "intermediate_size": 21504, "sliding_window": 1024,
            "sliding_window_pattern": 6, "vocab_size": 262208,
        },
        "vision_config": {"hidden_size": 1152, "num_hidden_layers": 27, "intermediate_size": 4304},
    },
    "gemma-4-31b": {
        "model_type": "gemma4",
        "text_config": {
            "model_type": "gemma4_text", "num_hidden_layers": 60, "hidden_size": 5376, "num_attention_heads": 32,
            "num_key_value_heads": 16, "head_dim": 256, "global_head_dim": 512, "num_global_key_value_heads": 4,
            "attention_k_eq_v": True, "intermediate_size": 21504, "sliding_window": 1024,
            "layer_types": _types([_WINDOW] * 5 + [_FULL], 60), "vocab_size": 262144, "num_kv_shared_layers": 0,
        },
        "vision_config": {"hidden_size": 1152, "num_hidden_layers": 27, "intermediate_size": 4304},
    },
    "qwen3.5-27b": {
        "model_type": "qwen3_5",
        "text_config": {
            "model_type": "qwen3_5_text", "num_hidden_layers": 64, "hidden_size": 5120, "num_attention_heads": 24,
            "num_key_value_heads": 4, "head_dim": 256, "attn_output_gate": True, "intermediate_size": 17408,
            "layer_types": _types([_LINEAR] * 3 + [_FULL], 64), "linear_num_value_heads": 48, "linear_num_key_heads": 16,
            "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4, "vocab_size": 248320,
            "tie_word_embeddings": False,
        },
        "vision_config": {"hidden_size": 1152, "depth": 27, "intermediate_size": 4304},
    },
    "nemotron-3-nano-30b-a3b": {
        "model_type": "nemotron_h", "num_hidden_layers": 52, "hidden_size": 2688, "num_attention_heads": 32,
        "num_key_value_heads": 2, "head_dim": 128,
        "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
        "mamba_num_heads": 64, "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8, "conv_kernel": 4,
        "intermediate_size": 1856, "moe_intermediate_size": 1856, "n_routed_experts": 128, "num_experts_per_tok": 6,
        "n_shared_experts": 1, "moe_shared_expert_intermediate_size": 3712, "vocab_size": 131072, "tie_word_embeddings": False,
    },
    "falcon-mamba-7b": {
        "model_type": "falcon_mamba", "num_hidden_layers": 64, "hidden_size": 4096, "intermediate_size": 8192, "state_size": 16,
        "conv_kernel": 4, "time_step_rank": 256, "vocab_size": 65024, "tie_word_embeddings": False,
    },
    "falcon-40b": {
        "model_type": "falcon", "num_hidden_layers": 60, "hidden_size": 8192, "num_attention_heads": 128, "num_kv_heads": 8,
        "new_decoder_architecture": True, "vocab_size": 65024, "tie_word_embeddings": True,
    },
    "gpt-2": {
        "model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": 1024, "vocab_size": 50257,
        "tie_word_embeddings": True,
    },
}  # fmt: skip
