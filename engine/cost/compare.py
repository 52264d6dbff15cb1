"""The cost room's answer: every way to pay side by side, where they cross, and what moves the bill."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Final

import numpy as np
from attrs import evolve, frozen

from engine.assumptions import Ledger
from engine.capacity.demand import Demand, demand_of, label_of
from engine.capacity.plan import SPEED
from engine.capacity.results import CapacityResult
from engine.catalogue.catalogue import Catalogue
from engine.catalogue.rows import Model
from engine.consultation import Workload
from engine.cost import api, cloud_gpu, crossover, hybrid, on_device, on_premise
from engine.cost.bill import Biller
from engine.cost.kinds import CostKind
from engine.cost.model import Bill, CostModel, Fleet
from engine.cost.offers import Case, Offer
from engine.cost.on_device import DeviceSpeed
from engine.cost.prices import won_per_usd
from engine.cost.results import CostCurve, CostOption, CostResult, Crossover, LateCurve, Sensitivity
from engine.deployment import Deployment
from engine.errors import Refused
from engine.estimate import Basis, Estimate
from engine.inputs import FloatArray, Known, band
from engine.lazy import Later
from engine.messages import msg
from engine.questions import question
from engine.units import COUNT

HORIZON: Final = on_device.HORIZON
HOME: Final = "KR"
"""Where the customer is taken to be when nobody said; the tariff in the ledger shows it."""
GROWTH: Final = "demand.growth_per_year"
LARGEST: Final = 10

HybridPair = tuple[CostKind, CostKind]
"""Near side, far side."""
HYBRIDS: Final[tuple[HybridPair, ...]] = (
    (CostKind.ON_DEVICE, CostKind.API),
    (CostKind.ON_PREMISE, CostKind.API),
    (CostKind.ON_DEVICE, CostKind.ON_PREMISE),
)
_CURVE_REACH: Final = 100.0
"""The curve reaches this far below and above the users and the crossovers."""


@frozen
class OnDevice:
    """The small model considered for the users' devices."""

    model: Model | None = None
    file_bytes: Estimate | None = None
    speed: DeviceSpeed | None = None


def cost(
    workload: Workload,
    capacity: CapacityResult | None,
    deployment: Deployment | None,
    catalogue: Catalogue,
    ledger: Ledger,
    as_of: date,
    *,
    country: str | None = None,
    explain: CostKind | None = None,
    device: OnDevice | None = None,
    hybrid_of: HybridPair | None = None,
) -> CostResult:
    """Price every option of the workload on the day `as_of`.

    `capacity` and `deployment` together make renting and owning countable; without them both say what is missing. `country`: of
    the customer (ISO 3166), for tariff and regions. `explain`: the option whose tornado is wanted (the cheapest where None).
    `device`: the small model on the user's device. `hybrid_of`: near and far side of the hybrid. Lines, years, variants, curve
    and crossovers are worked out when they are first read.
    """
    demand = capacity.demand_inputs if capacity and capacity.demand_inputs else demand_of(workload, ledger)
    case = Case(workload, demand, catalogue, ledger, as_of, (country or HOME).upper())
    horizon = _horizon(case)
    found = _offers(case, capacity, deployment, horizon.estimate.value, device, hybrid_of)
    offers = found.main
    model = _model(demand, capacity, horizon, offers, found.terms)
    biller = Biller(model, GROWTH)
    options, bills = biller.options(offers)
    by_kind = {offers[n].kind: bill for n, bill in bills.items()}
    cheapest = _cheapest(options)
    explained = explain if explain in model.options else cheapest
    moved: tuple[Sensitivity, ...] = ()
    if explained is not None:
        moved = sensitivities(model, by_kind[explained].monthly)
        _weigh(ledger, moved, float(np.ravel(by_kind[explained].monthly)[0]))
    late = _Late(model, biller, by_kind)
    return CostResult(
        options=_with_battery(options, case, device),
        curve=LateCurve(late.curve) if model.options else None,
        crossovers=Later(lambda: late.crossovers),
        sensitivities=moved,
        usd_to_krw=won_per_usd(catalogue),
        cheapest=cheapest,
        variants=Later(lambda: biller.options(found.variants)[0]),
        horizon_years=horizon.estimate,
        largest_assumptions=moved[:LARGEST],
        explained=explained,
        model=model,
    )


class _Late:
    """What is worked out when somebody looks at it: the grid over users, the crossovers, the curve."""

    def __init__(self, model: CostModel, biller: Biller, bills: Mapping[CostKind, Bill]) -> None:
        self._model, self._biller, self._bills = model, biller, bills

    @cached_property
    def _grid(self) -> dict[CostKind, tuple[FloatArray, FloatArray]]:
        return _grid(self._model)

    @cached_property
    def crossovers(self) -> tuple[Crossover, ...]:
        each = {kind: pair[1] for kind, pair in self._grid.items()}
        return crossover.all_of(self._model, each, self._biller.point, self._bills)

    def curve(self) -> CostCurve:
        return _curve(self._model, {kind: pair[0] for kind, pair in self._grid.items()}, self.crossovers)


@frozen
class _Offers:
    """What is priced: one offer a kind, other terms for some of them, and the hybrids that were not chosen."""

    main: tuple[Offer, ...]
    terms: tuple[Offer, ...]
    hybrids: Sequence[Offer]
    """Made when somebody reads them: their inputs are those of their sides."""

    @property
    def variants(self) -> tuple[Offer, ...]:
        """Those that have a price."""
        return tuple(v for v in (*self.terms, *self.hybrids) if v.option is not None)


def _offers(
    case: Case,
    capacity: CapacityResult | None,
    deployment: Deployment | None,
    horizon_years: float,
    device: OnDevice | None,
    hybrid_of: HybridPair | None,
) -> _Offers:
    """The main offers in the order of `CostKind`, and the variants."""
    hosted = deployment.model.id if deployment else case.workload.serving.model
    paid = _guarded(CostKind.API, lambda: (api.build(case, hosted), ()))
    if capacity is None or deployment is None:
        absent = msg("cost.missing.deployment")
        rented: tuple[Offer, tuple[Offer, ...]] = (
            Offer(CostKind.RENTED_GPU, msg("cost.option.rented"), None, missing=(absent,)),
            (),
        )
        owned: tuple[Offer, tuple[Offer, ...]] = (
            Offer(CostKind.ON_PREMISE, msg("cost.option.on_premise"), None, missing=(absent,)),
            (),
        )
    else:
        load_s, replicas = capacity.load_time_s.value, capacity.replicas.value + capacity.spares
        rented = _guarded(CostKind.RENTED_GPU, lambda: cloud_gpu.build(case, deployment, replicas, load_s))
        owned = _guarded(CostKind.ON_PREMISE, lambda: on_premise.build(case, deployment, replicas, horizon_years))
    handheld = on_device.build(case, *_small_model(case, device))
    single = {offer.kind: offer for offer in (paid[0], rented[0], owned[0], handheld)}
    wanted = hybrid_of or _usual_hybrid(case, owned[0])

    def mixed(pair: HybridPair) -> Offer:
        return hybrid.build(case, single[pair[0]], single[pair[1]])

    chosen, other_terms = mixed(wanted), (*rented[1], *owned[1])
    others = Later(lambda: [mixed(pair) for pair in HYBRIDS if pair != wanted])
    return _Offers((*single.values(), chosen), other_terms, others)


def _guarded(kind: CostKind, build: Callable[[], tuple[Offer, tuple[Offer, ...]]]) -> tuple[Offer, tuple[Offer, ...]]:
    """A price that cannot be true leaves its option without one and says why."""
    try:
        return build()
    except Refused as refusal:
        return Offer(kind, _PLAIN[kind], None, missing=(refusal.message,)), ()


_PLAIN: Final = {
    CostKind.API: msg("cost.option.api"),
    CostKind.RENTED_GPU: msg("cost.option.rented"),
    CostKind.ON_PREMISE: msg("cost.option.on_premise"),
}


_LARGEST_ON_DEVICE: Final = 10e9
"""Parameters above which a model goes on a user's device only where the customer named it for that."""


def _small_model(case: Case, device: OnDevice | None) -> tuple[Model | None, Estimate | None]:
    """The model for the device with its file, where one was named or handed over that a device may hold."""
    said = case.workload.serving.target_model
    if device is not None and (device.model or device.file_bytes):
        model = device.model
        if model is None or model.id == said or model.params_total <= _LARGEST_ON_DEVICE:
            return model, device.file_bytes
    return (case.catalogue.models.get(said) if said else None), None


def _usual_hybrid(case: Case, owned: Offer) -> HybridPair:
    """The device in front where one was named or no machine has a price, else the own machines; an API behind."""
    named = case.workload.serving.target_device or case.workload.serving.target_model
    return HYBRIDS[0] if named or owned.option is None else HYBRIDS[1]


def _model(
    demand: Demand,
    capacity: CapacityResult | None,
    horizon: Known,
    offers: tuple[Offer, ...],
    variants: tuple[Offer, ...],
) -> CostModel:
    fleet = None
    more: list[Known] = [horizon, Known(GROWTH, label_of(GROWTH), demand.growth_per_year)]
    if capacity is not None and capacity.sizing is not None:
        fleet = Fleet(capacity.sizing, capacity.batch_size.value, capacity.spares, capacity.devices_per_replica)
        low, high = capacity.speed_band
        factor = Estimate(1.0, low, high, COUNT, capacity.requests_per_s_per_replica.basis)
        more.append(Known(SPEED, msg("capacity.input.speed"), factor))
    priced = {offer.kind: offer.option for offer in offers if offer.option is not None}
    known = [k for offer in (*offers, *variants) if offer.option is not None for k in offer.known]
    return CostModel(demand.inputs.joined([*more, *known]), demand, fleet, priced)


def _with_battery(options: tuple[CostOption, ...], case: Case, device: OnDevice | None) -> tuple[CostOption, ...]:
    """What an answer takes from the user's battery, beside the option that takes it."""
    speed = (device.speed if device else None) or on_device.usual_speed(case, *_small_model(case, device))
    if speed is None:
        return options
    inputs = case.demand.inputs
    joules = on_device.battery_joules(speed, inputs["demand.prompt_tokens"].value, inputs["demand.output_tokens"].value)
    priced = CostKind.ON_DEVICE
    return tuple(
        evolve(o, user_battery_joules=joules) if o.kind is priced and o.per_month_usd is not None else o
        for o in options
    )


def _cheapest(options: tuple[CostOption, ...]) -> CostKind | None:
    priced = [(o.per_request_usd.value, o.kind) for o in options if o.per_request_usd is not None]
    return min(priced, key=lambda p: p[0])[1] if priced else None


def _grid(model: CostModel) -> dict[CostKind, tuple[FloatArray, FloatArray]]:
    """Monthly cost and cost of a request over `crossover.USERS_GRID`, shape (rows, users)."""
    point = model.over_users(crossover.USERS_GRID)
    shape = (model.inputs.length, crossover.USERS_GRID.size)
    found = {}
    for kind, bill in model.bills(point).items():
        found[kind] = (np.broadcast_to(bill.monthly, shape), np.broadcast_to(bill.per_request, shape))
    return found


def _curve(model: CostModel, grid: Mapping[CostKind, FloatArray], crossovers: tuple[Crossover, ...]) -> CostCurve:
    """The part of the grid around the users and the crossovers."""
    marks = [model.inputs["scale.users"].value]
    marks += [c.at.value for c in crossovers if c.axis == "users" and c.at is not None]
    least, most = min(marks) / _CURVE_REACH, max(marks) * _CURVE_REACH
    users = crossover.USERS_GRID
    kept = (users >= least) & (users <= most)
    usd, low, high = band(np.stack([rows[:, kept] for rows in grid.values()], axis=1))
    return CostCurve(users[kept], tuple(grid), usd, low, high)


def sensitivities(model: CostModel, monthly: FloatArray) -> tuple[Sensitivity, ...]:
    """How far each uncertain input moves a monthly cost by itself, the furthest first.

    `monthly`: the cost at `model.inputs.rows()`.
    """
    rows = np.broadcast_to(monthly, (model.inputs.length,)).tolist()
    found = [
        Sensitivity(item.path, item.label, rows[1 + 2 * i], rows[2 + 2 * i])
        for i, item in enumerate(model.inputs.uncertain)
    ]
    moving = [s for s in found if abs(s.high_usd - s.low_usd) > 1e-9 * abs(rows[0]) + 1e-12]
    return tuple(sorted(moving, key=lambda s: -abs(s.high_usd - s.low_usd)))


def _weigh(ledger: Ledger, moved: tuple[Sensitivity, ...], base_usd: float) -> None:
    """Tell the ledger how far each assumption moves the bill: half its swing over the bill, at most 1."""
    ledger.weigh({s.path: min(abs(s.high_usd - s.low_usd) / 2 / max(base_usd, 1e-9), 1.0) for s in moved})


def device_crossover(
    workload: Workload, catalogue: Catalogue, ledger: Ledger, as_of: date, *, country: str | None = None
) -> Estimate | None:
    """Requests a month above which on-device is cheaper than a model API: rule 4's crossover, without any deployment.

    None where the API has no price, nobody holds a device, or the two never cross.
    """
    demand = demand_of(workload, ledger)
    case = Case(workload, demand, catalogue, ledger, as_of, (country or HOME).upper())
    horizon = _horizon(case)
    paid = _guarded(CostKind.API, lambda: (api.build(case, workload.serving.model), ()))[0]
    handheld = on_device.build(case, *_small_model(case, None))
    if paid.option is None or handheld.option is None:
        return None
    return device_pays_above(_model(demand, None, horizon, (paid, handheld), ()))


def device_pays_above(model: CostModel | None) -> Estimate | None:
    """Requests a month above which on-device is cheaper than a model API, from the priced options of a workload.

    It does not depend on how many users were said, nor on any machine. None where either has no price or they never cross.
    """
    pair = (CostKind.API, CostKind.ON_DEVICE)
    if model is None or any(kind not in model.options for kind in pair):
        return None
    only = CostModel(model.inputs, model.demand, None, {kind: model.options[kind] for kind in pair})
    found = crossover.in_users(only, {kind: each for kind, (_, each) in _grid(only).items()}, (pair,))
    requests = next((c for c in found if c.axis == "requests"), None)
    return requests.at if requests and requests.cheaper_above is CostKind.ON_DEVICE else None


def _horizon(case: Case) -> Known:
    usual = Estimate(3, 1, 5, COUNT, Basis.ASSUMED)
    return case.said(HORIZON, usual, question(HORIZON).short, None, msg("cost.why.horizon"))


__all__ = ["OnDevice", "cost", "device_crossover", "device_pays_above", "sensitivities"]
