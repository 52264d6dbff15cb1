"""Own machines: bought, written off, powered, housed, supported, run by people; idle or not."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from attrs import evolve, field, frozen

from engine.capacity.servers import servers_for
from engine.cost import electricity as power
from engine.cost import staff
from engine.cost.electricity import Electricity
from engine.cost.kinds import CostKind
from engine.cost.model import Line, Point
from engine.cost.offers import LEAST_YEARS, Case, Offer
from engine.cost.prices import fact, warnings_of
from engine.cost.purchase import machine, not_sold
from engine.deployment import Deployment
from engine.estimate import Basis, Estimate
from engine.inputs import FloatArray, Known
from engine.messages import Message, Name, msg
from engine.questions import question
from engine.units import COUNT, HOURS_PER_MONTH, KILO, MONTHS_PER_YEAR, RATIO, USD, WATTS

PRICE: Final = "budget.server_price_usd"
NETWORK: Final = "cost.network_share"
PARTS: Final = "cost.spare_parts_share"
SUPPORT: Final = "cost.support_share"
CAPITAL: Final = "cost.capital_share"
YEARS: Final = "budget.depreciation_years"
SERVER_POWER: Final = "cost.server_power_w"
HOUSING: Final = "cost.colocation_usd_per_kw_month"
HOUSED_PUE: Final = "cost.colocation_pue"


_SERVERS_LINE: Final = msg("cost.line.servers")
_NETWORK_LINE: Final = msg("cost.line.network")
_SPARE_PARTS_LINE: Final = msg("cost.line.spare_parts")
_DEPRECIATION_LINE: Final = msg("cost.line.depreciation")
_CAPITAL_LINE: Final = msg("cost.line.capital")
_ENERGY_LINE: Final = msg("cost.line.energy")
_DEMAND_CHARGE_LINE: Final = msg("cost.line.demand_charge")
_COLOCATION_LINE: Final = msg("cost.line.colocation")
_SUPPORT_LINE: Final = msg("cost.line.support")
_STAFF_LINE: Final = msg("cost.line.staff")


def annuity(price: FloatArray, years: FloatArray, rate: FloatArray) -> FloatArray:
    """What a purchase costs a month over its life, interest included: P i / (1 - (1 + i)^-n), i a month, n months.

    Without interest it is P / n.
    """
    monthly = np.asarray(rate) / MONTHS_PER_YEAR
    n = np.asarray(years) * MONTHS_PER_YEAR
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(monthly > 0, monthly / -np.expm1(-n * np.log1p(monthly)), 1 / n)
    out: FloatArray = price * factor
    return out


@frozen
class OnPremiseOption:
    """Servers in the customer's own room, or in somebody else's (`colocated`)."""

    devices_per_server: int
    devices_per_replica: int
    owned_servers: int
    electricity: Electricity
    label: Message
    colocated: bool = False
    kind: CostKind = field(default=CostKind.ON_PREMISE, init=False)

    def served(self, point: Point) -> float:
        return 1.0

    def servers(self, point: Point) -> FloatArray:
        """Whole machines; a replica that fits into one is not cut in two. At least 1."""
        inside = self.devices_per_server // self.devices_per_replica
        if inside >= 1:
            return np.maximum(np.ceil(point.replicas / inside - 1e-9), 1.0)
        return np.ceil(point.replicas - 1e-9) * math.ceil(self.devices_per_replica / self.devices_per_server)

    def lines(self, point: Point) -> tuple[Line, ...]:
        servers = self.servers(point)
        bought = np.maximum(servers - self.owned_servers, 0.0)
        return (*self._purchase(point, bought), *self._written_off(point, bought), *self._running(point, servers))

    def _purchase(self, point: Point, bought: FloatArray) -> tuple[Line, ...]:
        machines = bought * point[PRICE]
        return (
            Line(_SERVERS_LINE, machines, "servers_bought * server_price_usd", (PRICE,), upfront=True),
            Line(
                _NETWORK_LINE,
                machines * point[NETWORK],
                "servers_bought * server_price_usd * network_share",
                (PRICE, NETWORK),
                upfront=True,
            ),
            Line(
                _SPARE_PARTS_LINE,
                machines * point[PARTS],
                "servers_bought * server_price_usd * spare_parts_share",
                (PRICE, PARTS),
                upfront=True,
            ),
        )

    def _written_off(self, point: Point, bought: FloatArray) -> tuple[Line, ...]:
        price = bought * point[PRICE] * (1 + point[NETWORK] + point[PARTS])
        years = np.maximum(point[YEARS], LEAST_YEARS)
        straight = price / (years * MONTHS_PER_YEAR)
        interest = annuity(price, years, point[CAPITAL]) - straight
        return (
            Line(
                _DEPRECIATION_LINE,
                straight,
                "purchase / (depreciation_years * 12)",
                (PRICE, NETWORK, PARTS, YEARS),
                written_off=True,
            ),
            Line(
                _CAPITAL_LINE,
                interest,
                "annuity(purchase, depreciation_years, capital_share) - depreciation",
                (PRICE, YEARS, CAPITAL),
                written_off=True,
            ),
        )

    def _running(self, point: Point, servers: FloatArray) -> tuple[Line, ...]:
        watts = servers * point[SERVER_POWER]
        cooling = HOUSED_PUE if self.colocated else power.PUE
        pue, idle, factor = point[cooling], point[power.IDLE], point[power.PRICE]
        room = servers * (self.devices_per_server * HOURS_PER_MONTH)
        busy = np.minimum(point.busy_replica_hours * self.devices_per_replica / room, 1.0)
        energy = self.electricity.energy_usd(watts, busy, idle, pue) * factor
        lines = [
            Line(
                _ENERGY_LINE,
                energy,
                "kW * pue * 730 * (idle_power_share * mean price + busy share * price of its hours)",
                (SERVER_POWER, cooling, power.IDLE, power.PRICE),
            )
        ]
        if self.electricity.usd_per_kw_month > 0:
            lines.append(
                Line(
                    _DEMAND_CHARGE_LINE,
                    self.electricity.demand_usd(watts, pue) * factor,
                    "kW * pue * demand charge",
                    (SERVER_POWER, cooling, power.PRICE),
                )
            )
        if self.colocated:
            lines.append(
                Line(
                    _COLOCATION_LINE,
                    watts / KILO * point[HOUSING],
                    "kW * colocation_usd_per_kw_month",
                    (SERVER_POWER, HOUSING),
                )
            )
        support = servers * point[PRICE] * point[SUPPORT] / MONTHS_PER_YEAR
        people = (point[staff.FTE] + point[staff.FTE_PER_SERVER] * servers) * point[staff.SALARY] / MONTHS_PER_YEAR
        return (
            *lines,
            Line(_SUPPORT_LINE, support, "servers * server_price_usd * support_share / 12", (PRICE, SUPPORT)),
            Line(
                _STAFF_LINE,
                people,
                "(staff_fte + staff_fte_per_server * servers) * staff_usd_per_year / 12",
                (staff.FTE, staff.FTE_PER_SERVER, staff.SALARY),
            ),
        )


def build(case: Case, deployment: Deployment, replicas: float, horizon_years: float) -> tuple[Offer, tuple[Offer, ...]]:
    """Own room, and the same machines in a colocation; `replicas`: spares included; `missing` where the machine has no price."""
    label = msg("cost.option.on_premise")
    device = deployment.device
    if not_sold(device):
        missing = [msg("cost.missing.not_sold", device=Name("device", device.id))]
        return Offer(CostKind.ON_PREMISE, label, None, missing=tuple(missing)), ()
    bought = machine(case, device, replicas, deployment.device_count)
    missing = []
    if bought.price is None:
        missing.append(msg("cost.missing.server_price", device=Name("device", device.id)))
    if bought.server.max_power_w is None:
        missing.append(msg("cost.missing.power", device=Name("device", device.id)))
    if bought.price is None or bought.server.max_power_w is None:
        return Offer(CostKind.ON_PREMISE, label, None, missing=tuple(missing), warnings=bought.warnings), ()
    current = power.electricity(case)
    watts = bought.server.max_power_w
    known = (
        Known(PRICE, msg("cost.input.server_price"), bought.price, bought.source),
        Known(
            SERVER_POWER,
            msg("cost.input.server_power"),
            Estimate(watts.value, watts.low, watts.high, WATTS, watts.basis, watts.trace),
            bought.server.source,
        ),
        *_shares(case),
        _years(case, horizon_years),
        *current.known,
        staff.salary(case),
        *staff.operating(case),
    )
    owned = sum(o.count for o in case.workload.hardware.owned if o.device == device.id)
    option = OnPremiseOption(
        devices_per_server=bought.server.devices,
        devices_per_replica=deployment.device_count,
        owned_servers=owned // bought.server.devices,
        electricity=current,
        label=label,
    )
    warnings = (*bought.warnings, *current.warnings, *_idle_slots(option, replicas), msg("cost.warning.room"))
    named = msg("cost.option.on_premise_named", device=Name("device", device.id), devices=bought.server.devices)
    main = Offer(CostKind.ON_PREMISE, named, option, known, (), warnings)
    return main, (_colocated(case, main, option),)


def _idle_slots(option: OnPremiseOption, replicas: float) -> list[Message]:
    """The machine comes full: said where most of it would stand idle. One machine alone: its loss stops everything."""
    used = replicas * option.devices_per_replica
    servers = servers_for(replicas, option.devices_per_replica, option.devices_per_server)
    held = servers * option.devices_per_server
    found = [] if used * 2 > held else [msg("cost.warning.idle_slots", used=round(used), held=held)]
    if servers == 1 and replicas > 1:
        found.append(msg("cost.warning.single_server"))
    return found


def _shares(case: Case) -> tuple[Known, ...]:
    capital = fact(case.catalogue, "cost-of-capital-global")
    support = fact(case.catalogue, "operations-and-support-per-year-global")

    def share(path: str, value: float, low: float, high: float, label: Message) -> Known:
        return case.assumed(path, Estimate(value, low, high, RATIO, Basis.ASSUMED), label)

    return (
        share(NETWORK, 0.1, 0.05, 0.2, msg("cost.input.network")),
        share(PARTS, 0.03, 0.0, 0.1, msg("cost.input.spare_parts")),
        share(SUPPORT, support.value / 100 if support else 0.08, 0.05, 0.12, msg("cost.input.support")),
        share(CAPITAL, capital.value / 100 if capital else 0.08, 0.04, 0.12, msg("cost.input.capital")),
    )


def _years(case: Case, horizon_years: float) -> Known:
    fallback = Estimate(horizon_years, min(horizon_years, 3.0), max(horizon_years, 5.0), COUNT, Basis.ASSUMED)
    return case.said(YEARS, fallback, question(YEARS).short, None, msg("cost.why.write_off"))


def _colocated(case: Case, main: Offer, option: OnPremiseOption) -> Offer:
    """The same machines in a rented rack: its price a kW, its better cooling."""
    row = fact(case.catalogue, "colocation-us")
    price = row.value if row else 150.0
    rent = case.assumed(
        HOUSING, Estimate(price, price * 0.6, price * 1.6, USD, Basis.ASSUMED), msg("cost.input.colocation")
    )
    pue = fact(case.catalogue, "pue-planning-default-for-colocation-global")
    value = pue.value if pue else 1.3
    cooling = case.assumed(
        HOUSED_PUE, Estimate(value, 1.15, 1.5, COUNT, Basis.ASSUMED), msg("cost.input.colocation_pue")
    )
    extra = warnings_of(msg("cost.what.colocation"), row.source, "other", case.as_of) if row else []
    return evolve(
        main,
        label=msg("cost.variant.colocation"),
        option=evolve(option, colocated=True, label=msg("cost.variant.colocation")),
        known=(*main.known, cooling, rent),
        warnings=(*(w for w in main.warnings if w.key != "cost.warning.room"), *extra),
    )
