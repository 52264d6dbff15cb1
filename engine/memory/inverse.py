"""The inverse questions: how long a context, how many sequences, at what degree, in which format does it fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt
from attrs import evolve

from engine.catalogue.rows import WeightFormat
from engine.deployment import Deployment
from engine.estimate import Basis, Estimate, Trace
from engine.memory.need import Need, need_of, room_of, split_of
from engine.memory.parallel import refusals, valid_tensor_parallel
from engine.memory.weights import weight_bytes
from engine.units import COUNT, TOKENS

Array = npt.NDArray[np.float64]

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
    return float(high) <= space.low, float(value) <= space.value


def room(need: Need, context_tokens: float | None = None, concurrency: float | None = None) -> Estimate:
    """What the need may take, at the deployment's own context and concurrency unless told."""
    tokens = need.deployment.context_tokens if context_tokens is None else context_tokens
    count = need.deployment.concurrency if concurrency is None else concurrency
    parts = {name: float(part[0]) for name, part in need.runtime(tokens, count).items()}
    return room_of(need.deployment, parts, float(need.cache_bytes(tokens, count)[0]))


def max_context(need: Need) -> Estimate:
    """Longest context, up to the model's own, at which the deployment's concurrency fits: at the expected figures, and certain."""
    limit = need.deployment.model.max_context or UNSTATED_CONTEXT
    return _largest(need, limit, TOKENS, lambda n: (n, need.deployment.concurrency), "trace.max_context_tokens")


def max_concurrency(need: Need) -> Estimate:
    """Most sequences of the deployment's context that fit."""
    limit = MOST_SEQUENCES * need.deployment.data_parallel
    return _largest(need, limit, COUNT, lambda n: (need.deployment.context_tokens, n), "trace.max_concurrency")


def _largest(
    need: Need, limit: int, unit: str, place: Callable[[Array], tuple[npt.ArrayLike, npt.ArrayLike]], key: str
) -> Estimate:
    """The largest n that fits: expected need in the expected room, high need in the low room, low need in the high room."""
    tokens, count = place(np.asarray(1.0))
    space = room(need, float(np.max(tokens)), float(np.max(count)))
    available = np.array([space.value, space.high, space.low])

    def short(n: Array) -> npt.NDArray[np.bool_]:
        return np.stack([end[row] for row, end in enumerate(need.total(*place(n)))]) > available[:, None]

    value, high, low = (float(n) for n in _search(short, limit))
    formula = "largest n with weights + cache(n) + runtime(n) <= device_memory"
    return Estimate(value, min(low, value), max(high, value), unit, Basis.CALIBRATED, Trace(key, formula))


def _search(short: Callable[[Array], npt.NDArray[np.bool_]], limit: int) -> Array:
    """For three rows at once: the largest whole n in 0..limit that is not short, n growing the need, by narrowing grids.

    A grid has about the square root of the limit's points, so that two looks find the exact n.
    """
    points = min(max(math.isqrt(limit) + 2, 8), 1100)
    steps, rows = np.arange(points) / (points - 1), np.arange(3)
    low, high, capped = np.zeros(3), np.full(3, float(limit)), np.zeros(3, np.bool_)
    while True:
        grid = np.floor(low[:, None] + (high - low)[:, None] * steps)
        misses = short(grid)
        misses[:, 0] = False  # `low` is known to fit (or is nothing at all)
        first = np.argmax(misses, axis=1)
        capped |= ~misses.any(axis=1)
        low, high = np.where(capped, high, grid[rows, first - 1]), np.where(capped, high, grid[rows, first])
        if np.all(high - low <= 1):
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
