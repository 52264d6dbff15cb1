"""Which way of paying belongs to the recommended placement."""

from __future__ import annotations

from typing import Final

from engine.advice.results import Placement
from engine.cost.kinds import CostKind
from engine.cost.results import CostOption
from engine.estimate import Estimate
from engine.results import WorkloadAssessment

PAID_BY: Final[dict[Placement, tuple[CostKind, ...]]] = {
    Placement.CLOUD_API: (CostKind.API,),
    Placement.CLOUD_GPU: (CostKind.RENTED_GPU,),
    Placement.SEALED_CLOUD: (CostKind.RENTED_GPU, CostKind.API),
    Placement.ON_DEVICE: (CostKind.ON_DEVICE,),
    Placement.ON_PREMISE: (CostKind.ON_PREMISE,),
    Placement.DEVICE_CLOUD: (CostKind.HYBRID,),
    Placement.ON_PREMISE_CLOUD: (CostKind.HYBRID, CostKind.ON_PREMISE),
    Placement.DEVICE_ON_PREMISE: (CostKind.HYBRID, CostKind.ON_PREMISE),
}
SERIES: Final = {
    CostKind.API: 0,
    CostKind.RENTED_GPU: 1,
    CostKind.ON_PREMISE: 2,
    CostKind.ON_DEVICE: 3,
    CostKind.HYBRID: 2,
}
"""The colour of a way of paying is the same on every page."""


def option_of(assessed: WorkloadAssessment) -> CostOption | None:
    """The cost option of the recommended placement; None where no verdict or no such option exists."""
    if assessed.cost is None or assessed.placement.chosen is None:
        return None
    for kind in PAID_BY[assessed.placement.chosen]:
        for option in assessed.cost.options:
            if option.kind is kind:
                return option
    return None


def monthly_cost(assessed: WorkloadAssessment) -> Estimate | None:
    """What the recommendation costs a month; None without a price."""
    option = option_of(assessed)
    return option.per_month_usd if option else None
