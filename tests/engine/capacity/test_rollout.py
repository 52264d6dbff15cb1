"""Canary, fixes and downloads by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.capacity.rollout import (
    CLOUD,
    ILLUSTRATIVE,
    days_until,
    download,
    exposure,
    measured_curves,
    minutes_to_notice,
)
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
