"""The sample consultations: readable, answered within the limits, naming only what the catalogue holds."""

from __future__ import annotations

import pytest

from app.host.paths import CATALOGUE, SAMPLES
from engine import documents, edits
from engine.catalogue import load_catalogue
from engine.consultation import Audience, Waiting
from engine.questions import QUESTIONS, Kind, validate

NAMES = ("bank-documents", "chat-and-nightly", "phone-translator")


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue(CATALOGUE)


def read(name):
    return documents.from_json((SAMPLES / f"{name}.waypost").read_text(encoding="utf-8"))


def test_the_three_samples_are_there():
    assert tuple(sorted(p.stem for p in SAMPLES.glob("*.waypost"))) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_reads_back_as_written(name):
    text = (SAMPLES / f"{name}.waypost").read_text(encoding="utf-8")
    assert documents.to_json(documents.from_json(text)) == text


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_fixed(name):
    consultation = read(name)
    assert consultation.id == f"sample-{name}"
    assert len({w.id for w in consultation.workloads}) == len(consultation.workloads)


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_passes_its_own_question(name, catalogue):
    for workload in read(name).workloads:
        for question in QUESTIONS:
            value = edits.get(workload, question.path)
            known = catalogue.ids(question.table) if question.kind is Kind.CATALOGUE else None
            if question.kind is not Kind.LIST:
                validate(question.path, value, known)


@pytest.mark.parametrize("name", NAMES)
def test_lists_and_scenarios_name_what_exists(name, catalogue):
    consultation = read(name)
    for workload in consultation.workloads:
        assert set(workload.data.regulations) <= set(catalogue.regulations)
        assert {owned.device for owned in workload.hardware.owned} <= set(catalogue.devices)
    for scenario in consultation.scenarios:
        varied = edits.apply_all(consultation, scenario.changes)
        assert varied != consultation
    for key in consultation.origins:
        workload_id, _, path = key.partition("/")
        assert edits.get(consultation.workload(workload_id), path) is not None


@pytest.mark.parametrize("name", NAMES)
def test_each_sample_shows_notes_of_both_kinds(name):
    assert {note.audience for note in read(name).notes} == set(Audience)


def test_together_they_show_batch_work_scenarios_stages_and_owned_machines():
    workloads = [w for name in NAMES for w in read(name).workloads]
    assert any(w.profile.waiting is Waiting.BATCH for w in workloads)
    assert any(w.stages for w in workloads)
    assert any(w.hardware.owned for w in workloads)
    assert all(read(name).scenarios for name in NAMES)
