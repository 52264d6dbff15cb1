"""Two places: a near one for what it can do, a far one for the rest. Both bills are paid."""

from __future__ import annotations

from typing import Final

import numpy as np
from attrs import evolve, field, frozen

from engine.capacity.assumed import fallbacks
from engine.cost.kinds import CostKind
from engine.cost.model import Line, Option, Point
from engine.cost.offers import Case, Offer
from engine.cost.on_device import ELIGIBLE
from engine.inputs import FloatArray, Known
from engine.messages import Message, msg
from engine.questions import question

HARD: Final = "intelligence.hard_share"


@frozen
class HybridOption:
    """`near` answers what is easy and reaches it; `far` the hard share, and the users whose device cannot."""

    near: Option
    far: Option
    label: Message
    kind: CostKind = field(default=CostKind.HYBRID, init=False)

    def served(self, point: Point) -> float:
        return 1.0

    def routed(self, point: Point) -> FloatArray:
        """Share of the requests that go to the far side."""
        near = 1 - point[HARD]
        if self.near.kind is CostKind.ON_DEVICE:
            near = near * point[ELIGIBLE]
        return np.asarray(1 - near, dtype=np.float64)

    def lines(self, point: Point) -> tuple[Line, ...]:
        share = self.routed(point)
        near = self.near.lines(point.part(1 - share))
        far = self.far.lines(point.part(share))
        paths = (HARD, ELIGIBLE) if self.near.kind is CostKind.ON_DEVICE else (HARD,)
        routed = tuple(evolve(line, paths=(*line.paths, *paths)) for line in far)
        return (*near, *routed)


def hard_share(case: Case) -> Known:
    """Share of the requests a small or near model cannot do."""
    fallback, why = fallbacks(case.workload)[HARD]
    return case.said(HARD, fallback, question(HARD).short, None, why)


def build(case: Case, near: Offer, far: Offer) -> Offer:
    """The hybrid of two priced options; what either lacks, it lacks."""
    label = msg("cost.option.hybrid", near=near.kind, far=far.kind)
    if near.option is None or far.option is None:
        return Offer(CostKind.HYBRID, label, None, missing=(*near.missing, *far.missing))
    known = {k.path: k for k in (*near.known, *far.known)}
    share = hard_share(case)
    known[share.path] = share
    warnings: list[Message] = []
    for warning in (*near.warnings, *far.warnings):
        if warning not in warnings and warning.key != "cost.warning.not_served":
            warnings.append(warning)
    return Offer(
        CostKind.HYBRID, label, HybridOption(near.option, far.option, label), tuple(known.values()), (), tuple(warnings)
    )
