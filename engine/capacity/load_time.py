"""How long a replica takes from start to its first answer, and what that does to scaling.

Reading the weights is often the smaller part. The planning figures below are taken from start-up logs that users of vLLM
published: github.com/vllm-project/vllm issues 20264 (3.4 GiB model: 59 s, of which graphs 17 s), 19824 (70B at FP8 on 8 GPUs:
link check 60 s, weights from the page cache 10 s, tracing 15 s, compilation 70 s, graphs 60 s) and 44881 (21.8 GiB on one
RTX 5090: container 16 s, weights 18 s, compilation 43 s, 277 s in all with a slow profiling step).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from engine.capacity.assumed import Triple, assumed
from engine.catalogue.rows import ServingEngine
from engine.estimate import Basis, Estimate, Source, Trace, as_input
from engine.messages import Message, msg
from engine.units import BYTES, BYTES_PER_S, GIGA, SECONDS

STARTUP_LOGS: Final = Source(
    "github.com/vllm-project/vllm issues 19824, 20264, 44881 (users' start-up logs)", "2026-06-08"
)


class Storage(enum.StrEnum):
    """Where the weights are read from."""

    MEMORY = "memory"
    """The host's page cache: a restart on the same machine."""
    DISK = "disk"
    NETWORK = "network"


READ_RATE: Final[Mapping[Storage, Triple]] = {
    Storage.MEMORY: (8 * GIGA, 4 * GIGA, 12 * GIGA),
    Storage.DISK: (2 * GIGA, 1 * GIGA, 5 * GIGA),
    Storage.NETWORK: (0.5 * GIGA, 0.1 * GIGA, 1.5 * GIGA),
}
IMAGE_BYTES: Final[Triple] = (10 * GIGA, 6 * GIGA, 20 * GIGA)
IMAGE_RATE: Final[Triple] = (0.25 * GIGA, 0.1 * GIGA, 1 * GIGA)
MACHINE_S: Final[Triple] = (180, 60, 900)
"""A new rented machine, from the call to its first process."""


@frozen
class EngineStart:
    """Seconds an engine needs besides reading the weights."""

    process: Triple
    link_check: Triple
    """Between the devices of one replica; only where there are several."""
    compile_: Triple
    graphs: Triple
    warm_up: Triple


_COMPILING: Final = EngineStart((16, 8, 40), (20, 0, 60), (45, 5, 120), (20, 5, 60), (20, 5, 210))
_PLAIN: Final = EngineStart((2, 1, 10), (1, 0, 5), (0, 0, 0), (2, 0, 10), (3, 1, 15))
_BY_ENGINE: Final[Mapping[str, EngineStart]] = {
    "vllm": _COMPILING,
    "sglang": _COMPILING,
    "trt-llm": EngineStart((20, 10, 60), (20, 0, 60), (20, 0, 120), (20, 5, 60), (20, 5, 120)),
}


@frozen
class LoadTime:
    """The whole and its parts, in order."""

    total_s: Estimate
    parts: tuple[tuple[Message, Estimate], ...]


def load_time(
    weights_bytes: Estimate,
    engine: ServingEngine,
    devices_per_replica: int,
    storage: Storage,
    new_machine: bool = False,
    image_present: bool = True,
) -> LoadTime:
    """Seconds from start to first answer of one replica.

    `new_machine`: it must be rented first; `image_present`: the container image is already on it. Parts add up; their bands
    add in quadrature.
    """
    start = _BY_ENGINE.get(engine.id, _PLAIN)
    parts: list[tuple[Message, Estimate]] = []
    if new_machine:
        parts.append((msg("capacity.load.machine"), assumed(MACHINE_S, SECONDS)))
    if not image_present:
        parts.append(
            (msg("capacity.load.image"), _read_s(assumed(IMAGE_BYTES, BYTES), assumed(IMAGE_RATE, BYTES_PER_S)))
        )
    parts.append((msg("capacity.load.process"), assumed(start.process, SECONDS)))
    if devices_per_replica > 1:
        parts.append((msg("capacity.load.links"), assumed(start.link_check, SECONDS)))
    rate = assumed(READ_RATE[storage], BYTES_PER_S)
    parts.append((msg("capacity.load.weights", storage=storage), _read_s(weights_bytes, rate)))
    for key, triple in (("compile", start.compile_), ("graphs", start.graphs), ("warm_up", start.warm_up)):
        if triple[2] > 0:
            parts.append((_PARTS[key], assumed(triple, SECONDS)))
    return LoadTime(_sum_s(parts), tuple(parts))


_PARTS: Final[Mapping[str, Message]] = {
    "compile": msg("capacity.load.compile"),
    "graphs": msg("capacity.load.graphs"),
    "warm_up": msg("capacity.load.warm_up"),
}


def _read_s(size: Estimate, rate: Estimate) -> Estimate:
    value = size.value / rate.value
    up = ((size.high / size.value - 1) ** 2 + (rate.value / rate.low - 1) ** 2) ** 0.5 if size.value else 0.0
    down = ((1 - size.low / size.value) ** 2 + (1 - rate.value / rate.high) ** 2) ** 0.5 if size.value else 0.0
    trace = Trace("capacity.trace.read", "size / rate", (as_input("size", size), as_input("rate", rate)))
    return Estimate(value, value * max(1 - down, 0.0), value * (1 + up), SECONDS, Basis.ASSUMED, trace)


def _sum_s(parts: list[tuple[Message, Estimate]]) -> Estimate:
    value = sum(p.value for _, p in parts)
    low = value - sum((p.value - p.low) ** 2 for _, p in parts) ** 0.5
    high = value + sum((p.high - p.value) ** 2 for _, p in parts) ** 0.5
    trace = Trace(
        "capacity.trace.load_time",
        " + ".join(_name(m) for m, _ in parts),
        tuple(as_input(_name(m), p) for m, p in parts),
    )
    return Estimate(value, max(low, 0.0), high, SECONDS, Basis.ASSUMED, trace)


def _name(part: Message) -> str:
    return part.key.rsplit(".", 1)[-1]


def rise_covered(load_s: Estimate, rise_per_minute: float) -> float:
    """Spare share of the replicas that covers a load growing by that share a minute while a new replica loads.

    An autoscaler that reacts at once is still late by the load time: what grows meanwhile must already be there.
    """
    return rise_per_minute * load_s.value / 60
