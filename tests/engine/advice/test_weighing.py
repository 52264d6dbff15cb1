"""The decision: exclusion beats weight, a clear lead wins, the hybrid is the default, unknown never narrows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.advice.alternatives import CHOICES, PLAUSIBLE, asked, placement_paths, plausible
from engine.advice.answers import Answers
from engine.advice.ballot import N
from engine.advice.meaning import INDEX, ORDER
from engine.advice.results import Placement, VerdictKind
from engine.advice.weighing import decide, weigh, what_if
from engine.questions import Kind
from tests.engine.advice.describe import SHORT, answers

GRANTS = {"data.sealed_cloud_accepted", "circumstances.contract_accepts_cloud"}
"""Answers that only ever widen: an exception granted. Unknown means that nobody granted it."""
RE_READ = {"profile.waiting", "offline.closed_network"}
"""Answers that give another a new meaning: a budget says that somebody waits until "nobody waits" takes it back; offline means no
internet rather than no network once the network is closed by design."""


def totals(**said: float) -> list[float]:
    made = [-9.0] * N
    for name, value in said.items():
        made[INDEX[Placement(name)]] = value
    return made


def shut(*names: str) -> list[bool]:
    return [place.value in names for place in ORDER]


NOTHING_SHUT = shut()

DECISIONS = (
    # totals, excluded, rules answered, kind, chosen
    ({"cloud_api": 3, "on_device": 1}, NOTHING_SHUT, 3, "clear", "cloud_api"),
    ({"cloud_api": 3, "on_device": 2}, NOTHING_SHUT, 3, "clear", "cloud_api"),
    ({"cloud_api": 3, "cloud_gpu": 3, "on_device": 2}, NOTHING_SHUT, 3, "clear", "cloud_api"),
    ({"cloud_api": 3, "on_device": 2.5, "device_cloud": 1.5}, NOTHING_SHUT, 3, "default_hybrid", "device_cloud"),
    ({"cloud_api": 3, "on_device": 2.5, "device_cloud": 1}, NOTHING_SHUT, 3, "close", "cloud_api"),
    ({"cloud_api": 3, "on_device": 2.5, "device_cloud": 2}, shut("device_cloud"), 3, "close", "cloud_api"),
    (
        {"on_premise": 2, "sealed_cloud": 2, "on_premise_cloud": 1},
        NOTHING_SHUT,
        3,
        "default_hybrid",
        "on_premise_cloud",
    ),
    ({"on_premise": 2, "on_device": 2, "device_on_premise": 1}, NOTHING_SHUT, 3, "default_hybrid", "device_on_premise"),
    ({"device_cloud": 3, "on_device": 2.5}, NOTHING_SHUT, 3, "default_hybrid", "device_cloud"),
    ({"device_cloud": 3, "on_device": 1}, NOTHING_SHUT, 3, "clear", "device_cloud"),
    ({"on_device": 3, "device_cloud": 2.5}, NOTHING_SHUT, 3, "default_hybrid", "device_cloud"),
    ({"on_device": 3, "on_premise_cloud": 2.5}, NOTHING_SHUT, 3, "close", "on_device"),
    ({"cloud_api": 3, "on_device": 9}, shut("on_device"), 3, "clear", "cloud_api"),
    ({"cloud_api": 1}, shut(*(p.value for p in ORDER)), 3, "conflict", None),
    ({"cloud_api": 1}, shut(*(p.value for p in ORDER if p.value != "cloud_api")), 0, "clear", "cloud_api"),
    ({"cloud_api": 9, "on_device": 1}, NOTHING_SHUT, 1, "open", None),
    ({"cloud_api": 9, "on_device": 1}, shut("on_premise"), 1, "open", None),
    ({"cloud_api": 3, "on_device": 1.5}, NOTHING_SHUT, 2, "open", None),
    ({"cloud_api": 3, "on_device": 1}, NOTHING_SHUT, 2, "clear", "cloud_api"),
    ({"cloud_api": 3, "on_device": 1.5}, shut("on_premise"), 2, "clear", "cloud_api"),
    ({"cloud_api": 3, "on_device": 1.5}, NOTHING_SHUT, 3, "clear", "cloud_api"),
)


@pytest.mark.parametrize(("sums", "excluded", "answered", "kind", "chosen"), DECISIONS)
def test_decisions(sums, excluded, answered, kind, chosen):
    decision = decide(totals(**sums), excluded, answered)
    assert decision.kind.value == kind
    assert decision.chosen == (Placement(chosen) if chosen else None)


def test_ties_go_to_the_usual_order():
    decision = decide(totals(cloud_gpu=3, cloud_api=3), NOTHING_SHUT, 3)
    assert decision.chosen is Placement.CLOUD_API


def one_answer(path: str) -> st.SearchStrategy[Any]:
    kind = asked(path).kind
    if kind is Kind.CHOICE:
        return st.sampled_from([None, *CHOICES[path]])
    if kind is Kind.FLAG:
        return st.sampled_from([None, True, False])
    return st.sampled_from([None, *PLAUSIBLE[path]])


@st.composite
def any_answers(draw: st.DrawFn) -> Answers:
    made = Answers()
    for path in placement_paths():
        made = made.put(path, draw(one_answer(path)))
    return made


@given(any_answers(), st.sampled_from(placement_paths()))
@settings(max_examples=250, deadline=None)
def test_an_open_question_rules_nothing_out(context, said, path):
    """What is excluded while a question is open is excluded whatever its answer."""
    if path in GRANTS | RE_READ:
        return
    still_open = said.put(path, None)
    before = weigh(still_open, context).excluded()
    values = tuple(CHOICES[path]) if asked(path).kind is Kind.CHOICE else plausible(path)
    for value in values:
        after = weigh(still_open.put(path, value), context).excluded()
        assert all(now for now, was in zip(after, before, strict=True) if was), (path, value)


@given(any_answers(), st.sampled_from(sorted(GRANTS)))
@settings(max_examples=60, deadline=None)
def test_an_exception_granted_only_widens(context, said, path):
    refused = weigh(said.put(path, None), context).excluded()
    granted = weigh(said.put(path, True), context).excluded()
    assert all(was for now, was in zip(granted, refused, strict=True) if now)


@given(any_answers())
@settings(max_examples=100, deadline=None)
def test_exclusion_beats_every_weight(context, said):
    weighing = weigh(said, context)
    decision = weighing.decision()
    if decision.chosen is not None:
        assert not weighing.excluded()[INDEX[decision.chosen]]
    else:
        assert decision.kind in (VerdictKind.CONFLICT, VerdictKind.OPEN)


@given(any_answers())
@settings(max_examples=100, deadline=None)
def test_guesses_weigh_but_rule_nothing_out(context, said):
    import attrs

    guessed = attrs.evolve(said, guessed=frozenset(placement_paths()))
    assert not any(weigh(guessed, context).excluded())


@given(any_answers(), st.sampled_from(placement_paths()), st.data())
@settings(max_examples=150, deadline=None)
def test_what_if_is_the_same_as_asking_everything_again(context, said, path, data):
    value = data.draw(one_answer(path))
    quick = what_if(weigh(said, context), said, path, context)(value)
    slow = weigh(said.put(path, value), context).decision()
    assert (quick.kind, quick.chosen) == (slow.kind, slow.chosen)


@given(any_answers())
@settings(max_examples=50, deadline=None)
def test_the_same_answers_always_weigh_the_same(context, said):
    assert weigh(said, context).totals() == weigh(said, context, explain=True).totals()


def test_nothing_said_decides_nothing(context):
    assert weigh(Answers(), context).decision().kind is VerdictKind.OPEN


def test_one_answer_is_not_enough_unless_one_place_is_left(context):
    assert weigh(answers(offline="full"), context).decision().kind is VerdictKind.OPEN
    decision = weigh(answers(**{"class": "phone"}, offline="full"), context).decision()
    assert decision.chosen is Placement.ON_DEVICE


def test_a_guessed_boundary_leaves_the_cloud_standing(context):
    stated = weigh(answers(boundary="organisation", hardness="medium"), context).excluded()
    guessed = weigh(answers(("boundary",), boundary="organisation", hardness="medium"), context).excluded()
    assert stated[INDEX[Placement.CLOUD_API]]
    assert not guessed[INDEX[Placement.CLOUD_API]]


def test_short_names_cover_the_placement_questions():
    assert set(placement_paths()) <= set(SHORT.values())
