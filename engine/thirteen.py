"""The thirteen questions customers ask, each answered with the numbers of the workload at hand.

An answer is sentences with figures and the page that shows them. Where a room has no number yet, the answer says what it lacks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from attrs import frozen

from engine.advice.readiness import GAPS, MONITORS, State
from engine.advice.results import ChipOption, Placement, RankedPlacement
from engine.cost.kinds import CostKind
from engine.cost.results import CostOption
from engine.estimate import Estimate
from engine.flow import PageId, page
from engine.messages import Message, Name, Quantity, msg
from engine.questions import Step, question
from engine.results import WorkloadAssessment
from engine.units import BYTES, GIGA

THREADS_A_BLOCK: Final = 256
EXAMPLE_ELEMENTS: Final = 1_000_000


@frozen
class Answer:
    """One question answered. `figures` are named by message keys; `page` shows where they come from."""

    number: int
    question: Message
    sentences: tuple[Message, ...]
    figures: tuple[tuple[str, Estimate], ...]
    page: PageId


Made = tuple[list[Message], list[tuple[str, Estimate]]]


def answers(judged: WorkloadAssessment) -> tuple[Answer, ...]:
    """All thirteen, in the order customers ask them."""
    made = []
    for number, (answer, step, group) in enumerate(ANSWERS, start=1):
        sentences, figures = answer(judged)
        made.append(Answer(number, msg(f"thirteen.{number}"), tuple(sentences), tuple(figures), page(step, group)))
    return tuple(made)


def _gap(judged: WorkloadAssessment, room: str) -> list[Message]:
    return [message for name, message in judged.gaps if name == room]


def file_to_service(judged: WorkloadAssessment) -> Made:
    ready = judged.readiness
    if ready is None:
        return [msg("thirteen.1.unknown", count=len(GAPS), names=())], []
    missing = tuple(question(g.path).short for g in ready.gaps if g.state is State.MISSING)
    unknown = tuple(question(g.path).short for g in ready.gaps if g.state is State.UNKNOWN)
    said = []
    if missing:
        said.append(msg("thirteen.1.missing", count=len(missing), names=missing))
    if unknown:
        said.append(msg("thirteen.1.unknown", count=len(unknown), names=unknown))
    if not said:
        said.append(msg("thirteen.1.complete"))
    figures = [] if judged.capacity is None else [("thirteen.figure.load_time", judged.capacity.load_time_s)]
    return said, figures


def slow_at_peak(judged: WorkloadAssessment) -> Made:
    batching = judged.workload.readiness.batching
    key = {True: "thirteen.2.batched", False: "thirteen.2.unbatched", None: "thirteen.2.ask"}[batching]
    said, capacity = [msg(key)], judged.capacity
    if capacity is None:
        return [*said, *_gap(judged, "capacity")], []
    said.append(
        msg("thirteen.2.numbers", batch=capacity.batch_size, replicas=capacity.replicas, wait=capacity.queue_wait_s)
    )
    return said, [
        ("thirteen.figure.requests_peak", capacity.demand.requests_per_s_peak),
        ("thirteen.figure.batch", capacity.batch_size),
        ("thirteen.figure.replicas", capacity.replicas),
        ("thirteen.figure.wait", capacity.queue_wait_s),
    ]


def bad_version(judged: WorkloadAssessment) -> Made:
    ready, said = judged.readiness, []
    readings = () if ready is None else ready.readings
    blind = tuple(question(r.path).short for r in readings if r.state is not State.READY)
    if ready is None or len(blind) == len(MONITORS):
        said.append(msg("thirteen.3.blind"))
    elif blind:
        said.append(msg("thirteen.3.missing", names=blind))
    else:
        said.append(msg("thirteen.3.watched"))
    said += [r.threshold for r in readings if r.state is State.READY]
    rollback = judged.workload.readiness.rollback_minutes
    said.append(
        msg("thirteen.3.rollback_unknown")
        if rollback is None
        else msg("thirteen.3.rollback", minutes=Quantity(rollback, "min"))
    )
    return said, list(ready.exposure) if ready else []


def does_it_fit(judged: WorkloadAssessment) -> Made:
    fit, made = judged.fit, judged.deployment
    if fit is None or made is None:
        return _gap(judged, "fit"), []
    words = {"model": Name("model", made.model.id), "format": Name("weight_format", made.weight_format.id)}
    key = "fits" if fit.fits else ("tight" if fit.tight else "short")
    left = Quantity(abs(fit.headroom_bytes), BYTES)
    said = [
        msg(f"thirteen.4.{key}", device=Name("device", made.device.id), count=made.device_count, left=left, **words)
    ]
    said += [remedy.message for remedy in fit.remedies[:3]]
    if made.device_count > 1 and not made.device.interconnect:
        said.append(msg("thirteen.4.links"))
    return said, [
        ("thirteen.figure.weights", fit.weights_bytes),
        ("thirteen.figure.kv_cache", fit.kv_cache_bytes),
        ("thirteen.figure.runtime", fit.runtime_bytes),
        ("thirteen.figure.memory", fit.device_memory_bytes),
    ]


def data_sheet(judged: WorkloadAssessment) -> Made:
    made, speed = judged.deployment, judged.speed
    said = [msg("thirteen.5.general")]
    if made is None or speed is None or made.device.bandwidth is None:
        return said, []
    bandwidth = Quantity(made.device.bandwidth.value, made.device.bandwidth.unit)
    said.append(
        msg("thirteen.5.numbers", device=Name("device", made.device.id), bandwidth=bandwidth, bound=speed.bound_by)
    )
    return said, [("thirteen.figure.ceiling", speed.ceiling_tokens_per_s)]


def slower_than_hoped(judged: WorkloadAssessment) -> Made:
    speed, batching = judged.speed, judged.workload.readiness.batching
    said = [msg("thirteen.6.order")]
    if batching is False:
        said.insert(0, msg("thirteen.6.one_at_a_time"))
    if speed is None:
        return said, []
    said.insert(0, msg("thirteen.6.expected", speed=speed.decode_tokens_per_s, ceiling=speed.ceiling_tokens_per_s))
    return said, [
        ("thirteen.figure.decode", speed.decode_tokens_per_s),
        ("thirteen.figure.ceiling", speed.ceiling_tokens_per_s),
        ("thirteen.figure.throughput", speed.throughput_tokens_per_s),
    ]


def threads(judged: WorkloadAssessment) -> Made:
    """ceil(n / 256) blocks and what is left over: 1,000,000 elements are 3,907 blocks with 192 threads to spare."""
    made = judged.deployment
    elements = EXAMPLE_ELEMENTS if made is None or not made.model.vocab else made.model.vocab
    blocks = math.ceil(elements / THREADS_A_BLOCK)
    spare = blocks * THREADS_A_BLOCK - elements
    said = [
        msg("thirteen.7.index"),
        msg("thirteen.7.example", elements=elements, block=THREADS_A_BLOCK, blocks=blocks, spare=spare),
        msg("thirteen.7.memory"),
    ]
    return said, []


def tpu(judged: WorkloadAssessment) -> Made:
    return _family(judged, "tpu", "thirteen.8")


def token_ceiling(judged: WorkloadAssessment) -> Made:
    speed, fit, made = judged.speed, judged.fit, judged.deployment
    if speed is None or made is None:
        return [msg("thirteen.9.two_numbers"), *_gap(judged, "speed")], []
    said = [msg("thirteen.9.two_numbers")]
    if fit is not None and made.device.bandwidth is not None:
        bandwidth = Quantity(made.device.bandwidth.value * made.device_count, made.device.bandwidth.unit)
        weights = Quantity(fit.weights_bytes.value * made.device_count / GIGA, "GB")
        said.append(msg("thirteen.9.numbers", weights=weights, bandwidth=bandwidth, ceiling=speed.ceiling_tokens_per_s))
    said.append(msg("thirteen.9.expected", speed=speed.decode_tokens_per_s, first=speed.time_to_first_token_s))
    return said, [
        ("thirteen.figure.ceiling", speed.ceiling_tokens_per_s),
        ("thirteen.figure.decode", speed.decode_tokens_per_s),
        ("thirteen.figure.first_token", speed.time_to_first_token_s),
    ]


def lpu(judged: WorkloadAssessment) -> Made:
    return _family(judged, "lpu", "thirteen.10")


def on_the_phone(judged: WorkloadAssessment) -> Made:
    ranked = next((r for r in judged.placement.ranked if r.placement is Placement.ON_DEVICE), None)
    said = [msg("thirteen.11.order")]
    if ranked is not None:
        said += [msg(f"thirteen.11.{_standing(ranked, judged)}"), *(message for _rule, message in ranked.reasons[:3])]
    wanted = ("advice.figure.round_trip", "advice.figure.model_need", "advice.figure.device_memory")
    figures = [(k, f) for rule in judged.placement.rules for k, f in rule.figures if k in wanted]
    return said, figures


def _standing(ranked: RankedPlacement, judged: WorkloadAssessment) -> str:
    if ranked.excluded:
        return "ruled_out"
    if judged.placement.chosen is Placement.ON_DEVICE:
        return "chosen"
    in_part = judged.placement.chosen in (Placement.DEVICE_CLOUD, Placement.DEVICE_ON_PREMISE)
    return "in_part" if in_part else "behind"


def free_on_device(judged: WorkloadAssessment) -> Made:
    said, cost = [msg("thirteen.12.moved")], judged.cost
    if cost is None:
        return [*said, *_gap(judged, "cost")], []
    by_kind = {option.kind: option for option in cost.options}
    device, figures = by_kind.get(CostKind.ON_DEVICE), []
    if device is not None:
        figures += _bill(device, "device")
        if device.user_battery_joules is not None:
            figures.append(("thirteen.figure.battery", device.user_battery_joules))
    figures += _bill(by_kind[CostKind.API], "api") if CostKind.API in by_kind else []
    said += [c.message for c in cost.crossovers if CostKind.ON_DEVICE in (c.cheaper_above, c.cheaper_below)][:2]
    said.append(msg("thirteen.12.updates"))
    return said, figures


def _bill(option: CostOption, name: str) -> list[tuple[str, Estimate]]:
    found = [("upfront", option.upfront_usd), ("per_month", option.per_month_usd)]
    return [(f"thirteen.figure.{name}_{key}", figure) for key, figure in found if figure is not None]


def without_network(judged: WorkloadAssessment) -> Made:
    verdict = judged.placement
    if verdict.hybrid is not None:
        hybrid = verdict.hybrid
        said = [msg("thirteen.13.hybrid", placement=verdict.chosen), hybrid.stays, hybrid.goes, hybrid.without_network]
        return said, [("thirteen.figure.routing", hybrid.routing_share)]
    key = {
        Placement.ON_DEVICE: "thirteen.13.device",
        Placement.ON_PREMISE: "thirteen.13.premise",
        None: "thirteen.13.open",
    }.get(verdict.chosen, "thirteen.13.cloud")
    return [msg(key), msg("thirteen.13.pattern")], []


def _family(judged: WorkloadAssessment, family: str, key: str) -> Made:
    """What the ranking says of one kind of chip, beside the one it puts first."""
    found = next((c for c in judged.chips if c.family == family), None)
    said = [msg(f"{key}.general")]
    if found is None:
        return said, []
    best = judged.chips[0]
    said += list(found.reasons[:3])
    if best is not found and not best.excluded:
        said.append(msg("thirteen.chip.first", family=msg(f"family.{best.family}")))
    said += list(found.checks[:2])
    return said, _chip_figures(found) + (_chip_figures(best) if best is not found else [])


def _chip_figures(option: ChipOption) -> list[tuple[str, Estimate]]:
    found = [
        ("count", option.count),
        ("decode", option.decode_tokens_per_s),
        ("power", option.power_w),
        ("per_mtok", option.usd_per_mtok),
    ]
    return [(f"thirteen.figure.{option.family}_{name}", figure) for name, figure in found if figure is not None]


ANSWERS: Final[tuple[tuple[Callable[[WorkloadAssessment], Made], Step, str | None], ...]] = (
    (file_to_service, Step.READINESS, "gaps"),
    (slow_at_peak, Step.CAPACITY, None),
    (bad_version, Step.READINESS, "monitoring"),
    (does_it_fit, Step.MEMORY, None),
    (data_sheet, Step.SPEED, None),
    (slower_than_hoped, Step.SPEED, None),
    (threads, Step.HARDWARE, "software"),
    (tpu, Step.HARDWARE, None),
    (token_ceiling, Step.SPEED, None),
    (lpu, Step.HARDWARE, "speed"),
    (on_the_phone, Step.RULES, "immediacy"),
    (free_on_device, Step.COST, "on_device"),
    (without_network, Step.RULES, "offline"),
)
"""Question -> its answer and the page that shows the numbers."""
