"""The verdicts of realistic workloads, against what was expected before the code was asked."""

from __future__ import annotations

import pytest

from engine.advice.placement import judge
from tests.engine.advice.cases import CASES, Case
from tests.engine.advice.describe import answers


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_the_expected_place_is_chosen(case: Case, context):
    verdict = judge(answers(**case.said), context)
    assert verdict.chosen is not None, case.reason
    assert verdict.chosen.value in case.expected, (case.reason, verdict.headline.key)


def test_there_are_more_than_thirty_and_they_reach_every_usual_place():
    assert len(CASES) >= 30
    reached = {case.expected[0] for case in CASES}
    assert {
        "cloud_api",
        "cloud_gpu",
        "sealed_cloud",
        "on_device",
        "on_premise",
        "device_cloud",
        "on_premise_cloud",
    } <= reached
