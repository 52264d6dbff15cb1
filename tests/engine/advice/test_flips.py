"""Flips really flip, are the nearest of their question, and the next question is the one worth asking."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from engine.advice import flips, next_question
from engine.advice.alternatives import CHOICES, asked, distance, plausible
from engine.advice.meaning import SITES
from engine.advice.results import Placement
from engine.advice.subject import subject
from engine.advice.weighing import weigh
from engine.consultation import Stage
from engine.questions import Kind
from tests.engine.advice.cases import CASES
from tests.engine.advice.describe import answers, workload
from tests.engine.advice.test_weighing import any_answers


@given(any_answers())
@settings(max_examples=40, deadline=None)
def test_applying_a_flip_changes_the_verdict(context, said):
    judged = subject(said, context)
    now = judged.decision()
    for flip in flips.find(judged):
        after = weigh(said.put(flip.path, flip.after), context).decision()
        assert flips.changed(now, after), flip
        assert after.chosen == flip.placement


@pytest.mark.parametrize("case", CASES[:12], ids=lambda c: c.name)
def test_no_other_choice_of_the_question_is_nearer(case, context):
    said = answers(**case.said)
    judged = subject(said, context)
    now = judged.decision()
    for flip in flips.find(judged):
        if asked(flip.path).kind not in (Kind.CHOICE, Kind.FLAG):
            continue
        others = CHOICES[flip.path] if asked(flip.path).kind is Kind.CHOICE else plausible(flip.path)
        before = said.get(flip.path)
        for value in others:
            if value != before and distance(flip.path, before, value) < flip.distance:
                assert not flips.changed(now, weigh(said.put(flip.path, value), context).decision())


def test_flips_are_sorted_near_to_far_one_a_question(context):
    found = flips.find(subject(answers(**CASES[0].said), context))
    assert [f.distance for f in found] == sorted(f.distance for f in found)
    assert len({f.path for f in found}) == len(found)


def test_a_number_flips_at_its_edge(context):
    """A person on a phone waits: the budget flips where it meets the round trip, and just before it does not."""
    said = answers(**{"class": "phone"}, actor="machine", budget=1.0, trust="reliable", boundary="none", hardness="narrow",
                   offline="basics", hard=0.3)  # fmt: skip
    judged = subject(said, context)
    numbers = [f for f in flips.find(judged) if asked(f.path).kind in (Kind.NUMBER, Kind.SHARE)]
    assert numbers
    for flip in numbers:
        halfway = (flip.before + flip.after) / 2
        short_of_it = flip.before + (flip.after - flip.before) * 0.97
        for value in (halfway, short_of_it):
            assert not flips.changed(judged.decision(), weigh(said.put(flip.path, value), context).decision()), flip


def test_nothing_flips_while_nothing_is_recommended(context):
    assert flips.find(subject(answers(budget=1.0), context)) == ()


def test_another_cloud_is_no_flip(context):
    api = weigh(answers(trust="reliable", hardness="medium", boundary="none", skills="none"), context).decision()
    gpu = weigh(
        answers(trust="reliable", hardness="medium", boundary="none", skills="team", load="steady"), context
    ).decision()
    assert (api.chosen, gpu.chosen) == (Placement.CLOUD_API, Placement.CLOUD_GPU)
    assert not flips.changed(api, gpu)


def test_a_stage_that_answers_a_question_itself_does_not_move(context):
    stage = Stage("s", "wake word", {"offline.need": "full", "intelligence.hardness": "narrow"})
    said = answers(**{"class": "phone"}, trust="patchy", boundary="none", hardness="frontier", offline="no")
    judged = subject(said, context, (stage, Stage("t", "answer", {})))
    assert judged.decision().chosen is Placement.DEVICE_CLOUD
    asked_again = judged.ask("offline.need")("no")
    assert asked_again.chosen is Placement.DEVICE_CLOUD


def test_the_next_question_can_change_the_verdict(context):
    said = {"class": "phone", "actor": "person", "trust": "patchy", "boundary": "none", "hardness": "medium"}
    judged = subject(answers(**said), context)
    best = next_question.find(judged, workload(**said))
    assert best is not None
    assert best.value_of_information > 0
    outcomes = {judged.ask(best.path)(value).chosen for value in plausible(best.path)}
    assert len({SITES[o] for o in outcomes if o}) > 1


def test_no_open_question_is_worth_more(context):
    said = {"class": "phone", "actor": "person", "trust": "patchy", "boundary": "none", "hardness": "medium"}
    judged = subject(answers(**said), context)
    best = next_question.find(judged, workload(**said))
    now = judged.decision()
    for path in ("offline.need", "intelligence.hard_share", "updates.update_interval_days", "scale.shared_state"):
        values = plausible(path)
        worth = sum(flips.changed(now, judged.ask(path)(v)) for v in values) / len(values)
        assert worth <= best.value_of_information + next_question.HEADLINE_BONUS


def test_a_settled_verdict_asks_for_what_completes_the_numbers(context):
    said = {"class": "machine", "actor": "machine", "trust": "none", "budget": 0.002, "boundary": "device",
            "hardness": "narrow", "hard": 0.0, "offline": "full", "eligible": 1.0, "sealed": False}  # fmt: skip
    best = next_question.find(subject(answers(**said), context), workload(**said))
    assert best is not None
    assert best.message.key in ("advice.next.completes", "advice.next.changes", "advice.next.settles")
