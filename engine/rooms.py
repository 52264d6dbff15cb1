"""The memory and speed rooms asked once for each deployment: equal questions are answered from the last ones kept.

A deployment holds whole catalogue rows; its key is made of their identities and the few numbers that differ, which is far cheaper
than comparing rows. The rows are kept alive by the kept answer, so an identity is never reused under it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final, TypeVar

from engine.deployment import Deployment
from engine.errors import Refused
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
Key = tuple[object, ...]


def key_of(deployment: Deployment) -> Key:
    """What tells two deployments apart."""
    d = deployment
    return (
        id(d.model), id(d.weight_format), id(d.device), id(d.engine), d.kv_format, d.device_count, d.tensor_parallel,
        d.pipeline_parallel, d.data_parallel, d.expert_parallel, d.context_tokens, d.concurrency, d.prompt_tokens,
        d.output_tokens, d.cached_prefix_share, d.speculative_acceptance, d.flash_attention, d.offloaded_layer_share,
        d.engine_version, d.file_bytes, d.measured_bandwidth_bytes_per_s, d.measured_flop_per_s, d.backend, d.arrival,
        d.maximum_load,
    )  # fmt: skip


class Kept:
    """A room's answers, or its refusals, for the last deployments asked about. Safe to ask from two threads."""

    def __init__(self) -> None:
        self._held: OrderedDict[Key, tuple[Deployment, object]] = OrderedDict()
        self._lock = Lock()

    def ask(self, deployment: Deployment, room_of: Callable[[Deployment], T]) -> T | Message:
        """The room's answer, or the reason it refused."""
        key = key_of(deployment)
        with self._lock:
            held = self._held.get(key)
            if held is not None:
                self._held.move_to_end(key)
                return held[1]  # type: ignore[return-value]
        try:
            answer: T | Message = room_of(deployment)
        except Refused as refused:
            answer = refused.message
        with self._lock:
            self._held[key] = (deployment, answer)
            if len(self._held) > KEPT:
                self._held.popitem(last=False)
        return answer


_FITS: Final = Kept()
_HOLDS: Final = Kept()
_CACHES: Final = Kept()
_SPEEDS: Final = Kept()


def fit_of(deployment: Deployment) -> FitResult | Message:
    """The memory of a deployment, or why there is no answer."""
    return _FITS.ask(deployment, fit)


def holds(deployment: Deployment) -> bool:
    """Whether it certainly fits, without the rest of the memory room's answer; False where the room refuses."""
    return _HOLDS.ask(deployment, _certain) is True


def _certain(deployment: Deployment) -> bool:
    check_split(deployment.model, deployment.weight_format, deployment.engine, split_of(deployment))
    need = need_of(deployment)
    _value, _low, high = need.total(deployment.context_tokens, deployment.concurrency)
    return float(high) <= room(need).low


def cache_bytes(deployment: Deployment) -> float:
    """KV cache of all its sequences at full context, without the rest; 0 where the shape is unpublished."""
    answer = _CACHES.ask(deployment, _cache)
    return 0.0 if isinstance(answer, Message) else answer


def _cache(deployment: Deployment) -> float:
    value, _low, _high = need_of(deployment).cache_bytes(deployment.context_tokens, deployment.concurrency)
    return float(value)


def speed_of(deployment: Deployment) -> SpeedResult | Message:
    """The speed of a deployment, or why there is no answer."""
    return _SPEEDS.ask(deployment, speed)
