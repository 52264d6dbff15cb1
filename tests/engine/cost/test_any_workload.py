"""Whatever the answers are, the money rooms answer in finite figures or say what is missing."""

from __future__ import annotations

import math
import typing
from functools import cache
from pathlib import Path

import numpy as np
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.assumptions import Ledger
from engine.capacity.plan import Speed, capacity
from engine.catalogue import load_catalogue
from engine.consultation import UserScale, Workload
from engine.cost.compare import cost, device_crossover
from engine.cost.kinds import CostKind
from engine.deployment import Deployment
from engine.estimate import exact
from engine.questions import QUESTIONS, Kind, question
from engine.units import BYTES
from tests.engine.cost.conftest import TODAY, speed_at

SMALLEST = 1e-9
"""Positive answers below this are not tried: nobody means them."""
CATALOGUE = Path(__file__).resolve().parents[3] / "assets" / "catalogue"


def answers_to(question):
    """Any valid answer to a question, or none."""
    if question.kind in (Kind.NUMBER, Kind.SHARE):
        low, high = question.minimum, question.maximum
        numbers = st.floats(max(low, SMALLEST) if low == 0 else low, high, exclude_min=question.above_minimum)
        if low == 0 and not question.above_minimum:
            numbers = st.just(0.0) | numbers
        if question.integer:
            numbers = st.integers(math.ceil(low), int(high)).map(float)
        return st.none() | numbers
    if question.kind is Kind.FLAG:
        return st.none() | st.booleans()
    if question.kind is Kind.CHOICE and question.path != "profile.language":
        return st.none() | st.sampled_from(question.choices)
    return st.none()


@st.composite
def workloads(draw):
    """A workload with some answers to any of the questions, each within its limits."""
    workload = Workload(id="w")
    for path in draw(st.lists(st.sampled_from([q.path for q in QUESTIONS]), max_size=20, unique=True)):
        value = draw(answers_to(question(path)))
        if value is None:
            continue
        group, name = path.split(".")
        part = getattr(workload, group)
        if isinstance(value, str):
            value = typing.get_type_hints(type(part))[name].__args__[0](value)
        workload = evolve(workload, **{group: evolve(part, **{name: value})})
    return workload


@cache
def parts():
    """The catalogue and a deployment, outside the test's arguments: they are too long to print."""
    held = load_catalogue(CATALOGUE)
    machine = held.device("nvidia-h200-sxm")
    return held, Deployment(held.model("llama-3.1-8b"), held.weight_format("fp16"), machine, held.engine("vllm"))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(workloads())
def test_any_answers_give_finite_figures(workload):
    catalogue, deployment = parts()
    ledger = Ledger()
    plan = capacity(workload, deployment, Speed(speed_at, 64), exact(16e9, BYTES), catalogue, ledger)
    assert plan.replicas.value >= 1
    assert 0 <= plan.utilisation.value <= 1
    assert len(plan.topologies) == 5
    result = cost(workload, plan, deployment, catalogue, ledger, TODAY)
    for option in (*result.options, *result.variants):
        assert option.per_month_usd is not None or option.missing
        if option.per_month_usd is not None:
            assert math.isfinite(option.per_month_usd.high)
            assert len(option.lines) > 0
            assert len(option.yearly_usd) == 5
    assert all(c.message.key.startswith("cost.crossover.") for c in result.crossovers)
    assert np.isfinite(result.curve.usd).all()
    device_crossover(workload, catalogue, Ledger(), TODAY)


def test_nobody_answered_has_no_price_of_an_answer():
    catalogue, _ = parts()
    nobody = Workload(id="w", scale=UserScale(users=100, eligible_device_share=0.0))
    option = cost(nobody, None, None, catalogue, Ledger(), TODAY).option(CostKind.ON_DEVICE)
    assert option.per_request_usd is None
    assert option.per_mtok_usd is None
    assert option.per_month_usd.value > 0
