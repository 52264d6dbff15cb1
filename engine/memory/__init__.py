"""Does it fit? Weights, KV cache, runtime and training memory, and the inverse questions.

The ways in: `fit.fit(deployment)`; `tensors.inventory` and `weights.weight_bytes` for what a step reads; `kv_cache.cache_kernel`;
`tables.memory_tables` for sweeps; `training.training_memory`; `predict_rows.predict` for measured rows.
"""
