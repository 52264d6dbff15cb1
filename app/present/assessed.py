"""The whole answer as stable JSON: what `waypost assess --json` prints and what a kept version stores."""

from __future__ import annotations

from typing import Any

from app.present.jsonable import Jsonable
from app.present.scene import speaker
from engine.advice.results import PlacementVerdict
from engine.catalogue import Catalogue
from engine.results import Assessment, WorkloadAssessment


def assessment_json(
    assessment: Assessment, catalogue: Catalogue, language: str, *, trace: bool = False
) -> dict[str, Any]:
    """Every workload of the consultation and of its scenarios. Estimates as `Jsonable` writes them."""
    consultation = assessment.consultation
    to_json = Jsonable(speaker(language, consultation, catalogue), trace=trace)
    return {
        "consultation": consultation.id,
        "title": consultation.title,
        "catalogue_version": assessment.catalogue_version,
        "language": language,
        "workloads": [workload_json(w, to_json) for w in assessment.workloads],
        "scenarios": [
            {
                "id": scenario_id,
                "name": next((s.name for s in consultation.scenarios if s.id == scenario_id), ""),
                "workloads": [workload_json(w, to_json) for w in workloads],
            }
            for scenario_id, workloads in assessment.scenarios
        ],
    }


def workload_json(assessed: WorkloadAssessment, to_json: Jsonable) -> dict[str, Any]:
    """One workload: the rooms in the order they are read."""
    return {
        "id": assessed.workload.id,
        "name": assessed.workload.name,
        "placement": placement_json(assessed.placement, to_json),
        "chips": to_json(assessed.chips),
        "deployment": to_json(assessed.deployment),
        "fit": to_json(assessed.fit),
        "speed": to_json(assessed.speed),
        "capacity": to_json(assessed.capacity),
        "cost": to_json(assessed.cost),
        "flips": to_json(assessed.flips),
        "next_question": to_json(assessed.next_question),
        "work_list": to_json(assessed.work_list),
        "assumptions": to_json(assessed.assumptions),
        "gaps": [{"room": room, **to_json(message)} for room, message in assessed.gaps],
    }


def placement_json(placement: PlacementVerdict, to_json: Jsonable) -> dict[str, Any]:
    """The verdict with its ranking; every reason names its rule."""
    made: dict[str, Any] = to_json(placement)
    made["ranked"] = [
        {
            "placement": ranked.placement.value,
            "score": ranked.score,
            "excluded": ranked.excluded,
            "reasons": [{"rule": rule.value, **to_json(message)} for rule, message in ranked.reasons],
        }
        for ranked in placement.ranked
    ]
    for finding, rule in zip(made["rules"], placement.rules, strict=True):
        finding["figures"] = {name: to_json(estimate) for name, estimate in rule.figures}
    if placement.conflict is not None:
        made["conflict"]["requirements"] = [
            {"rule": rule.value, **to_json(message)} for rule, message in placement.conflict.requirements
        ]
    return made
