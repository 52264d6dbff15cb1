"""Replicas of one deployment for one workload: the capacity room's answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from attrs import evolve, frozen

from engine.assumptions import Ledger
from engine.capacity import notes, queueing
from engine.capacity.assumed import PLANNING, UTILISATION_CAP, assumed
from engine.capacity.batch import idle_by_hour
from engine.capacity.demand import Demand, demand_of
from engine.capacity.load_time import LoadTime, Storage, load_time
from engine.capacity.parallel import in_flight, parallel_options
from engine.capacity.promise import promise_of
from engine.capacity.release import rollout_of
from engine.capacity.results import CapacityResult, ParallelOption, Topology
from engine.capacity.servers import Server, machine_for, servers_for, site_of
from engine.capacity.service import LoadPoint, SpeedAt, service_curve
from engine.capacity.sizing import Promise, Sizing, with_zones
from engine.catalogue.catalogue import Catalogue
from engine.consultation import Waiting, Workload
from engine.deployment import Deployment
from engine.estimate import Basis, Estimate, Input, Trace, exact
from engine.inputs import FloatArray, Inputs, Known, Values
from engine.lazy import Later
from engine.messages import Message, msg
from engine.questions import question
from engine.units import (
    COUNT,
    HOURS_PER_MONTH,
    RATIO,
    REQUESTS_PER_S,
    SECONDS,
    SECONDS_PER_DAY,
    SECONDS_PER_HOUR,
    TOKENS_PER_S,
)

SPEED: Final = "speed.throughput"
"""Path of the speed's band: a factor of 1 on the completions per second."""
_LARGEST_CHAIN: Final = 20_000
_MODEL_ERROR: Final = 0.3
"""Band of the wait: the largest error of the chain against the simulation in the tests, the load taken as given."""


Splits = Mapping[int, tuple[SpeedAt, float]]
"""Devices per replica -> (its speed, sequences its memory holds)."""


@frozen
class Speed:
    """What the speed room knows about one replica of the deployment."""

    at: SpeedAt
    max_concurrency: float
    """Sequences its memory holds."""
    band: tuple[float, float] = (0.8, 1.2)
    """Low and high end of the throughput over its value."""
    basis: Basis = Basis.CALIBRATED
    splits: Callable[[], Splits] = dict
    """Other splits of the same devices, asked for when somebody reads them."""


def capacity(
    workload: Workload,
    deployment: Deployment,
    speed: Speed,
    weights_bytes: Estimate,
    catalogue: Catalogue,
    ledger: Ledger,
    *,
    storage: Storage = Storage.DISK,
    new_machine: bool = False,
    demand: Demand | None = None,
) -> CapacityResult:
    """Batch size, replicas, spares, waits, load time, power and racks for the workload's peak.

    One replica is the deployment as it stands (`device_count` devices). Raises ValueError when memory holds no sequence.
    """
    demand = demand or demand_of(workload, ledger)
    promise = promise_of(workload, ledger)
    curve = service_curve(speed.at, demand.inputs["demand.output_tokens"].value, speed.max_concurrency)
    sizing = Sizing(
        curve=curve,
        promise=promise,
        prompt_sigma=demand.prompt_sigma,
        output_sigma=demand.output_sigma,
        utilisation_cap=_cap(ledger),
        pooled=workload.readiness.load_balancer is not False,
    )
    found = _find(workload, demand, sizing, speed, ledger)
    loading = _load_time(workload, deployment, weights_bytes, storage, new_machine)
    per_replica = deployment.device_count
    quoted = workload.budget.server_price_usd is not None
    server = machine_for(deployment.device, catalogue, found.total, per_replica, quoted)
    site = site_of(found.total, per_replica, server)
    asked = demand.result(found.in_flight)
    return CapacityResult(
        demand=asked,
        batch_size=exact(found.batch, COUNT, speed.basis),
        requests_per_s_per_replica=found.rate,
        replicas=found.replicas,
        spares=found.spares,
        devices=_shifted(found.replicas, found.spares).scaled(per_replica),
        utilisation=found.utilisation,
        queue_wait_s=found.wait,
        percentile=promise.percentile,
        meets_targets=sizing.keepable,
        load_time_s=loading.total_s,
        power_w=site.power_w,
        rack_units=site.rack_units,
        curve=Later(curve.points),
        notes=notes.of(workload, demand, sizing, found.peak_per_s, found.at_peak, loading, found.replicas.value),
        load_parts=loading.parts,
        topologies=Later(lambda: topologies(int(found.replicas.value), per_replica, server)),
        at_peak=found.at_peak,
        concurrency_per_replica=found.held,
        idle_hours_per_month=_idle(found.utilisation, found.total),
        devices_per_replica=per_replica,
        sizing=sizing,
        demand_inputs=demand,
        speed_band=speed.band,
        parallel=Later(lambda: _parallel(demand, sizing, speed, per_replica, found)),
        idle_by_hour=Later(lambda: _idle_by_hour(demand, found)),
        busy_replica_hours_per_run=_hours_of_a_run(demand, found),
        rollout=rollout_of(workload, demand, catalogue, ledger, asked=asked),
    )


def _parallel(
    demand: Demand, sizing: Sizing, speed: Speed, per_replica: int, found: _Found
) -> tuple[ParallelOption, ...]:
    """The split at hand and the others, each with what it needs for the same promise."""
    splits = speed.splits()
    if not splits:
        return ()
    answer = demand.inputs["demand.output_tokens"].value
    curves = {count: service_curve(at, answer, held) for count, (at, held) in splits.items() if held >= 1}
    return parallel_options({**curves, per_replica: sizing.curve}, sizing, found.peak_per_s, found.spares)


def _idle_by_hour(demand: Demand, found: _Found) -> tuple[float, ...]:
    if demand.batch:
        return ()
    values = demand.inputs.centre()
    a_day = float(demand.load(values).requests_per_month / values["demand.active_days_per_month"])
    mean = a_day / SECONDS_PER_DAY
    return tuple(float(x) for x in idle_by_hour(found.total, found.rate.value, mean, demand.profile(values)))


def _hours_of_a_run(demand: Demand, found: _Found) -> float | None:
    if not demand.batch:
        return None
    return demand.inputs["demand.batch_items"].value / found.rate.value / SECONDS_PER_HOUR


@frozen
class _Found:
    peak_per_s: float
    batch: float
    replicas: Estimate
    spares: int
    rate: Estimate
    utilisation: Estimate
    wait: Estimate
    held: Estimate
    in_flight: Estimate
    at_peak: LoadPoint

    @property
    def total(self) -> float:
        return self.replicas.value + self.spares


def _find(workload: Workload, demand: Demand, sizing: Sizing, speed: Speed, ledger: Ledger) -> _Found:
    factor = Estimate(1.0, speed.band[0], speed.band[1], COUNT, speed.basis)
    inputs = demand.inputs.joined([Known(SPEED, msg("capacity.input.speed"), factor)])
    rows = inputs.rows()
    load = demand.load(rows)
    peak = float(np.ravel(load.peak_per_s)[0])
    batch = float(sizing.batch)
    per_replica = float(sizing.curve.requests_per_s[sizing.index(batch)])
    work = work_of(sizing, batch, demand, rows)
    needed = np.atleast_1d(sizing.replicas(load.peak_per_s, work))
    spares = _spares(workload, ledger)
    used = np.minimum(load.mean_over_all_hours_per_s * work / ((needed + spares) * per_replica), 1.0)
    each = load.peak_per_s * work / needed
    held = _held(sizing, each)
    replicas, utilisation, in_replica, in_all = inputs.spreads(
        (needed, used, held, held * needed),
        (
            (COUNT, _trace(inputs, "replicas", "fewest replicas with P(wait > margin) <= 1 - percentile")),
            (RATIO, _trace(inputs, "utilisation", "requests per month / what all replicas could do")),
            (COUNT, _trace(inputs, "in_flight", "rate * time in service")),
            (COUNT, _trace(inputs, "in_flight", "rate * time in service")),
        ),
    )
    wait = _wait(sizing, peak, int(needed[0]), batch)
    return _Found(
        peak_per_s=peak,
        batch=batch,
        replicas=replicas,
        spares=spares,
        rate=Estimate(
            per_replica,
            per_replica * speed.band[0],
            per_replica * speed.band[1],
            REQUESTS_PER_S,
            speed.basis,
            Trace(
                "capacity.trace.rate",
                "throughput / output_tokens",
                (
                    Input("throughput", per_replica * sizing.curve.output_tokens, TOKENS_PER_S, speed.basis),
                    inputs.known["demand.output_tokens"].as_input(),
                ),
            ),
        ),
        utilisation=utilisation,
        wait=wait,
        held=in_replica,
        in_flight=in_all,
        at_peak=sizing.curve.at(max(in_replica.value, 1.0)),
    )


def work_of(sizing: Sizing, batch: float, demand: Demand, values: Values) -> FloatArray:
    """Service of a request over that of the curve, for values of the inputs (with `SPEED` among them)."""
    prompt, answer = "demand.prompt_tokens", "demand.output_tokens"
    return sizing.work(
        batch,
        values[SPEED],
        values[prompt] / demand.inputs[prompt].value,
        values[answer] / demand.inputs[answer].value,
    )


_REFERENCES: Final = {"replicas": "Sakasegawa 1977; Allen-Cunneen", "in_flight": "Little 1961"}


def _trace(inputs: Inputs, name: str, formula: str) -> Trace:
    return inputs.trace(f"capacity.trace.{name}", formula, *inputs.known, reference=_REFERENCES.get(name, ""))


def _held(sizing: Sizing, rate: FloatArray) -> FloatArray:
    """Sequences a replica holds at that rate, by Little's law; below one it is idle part of the time."""
    rates = np.atleast_1d(rate)
    unique, back = np.unique(rates, return_inverse=True)
    held = np.array([in_flight(sizing.curve, float(r)) for r in unique])[back]
    out: FloatArray = np.where(held > 1, held, np.minimum(rates * sizing.curve.residence_s[0], 1.0))
    return out


def _wait(sizing: Sizing, peak: float, replicas: int, batch: float) -> Estimate:
    """Wait at the percentile: the chain whose speed depends on the load; the closed form where the chain is too long."""
    i, share = sizing.index(batch), sizing.promise.percentile
    rate = float(sizing.curve.requests_per_s[i])
    load = peak / (replicas * rate)
    factor = float(sizing.factor[i])
    places = np.float64(replicas * batch if sizing.pooled else batch)
    bound = float(queueing.wait_quantile_s(places, np.float64(load), np.float64(batch / rate), factor, share))  # type: ignore[arg-type]
    trace = Trace(
        "capacity.trace.wait",
        "ln(P_wait / (1 - percentile)) * variability / (places * completions * (1 - load))",
        (
            Input("load", load, RATIO, Basis.CALIBRATED),
            Input("places", float(places), COUNT, Basis.CALIBRATED),
            Input("completions", rate / batch, REQUESTS_PER_S, Basis.CALIBRATED),
            Input("variability", factor, COUNT, Basis.CALIBRATED),
            Input("percentile", share, RATIO, Basis.DATASHEET),
        ),
        "M/M/c with a speed that depends on the load; Allen-Cunneen",
    )
    if load >= 1 or not sizing.pooled or replicas * batch > _LARGEST_CHAIN:
        value = min(bound, 1e9)
        return Estimate(value, 0.0, value * (1 + _MODEL_ERROR), SECONDS, Basis.CALIBRATED, trace)
    chain = queueing.LoadedReplicas(
        peak, replicas, int(batch), sizing.curve.concurrency, sizing.curve.requests_per_s, factor
    )
    value = chain.wait_quantile_s(share)
    high = max(value * (1 + _MODEL_ERROR), bound)
    return Estimate(value, value * (1 - _MODEL_ERROR), high, SECONDS, Basis.CALIBRATED, trace)


def _cap(ledger: Ledger) -> float:
    return ledger.assume(
        "capacity.utilisation_cap",
        assumed(UTILISATION_CAP, RATIO),
        msg("capacity.input.utilisation_cap"),
        None,
        PLANNING,
    ).value


def _spares(workload: Workload, ledger: Ledger) -> int:
    path = "targets.availability_spares"
    if workload.profile.waiting is Waiting.BATCH and workload.targets.availability_spares is None:
        return 0
    one = Estimate(1, 0, 2, COUNT, Basis.ASSUMED)
    return int(ledger.value(workload, path, one, question(path).short, None, msg("capacity.why.spare")).value)


def _load_time(
    workload: Workload, deployment: Deployment, weights_bytes: Estimate, storage: Storage, new_machine: bool
) -> LoadTime:
    computed = load_time(
        weights_bytes, deployment.engine, deployment.device_count, storage, new_machine, not new_machine
    )
    said = workload.readiness.load_minutes
    if said is None:
        return computed
    trace = Trace("capacity.trace.load_said", "minutes * 60", (Input("minutes", said, "min", Basis.DATASHEET),))
    return evolve(computed, total_s=exact(said * 60, SECONDS, Basis.DATASHEET, trace))


def _shifted(estimate: Estimate, by: float) -> Estimate:
    return evolve(estimate, value=estimate.value + by, low=estimate.low + by, high=estimate.high + by)


def _idle(utilisation: Estimate, replicas: float) -> Estimate:
    hours = replicas * HOURS_PER_MONTH
    return Estimate(
        hours * (1 - utilisation.value),
        hours * (1 - utilisation.high),
        hours * (1 - utilisation.low),
        COUNT,
        utilisation.basis,
        utilisation.trace,
    )


def topologies(replicas: int, devices_per_replica: int, server: Server) -> tuple[Topology, ...]:
    """No spare, one and two spares, and what survives the loss of one of two or three zones."""

    power_w = server.max_power_w.value if server.max_power_w else None

    def made(name: Message, count: int, sites: int) -> Topology:
        servers = servers_for(count, devices_per_replica, server.devices)
        power = None if power_w is None else power_w * servers
        return Topology(name, count, count * devices_per_replica, power, server.rack_units.value * servers, sites)

    return (
        made(msg("capacity.topology.bare"), replicas, 1),
        made(msg("capacity.topology.one_spare"), replicas + 1, 1),
        made(msg("capacity.topology.two_spares"), replicas + 2, 1),
        made(msg("capacity.topology.two_zones"), int(with_zones(replicas, 2)), 2),
        made(msg("capacity.topology.three_zones"), int(with_zones(replicas, 3)), 3),
    )


__all__ = ["SPEED", "Promise", "Speed", "capacity", "topologies"]
