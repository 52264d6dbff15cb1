"""The one entry: complete on the samples, pure, and honest about what no room has answered."""

from __future__ import annotations

from datetime import date

import pytest

from app.host.paths import ASSETS
from engine.assess import assess
from engine.catalogue import load_catalogue
from engine.consultation import Change, Scenario, Workload
from engine.documents import from_json

TODAY = date(2026, 12, 1)
SAMPLES = sorted((ASSETS / "samples").glob("*.waypost"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
def test_every_sample_is_judged(catalogue, path):
    consultation = from_json(path.read_text(encoding="utf-8"))
    answer = assess(consultation, catalogue, TODAY)
    assert [w.workload.id for w in answer.workloads] == [w.id for w in consultation.workloads]
    assert [s for s, _ in answer.scenarios] == [s.id for s in consultation.scenarios]
    for judged in answer.workloads:
        assert judged.placement.chosen is not None
        assert judged.work_list
        rooms = {"fit": judged.fit, "speed": judged.speed, "capacity": judged.capacity, "cost": judged.cost}
        assert {room for room, said in rooms.items() if said is None} == {room for room, _ in judged.gaps}


def test_the_same_question_has_the_same_answer(catalogue):
    consultation = from_json(SAMPLES[0].read_text(encoding="utf-8"))
    first = assess(consultation, catalogue, TODAY)
    again = assess(consultation, load_catalogue(ASSETS / "catalogue"), TODAY)
    assert first.workloads == again.workloads
    assert first.scenarios == again.scenarios


def test_a_scenario_is_the_base_with_its_changes(catalogue):
    import attrs

    from engine.consultation import Boundary, Consultation, DataBoundary, Profile, Waiting

    base = Consultation(
        "c",
        workloads=(Workload("w", profile=Profile(waiting=Waiting.ONLINE), data=DataBoundary(Boundary.ORGANISATION)),),
        scenarios=(Scenario("s", "looser", (Change("data.boundary", "none", "w"),)),),
    )
    answer = assess(base, catalogue, TODAY)
    (scenario, (varied,)) = answer.scenarios[0]
    assert scenario == "s"
    assert varied.workload.data.boundary is Boundary.NONE
    direct = assess(attrs.evolve(base, workloads=(varied.workload,), scenarios=()), catalogue, TODAY)
    assert varied == direct.workloads[0]


def test_an_empty_workload_gets_no_recommendation(catalogue):
    from engine.consultation import Consultation

    (judged,) = assess(Consultation("c", workloads=(Workload("w"),)), catalogue, TODAY).workloads
    assert judged.placement.chosen is None
    assert judged.placement.kind.value == "open"
    assert judged.next_question is not None
    assert judged.next_question.value_of_information > 0
    assert not judged.flips


def test_any_answers_the_questions_allow_are_judged(catalogue):
    """Forty workloads of random, allowed, often absurd answers: every one gets an answer or reasons, never an exception."""
    import math
    import random

    from engine import thirteen
    from engine.consultation import Consultation, OwnedDevices
    from engine.edits import put
    from engine.errors import WaypostError
    from engine.questions import QUESTIONS, Kind, validate

    source = random.Random(11)

    def answer(question):
        low, high = question.minimum or 0.0, question.maximum or 1e9
        if question.kind is Kind.CHOICE:
            return source.choice(question.choices)
        if question.kind is Kind.FLAG:
            return source.random() < 0.5
        if question.kind is Kind.CATALOGUE:
            return source.choice(catalogue.ids(question.table))
        if question.path == "hardware.owned":
            return (OwnedDevices(source.choice(sorted(catalogue.devices)), source.choice((1, 2, 8))),)
        if question.kind is Kind.LIST:
            return tuple(source.sample(sorted(catalogue.regulations), 2))
        value = math.exp(source.uniform(math.log(max(low, 1e-3)), math.log(max(high, 1e-2))))
        value = min(max(value, low), high)
        return int(value) if question.integer else value

    for number in range(40):
        made = Workload(f"w{number}")
        for question in QUESTIONS:
            if source.random() < source.choice((0.2, 0.6, 0.9)):
                value = answer(question)
                try:
                    validate(question.path, value) if question.kind is not Kind.LIST else None
                except WaypostError:
                    continue
                made = put(made, question.path, value)
        (judged,) = assess(Consultation("c", workloads=(made,)), catalogue, TODAY).workloads
        rooms = {"fit": judged.fit, "speed": judged.speed, "capacity": judged.capacity, "cost": judged.cost}
        assert {room for room, said in rooms.items() if said is None} == {room for room, _ in judged.gaps}
        assert (judged.placement.chosen is None) == (judged.placement.kind.value in ("open", "conflict"))
        assert len(thirteen.answers(judged)) == 13
        assert list(judged.flips) == sorted(judged.flips, key=lambda f: (f.distance, f.path))
