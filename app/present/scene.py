"""What a page is made from: one assessment, one workload, one language, one day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from attrs import field, frozen

from app.present.names import names_of
from app.present.translator import Translator
from engine import rooms as engine_rooms
from engine.catalogue import Catalogue
from engine.consultation import Consultation, Scenario, Workload
from engine.deployment import Deployment
from engine.estimate import Estimate
from engine.memory.results import FitResult
from engine.messages import Message
from engine.results import Assessment, WorkloadAssessment
from engine.speed.results import SpeedResult

FX_ROW = "fx-usd-to-krw-kr"


@frozen
class Rooms:
    """What a page may ask the engine besides the assessment: the same question for another machine or length.

    A Message is the reason why there is no answer.
    """

    fit: Callable[[Deployment], FitResult | Message] = engine_rooms.fit_of
    speed: Callable[[Deployment], SpeedResult | Message] = engine_rooms.speed_of
    holds: Callable[[Deployment], bool] = engine_rooms.holds
    """Whether it certainly fits: the quick question behind a map of many cells."""


@frozen
class Scene:
    """Everything a page function reads. Pages are pure: the same scene gives the same page."""

    assessment: Assessment
    workload_id: str
    t: Translator
    catalogue: Catalogue
    today: date
    rooms: Rooms | None = field(default=None, eq=False)
    """None: the engine's own."""

    def fit(self, deployment: Deployment) -> FitResult | None:
        """The memory room's answer for any deployment, or None where it refuses."""
        answer = (self.rooms or Rooms()).fit(deployment)
        return None if isinstance(answer, Message) else answer

    def speed(self, deployment: Deployment) -> SpeedResult | None:
        """The speed room's answer for any deployment, or None where it refuses."""
        answer = (self.rooms or Rooms()).speed(deployment)
        return None if isinstance(answer, Message) else answer

    def holds(self, deployment: Deployment) -> bool:
        """Whether a deployment certainly fits."""
        return (self.rooms or Rooms()).holds(deployment)

    @property
    def assessed(self) -> WorkloadAssessment:
        return self.assessment.workload(self.workload_id)

    @property
    def consultation(self) -> Consultation:
        return self.assessment.consultation

    @property
    def workload(self) -> Workload:
        return self.assessed.workload

    @property
    def scenarios(self) -> tuple[tuple[Scenario, WorkloadAssessment], ...]:
        """Each scenario that touches this workload, with the workload as it would be under it."""
        touching = (self.workload_id, None)
        named = {
            s.id: s for s in self.consultation.scenarios if any(change.workload in touching for change in s.changes)
        }
        found = []
        for scenario_id, workloads in self.assessment.scenarios:
            same = [w for w in workloads if w.workload.id == self.workload_id]
            if same and scenario_id in named:
                found.append((named[scenario_id], same[0]))
        return tuple(found)


def speaker(language: str, consultation: Consultation, catalogue: Catalogue) -> Translator:
    """The translator of a consultation: its currency at the catalogue's rate, names from the catalogue."""
    rate = catalogue.operating_costs.get(FX_ROW)
    known = rate is not None and consultation.currency == "KRW"
    return Translator(
        language,
        currency="KRW" if known else "USD",
        usd_rate=rate.value if known and rate else 1.0,
        names=names_of(catalogue, language),
    )


def scene_of(
    assessment: Assessment,
    workload_id: str | None,
    language: str,
    catalogue: Catalogue,
    today: date,
    rooms: Rooms | None = None,
) -> Scene:
    """A scene for one workload (None: the first)."""
    chosen = workload_id if workload_id is not None else assessment.workloads[0].workload.id
    return Scene(assessment, chosen, speaker(language, assessment.consultation, catalogue), catalogue, today, rooms)


def whole(estimate: Estimate | None) -> int | None:
    """A counted figure as the number of things it means."""
    return None if estimate is None else round(estimate.value)
