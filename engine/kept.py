"""Answers kept for questions asked again: the last ones, by the identity of what was asked about.

A deployment holds whole catalogue rows. A key made of their identities and the few numbers that differ is far cheaper than
comparing rows; what was asked about is kept alive with its answer, so an identity is never reused under it. An answer depends on
nothing but its question, so it makes no difference whether it was kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from engine.deployment import Deployment

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
Key = tuple[object, ...]


class Kept(Generic[Asked, Answer]):
    """The last `most` answers. Safe to ask from several threads."""

    def __init__(self, key_of: Callable[[Asked], Key], answer: Callable[[Asked], Answer], most: int) -> None:
        self._key_of, self._answer, self._most = key_of, answer, most
        self._held: OrderedDict[Key, tuple[Asked, Answer]] = OrderedDict()
        self._lock = Lock()

    def __call__(self, asked: Asked) -> Answer:
        """The answer, kept or worked out now. Raises what working it out raises, and then keeps nothing."""
        key = self._key_of(asked)
        with self._lock:
            held = self._held.get(key)
            if held is not None:
                self._held.move_to_end(key)
                return held[1]
        answer = self._answer(asked)
        with self._lock:
            self._held[key] = (asked, answer)
            if len(self._held) > self._most:
                self._held.popitem(last=False)
        return answer


def machine_key(deployment: Deployment) -> Key:
    """What the memory of a deployment depends on besides its load: model, device, engine, split and how they are run."""
    d = deployment
    return (
        id(d.model), id(d.weight_format), id(d.device), id(d.engine), d.kv_format, d.tensor_parallel, d.pipeline_parallel,
        d.data_parallel, d.expert_parallel, d.flash_attention, d.offloaded_layer_share, d.engine_version, d.file_bytes,
    )  # fmt: skip


def deployment_key(deployment: Deployment) -> Key:
    """What tells two deployments apart."""
    d = deployment
    return (
        *machine_key(d), d.device_count, d.context_tokens, d.concurrency, d.prompt_tokens, d.output_tokens,
        d.cached_prefix_share, d.speculative_acceptance, d.measured_bandwidth_bytes_per_s, d.measured_flop_per_s, d.backend,
        d.arrival, d.maximum_load,
    )  # fmt: skip
