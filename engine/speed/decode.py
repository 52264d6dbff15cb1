"""One decode step: what is read, multiplied, exchanged and launched to give each running sequence its next token."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from engine.arithmetic import Number, Truth, choose, cube_root, least, most, root
from engine.speed.calibration import Constants
from engine.speed.case import Case
from engine.speed.parallel import reduce_seconds, shares

_BLEND: Final = 3.0
"""Reading and multiplying overlap: the longer counts, the shorter shows a little (p-norm)."""
PLANNED_HOP_S: Final = 1e-6
"""Assumed: a few KB of activations over a planned chip-to-chip link of 240 GB/s, no handshake (handbook 12.5.4)."""
_LATENT_EFFICIENCY: Final = 0.5
_DRAFT_SHARE: Final = 0.5
"""Speculation checks half as many drafts again as it keeps (acceptance near two thirds, arXiv 2211.17192)."""


@frozen
class DecodeStep:
    """Seconds of one step, by what they are spent on."""

    weights: Number
    """Reading weights, or multiplying them where the batch is large."""
    compute_bound: Truth
    """True where multiplying takes longer than reading."""
    cache: Number
    exchange: Number
    layers: Number
    """Launching the layers' kernels."""
    step: Number
    """Scheduler, sampler, and a little for each sequence."""
    offload: Number

    @property
    def seconds(self) -> Number:
        total: Number = self.weights + self.cache + self.exchange + self.layers + self.step + self.offload
        return total


def blend(first: Number, second: Number, power: float = _BLEND) -> Number:
    """Two costs that overlap in part: between the longer of them (power large) and their sum (power 1)."""
    if power == 2.0:
        return root(first * first + second * second)
    if power == 3.0:
        return cube_root(first * first * first + second * second * second)
    return (first**power + second**power) ** (1.0 / power)


def touched_share(n_experts: Number, experts_per_token: Number, tokens: Number) -> Number:
    """Share of the experts that at least one of `tokens` tokens is sent to: 1 - (1 - k/E)^tokens (independent routing)."""
    chosen = experts_per_token / most(n_experts, 1.0)
    return choose(n_experts > 0, 1.0 - (1.0 - chosen) ** tokens, 0.0)


def cached_bytes(case: Case, tokens: Number) -> Number:
    """Bytes of cache a step reads for one sequence of that many tokens (windows stop growing; the state is apart)."""
    shape = case.shape
    seen = shape.cache_elements * tokens + shape.window_elements * least(tokens, shape.window_tokens)
    return case.cache_bytes * seen


def decode_step(case: Case, constants: Constants, batch: Number, tokens: Number) -> DecodeStep:
    """Seconds a step takes with `batch` sequences of `tokens` cached tokens in one replica, on its slowest device.

    Stages of a pipeline run one after the other, so weights and layers are not divided by them; the batch is (micro-batches).
    """
    shape, cut = case.shape, shares(case)
    checked = choose(case.tokens_a_step > 1.0, 1.0 + (case.tokens_a_step - 1.0) * (1.0 + _DRAFT_SHARE), 1.0)
    micro = most(batch / case.pipeline, 1.0)
    rank = most(choose(case.attention_data, batch / case.data, micro), 1.0)
    read, offloaded = _read_bytes(case, constants, micro * checked)
    reading = read / (case.bandwidth * constants["bandwidth_efficiency"])
    multiplying = _flop(case, constants, rank * checked, micro * checked) / (
        case.matrix * constants["batch_matrix_efficiency"]
    )
    cache = _cache_seconds(case, constants, rank, tokens)
    hop = choose(case.planned, PLANNED_HOP_S, constants["hop_s"])
    layers = (
        shape.n_layers * constants["layer_s"]
        + shape.moe_layers * constants["expert_layer_s"]
        + shape.state_layers * constants["state_layer_s"]
        + shape.indexer_layers * constants["indexer_layer_s"]
        + shape.latent_layers * constants["latent_layer_s"]
    )
    return DecodeStep(
        weights=blend(reading, multiplying),
        compute_bound=multiplying > reading,
        cache=cache,
        exchange=reduce_seconds(case, constants, cut.group, micro * checked),
        layers=layers,
        step=constants["step_s"] + batch * constants["sequence_s"] + (case.pipeline - 1.0) * hop,
        offload=offloaded / case.host_bandwidth,
    )


def _imbalance(case: Case, constants: Constants) -> Number:
    """With whole experts on ranks the fullest rank has more than its share."""
    return choose(case.spread_experts, 1.0 + constants["expert_imbalance"], 1.0)


def _read_bytes(case: Case, constants: Constants, tokens: Number) -> tuple[Number, Number]:
    """Weight bytes of one device and weight bytes of the host that a step of `tokens` tokens reads.

    Tokens of one batch are alike, so they meet fewer experts than independent ones would: `routing_spread` of them count.
    """
    shape, cut = case.shape, shares(case)
    share = touched_share(shape.n_experts, shape.experts_per_token, 1.0 + (tokens - 1.0) * constants["routing_spread"])
    routed = shape.routed_bytes * share / constants["expert_efficiency"] * _imbalance(case, constants)
    moe = shape.n_experts > 0
    dense_off, routed_off = choose(moe, 0.0, case.offload), choose(moe, case.offload, 0.0)
    device = shape.dense_bytes * (1.0 - dense_off) / cut.attention + routed * (1.0 - routed_off) / cut.experts
    host = shape.dense_bytes * dense_off + shape.routed_bytes * share * routed_off
    return device, host


def _flop(case: Case, constants: Constants, rank_tokens: Number, tokens: Number) -> Number:
    """Multiply-adds (as 2 FLOP) of one device for its own sequences and for the experts it holds."""
    shape, cut = case.shape, shares(case)
    chosen = shape.experts_per_token / most(shape.n_experts, 1.0)
    dense = 2.0 * (shape.dense_params + shape.head_params) * rank_tokens / cut.attention
    return dense + 2.0 * shape.routed_params * chosen * tokens / cut.experts * _imbalance(case, constants)


def _cache_seconds(case: Case, constants: Constants, rank: Number, tokens: Number) -> Number:
    shape, cut = case.shape, shares(case)
    rate = case.bandwidth * constants["cache_efficiency"]
    reading = cached_bytes(case, tokens) * rank / cut.cache / rate
    multiplying = shape.latent_flop * tokens * rank / cut.attention / (case.attention * _LATENT_EFFICIENCY)
    state = 2.0 * shape.state_bytes * rank / cut.attention / rate
    return blend(reading, multiplying) + state
