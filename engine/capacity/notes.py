"""What a careful reader must know about the capacity figures, as sentences."""

from __future__ import annotations

from typing import Final

from engine.capacity.demand import Demand
from engine.capacity.lengths import STEEPEST_P95
from engine.capacity.load_time import LoadTime, rise_covered
from engine.capacity.service import LoadPoint
from engine.capacity.sizing import Sizing
from engine.consultation import LoadShape, Workload
from engine.messages import Message, Quantity, msg
from engine.units import RATIO, REQUESTS_PER_S, SECONDS

_RISE: Final = 0.05
"""Growth a minute that the note on autoscaling speaks of: a morning rush that doubles the load in a quarter of an hour."""
_FAR_APART: Final = 3.0


def of(
    workload: Workload,
    demand: Demand,
    sizing: Sizing,
    peak_per_s: float,
    at_peak: LoadPoint,
    loading: LoadTime,
    replicas: float,
) -> tuple[Message, ...]:
    """Unreachable targets first, then contradictions, then what the numbers rest on."""
    found = [*_unreachable(sizing), *_contradictions(workload, demand)]
    if demand.batch:
        found.append(msg("capacity.note.batch_only_while_running", load=loading.total_s))
    else:
        found += _without_batching(sizing, peak_per_s, replicas)
        found += _scaling(workload, sizing, loading)
    if not sizing.pooled:
        found.append(msg("capacity.note.no_balancer"))
    if sizing.keepable and not demand.batch:
        found.append(msg("capacity.note.at_peak", held=at_peak.concurrency, batch=sizing.batch))
    return tuple(found)


def _unreachable(sizing: Sizing) -> list[Message]:
    if sizing.keepable:
        return []
    p, out = sizing.promise, []
    first, whole = float(sizing.first_token_s()[0]), float(sizing.end_to_end_s()[0])
    per_token = float(sizing.curve.time_per_output_token_s[0])
    for key, best, target in (
        ("capacity.note.first_token_out_of_reach", first, p.time_to_first_token_s),
        ("capacity.note.per_token_out_of_reach", per_token, p.time_per_output_token_s),
        ("capacity.note.whole_answer_out_of_reach", whole, p.end_to_end_s),
    ):
        if target is not None and best > target:
            out.append(Message(key, {"best": Quantity(best, SECONDS), "target": Quantity(target, SECONDS)}))
    return out or [msg("capacity.note.targets_out_of_reach")]


def _contradictions(workload: Workload, demand: Demand) -> list[Message]:
    out = []
    for name in ("prompt_tokens", "output_tokens"):
        mean, p95 = getattr(workload.demand, name), getattr(workload.demand, f"{name}_p95")
        if mean is not None and p95 is not None:
            if p95 < mean:
                out.append(msg("capacity.note.p95_below_mean", mean=mean, p95=p95))
            elif p95 > mean * STEEPEST_P95:
                out.append(msg("capacity.note.p95_too_far", mean=mean, p95=p95))
    peak = workload.demand.peak_requests_per_s
    if peak is not None and workload.scale.users is not None and not demand.batch:
        values = demand.inputs.centre()
        del values["demand.peak_requests_per_s"]
        computed = float(demand.load(values).peak_per_s)
        if computed > 0 and not 1 / _FAR_APART <= peak / computed <= _FAR_APART:
            out.append(
                msg(
                    "capacity.note.peak_disagrees",
                    said=Quantity(peak, REQUESTS_PER_S),
                    computed=Quantity(computed, REQUESTS_PER_S),
                )
            )
    return out


def _without_batching(sizing: Sizing, peak_per_s: float, replicas: float) -> list[Message]:
    """The bus with one passenger: what the same load needs when requests enter the model one by one."""
    needed = sizing.one_by_one(peak_per_s)
    if needed <= replicas:
        return []
    return [msg("capacity.note.without_batching", replicas=round(needed), batched=round(replicas))]


def _scaling(workload: Workload, sizing: Sizing, loading: LoadTime) -> list[Message]:
    load_s = loading.total_s
    out = [
        msg(
            "capacity.note.autoscaling",
            load=load_s,
            rise=Quantity(_RISE, RATIO),
            spare=Quantity(rise_covered(load_s, _RISE), RATIO),
        )
    ]
    target = sizing.promise.time_to_first_token_s or sizing.promise.end_to_end_s
    if workload.circumstances.load_shape in (LoadShape.RARE, LoadShape.SPIKY) and target is not None:
        key = "capacity.note.no_scale_to_zero" if load_s.low > target else "capacity.note.scale_to_zero_open"
        out.append(Message(key, {"load": load_s, "target": Quantity(target, SECONDS)}))
    return out
