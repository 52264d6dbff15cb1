"""What people type."""

from __future__ import annotations

import pytest

from app.ui.parsing import parse, rule_for
from engine.errors import InvalidInput
from engine.questions import QUESTIONS, question
from engine.questions.types import Kind


def read(path: str, text: str, currency: str = "KRW", usd_rate: float = 1400.0):
    return parse(text, rule_for(question(path), currency), currency=currency, usd_rate=usd_rate)


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [
        ("scale.users", "800", 800),
        ("scale.users", "1,200 명", 1200),
        ("scale.users", "1.2만", 12_000),
        ("scale.users", "1억 2천만 명", 120_000_000),
        ("scale.users", "3k", 3_000),
        ("scale.users", "2M users", 2_000_000),
        ("scale.users", "1e6", 1_000_000),
        ("immediacy.latency_budget_s", "300", 0.3),
        ("immediacy.latency_budget_s", "300 ms", 0.3),
        ("immediacy.latency_budget_s", "0.3초", 0.3),
        ("immediacy.latency_budget_s", "2 s", 2.0),
        ("immediacy.outage_s", "10", 600),
        ("immediacy.outage_s", "2시간", 7200),
        ("immediacy.speed_m_per_s", "100 km/h", 100 / 3.6),
        ("updates.update_interval_days", "2주", 14),
        ("updates.update_interval_days", "1 year", 365),
        ("updates.download_limit_bytes", "200", 200e6),
        ("updates.download_limit_bytes", "1.5GB", 1.5e9),
        ("updates.download_limit_bytes", "2 GiB", 2 * 2**30),
        ("intelligence.hard_share", "30", 0.30),
        ("intelligence.hard_share", "30 %", 0.30),
        ("demand.growth_per_year", "20%", 0.2),
        ("demand.growth_per_year", "2배", 2.0),
        ("budget.power_usage_effectiveness", "1.5", 1.5),
        ("serving.context_tokens", "32k", 32_000),
        ("serving.context_tokens", "3.2만 토큰", 32_000),
        ("readiness.rollback_minutes", "2 h", 120),
        ("budget.depreciation_years", "36개월", 3.0),
        ("budget.server_price_usd", "1억 4천만원", 100_000),
        ("budget.server_price_usd", "$90,000", 90_000),
        ("budget.server_price_usd", "140,000,000", 100_000),
        ("budget.electricity_usd_per_kwh", "182원/kWh", 0.13),
        ("demand.peak_requests_per_s", "12 rps", 12),
    ],
)
def test_read(path, text, value):
    assert read(path, text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "   "])
def test_empty_is_not_known(text):
    assert read("scale.users", text) is None


@pytest.mark.parametrize("text", ["abc", "nan", "inf", "-", "1.2.3", "12 bananas", "3 4 5x", "--5", "1e999", "억"])
def test_nonsense_is_refused(text):
    with pytest.raises(InvalidInput):
        read("scale.users", text)


def test_seconds_are_no_users():
    with pytest.raises(InvalidInput):
        read("scale.users", "3 ms")


def test_a_sign_is_read():
    assert read("demand.growth_per_year", "-10 %") == pytest.approx(-0.1)


def test_dollars_stay_dollars_in_an_english_session():
    assert read("budget.server_price_usd", "5k", "USD", 1.0) == 5000
    with pytest.raises(InvalidInput):
        read("budget.server_price_usd", "5000원", "USD", 1.0)


def test_every_number_question_reads_a_bare_number():
    for asked in QUESTIONS:
        if asked.kind in (Kind.NUMBER, Kind.SHARE):
            assert read(asked.path, "1") is not None
