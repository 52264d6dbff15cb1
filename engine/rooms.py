"""The memory and speed rooms asked once for each deployment: equal questions are answered from the last ones kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from engine.deployment import Deployment
from engine.errors import Refused
from engine.kept import Kept, deployment_key
from engine.memory.fit import fit
from engine.memory.inverse import room
from engine.memory.need import need_of, split_of
from engine.memory.parallel import check_split
from engine.memory.results import FitResult
from engine.messages import Message
from engine.speed.results import SpeedResult
from engine.speed.speed import speed

KEPT: Final = 512

T = TypeVar("T")


def kept(room_of: Callable[[Deployment], T]) -> Kept[Deployment, T | Message]:
    """A room's answers, or the reasons it refused, for the last deployments asked about."""

    def answer(deployment: Deployment) -> T | Message:
        try:
            return room_of(deployment)
        except Refused as refused:
            return refused.message

    return Kept(deployment_key, answer, KEPT)


def fit_of(deployment: Deployment) -> FitResult | Message:
    """The memory of a deployment, or why there is no answer."""
    return _FITS(deployment)


def holds(deployment: Deployment) -> bool:
    """Whether it certainly fits, without the rest of the memory room's answer; False where the room refuses."""
    return _HOLDS(deployment) is True


def _certain(deployment: Deployment) -> bool:
    check_split(deployment.model, deployment.weight_format, deployment.engine, split_of(deployment))
    need = need_of(deployment)
    _value, _low, high = need.total(deployment.context_tokens, deployment.concurrency)
    return float(high) <= room(need).low


def cache_bytes(deployment: Deployment) -> float:
    """KV cache of all its sequences at full context, without the rest; 0 where the shape is unpublished."""
    answer = _CACHES(deployment)
    return 0.0 if isinstance(answer, Message) else answer


def _cache(deployment: Deployment) -> float:
    value, _low, _high = need_of(deployment).cache_bytes(deployment.context_tokens, deployment.concurrency)
    return float(value)


def speed_of(deployment: Deployment) -> SpeedResult | Message:
    """The speed of a deployment, or why there is no answer."""
    return _SPEEDS(deployment)


_FITS: Final = kept(fit)
_HOLDS: Final = kept(_certain)
_CACHES: Final = kept(_cache)
_SPEEDS: Final = kept(speed)
