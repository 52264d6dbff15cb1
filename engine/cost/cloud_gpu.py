"""Rented accelerators: whole instances by the hour, on demand, spot or reserved; what stands idle is paid too."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Final

import numpy as np
from attrs import evolve, field, frozen

from engine.catalogue.catalogue import Catalogue
from engine.catalogue.rows import GpuPrice
from engine.consultation import Boundary
from engine.cost import staff
from engine.cost.kinds import CostKind
from engine.cost.model import Line, Point
from engine.cost.offers import Case, Offer
from engine.cost.prices import checked_hourly, dated, warnings_of
from engine.deployment import Deployment
from engine.estimate import Basis, Estimate, Source
from engine.inputs import FloatArray, Known
from engine.messages import Message, Name, msg
from engine.questions import question
from engine.units import HOURS_PER_MONTH, MONTHS_PER_YEAR, RATIO, SECONDS_PER_HOUR, USD_PER_HOUR

HOURLY: Final = "cost.gpu_usd_per_hour"
EXTRAS: Final = "cost.cloud_extras_share"
UTILISATION: Final = "budget.utilisation"

_KOREAN: Final = frozenset({"ap-northeast-2", "koreacentral", "koreasouth", "asia-northeast3", "ap-seoul-1"})
_JAPANESE: Final = frozenset({"ap-northeast-1", "ap-northeast-3", "japaneast", "japanwest", "asia-northeast1"})
_AT_HOME: Final = {"KR": _KOREAN, "JP": _JAPANESE}
_LEAST_USED: Final = 0.005
"""A said utilisation below this counts as this: nobody rents two hundred machines for the work of one."""
_RECENT_DAYS: Final = 100
"""Prices read within this many days of the newest count as today's."""
_NO_MACHINE: Final = re.compile(r"GPU only|per GPU\)|per chip\)", re.IGNORECASE)

_RESERVED: Final = (
    ("nvidia-h200-sxm", "aws-p5en.48xlarge-3-year-ec2-savings-plan-all-upfront-us-east-1", 1.0, 8),
    ("nvidia-h200-sxm", "azure-nd96isr-h200-v5-3-year-reservation-eastus2", 1 / (3 * 8760), 8),
    ("nvidia-h200-sxm", "oci-8x-h200-3-year-commitment-global", 1.0, 8),
)
"""Device, row of operating_costs, factor to USD an hour, devices: the commitments that were found."""


_GPU_HOURS_LINE: Final = msg("cost.line.gpu_hours")
_CLOUD_EXTRAS_LINE: Final = msg("cost.line.cloud_extras")
_RENTED_STAFF_LINE: Final = msg("cost.line.rented_staff")


def instances_for(replicas: FloatArray | float, per_replica: int, per_instance: FloatArray | float) -> FloatArray:
    """Whole instances for whole replicas: one that fits into an instance is not cut in two. At least 1; broadcasts."""
    whole = np.maximum(np.ceil(np.asarray(replicas, dtype=np.float64) - 1e-9), 1.0)
    inside = np.floor(np.asarray(per_instance, dtype=np.float64) / per_replica)
    several = whole * np.ceil(per_replica / np.asarray(per_instance, dtype=np.float64))
    out: FloatArray = np.where(inside >= 1, np.ceil(whole / np.maximum(inside, 1.0) - 1e-9), several)
    return out


@frozen
class RentedOption:
    """Instances that are always on (online) or on while a run lasts (batch)."""

    devices_per_instance: float
    devices_per_replica: int
    batch: bool
    load_time_s: float
    label: Message
    price_factor: float = 1.0
    """Over the on-demand price: spot, reserved."""
    scheduled: bool = False
    """On in the hours of use only."""
    said_utilisation: float | None = None
    kind: CostKind = field(default=CostKind.RENTED_GPU, init=False)

    def served(self, point: Point) -> float:
        return 1.0

    def instances(self, point: Point) -> FloatArray:
        """Instances that hold the replicas; a replica that fits into one is not cut in two."""
        replicas = point.replicas
        if self.said_utilisation is not None and not self.batch:
            used = max(self.said_utilisation, _LEAST_USED)
            replicas = np.maximum(point.busy_replica_hours / (HOURS_PER_MONTH * used), 1.0)
        inside = int(self.devices_per_instance // self.devices_per_replica)
        if inside >= 1:
            return np.maximum(np.ceil(replicas / inside - 1e-9), 1.0)
        return np.maximum(np.ceil(replicas - 1e-9), 1.0) * math.ceil(
            self.devices_per_replica / self.devices_per_instance
        )

    def hours(self, point: Point) -> tuple[FloatArray | float, str, tuple[str, ...]]:
        """Hours a month an instance is paid for, with the formula and its inputs."""
        loading = self.load_time_s / SECONDS_PER_HOUR
        if self.batch:
            runs = "demand.batch_runs_per_month"
            busy = point.busy_replica_hours / point.replicas
            paid = np.minimum(busy + point[runs] * loading, HOURS_PER_MONTH)
            return paid, "busy hours + batch_runs_per_month * load_time", (runs,)
        if self.scheduled:
            days, hours = "demand.active_days_per_month", "demand.active_hours_per_day"
            paid = np.minimum(point[days] * (point[hours] + loading), HOURS_PER_MONTH)
            return paid, "active_days_per_month * (active_hours_per_day + load_time)", (days, hours)
        return HOURS_PER_MONTH, "730", ()

    def lines(self, point: Point) -> tuple[Line, ...]:
        instances = self.instances(point)
        hours, formula, paths = self.hours(point)
        compute = instances * hours * point[HOURLY] * self.price_factor
        servers = instances * self.devices_per_instance / 8
        people = (point[staff.FTE] + point[staff.FTE_PER_SERVER] * servers) * point[staff.RENTED_SHARE]
        times = f" * {self.price_factor:.3g}" if self.price_factor != 1 else ""
        return (
            Line(
                _GPU_HOURS_LINE,
                compute,
                f"instances * ({formula}) * gpu_usd_per_hour{times}",
                (HOURLY, *paths),
            ),
            Line(_CLOUD_EXTRAS_LINE, compute * point[EXTRAS], "compute * cloud_extras_share", (EXTRAS,)),
            Line(
                _RENTED_STAFF_LINE,
                people * point[staff.SALARY] / MONTHS_PER_YEAR,
                "(staff_fte + staff_fte_per_server * servers) * rented_staff_share * staff_usd_per_year / 12",
                (staff.FTE, staff.FTE_PER_SERVER, staff.RENTED_SHARE, staff.SALARY),
            ),
        )


def build(case: Case, deployment: Deployment, replicas: float, load_time_s: float) -> tuple[Offer, tuple[Offer, ...]]:
    """The on-demand offer for the deployment's device, and its other ways: spot, reserved, in the hours of use only.

    `replicas`: spares included; instances that would leave more devices idle than others are passed over.
    """
    label = msg("cost.option.rented")
    device = deployment.device.id
    chosen, band, warnings = _chosen(case, device, replicas, deployment.device_count)
    if chosen is None or chosen.on_demand_usd_per_hour is None:
        missing = msg("cost.missing.gpu_price", device=Name("device", device))
        return Offer(CostKind.RENTED_GPU, label, None, missing=(missing,), warnings=tuple(warnings)), ()
    price = checked_hourly(chosen.on_demand_usd_per_hour, chosen.count, chosen.instance)
    shown = msg("cost.what.gpu", instance=chosen.instance, provider=chosen.provider, region=chosen.region)
    source = Source(f"{chosen.source.where}; {chosen.region}", chosen.source.as_of, chosen.source.verified)
    low, high = (min(band[0] * chosen.count, price), max(band[1] * chosen.count, price)) if band else (price, price)
    basis = Basis.ASSUMED if band else Basis.DATASHEET
    known = (
        Known(HOURLY, msg("cost.input.gpu_hour", what=shown), Estimate(price, low, high, USD_PER_HOUR, basis), source),
        case.assumed(EXTRAS, Estimate(0.05, 0.02, 0.12, RATIO, Basis.ASSUMED), msg("cost.input.cloud_extras")),
        staff.salary(case),
        *staff.operating(case),
        staff.rented_share(case),
    )
    option = RentedOption(
        devices_per_instance=chosen.count,
        devices_per_replica=deployment.device_count,
        batch=case.demand.batch,
        load_time_s=load_time_s,
        label=label,
        said_utilisation=case.workload.budget.utilisation,
    )
    warnings += warnings_of(shown, chosen.source, "gpu", case.as_of)
    if _NO_MACHINE.search(chosen.instance):
        warnings.append(msg("cost.warning.part_of_machine", what=shown))
    named = msg("cost.option.rented_named", what=shown)
    main = Offer(CostKind.RENTED_GPU, named, option, known, (), tuple(warnings))
    at_home = _home_offer(case, chosen, replicas, deployment.device_count)
    return main, tuple(_variants(case, main, option, chosen, price, at_home))


def _variants(
    case: Case, main: Offer, option: RentedOption, chosen: GpuPrice, price: float, at_home: GpuPrice | None
) -> Iterable[Offer]:
    def made(label: Message, way: RentedOption, *warnings: Message) -> Offer:
        return evolve(main, label=label, option=evolve(way, label=label), warnings=(*main.warnings, *warnings))

    if not option.batch:
        yield made(msg("cost.variant.scheduled"), evolve(option, scheduled=True), msg("cost.warning.scheduled"))
    if at_home is not None and at_home.on_demand_usd_per_hour is not None:
        here = msg("cost.what.gpu", instance=at_home.instance, provider=at_home.provider, region=at_home.region)
        factor = at_home.on_demand_usd_per_hour / price
        yield made(
            msg("cost.variant.at_home", what=here),
            evolve(option, devices_per_instance=at_home.count, price_factor=factor),
            *warnings_of(here, at_home.source, "gpu", case.as_of),
        )
    if chosen.spot_usd_per_hour is not None:
        factor = chosen.spot_usd_per_hour / price
        yield made(msg("cost.variant.spot"), evolve(option, price_factor=factor), msg("cost.warning.spot"))
    for device, row_id, to_hours, devices in _RESERVED:
        row = case.catalogue.operating_costs.get(row_id)
        if device == chosen.device and row is not None:
            factor = row.value * to_hours / devices * chosen.count / price
            if factor < 1:
                yield made(
                    msg("cost.variant.reserved", what=row.item),
                    evolve(option, price_factor=factor),
                    *warnings_of(msg("cost.what.row", item=row.item), row.source, "gpu", case.as_of),
                )


def _chosen(
    case: Case, device: str, replicas: float, per_replica: int
) -> tuple[GpuPrice | None, tuple[float, float] | None, list[Message]]:
    """The price used, the band of its share per device (None: the customer named the offer), and warnings."""
    said = case.workload.budget.gpu_instance
    if said is not None and said in case.catalogue.gpu_prices:
        chosen = case.catalogue.gpu_prices[said]
        other = (
            [] if chosen.device == device else [msg("cost.warning.other_device", device=Name("device", chosen.device))]
        )
        return chosen, None, other
    offers, warnings = _allowed(case, _whole_devices(case.catalogue, device))
    if not offers:
        return None, None, warnings
    each = _least_idle(offers, replicas, per_replica)
    chosen = each[(len(each) - 1) // 2]
    case.ledger.note(
        "budget.gpu_instance",
        chosen.id,
        question("budget.gpu_instance").short,
        chosen.source,
        msg("cost.why.gpu_offer"),
    )
    return chosen, (_per_device(each[0]), _per_device(each[-1])), warnings


def _least_idle(offers: list[GpuPrice], replicas: float, per_replica: int) -> list[GpuPrice]:
    """Those that leave fewest devices idle, by price of a device."""
    counts = np.array([p.count for p in offers])
    paid = instances_for(replicas, per_replica, counts) * counts
    least = np.flatnonzero(paid == paid.min())
    return sorted((offers[i] for i in least), key=lambda p: (_per_device(p), p.id))


def _whole_devices(catalogue: Catalogue, device: str) -> list[GpuPrice]:
    """Offers of at least one whole device: shares of one cannot be put together."""
    prices = catalogue.gpu_prices.values()
    return [p for p in prices if p.device == device and p.on_demand_usd_per_hour and p.count >= 1]


def _at_home(case: Case, offers: Iterable[GpuPrice]) -> list[GpuPrice]:
    home = _AT_HOME.get(case.country, frozenset())
    return [p for p in offers if p.region in home]


def _home_offer(case: Case, chosen: GpuPrice, replicas: float, per_replica: int) -> GpuPrice | None:
    """The middle offer inside the country for the same device, where another was chosen."""
    if case.workload.budget.gpu_instance is not None or chosen in _at_home(case, [chosen]):
        return None
    inside = _at_home(case, _whole_devices(case.catalogue, chosen.device))
    if not inside:
        return None
    each = _least_idle(inside, replicas, per_replica)
    return each[(len(each) - 1) // 2]


def _allowed(case: Case, offers: list[GpuPrice]) -> tuple[list[GpuPrice], list[Message]]:
    """Recent offers: at home first unless the customer said that the data may go anywhere; elsewhere otherwise, and said where
    the data may not leave the country."""
    boundary = case.workload.data.boundary
    warnings = []
    inside = _at_home(case, offers)
    if inside and boundary is not Boundary.NONE:
        return inside, []
    if offers and boundary is Boundary.COUNTRY:
        warnings.append(msg("cost.warning.no_home_price", country=case.country))
    days = {p.id: dated(p.source.as_of) for p in offers}
    newest = max((d for d in days.values() if d is not None), default=None)
    recent = [p for p in offers if newest and (d := days[p.id]) and (newest - d).days <= _RECENT_DAYS]
    firm = [p for p in recent or offers if not _is_market(p)] or recent or offers
    whole = [p for p in firm if not _NO_MACHINE.search(p.instance)]
    return whole or firm, warnings


def _is_market(price: GpuPrice) -> bool:
    """Machines of strangers, cheap and without a contract: no place for a customer's service."""
    return price.provider == "Vast.ai" or "community" in price.instance.lower()


def _per_device(price: GpuPrice) -> float:
    return (price.on_demand_usd_per_hour or math.inf) / price.count


def usd_per_device_hour(catalogue: Catalogue) -> dict[str, float]:
    """Device -> median price of one device for an hour, on demand, over the recent offers. For the sweep."""
    found: dict[str, list[float]] = {}
    for price in catalogue.gpu_prices.values():
        if price.on_demand_usd_per_hour and price.count >= 1:
            found.setdefault(price.device, []).append(_per_device(price))
    return {device: float(np.median(prices)) for device, prices in found.items()}


def usd_per_mtok(
    usd_per_hour: FloatArray | float, tokens_per_s: FloatArray | float, utilisation: FloatArray | float = 1.0
) -> FloatArray:
    """$/M tokens = $/h / (tokens/s * 3600 * utilisation) * 10^6; broadcasts. Infinite where nothing is produced."""
    made = np.asarray(tokens_per_s, dtype=np.float64) * SECONDS_PER_HOUR * utilisation
    with np.errstate(divide="ignore"):
        out: FloatArray = np.where(made > 0, np.asarray(usd_per_hour) / np.maximum(made, 1e-300) * 1e6, np.inf)
    return out
