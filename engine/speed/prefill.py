"""A prompt: mostly multiplying, plus attention's square term, the weights once a chunk, and the launching of layers."""

from __future__ import annotations

from typing import Final

from engine.arithmetic import Number, choose, least, most
from engine.speed.calibration import Constants
from engine.speed.case import Case
from engine.speed.decode import blend, touched_share
from engine.speed.parallel import pipeline_speedup, prompt_reduce_seconds, shares

_BLEND: Final = 2.0


def attended_pairs(prompt: Number, cached: Number, window: Number) -> tuple[Number, Number]:
    """Query-key pairs of a causal prompt after `cached` tokens: without a window, and within one."""
    whole = prompt * (cached + prompt / 2.0)
    return whole, least(whole, prompt * most(window, 1.0))


def attention_flop(case: Case, prompt: Number, cached: Number) -> Number:
    """FLOP of scores and values for the whole prompt, all layers."""
    whole, windowed = attended_pairs(prompt, cached, case.shape.window_tokens)
    return case.shape.pair_flop * whole + case.shape.window_pair_flop * windowed


def prefill_seconds(case: Case, constants: Constants, prompt: Number, cached: Number) -> Number:
    """Seconds to take in one prompt alone, `cached` tokens being in the cache already."""
    shape, cut = case.shape, shares(case)
    chunk = least(prompt, case.chunk)
    chunks = prompt / chunk
    computing = _multiplying(case, constants, prompt)
    share = touched_share(shape.n_experts, shape.experts_per_token, 1.0 + (chunk - 1.0) * constants["routing_spread"])
    moe = shape.n_experts > 0
    dense_off, routed_off = choose(moe, 0.0, case.offload), choose(moe, case.offload, 0.0)
    routed = shape.routed_bytes * share / constants["expert_efficiency"] * (1.0 - routed_off) / cut.experts
    read = shape.dense_bytes * (1.0 - dense_off) / cut.attention + routed
    reading = chunks * read / (case.bandwidth * constants["bandwidth_efficiency"])
    host = chunks * (shape.dense_bytes * dense_off + shape.routed_bytes * share * routed_off) / case.host_bandwidth
    attending = attention_flop(case, prompt, cached) / cut.group
    attending = attending / (case.attention * constants["prompt_attention_efficiency"])
    attending = attending + _score_seconds(case, constants, prompt, cached)
    exchanging = prompt_reduce_seconds(case, constants, cut.group, prompt)
    launching = chunks * (
        shape.n_layers * constants["prompt_layer_s"]
        + shape.moe_layers * constants["prompt_expert_layer_s"]
        + shape.latent_layers * constants["prompt_latent_layer_s"]
        + shape.state_layers * constants["prompt_state_layer_s"]
    )
    work = blend(computing, reading, _BLEND) + attending + exchanging
    return work * pipeline_speedup(case, constants, chunks) + launching + host + constants["prompt_s"]


def _multiplying(case: Case, constants: Constants, prompt: Number) -> Number:
    """Matrix work of the prompt on one device; experts run below the rate of dense layers (small, uneven matrices).

    A chip cannot multiply faster than its power limit feeds it: cards of one chip with 300 and 450 W differ by that.
    """
    shape, cut = case.shape, shares(case)
    chosen = shape.experts_per_token / most(shape.n_experts, 1.0)
    dense = 2.0 * shape.dense_params * prompt / cut.group
    routed = 2.0 * shape.routed_params * chosen * prompt / cut.experts / constants["prompt_expert_efficiency"]
    by_rate = (dense + routed) / (case.matrix * constants["prompt_matrix_efficiency"])
    return blend(by_rate, (dense + routed) / (case.power * constants["flop_per_joule"]))


def _score_seconds(case: Case, constants: Constants, prompt: Number, cached: Number) -> Number:
    """Without flash attention every score is written, normalised and read again, about 24 bytes each, by memory's bandwidth."""
    shape, cut = case.shape, shares(case)
    whole, windowed = attended_pairs(prompt, cached, shape.window_tokens)
    scores = (shape.score_heads * whole + shape.window_score_heads * windowed) / cut.group
    return choose(case.flash, 0.0, scores * constants["score_bytes"] / case.bandwidth)
