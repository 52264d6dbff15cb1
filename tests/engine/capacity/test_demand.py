"""Users x requests x tokens by hand, units, and what nobody said."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from engine.assumptions import Ledger
from engine.capacity.demand import day_profile, demand_of
from engine.consultation import (
    Circumstances,
    Demand,
    LoadShape,
    Profile,
    TaskKind,
    UserScale,
    Waiting,
    Workload,
)
from engine.estimate import Basis

SAID = Workload(
    id="w",
    scale=UserScale(users=1000, requests_per_user_day=20),
    circumstances=Circumstances(load_shape=LoadShape.STEADY),
    demand=Demand(
        active_hours_per_day=10, peak_factor=2, prompt_tokens=1000, prompt_tokens_p95=2500, output_tokens=200,
        output_tokens_p95=200, cached_prefix_share=0, growth_per_year=0.5,
    ),
)  # fmt: skip


def test_an_office_assistant_by_hand():
    # 1,000 users x 20 a day = 20,000 a day; 10 h x 3,600 s -> 0.5556/s, peak 1.1111/s; 365/12 days -> 608,333 a month
    result = demand_of(SAID, Ledger()).result(None)
    assert result.requests_per_s_mean.value == pytest.approx(20_000 / 36_000)
    assert result.requests_per_s_peak.value == pytest.approx(40_000 / 36_000)
    assert result.requests_per_month.value == pytest.approx(20_000 * 365 / 12)
    assert result.input_tokens_per_month.value == pytest.approx(20_000 * 365 / 12 * 1000)
    assert result.output_tokens_per_month.value == pytest.approx(20_000 * 365 / 12 * 200)


def test_what_was_said_is_exact_and_what_was_not_has_a_band():
    said = demand_of(SAID, Ledger()).result(None)
    assert said.requests_per_s_peak.low == said.requests_per_s_peak.high
    open_ = demand_of(Workload(id="w"), Ledger()).result(None)
    assert open_.requests_per_s_peak.low < open_.requests_per_s_peak.value < open_.requests_per_s_peak.high
    assert open_.requests_per_s_peak.low > 0
    assert open_.requests_per_s_peak.basis is Basis.ASSUMED


def test_every_assumed_figure_is_in_the_ledger_with_its_reason():
    ledger = Ledger()
    demand_of(Workload(id="w"), ledger)
    paths = {entry.path for entry in ledger.entries}
    assert {"scale.users", "scale.requests_per_user_day", "demand.prompt_tokens", "demand.peak_factor"} <= paths
    assert all(entry.why is not None and entry.basis is Basis.ASSUMED for entry in ledger.entries)


def test_nothing_said_is_listed():
    ledger = Ledger()
    demand_of(SAID, ledger)
    assert {entry.path for entry in ledger.entries} == {"demand.active_days_per_month"}


def test_a_said_peak_wins_and_users_follow_from_it():
    workload = evolve(
        SAID, scale=UserScale(requests_per_user_day=20), demand=evolve(SAID.demand, peak_requests_per_s=5)
    )
    demand = demand_of(workload, Ledger())
    result = demand.result(None)
    assert result.requests_per_s_peak.value == 5
    # mean 2.5/s over 36,000 s = 90,000 a day / 20 = 4,500 users
    assert demand.inputs["scale.users"].value == pytest.approx(4500)


def test_a_batch_by_hand():
    workload = Workload(
        id="w",
        profile=Profile(waiting=Waiting.BATCH, task=TaskKind.LABELLING),
        demand=Demand(
            batch_items=1_000_000, batch_window_hours=8, batch_runs_per_month=20, prompt_tokens=500, output_tokens=20
        ),
    )
    result = demand_of(workload, Ledger()).result(None)
    assert result.requests_per_s_peak.value == pytest.approx(1_000_000 / 28_800)
    assert result.requests_per_month.value == 20_000_000
    assert result.output_tokens_per_month.value == 400_000_000


def test_a_batch_works_off_what_its_users_ask_for():
    workload = Workload(
        id="w",
        profile=Profile(waiting=Waiting.BATCH),
        scale=UserScale(users=300, requests_per_user_day=10),
        demand=Demand(batch_runs_per_month=10),
    )
    demand = demand_of(workload, Ledger())
    assert demand.inputs["demand.batch_items"].value == pytest.approx(300 * 10 * 365 / 12 / 10)


def test_office_hours_have_working_days_only():
    office = evolve(SAID, circumstances=Circumstances(load_shape=LoadShape.OFFICE_HOURS))
    assert demand_of(office, Ledger()).inputs["demand.active_days_per_month"].value == 21


@given(st.floats(1, 1e9), st.floats(1.001, 100))
def test_more_users_make_more_of_everything(users, factor):
    demand = demand_of(SAID, Ledger())
    values = demand.inputs.centre()
    few, many = demand.load(values, users), demand.load(values, users * factor)
    assert many.peak_per_s > few.peak_per_s
    assert many.requests_per_month == pytest.approx(few.requests_per_month * factor)


@given(st.floats(0.1, 24), st.floats(1, 20))
def test_a_day_has_24_hours_and_a_mean_of_one(hours, peak):
    profile = day_profile(hours, peak)
    assert profile.shape == (24,)
    assert profile.mean() == pytest.approx(1)
    assert (profile >= 0).all()


def test_the_busiest_hour_is_the_peak():
    profile = day_profile(9, 2)
    assert profile.max() / (24 / 9) == pytest.approx(2)
    assert np.flatnonzero(profile).tolist() == list(range(9, 18))
