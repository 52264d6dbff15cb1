"""What a split over devices does to time: who holds what, how often they must talk, how many chips it takes."""

from __future__ import annotations

import math

from attrs import frozen

from engine.arithmetic import Number, choose, least, log2, most
from engine.speed.calibration import Constants
from engine.speed.case import Case

_REDUCES_A_LAYER = 2.0
"""Tensor parallelism sums once after attention and once after the MLP (Megatron-LM, arXiv 1909.08053)."""
_ACTIVATION_BYTES = 2.0
_RING = 2.0
"""An all-reduce moves the message about twice: it is reduced, then handed out."""


@frozen
class Shares:
    """Into how many parts each piece of work is cut."""

    attention: Number
    """Attention and dense layers, of one device's view of its sequences."""
    experts: Number
    cache: Number
    """The cache of one sequence: no finer than it has heads; a latent cache is not cut at all."""
    group: Number
    """Devices that have to talk every layer."""


def shares(case: Case) -> Shares:
    """Tensor parallelism cuts everything; with attention data parallelism attention is whole and only experts are cut."""
    group = choose(case.attention_data, case.data * case.tensor, case.tensor)
    attention = case.tensor
    return Shares(attention, group, least(attention, case.shape.cache_heads), group)


def replicas(case: Case) -> Number:
    """Independent copies of the service: data parallel ranks, unless they share the experts and step together."""
    alone: Number = choose(case.attention_data, 1.0, case.data)
    return alone


def reduce_seconds(case: Case, constants: Constants, group: Number, tokens: Number) -> Number:
    """Time of a step's exchanges: a latency that grows with the group, plus the message over the link. 0 on one device."""
    latency = constants["reduce_s"] * log2(most(group, 2.0)) ** constants["reduce_growth"]
    message = tokens * case.shape.hidden * _ACTIVATION_BYTES
    each = latency + _RING * message / (case.link * constants["link_efficiency"])
    whole: Number = choose(group > 1, _REDUCES_A_LAYER * case.shape.n_layers * each, 0.0)
    return whole


def prompt_reduce_seconds(case: Case, constants: Constants, group: Number, tokens: Number) -> Number:
    """The same for a prompt: messages are large, latency does not count."""
    message = tokens * case.shape.hidden * _ACTIVATION_BYTES
    each = _RING * message / (case.link * constants["link_efficiency"])
    whole: Number = choose(group > 1, _REDUCES_A_LAYER * case.shape.n_layers * each, 0.0)
    return whole


def pipeline_speedup(case: Case, constants: Constants, pieces: Number) -> Number:
    """How much longer (below 1: shorter) a prompt of `pieces` micro-batches takes on a pipeline than on one device.

    (pieces + stages - 1) / (pieces x stages), the fill and drain of a pipeline (GPipe, arXiv 1811.06965), raised to the
    calibrated share of it that engines reach.
    """
    stages = case.pipeline
    ideal = (pieces + stages - 1.0) / (pieces * stages)
    got: Number = choose(stages > 1, least(ideal, 1.0) ** constants["pipeline_gain"], 1.0)
    return got


def chips_needed(model_bytes: float, bytes_a_chip: float) -> int:
    """Chips that hold a model on-chip: 70 GB on chips of 230 MB take 305."""
    return math.ceil(model_bytes / bytes_a_chip)
