"""The inverse questions: how long a context, how many sequences, at what degree, in which format does it fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from attrs import evolve

from engine.catalogue.rows import WeightFormat
from engine.deployment import Deployment
from engine.estimate import Basis, Estimate, Trace
from engine.memory.need import Need, need_of, room_of, split_of
from engine.memory.parallel import refusals, valid_tensor_parallel
from engine.memory.weights import weight_bytes
from engine.units import COUNT, TOKENS

MOST_SEQUENCES = 4096
UNSTATED_CONTEXT = 1_048_576
"""Longest context looked for where the model's own is not published."""


def verdict(deployment: Deployment) -> tuple[bool, bool]:
    """Whether it fits for certain, and whether it fits at the expected figures. A forbidden split does neither."""
    if refusals(deployment.model, deployment.weight_format, deployment.engine, split_of(deployment)):
        return False, False
    need = need_of(deployment)
    value, _, high = need.total(deployment.context_tokens, deployment.concurrency)
    space = room(need)
    return high <= space.low, value <= space.value


def room(need: Need, context_tokens: float | None = None, concurrency: float | None = None) -> Estimate:
    """What the need may take, at the deployment's own context and concurrency unless told."""
    tokens = need.deployment.context_tokens if context_tokens is None else context_tokens
    count = need.deployment.concurrency if concurrency is None else concurrency
    parts = {name: part[0] for name, part in need.runtime(tokens, count).items()}
    return room_of(need.deployment, parts, need.cache_bytes(tokens, count)[0])


def max_context(need: Need) -> Estimate:
    """Longest context, up to the model's own, at which the deployment's concurrency fits: at the expected figures, and certain."""
    limit = need.deployment.model.max_context or UNSTATED_CONTEXT
    return _largest(need, limit, TOKENS, lambda n: (n, need.deployment.concurrency), "trace.max_context_tokens")


def max_concurrency(need: Need) -> Estimate:
    """Most sequences of the deployment's context that fit."""
    limit = MOST_SEQUENCES * need.deployment.data_parallel
    return _largest(need, limit, COUNT, lambda n: (need.deployment.context_tokens, n), "trace.max_concurrency")


def _largest(need: Need, limit: int, unit: str, place: Callable[[float], tuple[float, float]], key: str) -> Estimate:
    """The largest n that fits: expected need in the expected room, high need in the low room, low need in the high room."""
    space = room(need, *place(1.0))

    def most_within(end: int, available: float) -> float:
        return _last_within(lambda n: available - need.total(*place(n))[end], limit)

    value, high, low = most_within(0, space.value), most_within(1, space.high), most_within(2, space.low)
    formula = "largest n with weights + cache(n) + runtime(n) <= device_memory"
    return Estimate(value, min(low, value), max(high, value), unit, Basis.CALIBRATED, Trace(key, formula))


def _last_within(spare: Callable[[float], float], limit: int) -> float:
    """The largest whole n in 0..limit with something to spare (0 where nothing ever is); `spare` never rises.

    Two steps along the straight line between the ends (a cache grows evenly until a window is full), then one to the middle.
    """
    low, high = 0.0, float(limit)
    left, short = spare(low), spare(high)
    if short >= 0:
        return high
    if left < 0:
        return low
    turn = 0
    while high - low > 1:
        share = left / (left - short) if turn % 3 < 2 else 0.5
        n = min(max(math.floor(low + (high - low) * share), low + 1), high - 1)
        found = spare(n)
        if found >= 0:
            low, left = n, found
        else:
            high, short = n, found
        turn += 1
    return low


def smallest_tensor_parallel(deployment: Deployment, most: int = 64) -> int | None:
    """The least degree the shape allows at which it fits for certain; None when none does."""
    degrees = valid_tensor_parallel(deployment.model, deployment.weight_format, deployment.engine, most)
    for degree in degrees:
        if verdict(with_degree(deployment, degree))[0]:
            return degree
    return None


def with_degree(deployment: Deployment, degree: int) -> Deployment:
    """The same deployment cut into that many: tensor-parallel, or by layers where the engine does only that."""
    if deployment.engine.id in ("llama.cpp", "ollama"):
        return evolve(
            deployment, pipeline_parallel=degree, tensor_parallel=1, device_count=degree * deployment.data_parallel
        )
    count = degree * deployment.pipeline_parallel * deployment.data_parallel
    return evolve(deployment, tensor_parallel=degree, device_count=count)


def best_format_that_fits(deployment: Deployment, formats: Iterable[WeightFormat]) -> WeightFormat | None:
    """The widest format the engine loads in which it fits for certain; None when none does."""
    loadable = [f for f in formats if f.family in deployment.engine.families]
    sized = [(weight_bytes(deployment.model, f, deployment.engine).total, f) for f in loadable]
    for _, weight_format in sorted(sized, key=lambda pair: -pair[0]):
        if verdict(evolve(deployment, weight_format=weight_format, file_bytes=None))[0]:
            return weight_format
    return None
