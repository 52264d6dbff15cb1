"""What a machine costs to buy: the customer's quote, else the catalogue's prices, else nothing, and then a quote is asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from engine.capacity.servers import Server, chassis_of, machine_for
from engine.catalogue.catalogue import Catalogue
from engine.catalogue.rows import Device, OperatingCost
from engine.cost.offers import Case
from engine.cost.prices import warnings_of
from engine.estimate import Basis, Estimate, Input, Source, Trace, exact
from engine.messages import Message, Name, msg
from engine.units import USD

_SERVER_PRICES: Final[Mapping[str, tuple[str, str, str]]] = {
    "nvidia-h200-sxm": (
        "8x-h200-server-purchase-typical-us",
        "8x-h200-server-purchase-low-us",
        "8x-h200-server-purchase-high-us",
    ),
    "nvidia-h100-sxm": (
        "8x-h100-server-purchase-placeholder-us",
        "8x-h100-server-purchase-placeholder-us",
        "dgx-h100-system-us",
    ),
    "nvidia-b200": ("8x-b200-server-purchase-placeholder-us", "", ""),
    "nvidia-b300": ("8x-b300-server-purchase-placeholder-us", "", ""),
    "nvidia-a100-sxm-80gb": ("8x-a100-80gb-server-purchase-placeholder-us", "", ""),
    "amd-mi300x": ("8x-mi300x-server-purchase-placeholder-us", "", ""),
    "nvidia-l40s": ("8x-l40s-server-purchase-placeholder-us", "", ""),
    "nvidia-dgx-spark-gb10": ("dgx-spark-128gb-us", "dgx-spark-128gb-before-the-rise-us", ""),
}
"""Device -> rows of operating_costs: price of a whole machine, its low and its high end."""

_CARD_PRICES: Final[Mapping[str, tuple[str, str, str]]] = {
    "nvidia-h100-pcie": ("h100-80gb-card-low-us", "", "h100-80gb-card-high-us"),
    "nvidia-h100-nvl": ("h100-80gb-card-low-us", "", "h100-80gb-card-high-us"),
    "nvidia-rtx-pro-6000-server": (
        "rtx-pro-6000-blackwell-96gb-list-price-us-3",
        "rtx-pro-6000-blackwell-96gb-list-price-us-2",
        "",
    ),
    "nvidia-rtx-pro-6000-workstation": (
        "rtx-pro-6000-blackwell-96gb-list-price-us-3",
        "rtx-pro-6000-blackwell-96gb-list-price-us-2",
        "",
    ),
    "nvidia-rtx-5090": (
        "rtx-5090-median-buyer-price-us",
        "rtx-5090-launch-list-price-us",
        "rtx-5090-street-price-high-us",
    ),
    "nvidia-rtx-4090": ("rtx-4090-launch-list-price-us", "", ""),
    "nvidia-l4": ("l4-24gb-card-us", "", ""),
    "nvidia-l40s": ("l40s-48gb-card-us", "", ""),
    "nvidia-a100-pcie-80gb": ("a100-80gb-pcie-card-used-or-new-old-stock-us", "", ""),
}
"""Device -> rows: price of one card, its low and its high end."""

_HOST_USD: Final[Mapping[int, tuple[float, float, float]]] = {
    1: (4_000, 2_000, 8_000),
    2: (6_000, 3_000, 12_000),
    4: (15_000, 8_000, 25_000),
    8: (35_000, 20_000, 60_000),
}
"""Chassis, processors, memory, disks and network cards around that many cards: planning figures."""


@frozen
class Purchase:
    """One machine: how many devices it holds, its price (None: ask for a quote), where the price comes from."""

    server: Server
    price: Estimate | None
    source: Source | None
    warnings: tuple[Message, ...]


_RENT_ONLY: Final = ("google-tpu", "aws-")
"""Beginnings of the ids of devices that nobody sells."""


def not_sold(device: Device) -> bool:
    return device.id.startswith(_RENT_ONLY)


def machine(case: Case, device: Device, replicas: float, per_replica: int) -> Purchase:
    """The machine the device stands in, with its price."""
    said = case.workload.budget.server_price_usd
    server = machine_for(device, case.catalogue, replicas, per_replica, said is not None)
    if said is not None:
        used = case.said("budget.server_price_usd", exact(said, USD), msg("cost.input.server_price"))
        return Purchase(server, used.estimate, None, ())
    found = _server_price(case.catalogue, device, server) or _card_price(case.catalogue, device, server)
    if found is None:
        return Purchase(server, None, None, ())
    price, row = found
    what = msg("cost.what.server", device=Name("device", device.id))
    warnings = warnings_of(what, row.source, "server", case.as_of)
    if "placeholder" in row.item:
        warnings.append(msg("cost.warning.placeholder", what=what))
    case.ledger.note(
        "budget.server_price_usd", price, msg("cost.input.server_price"), row.source, msg("cost.why.server_price")
    )
    return Purchase(server, price, row.source, (*warnings, msg("cost.warning.get_a_quote")))


def _rows(catalogue: Catalogue, ids: tuple[str, str, str]) -> tuple[OperatingCost, float, float] | None:
    row = catalogue.operating_costs.get(ids[0])
    if row is None:
        return None
    low, high = (catalogue.operating_costs.get(i) for i in ids[1:])
    weak = not row.source.verified or "placeholder" in row.item
    spread = 0.4 if weak else 0.2
    ends = (low.value if low else row.value * (1 - spread), high.value if high else row.value * (1 + spread))
    return row, min(ends[0], row.value), max(ends[1], row.value)


def _server_price(catalogue: Catalogue, device: Device, server: Server) -> tuple[Estimate, OperatingCost] | None:
    """A whole machine, where its price is for that many devices."""
    ids = _SERVER_PRICES.get(device.id)
    whole = server.devices == chassis_of(device, math.inf)
    found = _rows(catalogue, ids) if ids and whole else None
    if found is None:
        return None
    row, low, high = found
    trace = Trace("cost.trace.server_price", "price", (_input("price", row.value, row.source),))
    return Estimate(row.value, low, high, USD, Basis.ASSUMED, trace), row


def _card_price(catalogue: Catalogue, device: Device, server: Server) -> tuple[Estimate, OperatingCost] | None:
    """Cards and the machine around them."""
    ids = _CARD_PRICES.get(device.id)
    found = _rows(catalogue, ids) if ids else None
    if found is None:
        return None
    row, low, high = found
    host = _HOST_USD[max(size for size in _HOST_USD if size <= server.devices)]
    n = server.devices
    trace = Trace(
        "cost.trace.server_price",
        f"{n} * card + host",
        (_input("card", row.value, row.source), _input("host", host[0])),
    )
    value = n * row.value + host[0]
    return Estimate(value, n * low + host[1], n * high + host[2], USD, Basis.ASSUMED, trace), row


def _input(name: str, value: float, source: Source | None = None) -> Input:
    return Input(name, value, USD, Basis.ASSUMED, source)
