"""The whole answer: what the screen, the PDF, the JSON and the command line are fed with."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from engine.advice.contradictions import Contradiction
from engine.advice.readiness import ReadinessResult
from engine.advice.results import (
    ChipOption,
    Flip,
    NextQuestion,
    PlacementVerdict,
    WorkItem,
)
from engine.assumptions import Assumption
from engine.capacity.results import CapacityResult
from engine.consultation import Consultation, Workload
from engine.cost.results import CostResult
from engine.deployment import Deployment
from engine.memory.results import FitResult
from engine.messages import Message
from engine.speed.results import SpeedResult


@frozen
class WorkloadAssessment:
    """Everything said about one workload. A room that cannot answer is None and says why in `gaps`."""

    workload: Workload
    """The workload as judged (with a scenario's changes applied)."""
    placement: PlacementVerdict
    chips: tuple[ChipOption, ...]
    deployment: Deployment | None
    """What fit, speed, capacity and cost speak about: said by the customer or chosen here (then in the ledger)."""
    fit: FitResult | None
    speed: SpeedResult | None
    capacity: CapacityResult | None
    cost: CostResult | None
    flips: Sequence[Flip]
    """Near to far; worked out when they are first read."""
    next_question: NextQuestion | None
    work_list: tuple[WorkItem, ...]
    assumptions: tuple[Assumption, ...]
    gaps: tuple[tuple[str, Message], ...] = ()
    """Room -> why it has no answer: "fit", "speed", "capacity", "cost"."""
    readiness: ReadinessResult | None = None
    """The five gaps, the readings with their thresholds, who a bad version reaches."""
    contradictions: tuple[Contradiction, ...] = ()
    """Answers that do not go together."""
    notes: tuple[Message, ...] = ()
    """What a careful adviser adds: conditions of the named regulations, federated learning where it answers a need."""


@frozen
class Assessment:
    """The answer to a consultation: one entry a workload, in the document's order; scenarios likewise."""

    consultation: Consultation
    catalogue_version: str
    workloads: tuple[WorkloadAssessment, ...]
    scenarios: tuple[tuple[str, tuple[WorkloadAssessment, ...]], ...] = ()
    """Scenario id -> its workloads."""

    def workload(self, workload_id: str) -> WorkloadAssessment:
        """The assessment of that workload. Raises KeyError."""
        for assessed in self.workloads:
            if assessed.workload.id == workload_id:
                return assessed
        raise KeyError(workload_id)


__all__ = ["Assessment", "WorkloadAssessment"]
