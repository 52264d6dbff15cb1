"""The one entry: a consultation and a catalogue in, the whole answer out. Pure and deterministic.

Each workload is judged alone. What a room cannot answer is left empty with its reason; nothing is made up. Answers are kept for the
last workloads seen, so that one changed answer costs one workload.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Mapping
from datetime import date
from threading import Lock
from typing import Final

from attrs import evolve

from engine import rooms
from engine.advice import chip_flips, chip_rules, chips, deploying, flips, next_question
from engine.advice.answers import answers_of
from engine.advice.chip_machines import families_owned
from engine.advice.chip_rules import ChipCircumstances
from engine.advice.contradictions import contradictions
from engine.advice.facts import facts_of
from engine.advice.placement import judge
from engine.advice.readiness import readiness
from engine.advice.regulations import federated_learning_helps, preset
from engine.advice.results import Flip
from engine.advice.rules import Context
from engine.advice.rules.scale import requests_per_month
from engine.advice.stability import stability
from engine.advice.subject import Subject, subject
from engine.advice.work_list import work_list
from engine.assumptions import Ledger
from engine.catalogue.catalogue import Catalogue
from engine.consultation import Consultation, Origin, Workload
from engine.edits import apply_all
from engine.memory.results import FitResult
from engine.messages import Message, msg
from engine.results import Assessment, WorkloadAssessment
from engine.units import DAYS_PER_MONTH, SECONDS_PER_HOUR

KEPT: Final = 64
"""Workload answers kept: the workloads of a session in four scenarios, and the last edits for undo."""


def assess(consultation: Consultation, catalogue: Catalogue, as_of: date) -> Assessment:
    """The answer to a consultation on the day `as_of` (ages of prices and regulations are counted from it)."""
    scenarios = tuple(
        (scenario.id, _workloads(apply_all(consultation, scenario.changes), catalogue, as_of))
        for scenario in consultation.scenarios
    )
    return Assessment(consultation, catalogue.version, _workloads(consultation, catalogue, as_of), scenarios)


def deepen(assessment: Assessment, catalogue: Catalogue) -> Assessment:
    """The same answer with what takes longer: how stable each verdict is. For a worker thread, the report and the JSON."""

    def deep(judged: WorkloadAssessment) -> WorkloadAssessment:
        origins = _own_origins(assessment.consultation.origins, judged.workload.id)
        answers = answers_of(judged.workload, dict(origins))
        weighed = subject(answers, _context(catalogue), judged.workload.stages)
        firm = stability(weighed, judged.workload)
        return evolve(judged, placement=evolve(judged.placement, stability=firm))

    return evolve(
        assessment,
        workloads=tuple(deep(w) for w in assessment.workloads),
        scenarios=tuple((name, tuple(deep(w) for w in judged)) for name, judged in assessment.scenarios),
    )


def _own_origins(origins: Mapping[str, Origin], workload_id: str) -> frozenset[tuple[str, Origin]]:
    prefix = f"{workload_id}/"
    return frozenset((k.removeprefix(prefix), o) for k, o in origins.items() if k.startswith(prefix))


def _context(catalogue: Catalogue) -> Context:
    return Context(facts_of(catalogue), catalogue.regulations)


def _workloads(consultation: Consultation, catalogue: Catalogue, as_of: date) -> tuple[WorkloadAssessment, ...]:
    return tuple(_kept(workload, consultation.origins, catalogue, as_of) for workload in consultation.workloads)


_Key = tuple[Workload, frozenset[tuple[str, Origin]], int, date]
_KEPT: OrderedDict[_Key, tuple[weakref.ref[Catalogue], WorkloadAssessment]] = OrderedDict()
_LOCK: Final = Lock()
"""The window asks from one thread and draws from another."""


def _kept(workload: Workload, origins: Mapping[str, Origin], catalogue: Catalogue, as_of: date) -> WorkloadAssessment:
    """The assessment of one workload, from the last ones seen where nothing changed."""
    own = _own_origins(origins, workload.id)
    key = (workload, own, id(catalogue), as_of)
    with _LOCK:
        held = _KEPT.get(key)
        if held is not None and held[0]() is catalogue:
            _KEPT.move_to_end(key)
            return held[1]
    made = assess_workload(workload, dict(own), catalogue, as_of)
    with _LOCK:
        _KEPT[key] = (weakref.ref(catalogue), made)
        while len(_KEPT) > KEPT:
            _KEPT.popitem(last=False)
    return made


def assess_workload(
    workload: Workload, origins: Mapping[str, Origin], catalogue: Catalogue, as_of: date
) -> WorkloadAssessment:
    """One workload judged. `origins`: path of an answer -> where it came from, without the workload's id."""
    del as_of
    answers = answers_of(workload, origins)
    context = _context(catalogue)
    verdict = judge(answers, context, workload.stages)
    judged = subject(answers, context, workload.stages)
    ready = readiness(workload)
    ledger = Ledger(origins)
    choice = deploying.choose(workload, verdict.chosen, catalogue, ledger)
    fit, gaps = _fit(choice)
    around = chip_rules.circumstances(
        workload, verdict.chosen, _weight_bytes(choice), _peak_per_s(workload), families_owned(workload, catalogue)
    )
    return WorkloadAssessment(
        workload=workload,
        placement=verdict,
        chips=chips.rank(workload, choice.deployment, around, catalogue),
        deployment=choice.deployment,
        fit=fit,
        speed=None,
        capacity=None,
        cost=None,
        flips=_flips(judged, workload, around),
        next_question=next_question.find(judged, workload),
        work_list=work_list(workload, verdict, ready),
        assumptions=ledger.entries,
        gaps=(*gaps, *((room, _no_room(room)) for room in ("speed", "capacity", "cost"))),
        readiness=ready,
        contradictions=contradictions(workload),
        notes=_notes(workload, catalogue),
    )


def _weight_bytes(choice: deploying.Choice) -> float | None:
    """Nominal weights of the deployment: enough to tell a small model from a large one."""
    made = choice.deployment
    return None if made is None else made.model.params_total * made.weight_format.bits_per_weight / 8


def _peak_per_s(workload: Workload) -> float | None:
    """Requests a second at the busiest, when it was said or users and requests were; three times the mean otherwise."""
    said = workload.demand.peak_requests_per_s
    if said is not None:
        return said
    asked = requests_per_month(workload.scale)
    if asked is None:
        return None
    seconds = DAYS_PER_MONTH * SECONDS_PER_HOUR * (workload.demand.active_hours_per_day or 24.0)
    return asked / seconds * (workload.demand.peak_factor or 3.0)


def _flips(judged: Subject, workload: Workload, around: ChipCircumstances) -> tuple[Flip, ...]:
    """Flips of the place and of the chip in one list, near to far."""
    found = (*flips.find(judged), *chip_flips.find(workload, around))
    return tuple(sorted(found, key=lambda flip: (flip.distance, flip.path)))


def _notes(workload: Workload, catalogue: Catalogue) -> tuple[Message, ...]:
    known = tuple(r for r in workload.data.regulations if r in catalogue.regulations)
    federated = federated_learning_helps(workload)
    asked = preset(workload, known, catalogue)
    orientation = (asked.note,) if known else ()
    return (*asked.ask, *orientation, *((federated,) if federated else ()))


def _fit(choice: deploying.Choice) -> tuple[FitResult | None, tuple[tuple[str, Message], ...]]:
    if choice.deployment is None:
        return None, (("fit", choice.reason or _no_room("fit")),)
    answer = rooms.fit_of(choice.deployment)
    return (None, (("fit", answer),)) if isinstance(answer, Message) else (answer, ())


def _no_room(room: str) -> Message:
    return msg(f"advice.gap.{room}")
