"""Stability: certain answers are stable, open ones are not, and the figure is the same every time."""

from __future__ import annotations

import pytest

from engine.advice.results import VerdictKind
from engine.advice.stability import _wilson, stability
from engine.advice.subject import subject
from tests.engine.advice.cases import CASES
from tests.engine.advice.describe import answers, workload

FIRM = {
    "class": "wearable", "waiting": "online", "actor": "machine", "trust": "none", "budget": 0.0005, "boundary": "device",
    "sealed": False, "hardness": "narrow", "hard": 0.0, "offline": "full", "eligible": 1.0, "contract": False,
}  # fmt: skip


def of(context, guessed=(), **said):
    return stability(subject(answers(guessed, **said), context), workload(**said))


def test_what_physics_and_law_decide_is_stable(context):
    assert of(context, **FIRM).value > 0.97


def test_little_known_is_little_stable(context):
    assert of(context, trust="reliable", hardness="medium").value < 0.8


def test_one_more_answer_in_the_same_direction_steadies_it(context):
    less = of(context, **{"class": "phone"}, trust="patchy", hardness="frontier")
    more = of(context, **{"class": "phone"}, trust="patchy", hardness="frontier", boundary="none", offline="no")
    assert more.value > less.value


def test_guesses_are_less_stable_than_statements(context):
    said = {"class": "server", "trust": "reliable", "boundary": "organisation", "hardness": "medium", "offline": "no",
            "sensitivity": "regulated"}  # fmt: skip
    firm, guessed = of(context, **said), of(context, ("boundary", "hardness", "sensitivity"), **said)
    assert guessed.value < firm.value


def test_nothing_recommended_has_no_stability(context):
    judged = subject(answers(budget=1.0), context)
    assert judged.decision().kind is VerdictKind.OPEN
    assert stability(judged, workload(budget=1.0)) is None
    torn = {"class": "phone", "boundary": "device", "hardness": "frontier"}
    assert stability(subject(answers(**torn), context), workload(**torn)) is None


@pytest.mark.parametrize("case", CASES[::9], ids=lambda c: c.name)
def test_the_same_every_time_and_inside_its_band(case, context):
    first, again = of(context, **case.said), of(context, **case.said)
    assert first == again
    assert 0 <= first.low <= first.value <= first.high <= 1


def test_wilson_interval_by_hand():
    low, high = _wilson(80, 100)
    assert (low, high) == (pytest.approx(0.726, abs=2e-3), pytest.approx(0.857, abs=2e-3))
    assert _wilson(0, 10)[0] == 0.0
