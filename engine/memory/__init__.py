"""Does it fit? Weights, KV cache, runtime and training memory, and the inverse questions."""
