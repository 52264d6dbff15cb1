"""The machine a device stands in: how many devices, how much power at full load, how many rack units.

Powers of 8-device servers are the vendors' reference systems in operating_costs.csv. For others the board power is scaled by
what those servers draw over their boards (1.8), and a workstation by what a host adds to one card.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from engine.catalogue.catalogue import Catalogue
from engine.catalogue.rows import Device
from engine.estimate import Basis, Estimate, Input, Source, Trace, as_input
from engine.units import COUNT, KILO, WATTS

_SERVER_POWER: Final[Mapping[str, str]] = {
    "nvidia-h100-sxm": "8x-h100-server-maximum-power-dgx-h100-global",
    "nvidia-h200-sxm": "8x-h200-server-maximum-power-global",
    "nvidia-b200": "8x-b200-server-maximum-power-dgx-b200-global",
    "nvidia-b300": "8x-b300-server-maximum-power-global",
    "nvidia-a100-sxm-80gb": "8x-a100-server-maximum-power-dgx-a100-global",
    "nvidia-a100-sxm-40gb": "8x-a100-server-maximum-power-dgx-a100-global",
    "amd-mi300x": "8x-mi300x-server-maximum-power-global",
    "nvidia-l40s": "8x-l40s-server-maximum-power-global",
}
_PLANNING: Final = Source("planning figure: current server line-ups", "2026-12", verified=False)


@frozen
class Server:
    """One machine full of the device."""

    devices: int
    max_power_w: Estimate | None
    rack_units: Estimate
    source: Source


def server_of(device: Device, catalogue: Catalogue, needed_devices: float = math.inf) -> Server:
    """The machine that holds the device; its power is None where nobody published the board's.

    Boards that are sold as one (SXM, OAM, pods) come in their full number; cards stand in the smallest usual chassis that holds
    `needed_devices`, in several of the largest where they are more.
    """
    devices = chassis_of(device, needed_devices)
    return _server(device, catalogue, devices)


def machine_for(
    device: Device, catalogue: Catalogue, replicas: float, per_replica: int, quoted: bool = False
) -> Server:
    """The machine for so many replicas. `quoted`: the customer has a quote; it is taken for what quotes are usually asked for:
    cards, one machine with a replica's devices; boards sold as one, the whole of them."""
    if not quoted:
        return server_of(device, catalogue, replicas * per_replica)
    whole = chassis_of(device, math.inf)
    return _server(device, catalogue, min(per_replica, whole) if is_card(device) else whole)


def _server(device: Device, catalogue: Catalogue, devices: int) -> Server:
    row = catalogue.operating_costs.get(_SERVER_POWER.get(device.id, ""))
    units = _rack_units(device, devices)
    if row is not None and devices == _REFERENCE_DEVICES:
        power = Estimate(row.value * KILO, row.value * KILO * 0.85, row.value * KILO, WATTS, Basis.DATASHEET)
        return Server(devices, power, units, row.source)
    if device.power is None:
        return Server(devices, None, units, _PLANNING)
    boards = device.power.value * devices
    low, value, high = (boards * f for f in (_ALONE if device.kind in _WHOLE_MACHINES else _WITH_HOST))
    trace = Trace(
        "capacity.trace.server_power",
        "boards * board_power * host_factor",
        (
            Input("boards", devices, COUNT, Basis.ASSUMED, _PLANNING),
            device.power.as_input("board_power"),
            Input("host_factor", value / boards, COUNT, Basis.ASSUMED, _PLANNING),
        ),
    )
    return Server(devices, Estimate(value, low, high, WATTS, Basis.ASSUMED, trace), units, _PLANNING)


_REFERENCE_DEVICES: Final = 8
_WHOLE_MACHINES: Final = ("apu", "apple-soc", "phone-soc", "cpu", "wafer", "edge")
_WITH_HOST: Final = (1.35, 1.6, 1.85)
_ALONE: Final = (0.8, 1.0, 1.3)
_CHASSIS: Final = (1, 2, 4, 8)
_LARGEST_CHASSIS: Final = {"datacenter": 8, "workstation": 4, "consumer": 2}


def is_card(device: Device) -> bool:
    """True for what is bought by the piece and put into a slot; False for boards sold as one and for whole machines."""
    if device.kind in _WHOLE_MACHINES or device.host_link == "unified" or not device.host_link.startswith("PCIe"):
        return False
    link = device.interconnect
    return not link or link.endswith("bridge") or link.startswith(("QSFP", "4x QSFP"))


def chassis_of(device: Device, needed_devices: float) -> int:
    """Devices in one machine."""
    if device.kind in _WHOLE_MACHINES or device.segment in ("laptop", "embedded"):
        return 1
    most = device.max_devices_per_node or _LARGEST_CHASSIS.get(device.segment, 8)
    if not is_card(device):
        return most
    sizes = [size for size in _CHASSIS if size <= most] or [1]
    return next((size for size in sizes if size >= needed_devices), sizes[-1])


def _rack_units(device: Device, devices: int) -> Estimate:
    if device.kind == "wafer":
        return Estimate(16, 15, 17, COUNT, Basis.ASSUMED)
    if devices == 1:
        return Estimate(2, 1, 4, COUNT, Basis.ASSUMED)
    board = device.power.value if device.power else 400.0
    if devices >= 8 and board >= 600:
        return Estimate(8, 6, 10, COUNT, Basis.ASSUMED)
    return Estimate(4, 2, 5, COUNT, Basis.ASSUMED)


@frozen
class Site:
    """Machines for a number of replicas."""

    servers: int
    power_w: Estimate | None
    rack_units: Estimate


def servers_for(replicas: float, devices_per_replica: int, per_server: int) -> int:
    """Machines for whole replicas: a replica that fits in one machine is not cut in two. At least 1."""
    if devices_per_replica <= per_server:
        return max(math.ceil(replicas / (per_server // devices_per_replica) - 1e-9), 1)
    return max(math.ceil(replicas - 1e-9), 1) * math.ceil(devices_per_replica / per_server)


def site_of(replicas: float, devices_per_replica: int, server: Server) -> Site:
    """Machines, power at full load (without cooling) and rack units of that many replicas."""
    count = servers_for(replicas, devices_per_replica, server.devices)
    trace = Trace(
        "capacity.trace.rack_units",
        "servers * units",
        (Input("servers", count, COUNT, Basis.ASSUMED), as_input("units", server.rack_units)),
    )
    units = server.rack_units.scaled(count)
    power = server.max_power_w.scaled(count) if server.max_power_w else None
    return Site(count, power, Estimate(units.value, units.low, units.high, COUNT, Basis.ASSUMED, trace))
