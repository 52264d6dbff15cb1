"""A contradiction names what contradicts and the nearest change that resolves it, and the change does resolve it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from engine.advice.conflict import find
from engine.advice.placement import judge
from engine.advice.results import Rule, VerdictKind
from engine.advice.weighing import weigh
from tests.engine.advice.describe import answers
from tests.engine.advice.test_weighing import any_answers

CONFLICTS = (
    ({"class": "phone", "boundary": "device", "hardness": "frontier"}, {Rule.DATA, Rule.INTELLIGENCE}),
    ({"class": "server", "boundary": "device", "hardness": "medium"}, {Rule.DATA, Rule.CIRCUMSTANCES}),
    ({"class": "phone", "offline": "full", "hardness": "frontier", "boundary": "organisation"}, None),
    ({"class": "phone", "offline": "full", "eligible": 0.0}, {Rule.SCALE, Rule.OFFLINE}),
    ({"class": "server", "contract": False, "boundary": "device"}, None),
)


@pytest.mark.parametrize(("said", "rules"), CONFLICTS)
def test_the_contradiction_and_its_way_out(said, rules, context):
    told = answers(**said)
    verdict = judge(told, context)
    assert verdict.kind is VerdictKind.CONFLICT
    assert verdict.chosen is None
    found = verdict.conflict
    assert found is not None
    if rules is not None:
        assert {rule for rule, _ in found.requirements} == rules
    changed = told.put(found.path, found.value)
    if found.second is not None:
        changed = changed.put(*found.second)
    after = judge(changed, context)
    assert after.chosen is not None
    assert after.chosen == found.way_out.params["placement"]


def test_accepting_a_sealed_cloud_is_the_cheapest_way_out_of_device_against_frontier(context):
    found = judge(answers(**{"class": "phone"}, boundary="device", hardness="frontier"), context).conflict
    assert (found.path, found.value) == ("data.sealed_cloud_accepted", True)


@given(any_answers())
@settings(max_examples=200, deadline=None)
def test_every_way_out_found_resolves(context, said):
    weighing = weigh(said, context)
    if weighing.decision().kind is not VerdictKind.CONFLICT:
        return
    found = find(said, context, weighing)
    if not found.path:
        assert found.way_out.key == "advice.conflict.no_way_out"
        return
    changed = said.put(found.path, found.value)
    if found.second is not None:
        changed = changed.put(*found.second)
    assert weigh(changed, context).decision().kind is not VerdictKind.CONFLICT


@given(any_answers())
@settings(max_examples=100, deadline=None)
def test_the_requirements_named_exclude_everything_and_each_is_needed(context, said):
    from engine.advice.rules import RULES

    weighing = weigh(said, context)
    if weighing.decision().kind is not VerdictKind.CONFLICT:
        return
    named = {rule for rule, _ in find(said, context, weighing).requirements}
    ballots = {r.rule: b for r, b in zip(RULES, weighing.ballots, strict=True)}
    assert all(any(ballots[r].excluded[p] for r in named) for p in range(8))
    for left_out in named:
        rest = named - {left_out}
        assert not all(any(ballots[r].excluded[p] for r in rest) for p in range(8))
