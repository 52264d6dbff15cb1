"""What physics allows: bytes that must move over bandwidth, multiplications over the peak rate. No measurement may beat it."""

from __future__ import annotations

import math

from engine.arithmetic import Number, choose, is_nan, least, most
from engine.speed.case import Case
from engine.speed.decode import cached_bytes
from engine.speed.parallel import replicas
from engine.speed.prefill import attention_flop


def least_step_bytes(case: Case, batch: Number, tokens: Number) -> Number:
    """Bytes a step cannot do without, all devices together: weights once, with the fewest experts a token needs, and the cache
    of each sequence. A layer may skip nothing; tokens of one batch might all choose the same experts.
    """
    shape = case.shape
    chosen = shape.experts_per_token / most(shape.n_experts, 1.0)
    weights = shape.dense_bytes + shape.routed_bytes * chosen
    return weights + batch * (cached_bytes(case, tokens) + shape.state_bytes)


def decode_ceiling_tokens_per_s(case: Case, batch: Number, tokens: Number) -> Number:
    """Most tokens/s of `batch` sequences in step. Tensor parallelism adds up bandwidth; a pipeline does so only for as many
    sequences as it has stages, because one token passes them one after the other.
    """
    copies = replicas(case)
    held = most(batch / copies, 1.0)
    together = case.tensor * choose(case.attention_data, case.data, 1.0) * least(case.pipeline, held)
    moving = least_step_bytes(case, held, tokens) / (case.bandwidth * together)
    shape = case.shape
    chosen = shape.experts_per_token / most(shape.n_experts, 1.0)
    flop = 2.0 * (shape.dense_params + shape.head_params + shape.routed_params * chosen) * held
    multiplying = flop / (case.peak * together)
    multiplying = choose(is_nan(multiplying), 0.0, multiplying)
    return least(batch, copies) * held * case.tokens_a_step / most(moving, multiplying)


def prefill_ceiling_tokens_per_s(case: Case, prompt: Number, cached: Number) -> Number:
    """Most prompt tokens/s of one prompt, every device at its peak. Infinite where no rate is published."""
    shape = case.shape
    chosen = shape.experts_per_token / most(shape.n_experts, 1.0)
    flop = 2.0 * (shape.dense_params + shape.routed_params * chosen) * prompt + attention_flop(case, prompt, cached)
    devices = case.tensor * case.pipeline * choose(case.attention_data, case.data, 1.0)
    seconds = flop / (case.peak * devices)
    return choose(is_nan(seconds), math.inf, prompt / choose(is_nan(seconds), 1.0, seconds))


def read_seconds(model_bytes: Number, bandwidth_bytes_per_s: Number) -> Number:
    """The handbook's first sum: 70 GB over 3 TB/s take 23.3 ms, over 80 TB/s of on-chip memory 0.875 ms."""
    return model_bytes / bandwidth_bytes_per_s
