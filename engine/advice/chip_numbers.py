"""The numbers of one kind of chip: fit, speed, power, price, and how many are needed."""

from __future__ import annotations

import statistics
from collections import OrderedDict
from threading import Lock
from typing import Final

from attrs import evolve, frozen

from engine import rooms
from engine.advice import silicon
from engine.advice.chip_machines import Question, machine_of
from engine.catalogue.catalogue import Catalogue
from engine.catalogue.rows import Figure
from engine.consultation import Workload
from engine.deployment import Deployment
from engine.estimate import Basis, Estimate, Input, Trace, exact
from engine.messages import Message, Quantity, msg
from engine.units import (
    BYTES,
    COUNT,
    HOURS_PER_MONTH,
    RATIO,
    SECONDS,
    SECONDS_PER_HOUR,
    TOKENS_PER_MTOK,
    TOKENS_PER_S,
    USD_PER_MONTH,
    USD_PER_MTOK,
    WATTS,
)


@frozen
class Numbers:
    """What a kind of chip comes to for one deployment."""

    device: str | None = None
    count: Estimate | None = None
    fits: bool | None = None
    decode_tokens_per_s: Estimate | None = None
    throughput_tokens_per_s: Estimate | None = None
    power_w: Estimate | None = None
    usd_per_month: Estimate | None = None
    usd_per_mtok: Estimate | None = None
    reasons: tuple[Message, ...] = ()


NOTHING: Final = Numbers()
KEPT: Final = 256
_KEPT: OrderedDict[tuple[object, ...], tuple[Question, Numbers]] = OrderedDict()
_LOCK: Final = Lock()


def numbers_of(family: str, asked: Question) -> Numbers:
    """The numbers of a family, kept for the last deployments: hardware answers change the ranking, not the numbers."""
    key = asked.key(family)
    with _LOCK:
        held = _KEPT.get(key)
    if held is not None and held[0].catalogue is asked.catalogue:
        return held[1]
    machine = machine_of(family, asked)
    made = NOTHING if machine is None else _numbers(family, machine, asked)
    with _LOCK:
        _KEPT[key] = (asked, made)
        if len(_KEPT) > KEPT:
            _KEPT.popitem(last=False)
    return made


def _numbers(family: str, machine: Deployment, asked: Question) -> Numbers:
    found = _lpu(machine) if family == "lpu" else _usual(machine)
    priced: Numbers = _priced(found, machine, asked.catalogue)
    return evolve(priced, reasons=_reasons(family, machine, asked.workload))


def _usual(machine: Deployment) -> Numbers:
    speed = rooms.speed_of(machine)
    power = machine.device.power
    made = Numbers(
        device=machine.device.id,
        count=exact(machine.device_count, COUNT),
        fits=rooms.holds(machine),
        power_w=None if power is None else exact(power.value * machine.device_count, WATTS, Basis.DATASHEET),
    )
    if isinstance(speed, Message):
        return made
    return evolve(
        made, decode_tokens_per_s=speed.decode_tokens_per_s, throughput_tokens_per_s=speed.throughput_tokens_per_s
    )


def _lpu(machine: Deployment) -> Numbers:
    """Chips by format and cache, and the speed of on-chip memory: value for the format chosen, from bare weights to 16 bit."""
    device, memory = machine.device, machine.device.onchip or machine.device.memory
    bandwidth = device.onchip_bandwidth or device.bandwidth
    if memory is None or bandwidth is None:
        return Numbers(device=device.id)
    bits = max(machine.weight_format.bits_per_weight, 8.0)
    count = _lpu_count(machine, bits, memory)
    power = device.power
    return Numbers(
        device=device.id,
        count=count,
        fits=True,
        decode_tokens_per_s=_lpu_speed(machine, bits, bandwidth.as_input("on_chip_bandwidth")),
        power_w=None if power is None else evolve(count.scaled(power.value, WATTS), trace=None),
    )


def _lpu_count(machine: Deployment, bits: float, memory: Figure) -> Estimate:
    model = machine.model
    weights, wide, cache = model.params_total * bits / 8, model.params_total * 2.0, rooms.cache_bytes(_whole(machine))
    full, most, tight = silicon.ON_CHIP_SHARE
    low, value, high = sorted(
        (
            silicon.lpu_chips(weights, 0.0, memory.value, full),
            silicon.lpu_chips(weights, cache, memory.value, most),
            silicon.lpu_chips(wide, cache, memory.value, tight),
        )
    )
    used = (
        Input("weights", weights, BYTES, Basis.DATASHEET, model.source),
        Input("kv_cache", cache, BYTES, Basis.DATASHEET),
        memory.as_input("chip"),
        Input("usable", most, RATIO, Basis.ASSUMED),
    )
    trace = Trace("advice.trace.lpu_chips", "ceil((weights + kv_cache) / (chip x usable))", used)
    return Estimate(value, low, high, COUNT, Basis.DATASHEET, trace)


def _whole(machine: Deployment) -> Deployment:
    return evolve(machine, device_count=1, tensor_parallel=1, pipeline_parallel=1)


def _lpu_speed(machine: Deployment, bits: float, bandwidth: Input) -> Estimate:
    """One user's tokens a second on a line of LPUs."""
    model = machine.model
    active, layers = model.params_active * bits / 8, model.n_layers or 32
    value, fast, slow = silicon.lpu_token_seconds(active, float(bandwidth.value), layers)
    used = (
        Input("weights_read", active, BYTES, Basis.DATASHEET, model.source),
        bandwidth,
        Input("layers", layers, COUNT, Basis.DATASHEET, model.source),
        Input("layer_time", silicon.LPU_LAYER_S[0], SECONDS, Basis.ASSUMED),
    )
    trace = Trace("advice.trace.lpu_speed", "1 / (weights_read / on_chip_bandwidth + layers x layer_time)", used)
    return Estimate(1 / value, 1 / slow, 1 / fast, TOKENS_PER_S, Basis.ASSUMED, trace)


def _priced(made: Numbers, machine: Deployment, catalogue: Catalogue) -> Numbers:
    """Rent of the machine: the middle of the on-demand offers in the catalogue, from the cheapest to the dearest."""
    hourly = _rent_per_hour(machine.device.id, catalogue)
    if hourly is None or made.count is None:
        return made
    count = made.count.value
    per_hour = hourly.scaled(count)
    month = Estimate(
        per_hour.value * HOURS_PER_MONTH,
        per_hour.low * HOURS_PER_MONTH,
        per_hour.high * HOURS_PER_MONTH,
        USD_PER_MONTH,
        hourly.basis,
        hourly.trace,
    )
    speed = made.throughput_tokens_per_s
    if speed is None or speed.value <= 0 or speed.low <= 0:
        return evolve(made, usd_per_month=month)
    to_mtok = TOKENS_PER_MTOK / SECONDS_PER_HOUR
    per_mtok = Estimate(
        per_hour.value / speed.value * to_mtok,
        per_hour.low / speed.high * to_mtok,
        per_hour.high / speed.low * to_mtok,
        USD_PER_MTOK,
        speed.basis,
        Trace("advice.trace.usd_per_mtok", "usd_per_hour / throughput", ()),
    )
    return evolve(made, usd_per_month=month, usd_per_mtok=per_mtok)


_RENTS: dict[str, tuple[Catalogue, Estimate | None]] = {}


def _rent_per_hour(device_id: str, catalogue: Catalogue) -> Estimate | None:
    """USD an hour for one device, on demand; None where nobody offers it."""
    held = _RENTS.get(device_id)
    if held is not None and held[0] is catalogue:
        return held[1]
    offers = [
        p for p in catalogue.gpu_prices.values() if p.device == device_id and p.on_demand_usd_per_hour is not None
    ]
    made: Estimate | None = None
    if offers:
        each = sorted((p.on_demand_usd_per_hour or 0.0) / p.count for p in offers)
        used = tuple(
            Input(p.id, (p.on_demand_usd_per_hour or 0.0) / p.count, "USD/h", Basis.DATASHEET, p.source)
            for p in offers[:6]
        )
        trace = Trace("advice.trace.rent", "median of the on-demand offers for one device", used)
        made = Estimate(statistics.median(each), each[0], each[-1], "USD/h", Basis.DATASHEET, trace)
    _RENTS[device_id] = (catalogue, made)
    return made


def _reasons(family: str, machine: Deployment, workload: Workload) -> tuple[Message, ...]:
    """What the numbers say about this family and this model."""
    if family == "tpu":
        return (_array_reason(machine, workload),)
    if family == "gpu" and workload.hardware.matrix_size is not None:
        return _copy_reason(machine, workload.hardware.matrix_size)
    return ()


def _array_reason(machine: Deployment, workload: Workload) -> Message:
    """Utilisation of the systolic array at the sizes said, or at the model's own with one row a sequence."""
    tile, model = silicon.tile_of(machine.device), machine.model
    size = workload.hardware.matrix_size
    rows = size if size is not None else machine.concurrency
    inner = size if size is not None else (model.hidden or 4096)
    columns = size if size is not None else (model.intermediate or model.moe_intermediate or 4 * inner)
    share = float(silicon.array_utilisation(rows, inner, columns, tile))
    return msg("advice.chip.array_utilisation", share=Quantity(share, RATIO), tile=tile, rows=int(rows))


def _copy_reason(machine: Deployment, size: float) -> tuple[Message, ...]:
    """Whether a product of the size said is worth its copies."""
    edge = silicon.product_break_even(machine.device)
    if edge is None:
        return ()
    key = "advice.chip.copy_pays" if size >= edge else "advice.chip.copy_does_not_pay"
    return (msg(key, edge=edge, size=int(size)),)
