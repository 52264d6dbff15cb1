"""What has to be said beside the numbers: what limits them, what was never measured, what was assumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine.arithmetic import first
from engine.deployment import Deployment
from engine.memory.weights import weight_bytes
from engine.messages import Message, Name, Quantity, msg
from engine.speed.bands import BandState
from engine.speed.batching import Load
from engine.speed.case import HOST_MEMORY_BYTES_PER_S
from engine.speed.decode import DecodeStep
from engine.speed.keys import device_family, memory_class
from engine.speed.parallel import chips_needed
from engine.speed.rates import matrix_rates
from engine.units import BYTES_PER_S

_LIMITS: Final = {
    "weights": "speed.bound.memory",
    "cache": "speed.bound.cache",
    "exchange": "speed.bound.link",
    "layers": "speed.bound.steps",
    "step": "speed.bound.steps",
    "offload": "speed.bound.host",
}
_LARGE_SHARE: Final = 0.05


def bound_by(step: DecodeStep, deployment: Deployment) -> Message:
    """The largest part of one user's step, with its share."""
    seconds = {name: first(getattr(step, name)) for name in _LIMITS}
    launches = seconds["layers"] + seconds["step"]
    total = sum(seconds.values())
    seconds = {**seconds, "layers": launches, "step": 0.0}
    name = max(seconds, key=seconds.__getitem__)
    key = _LIMITS[name]
    if name == "weights" and bool(first(step.compute_bound)):
        key = "speed.bound.compute"
    return msg(key, share=seconds[name] / total, device=Name("device", deployment.device.id))


def notes_on(deployment: Deployment, states: Mapping[str, BandState], load: Load) -> tuple[Message, ...]:
    """Everything a careful reader must know, once each."""
    return tuple(_notes(deployment, states, load))


def _notes(d: Deployment, states: Mapping[str, BandState], load: Load) -> Iterator[Message]:
    decode = states["decode"] if d.concurrency <= 1 else states["tpot"]
    device, engine = Name("device", d.device.id), Name("engine", d.engine.id)
    if "family" in decode.unlike:
        yield msg("speed.note.unlike_family", device=device, family=device_family(d.device))
    if "engine" in decode.unlike:
        yield msg("speed.note.unlike_engine", engine=engine)
    if decode.calibrated and decode.unseen:
        yield msg("speed.note.unseen", device=device, model=Name("model", d.model.id))
    outside = tuple(dict.fromkeys(name for s in states.values() for name in s.outside))
    if outside:
        yield msg("speed.note.outside", quantities=tuple(msg(f"speed.quantity.{name}") for name in outside))
    if matrix_rates(d.device, d.weight_format, d.engine.id).assumed and not d.measured_flop_per_s:
        yield msg("speed.note.assumed_rate", device=device)
    if d.pipeline_parallel > 1 and d.concurrency <= 1:
        yield msg("speed.note.layer_split")
    if d.tensor_parallel > 1 and first(load.step.exchange) > _LARGE_SHARE * first(load.step.seconds):
        yield msg("speed.note.exchange", share=first(load.step.exchange) / first(load.step.seconds))
    if d.offloaded_layer_share > 0:
        yield msg("speed.note.offload", bandwidth=Quantity(HOST_MEMORY_BYTES_PER_S, BYTES_PER_S))
    if d.speculative_acceptance > 1:
        yield msg("speed.note.speculative", tokens=d.speculative_acceptance)
    if d.concurrency > d.data_parallel * first(load.room):
        yield msg("speed.note.cache_full", users=d.concurrency, room=int(first(load.room) * d.data_parallel))
    yield from _on_chip(d, device)
    engine_version = d.engine_version or d.engine.version
    if decode.calibrated:
        yield msg("speed.note.version", engine=engine, version=engine_version)


def _on_chip(d: Deployment, device: Name) -> Iterator[Message]:
    if memory_class(d.device) != "sram" or d.device.memory is None:
        return
    whole = weight_bytes(d.model, d.weight_format, d.engine, d.file_bytes).total
    chips = chips_needed(whole, d.device.memory.value)
    yield msg("speed.note.chips", device=device, chips=chips, model=Name("model", d.model.id))
