"""What each placement is made of, where its data goes, and how placements combine."""

from __future__ import annotations

import enum
from typing import Final

from engine.advice.results import Placement
from engine.consultation import Boundary, DeviceClass

P = Placement


class Site(enum.StrEnum):
    """The three places a model can stand: the families of every placement."""

    CLOUD = "cloud"
    DEVICE = "device"
    PREMISE = "premise"


SITES: Final[dict[Placement, frozenset[Site]]] = {
    P.CLOUD_API: frozenset({Site.CLOUD}),
    P.CLOUD_GPU: frozenset({Site.CLOUD}),
    P.SEALED_CLOUD: frozenset({Site.CLOUD}),
    P.ON_DEVICE: frozenset({Site.DEVICE}),
    P.ON_PREMISE: frozenset({Site.PREMISE}),
    P.DEVICE_CLOUD: frozenset({Site.DEVICE, Site.CLOUD}),
    P.ON_PREMISE_CLOUD: frozenset({Site.PREMISE, Site.CLOUD}),
    P.DEVICE_ON_PREMISE: frozenset({Site.DEVICE, Site.PREMISE}),
}

ORDER: Final = tuple(Placement)
"""The fixed order of every vector of weights, and of ties."""
INDEX: Final[dict[Placement, int]] = {placement: i for i, placement in enumerate(ORDER)}

CLOUDS: Final = (P.CLOUD_API, P.CLOUD_GPU, P.SEALED_CLOUD)
PUBLIC_CLOUDS: Final = (P.CLOUD_API, P.CLOUD_GPU)
HYBRIDS: Final = (P.DEVICE_CLOUD, P.ON_PREMISE_CLOUD, P.DEVICE_ON_PREMISE)
WITH_DEVICE: Final = (P.ON_DEVICE, P.DEVICE_CLOUD, P.DEVICE_ON_PREMISE)
WITH_CLOUD: Final = (*CLOUDS, P.DEVICE_CLOUD, P.ON_PREMISE_CLOUD)
DEVICE_HYBRIDS: Final = (P.DEVICE_CLOUD, P.DEVICE_ON_PREMISE)
CLOUD_HYBRIDS: Final = (P.DEVICE_CLOUD, P.ON_PREMISE_CLOUD)

AWAY: Final = frozenset(
    {DeviceClass.PHONE, DeviceClass.CAR, DeviceClass.WEARABLE, DeviceClass.VESSEL, DeviceClass.SPEAKER}
)
"""Devices that leave the organisation's buildings: its own servers are as far from them as a cloud is."""
HELD_BY_PEOPLE: Final = frozenset(
    {DeviceClass.PHONE, DeviceClass.PC, DeviceClass.WEARABLE, DeviceClass.SPEAKER, DeviceClass.KIOSK}
)
"""Devices a person uses: an answer is waited for, unless somebody says that a machine acts on it."""
OF_THE_ORGANISATION: Final = frozenset(
    {
        DeviceClass.PC,
        DeviceClass.KIOSK,
        DeviceClass.MACHINE,
        DeviceClass.CAMERA,
        DeviceClass.ROBOT,
        DeviceClass.VESSEL,
    }
)
"""Devices an organisation usually owns, so that data on them has not left it."""
USERS_OWN: Final = frozenset({DeviceClass.PHONE, DeviceClass.WEARABLE, DeviceClass.SPEAKER, DeviceClass.CAR})
"""Devices that belong to the person: the organisation's own records are no nearer there than anywhere else."""

FARTHEST: Final[dict[Placement, Boundary]] = {
    P.ON_DEVICE: Boundary.DEVICE,
    P.ON_PREMISE: Boundary.ORGANISATION,
    P.DEVICE_ON_PREMISE: Boundary.ORGANISATION,
    P.SEALED_CLOUD: Boundary.COUNTRY,
    P.CLOUD_API: Boundary.NONE,
    P.CLOUD_GPU: Boundary.NONE,
    P.DEVICE_CLOUD: Boundary.NONE,
    P.ON_PREMISE_CLOUD: Boundary.NONE,
}
"""How far the data travels: the last boundary a placement keeps it within (NONE: it may cross all of them)."""

BOUNDARY_ORDER: Final = (Boundary.DEVICE, Boundary.ORGANISATION, Boundary.COUNTRY)


def crossed(placement: Placement) -> tuple[Boundary, ...]:
    """The boundaries data crosses under `placement`, nearest first."""
    farthest = FARTHEST[placement]
    if farthest is Boundary.NONE:
        return BOUNDARY_ORDER
    return BOUNDARY_ORDER[: BOUNDARY_ORDER.index(farthest)]


def joined(sites: frozenset[Site]) -> Placement | None:
    """The hybrid (or the plain placement) that stands on exactly these sites; rented cloud for the cloud alone."""
    for placement in (P.ON_DEVICE, P.ON_PREMISE, P.CLOUD_API, *HYBRIDS):
        if SITES[placement] == sites:
            return placement
    return None
