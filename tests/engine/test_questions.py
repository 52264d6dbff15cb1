import math

import pytest

from engine import edits
from engine.consultation import Boundary, Change, Consultation, Origin, Waiting, Workload
from engine.documents import from_json, to_json
from engine.errors import DamagedDocument, InvalidInput, NewerDocument, UnknownId, nearest
from engine.questions import QUESTIONS, Kind, Step, question, questions_of, validate


def test_every_question_has_its_place_in_the_document():
    for asked in QUESTIONS:
        assert edits.get(Workload(id="w"), asked.path) in (None, ())


def test_every_answerable_field_of_a_workload_is_asked_once():
    paths = [q.path for q in QUESTIONS]
    assert len(paths) == len(set(paths))


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, 1e12, "many", True, 12.5])
def test_absurd_numbers_of_users_are_refused(value):
    with pytest.raises(InvalidInput):
        validate("scale.users", value)


@pytest.mark.parametrize(("path", "value"), [("scale.users", 1), ("scale.users", 10**10), ("offline.need", "full")])
def test_sensible_answers_pass(path, value):
    validate(path, value)


def test_not_known_is_always_an_answer():
    for asked in QUESTIONS:
        validate(asked.path, None)


def test_a_wrong_choice_and_a_wrong_flag_are_refused():
    with pytest.raises(InvalidInput):
        validate("data.boundary", "moon")
    with pytest.raises(InvalidInput):
        validate("scale.shared_state", "yes")


def test_an_unknown_id_names_the_nearest_three():
    with pytest.raises(UnknownId) as caught:
        validate("serving.model", "lama-3-8b", ["llama-3-8b", "llama-3-70b", "llama-3.1-8b", "gpt-2"])
    assert caught.value.nearest[0] == "llama-3-8b"
    assert len(caught.value.nearest) == 3


def test_nearest_prefers_what_holds_the_word():
    assert nearest("h100", ["nvidia-h100-sxm", "nvidia-a100-sxm-80gb", "amd-mi300x"])[0] == "nvidia-h100-sxm"


def test_what_the_answers_make_pointless_is_not_asked():
    batch = edits.put(Workload(id="w"), "profile.waiting", Waiting.BATCH)
    asked = {q.path for q in questions_of(Step.CAPACITY, batch)}
    assert "demand.batch_items" in asked
    assert "targets.time_to_first_token_s" not in asked


def test_an_unknown_path_is_named():
    with pytest.raises(UnknownId):
        question("scale.user")


def test_a_change_leaves_the_old_document_alone_and_keeps_its_origin():
    before = Consultation(id="c", workloads=(Workload(id="w"), Workload(id="v")))
    after = edits.apply(before, Change("data.boundary", "organisation", "w"), Origin.PRESET)
    assert before.workload("w").data.boundary is None
    assert after.workload("w").data.boundary is Boundary.ORGANISATION
    assert after.workload("v") == before.workload("v")
    assert after.origin("w", "data.boundary") is Origin.PRESET
    said = edits.apply(after, Change("data.boundary", Boundary.NONE, "w"))
    assert said.origin("w", "data.boundary") is Origin.SAID


def test_a_document_survives_its_file():
    made = edits.apply(
        Consultation(id="c", title="은행", workloads=(Workload(id="w"),)), Change("scale.users", 800, "w")
    )
    made = edits.apply(made, Change("data.boundary", Boundary.DEVICE, "w"))
    read = from_json(to_json(made))
    assert read == made
    assert read.workload("w").data.boundary is Boundary.DEVICE


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"format": "other"}', '{"format": "waypost-consultation"}', "NaN", "[" * 100_000],
)
def test_what_is_no_consultation_is_said_to_be_none(text):
    with pytest.raises(DamagedDocument):
        from_json(text)


def test_a_cut_file_is_damaged():
    text = to_json(Consultation(id="c", title="x" * 100))
    with pytest.raises(DamagedDocument):
        from_json(text[: len(text) // 2])


def test_a_newer_file_is_refused():
    text = to_json(Consultation(id="c")).replace('"schema_version": 1', '"schema_version": 2')
    with pytest.raises(NewerDocument):
        from_json(text)


def test_a_stray_field_or_a_wrong_type_is_damage_not_a_guess():
    text = to_json(Consultation(id="c", title="t"))
    with pytest.raises(DamagedDocument):
        from_json(text.replace('"title"', '"titel"'))
    with pytest.raises(DamagedDocument):
        from_json(text.replace('"t"', "7"))


def test_flags_and_choices_name_their_choices():
    for asked in QUESTIONS:
        assert bool(asked.choices) == (asked.kind in (Kind.CHOICE, Kind.FLAG))
