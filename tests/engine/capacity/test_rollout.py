"""Canary, fixes and downloads by hand."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from engine.assumptions import Ledger
from engine.capacity.demand import demand_of
from engine.capacity.release import rollout_of
from engine.capacity.rollout import (
    CLOUD,
    ILLUSTRATIVE,
    days_until,
    download,
    exposure,
    measured_curves,
    minutes_to_notice,
)
from engine.consultation import Demand, Readiness, UserScale, Workload
from engine.estimate import Basis, Estimate, exact
from engine.units import REQUESTS_PER_S, USERS


def test_five_per_cent_for_twenty_minutes():
    # 10/s x 5 % x (15 + 5) min x 60 = 600 requests; everyone at once: 12,000
    found = exposure(exact(10, REQUESTS_PER_S), exact(1e9, USERS), 0.05, 15, 5)
    assert found.requests.value == pytest.approx(600)
    assert found.without_canary.value == pytest.approx(12_000)
    assert found.people.value == pytest.approx(600, rel=1e-3)


def test_people_are_never_more_than_the_canary_group():
    found = exposure(exact(100, REQUESTS_PER_S), exact(1000, USERS), 0.05, 600, 60)
    assert found.people.value == pytest.approx(50)


def test_the_band_of_the_traffic_is_kept():
    rate = Estimate(10, 5, 20, REQUESTS_PER_S, Basis.ASSUMED)
    found = exposure(rate, exact(1e6, USERS), 0.05, 15, 5)
    assert (found.requests.low, found.requests.high) == pytest.approx((300, 1200))


def test_minutes_to_notice_by_hand():
    # 1 % -> 3 %: n = (1.645 (sqrt(.0099) + sqrt(.0291)) / .02)^2 = 493; at 10/s x 5 % = 0.5/s: 16.4 min
    assert minutes_to_notice(10, 0.05, 0.01, 0.03) == pytest.approx(493 / 0.5 / 60, rel=0.01)
    assert minutes_to_notice(10, 0.05, 0.03, 0.03) is None
    assert minutes_to_notice(10, 0.0, 0.01, 0.03) is None


def test_the_handbooks_curve():
    assert ILLUSTRATIVE.reached(np.array([0, 3, 14, 60])) == pytest.approx([0, 0.3, 0.7, 0.85])
    assert float(ILLUSTRATIVE.reached(10_000)) == pytest.approx(0.9)
    assert ILLUSTRATIVE.illustrative
    assert ILLUSTRATIVE.days_until(0.95) is None
    assert ILLUSTRATIVE.days_until(0.5) == pytest.approx(3 + 0.2 / 0.4 * 11)
    assert CLOUD.days_until(1.0) == 0


@given(st.floats(0.01, 0.89))
def test_reach_and_its_inverse_agree(share):
    days = ILLUSTRATIVE.days_until(share)
    assert float(ILLUSTRATIVE.reached(days)) == pytest.approx(share, abs=1e-6)


@given(st.floats(0, 400), st.floats(0, 400))
def test_reach_never_falls(a, b):
    early, late = sorted((a, b))
    assert float(ILLUSTRATIVE.reached(early)) <= float(ILLUSTRATIVE.reached(late)) + 1e-12


def test_the_measured_curves_name_their_sources(catalogue):
    curves = {c.id: c for c in measured_curves(catalogue.rollout.values())}
    assert set(curves) == {"app10k", "mylyrics", "android"}
    assert float(curves["app10k"].reached(7)) == pytest.approx(0.421)
    # shares of those who update at all, scaled to the 90 % who do
    assert float(curves["android"].reached(14)) == pytest.approx(0.9 * 0.9)
    assert all(c.source.where and not c.illustrative for c in curves.values())


def test_days_until_half_have_the_fix(catalogue):
    found = days_until([ILLUSTRATIVE, *measured_curves(catalogue.rollout.values())], 0.5)
    assert found.value == pytest.approx(8.5)
    assert found.low < 3
    assert found.high > 14
    assert days_until([ILLUSTRATIVE], 0.95) is None


def test_a_download_by_hand():
    # 2 GB over 100 Mbit/s: 160 s
    found = download(2e9, Estimate(100e6, 20e6, 500e6, "1", Basis.ASSUMED))
    assert found.seconds.value == pytest.approx(160)
    assert (found.seconds.low, found.seconds.high) == pytest.approx((32, 800))
    assert found.asks_before_cellular
    assert found.installs_lost is None
    assert {m.key for m in found.notes} == {
        "capacity.download.play_base", "capacity.download.play_pack", "capacity.download.loss_unknown",
    }  # fmt: skip


def test_a_small_download_loses_few():
    found = download(30e6, exact(100e6, "1"))
    assert found.installs_lost.value == pytest.approx(0.051)
    assert not found.asks_before_cellular
    assert found.notes == ()


SERVICE = Workload(
    id="w",
    scale=UserScale(users=10_000, requests_per_user_day=10),
    demand=Demand(active_hours_per_day=10),
    readiness=Readiness(canary_share=0.05, detection_minutes=30, rollback_minutes=10),
)


def test_the_rollout_of_a_workload_by_hand(catalogue):
    found = rollout_of(SERVICE, demand_of(SERVICE, Ledger()), catalogue, Ledger())
    # 100,000 requests over 36,000 s = 2.78/s; x 5 % x 40 min = 333
    assert found.exposure.requests.value == pytest.approx(100_000 / 36_000 * 0.05 * 2400)
    assert found.exposure.people.value < 333.4
    # 493 requests to tell 3 % from 1 %: at 0.139/s 59 minutes, beyond the half hour
    assert found.minutes_to_notice.value == pytest.approx(493 / (2.7778 * 0.05), rel=0.01)
    assert [n.key for n in found.notes] == ["capacity.note.canary_too_small"]
    assert found.least_canary_share.value == pytest.approx(493 / (2.7778 * 1800), rel=0.01)


def test_the_cloud_reaches_everyone_at_once_and_an_app_never_does(catalogue):
    reach = {r.id: r for r in rollout_of(SERVICE, demand_of(SERVICE, Ledger()), catalogue, Ledger()).reach}
    assert reach["cloud"].days_to_most == 0
    assert reach["illustrative"].days_to_half == pytest.approx(8.5)
    assert reach["illustrative"].days_to_most == pytest.approx(14 + 0.1 / 0.15 * 46)
    assert max(reach["illustrative"].share) < 0.9
    assert reach["illustrative"].illustrative
    assert not reach["app10k"].illustrative


def test_a_quiet_service_cannot_tell_in_time(catalogue):
    quiet = evolve(SERVICE, scale=UserScale(users=20, requests_per_user_day=2))
    found = rollout_of(quiet, demand_of(quiet, Ledger()), catalogue, Ledger())
    assert found.least_canary_share is None
    assert [n.key for n in found.notes] == ["capacity.note.too_few_to_notice"]


def test_unsaid_rollout_figures_are_listed(catalogue):
    ledger = Ledger()
    open_ = evolve(SERVICE, readiness=Readiness())
    found = rollout_of(open_, demand_of(open_, Ledger()), catalogue, ledger, model_bytes=2e9)
    assert {"readiness.canary_share", "readiness.detection_minutes"} <= {e.path for e in ledger.entries}
    assert found.download.asks_before_cellular
