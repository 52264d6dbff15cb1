"""The one entry: a consultation and a catalogue in, the whole answer out. Pure and deterministic.

Each workload is judged alone. What a room cannot answer is left empty with its reason; nothing is made up. Answers are kept for the
last workloads seen, so that one changed answer costs one workload.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import date
from threading import Lock
from typing import Final

from attrs import evolve

from engine.advice import chip_flips, chip_rules, chips, fit_flips, flips, next_question
from engine.advice.answers import answers_of
from engine.advice.chip_machines import families_owned
from engine.advice.chip_rules import ChipCircumstances
from engine.advice.contradictions import contradictions
from engine.advice.deploying import on_device, small_model_bytes
from engine.advice.facts import facts_of
from engine.advice.placement import verdict_of
from engine.advice.readiness import readiness
from engine.advice.regulations import federated_learning_helps, preset
from engine.advice.results import Flip, Placement
from engine.advice.rules import Context
from engine.advice.rules.scale import requests_per_month
from engine.advice.stability import stability
from engine.advice.subject import Subject, subject
from engine.advice.work_list import work_list
from engine.assumptions import Ledger
from engine.catalogue.catalogue import Catalogue
from engine.consultation import Consultation, Origin, Workload
from engine.cost.compare import device_pays_above
from engine.edits import apply_all
from engine.estimate import Estimate
from engine.lazy import Later
from engine.messages import Message
from engine.reckon import Reckoned, Surroundings, cheaper_cloud, reckon
from engine.results import Assessment, WorkloadAssessment
from engine.units import DAYS_PER_MONTH, SECONDS_PER_HOUR

KEPT: Final = 64
"""Workload answers kept: the workloads of a session in four scenarios, and the last edits for undo."""
USUAL_PEAK: Final = 3.0
"""Busiest hour over the mean while nobody said, to tell rare requests from many."""


def assess(consultation: Consultation, catalogue: Catalogue, as_of: date) -> Assessment:
    """The answer to a consultation on the day `as_of` (ages of prices and regulations are counted from it)."""
    scenarios = tuple(
        (scenario.id, _workloads(apply_all(consultation, scenario.changes), catalogue, as_of))
        for scenario in consultation.scenarios
    )
    return Assessment(consultation, catalogue.version, _workloads(consultation, catalogue, as_of), scenarios)


def deepen(assessment: Assessment, catalogue: Catalogue, check: Callable[[], None] | None = None) -> Assessment:
    """The same answer with what takes longer: how stable each verdict is. For a worker thread, the report and the JSON.

    `check` is called now and then and may raise to stop.
    """

    def deep(judged: WorkloadAssessment) -> WorkloadAssessment:
        workload = judged.workload
        answers = answers_of(workload, dict(_own_origins(assessment.consultation.origins, workload.id)))
        crossover = device_pays_above(judged.cost.model) if judged.cost else None
        context = _context(workload, catalogue, crossover, cheaper_cloud(judged.cost))
        firm = stability(subject(answers, context, workload.stages), workload, check=check)
        return evolve(judged, placement=evolve(judged.placement, stability=firm))

    return evolve(
        assessment,
        workloads=tuple(deep(w) for w in assessment.workloads),
        scenarios=tuple((name, tuple(deep(w) for w in judged)) for name, judged in assessment.scenarios),
    )


def _workloads(consultation: Consultation, catalogue: Catalogue, as_of: date) -> tuple[WorkloadAssessment, ...]:
    around = Surroundings(catalogue, as_of, consultation.customer.country)
    return tuple(_kept(workload, consultation.origins, around) for workload in consultation.workloads)


_Key = tuple[Workload, frozenset[tuple[str, Origin]], int, date, str | None]
_KEPT: OrderedDict[_Key, tuple[weakref.ref[Catalogue], WorkloadAssessment]] = OrderedDict()
_LOCK: Final = Lock()
"""The window asks from one thread and draws from another."""


def _kept(workload: Workload, origins: Mapping[str, Origin], around: Surroundings) -> WorkloadAssessment:
    """The assessment of one workload, from the last ones seen where nothing changed."""
    own = _own_origins(origins, workload.id)
    key = (workload, own, id(around.catalogue), around.as_of, around.country)
    with _LOCK:
        held = _KEPT.get(key)
        if held is not None and held[0]() is around.catalogue:
            _KEPT.move_to_end(key)
            return held[1]
    made = assess_workload(workload, dict(own), around)
    with _LOCK:
        _KEPT[key] = (weakref.ref(around.catalogue), made)
        while len(_KEPT) > KEPT:
            _KEPT.popitem(last=False)
    return made


def _own_origins(origins: Mapping[str, Origin], workload_id: str) -> frozenset[tuple[str, Origin]]:
    prefix = f"{workload_id}/"
    return frozenset((k.removeprefix(prefix), o) for k, o in origins.items() if k.startswith(prefix))


def assess_workload(workload: Workload, origins: Mapping[str, Origin], around: Surroundings) -> WorkloadAssessment:
    """One workload judged. `origins`: path of an answer -> where it came from, without the workload's id.

    The place is judged first without prices, to know which machine to reckon with, then with the crossover they give.
    """
    catalogue = around.catalogue
    answers = answers_of(workload, origins)
    unpriced = subject(answers, _context(workload, catalogue), workload.stages).decision().chosen
    ledger = Ledger(origins)
    reckoned = reckon(workload, unpriced, around, ledger)
    context = _context(workload, catalogue, reckoned.device_pays_above, reckoned.cheaper_cloud)
    judged = subject(answers, context, workload.stages, explain=True)
    verdict = verdict_of(judged)
    if on_device(workload, verdict.chosen) != reckoned.on_device:
        ledger = Ledger(origins)
        reckoned = reckon(workload, verdict.chosen, around, ledger)
    ready = readiness(workload, reckoned.capacity.demand.requests_per_s_mean if reckoned.capacity else None)
    chip_facts = _chip_circumstances(workload, verdict.chosen, reckoned, catalogue)
    return WorkloadAssessment(
        workload=workload,
        placement=verdict,
        chips=chips.rank(workload, reckoned.deployment, chip_facts, catalogue),
        deployment=reckoned.deployment,
        fit=reckoned.fit,
        speed=reckoned.speed,
        capacity=reckoned.capacity,
        cost=reckoned.cost,
        flips=Later(lambda: _flips(judged, workload, chip_facts, reckoned)),
        next_question=next_question.find(judged, workload),
        work_list=work_list(workload, verdict, ready),
        assumptions=ledger.entries,
        gaps=reckoned.gaps,
        readiness=ready,
        contradictions=contradictions(workload),
        notes=_notes(workload, catalogue),
    )


def _context(
    workload: Workload, catalogue: Catalogue, pays_above: Estimate | None = None, cheaper: Placement | None = None
) -> Context:
    """What the rules know besides the answers: the small model where one was named, and what prices say once they are known."""
    return Context(
        facts=facts_of(catalogue),
        regulations=catalogue.regulations,
        device_pays_above=pays_above,
        cheaper_cloud=cheaper,
        small_model_bytes=small_model_bytes(workload, catalogue),
    )


def _chip_circumstances(
    workload: Workload, placement: Placement | None, reckoned: Reckoned, catalogue: Catalogue
) -> ChipCircumstances:
    made, sized = reckoned.deployment, reckoned.capacity
    weights = None if made is None else made.model.params_total * made.weight_format.bits_per_weight / 8
    peak = _peak_per_s(workload) if sized is None else sized.demand.requests_per_s_peak.value
    return chip_rules.circumstances(workload, placement, weights, peak, families_owned(workload, catalogue))


def _peak_per_s(workload: Workload) -> float | None:
    """Requests a second at the busiest hour, where they were said or users and requests were; None otherwise."""
    said = workload.demand.peak_requests_per_s
    if said is not None:
        return said
    asked = requests_per_month(workload.scale)
    if asked is None:
        return None
    seconds = DAYS_PER_MONTH * SECONDS_PER_HOUR * (workload.demand.active_hours_per_day or 24.0)
    return asked / seconds * (workload.demand.peak_factor or USUAL_PEAK)


def _flips(judged: Subject, workload: Workload, chip_facts: ChipCircumstances, reckoned: Reckoned) -> tuple[Flip, ...]:
    """Flips of the place, of the chip and of the fit in one list, near to far."""
    of_fit = fit_flips.find(workload.serving, judged.decision().chosen, reckoned.fit)
    found = (*flips.find(judged), *chip_flips.find(workload, chip_facts), *of_fit)
    return tuple(sorted(found, key=lambda flip: (flip.distance, flip.path)))


def _notes(workload: Workload, catalogue: Catalogue) -> tuple[Message, ...]:
    known = tuple(r for r in workload.data.regulations if r in catalogue.regulations)
    federated = federated_learning_helps(workload)
    asked = preset(workload, known, catalogue)
    orientation = (asked.note,) if known else ()
    return (*asked.ask, *orientation, *((federated,) if federated else ()))
