"""The capacity room asked about a deployment: its speed from the speed room, its memory from the memory room."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from attrs import evolve

from engine import rooms
from engine.assumptions import Ledger
from engine.capacity.demand import Demand, demand_of
from engine.capacity.load_time import Storage
from engine.capacity.plan import Speed, Splits, capacity
from engine.capacity.results import CapacityResult
from engine.capacity.service import batch_sizes
from engine.catalogue.catalogue import Catalogue
from engine.consultation import Workload
from engine.deployment import Deployment
from engine.errors import Refused
from engine.estimate import Basis
from engine.inputs import FloatArray
from engine.memory.results import FitResult
from engine.messages import Message, msg
from engine.speed.speed import load_curve, speed

_READ_AT: Final = 16
"""Users at which the band of the throughput is read."""
_DEGREES: Final = (1, 2, 4, 8)


def plan_of(
    workload: Workload,
    deployment: Deployment,
    fit: FitResult,
    catalogue: Catalogue,
    ledger: Ledger,
    *,
    storage: Storage = Storage.DISK,
    new_machine: bool = False,
    splits: bool = True,
) -> CapacityResult:
    """Replicas of a deployment for a workload; one replica is the deployment without its copies (`data_parallel`).

    `splits`: also count the other tensor-parallel degrees that hold the model. Raises Refused: it certainly does not fit, or the
    speed room has no answer for it.
    """
    if not (fit.fits or fit.tight):
        raise Refused(msg("capacity.refused.does_not_fit"))
    demand = demand_of(workload, ledger)
    one = replica_of(deployment, demand)
    found = speed_of(one)
    if splits:
        found = evolve(found, splits=lambda: _splits(one, fit.valid_tensor_parallel))
    weights = fit.weights_bytes.scaled(one.device_count)
    return capacity(
        workload, one, found, weights, catalogue, ledger, storage=storage, new_machine=new_machine, demand=demand
    )


def replica_of(deployment: Deployment, demand: Demand) -> Deployment:
    """One copy of the model with the lengths of the demand: what is multiplied when the load grows."""
    copies = max(deployment.data_parallel, 1)
    inputs = demand.inputs
    answer = min(inputs["demand.output_tokens"].value, deployment.context_tokens / 2)
    prompt = min(inputs["demand.prompt_tokens"].value, deployment.context_tokens - answer)
    return evolve(
        deployment,
        data_parallel=1,
        device_count=max(deployment.device_count // copies, 1),
        prompt_tokens=max(prompt, 1.0),
        output_tokens=max(answer, 1.0),
        cached_prefix_share=inputs["demand.cached_prefix_share"].value,
        concurrency=1,
        maximum_load=False,
    )


def speed_of(replica: Deployment) -> Speed:
    """What the speed room says of a replica at any number of sequences, with the band it has under load. Raises Refused.

    Kept for the last replicas: more users or another price do not change it.
    """
    answer = _KEPT(replica)
    if isinstance(answer, Message):
        raise Refused(answer)
    return answer


def _speed_of(replica: Deployment) -> Speed:
    room = max(load_curve(replica, (1.0,)).room, 1.0)
    sizes = batch_sizes(room)
    known = load_curve(replica, sizes)

    def at(concurrency: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        curve = known if np.array_equal(concurrency, sizes) else load_curve(replica, concurrency)
        return curve.time_to_first_token_s, curve.time_per_output_token_s, curve.throughput_tokens_per_s

    busy = int(np.clip(room, 1, _READ_AT))
    read = speed(evolve(replica, concurrency=busy)).throughput_tokens_per_s
    basis = Basis.CALIBRATED if read.basis is Basis.DATASHEET else read.basis
    return Speed(at, room, (read.low / read.value, read.high / read.value), basis)


_KEPT: Final = rooms.kept(_speed_of)


def _splits(replica: Deployment, valid: Iterable[int]) -> Splits:
    """The other tensor-parallel degrees within one machine that certainly hold the model."""
    found = {}
    for degree in valid:
        if degree not in _DEGREES or degree == replica.tensor_parallel:
            continue
        other = evolve(replica, tensor_parallel=degree, device_count=degree * replica.pipeline_parallel)
        if rooms.holds(other):
            there = speed_of(other)
            found[other.device_count] = (there.at, there.max_concurrency)
    return found
