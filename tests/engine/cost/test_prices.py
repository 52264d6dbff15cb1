"""Dates, ages, currencies, tiers, and prices that cannot be true."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from engine.assumptions import Ledger
from engine.capacity.demand import day_profile
from engine.catalogue.rows import ApiPrice, GpuPrice
from engine.catalogue.tariffs import TARIFFS, tariff
from engine.consultation import Intelligence, NeededIntelligence
from engine.cost import api, cloud_gpu
from engine.cost.compare import cost
from engine.cost.kinds import CostKind
from engine.cost.prices import (
    age_days,
    checked_hourly,
    checked_per_mtok,
    dated,
    per_mtok_of_per_ktok,
    usd_per,
    warnings_of,
    won_per_usd,
)
from engine.errors import Refused, UnknownId
from engine.estimate import Source
from engine.messages import msg
from tests.engine.cost.conftest import CHAT, TODAY, lines

WHAT = msg("cost.what.row", item="x")


@pytest.mark.parametrize(
    ("cell", "day"),
    [
        ("2026-10-10", date(2026, 10, 10)),
        ("2026-11", date(2026, 11, 1)),
        ("2026 (undated; SkyPilot catalog v9)", date(2026, 1, 1)),
        ("2025-04 (package 2026-02-24)", date(2025, 4, 1)),
        ("2025-Q3", date(2025, 7, 1)),
        ("2025-H2", date(2025, 7, 1)),
        ("recalled, not dated", None),
        ("", None),
        ("2026-13-01", None),
    ],
)
def test_the_day_a_cell_means(cell, day):
    assert dated(cell) == day


def test_every_price_in_the_catalogue_has_a_date_or_says_so(catalogue):
    undated = [p.id for p in catalogue.gpu_prices.values() if dated(p.source.as_of) is None]
    assert undated == []
    assert all(dated(p.source.as_of) for p in catalogue.api_prices.values())


def test_ages_and_warnings():
    assert age_days(Source("x", "2026-10-10"), TODAY) == 52
    assert age_days(Source("x", "2027-01-01"), TODAY) == 0
    assert warnings_of(WHAT, Source("x", "2026-10-10"), "gpu", TODAY) == []
    assert [w.key for w in warnings_of(WHAT, Source("x", "2026-08-01"), "gpu", TODAY)] == ["cost.warning.old"]
    assert [w.key for w in warnings_of(WHAT, Source("x", ""), "gpu", TODAY)] == ["cost.warning.undated"]
    found = warnings_of(WHAT, Source("x", "2026-11-01", verified=False), "api", TODAY)
    assert [w.key for w in found] == ["cost.warning.unverified"]


def test_the_same_price_grows_old(priced, catalogue, deployment):
    plan, today = priced()
    later = cost(CHAT, plan, deployment, catalogue, Ledger(), date(2027, 6, 1))

    def old(result):
        return sum(w.key == "cost.warning.old" for o in result.options for w in o.warnings)

    assert old(later) > old(today)


@pytest.mark.parametrize(("usd", "devices"), [(0.0, 8), (0.01, 1), (0.08, 8), (900.0, 8)])
def test_an_hour_that_costs_nothing_is_refused(usd, devices):
    # Azure listed an H100 at $0, a marketplace a B200 at $0.01
    with pytest.raises(Refused):
        checked_hourly(usd, devices, "x")


def test_real_hours_pass(catalogue):
    for price in catalogue.gpu_prices.values():
        if price.on_demand_usd_per_hour is not None:
            assert checked_hourly(price.on_demand_usd_per_hour, price.count, price.id) > 0


def test_a_price_per_thousand_taken_for_one_per_million_is_refused():
    with pytest.raises(Refused):
        checked_per_mtok(0.0006, "x")
    assert checked_per_mtok(per_mtok_of_per_ktok(0.0006), "x") == pytest.approx(0.6)


def test_a_false_price_is_asked_for_and_never_used(catalogue, deployment, priced):
    plan, _ = priced()
    broken = evolve(
        catalogue,
        gpu_prices={
            "bad": GpuPrice("bad", "nvidia-h200-sxm", "X", "h200", "global", 8, 0.08, None, Source("x", "2026-11-01"))
        },
        api_prices={"bad": ApiPrice("bad", "X", "m", 0.00001, None, 0.00002, None, Source("x", "2026-11-01"))},
    )
    workload = evolve(CHAT, budget=evolve(CHAT.budget, gpu_instance="bad", api_model="bad"))
    result = cost(workload, plan, deployment, broken, Ledger(), TODAY)
    for kind, key in ((CostKind.RENTED_GPU, "cost.refused.hourly"), (CostKind.API, "cost.refused.per_mtok")):
        option = result.option(kind)
        assert option.per_month_usd is None
        assert [m.key for m in option.missing] == [key]
    assert CostKind.API not in result.model.options


def test_a_missing_price_is_asked_for(catalogue, deployment, priced):
    plan, _ = priced()
    bare = evolve(catalogue, gpu_prices={}, api_prices={}, operating_costs={
        k: v for k, v in catalogue.operating_costs.items() if "purchase" not in k
    })  # fmt: skip
    workload = evolve(CHAT, budget=evolve(CHAT.budget, gpu_instance=None, api_model=None))
    result = cost(workload, plan, deployment, bare, Ledger(), TODAY)
    asked = {o.kind: [m.key for m in o.missing] for o in result.options if o.per_month_usd is None}
    assert asked[CostKind.API] == ["cost.missing.api_price"]
    assert asked[CostKind.RENTED_GPU] == ["cost.missing.gpu_price"]
    assert asked[CostKind.ON_PREMISE] == ["cost.missing.server_price"]
    assert result.cheapest is CostKind.ON_DEVICE


def test_without_a_machine_renting_and_owning_have_no_price(catalogue):
    result = cost(CHAT, None, None, catalogue, Ledger(), TODAY)
    for kind in (CostKind.RENTED_GPU, CostKind.ON_PREMISE):
        assert [m.key for m in result.option(kind).missing] == ["cost.missing.deployment"]
    assert result.option(CostKind.API).per_month_usd is not None


def test_placeholders_and_unverified_prices_say_so(priced):
    keys = {w.key for w in priced()[1].option(CostKind.ON_PREMISE).warnings}
    assert "cost.warning.get_a_quote" in keys
    assert "cost.warning.room" in keys


# currency
def test_won_and_dollars(catalogue):
    assert won_per_usd(catalogue).value == 1358.19
    assert usd_per(catalogue, "KRW")[0] == pytest.approx(1 / 1358.19)
    assert usd_per(catalogue, "EUR")[0] == pytest.approx(1.1361)
    assert usd_per(catalogue, "USD")[0] == 1
    assert usd_per(catalogue, "KRW")[1].as_of == "2026-09-29"
    with pytest.raises(Refused):
        usd_per(catalogue, "XYZ")


# tiers of the APIs
def test_long_prompts_by_hand(catalogue):
    offer = api.offer_of(catalogue, "anthropic-claude-haiku-5-5", TODAY)
    assert (offer.long.beyond_tokens, offer.long.input_factor, offer.long.output_factor) == (100_000, 5, 5)
    again = api.offer_of(catalogue, "anthropic-claude-haiku-5-5-prompt-100k", TODAY)
    assert again.base.id == "anthropic-claude-haiku-5-5"


@pytest.mark.parametrize(("tokens", "dearer"), [(90_000, False), (110_000, True)])
def test_the_whole_request_is_dearer_beyond_the_threshold(priced, tokens, dearer):
    demand = evolve(CHAT.demand, prompt_tokens=tokens, prompt_tokens_p95=tokens, cached_prefix_share=0)
    budget = evolve(CHAT.budget, api_model="anthropic-claude-haiku-5-5")
    option = priced(CHAT, {"demand": demand, "budget": budget})[1].option(CostKind.API)
    base = (tokens * 0.1 + 200 * 0.5) / 1e6 * 1.02
    assert option.per_request_usd.value == pytest.approx(base * (5 if dearer else 1))
    assert any(w.key == "cost.warning.long_prompts" for w in option.warnings)


def test_long_prompts_of_a_distribution_lie_between(priced):
    demand = evolve(CHAT.demand, prompt_tokens=50_000, prompt_tokens_p95=140_000, cached_prefix_share=0)
    budget = evolve(CHAT.budget, api_model="anthropic-claude-haiku-5-5")
    value = priced(CHAT, {"demand": demand, "budget": budget})[1].option(CostKind.API).per_request_usd.value
    base = (50_000 * 0.1 + 200 * 0.5) / 1e6 * 1.02
    assert base * 1.2 < value < base * 5


def test_the_price_in_force_on_the_day(catalogue):
    early = api.offer_of(catalogue, "google-gemini-4-argon-introductory-until-2026-11-30", date(2026, 11, 30))
    late = api.offer_of(catalogue, "google-gemini-4-argon-introductory-until-2026-11-30", date(2026, 12, 1))
    assert (early.base.input_usd_per_mtok, late.base.input_usd_per_mtok) == (2, 4)


def test_peak_hours_in_korea(catalogue):
    offer = api.offer_of(catalogue, "deepseek-deepseek-flash-peak-mon-fri-utc-01-04-and-06-10", TODAY)
    assert offer.base.id == "deepseek-deepseek-flash-off-peak"
    assert (offer.peak.factor, offer.peak.days) == (2, 5)
    flat = np.ones(24)
    # 7 of 24 hours on 5 of 7 days for a load of every day; every working day for an office
    assert api.peak_share(offer.peak, flat, 9, 365 / 12) == pytest.approx(7 / 24 * 5 / 7)
    assert api.peak_share(offer.peak, flat, 9, 21) == pytest.approx(7 / 24)
    # 09-18 h in Korea is 00-09 h UTC: hours 10-13 and 15-18 are dear, 6 of 9 and the busiest not among them
    office = api.peak_share(offer.peak, day_profile(9, 1), 9, 21)
    assert office == pytest.approx(6 / 9)


def test_an_api_with_peak_hours_costs_its_blend(priced):
    budget = evolve(CHAT.budget, api_model="deepseek-deepseek-flash-off-peak")
    value = priced(CHAT, {"budget": budget})[1].option(CostKind.API).per_request_usd.value
    base = (800 * 0.15 + 200 * 0.003 + 200 * 0.6) / 1e6 * 1.02
    assert base < value < 2 * base


def test_the_same_model_is_compared_where_somebody_hosts_it(catalogue):
    names = {p.id for p in api.hosted(catalogue, "llama-3.3-70b")}
    assert "together-ai-meta-llama-llama-3.3-70b-instruct-turbo" in names
    assert "amazon-bedrock-meta.llama3-3-70b-instruct-v1-0" in names
    assert not any("8b" in name for name in names)


def test_an_api_nobody_named_is_listed_and_follows_the_class(catalogue):
    def chosen(hardness):
        ledger = Ledger()
        workload = evolve(
            CHAT, budget=evolve(CHAT.budget, api_model=None), intelligence=NeededIntelligence(hardness=hardness)
        )
        result = cost(workload, None, None, catalogue, ledger, TODAY)
        assert "budget.api_model" in {e.path for e in ledger.entries}
        return result.option(CostKind.API).per_month_usd.value

    prices = [chosen(h) for h in (Intelligence.NARROW, Intelligence.MEDIUM, Intelligence.FRONTIER)]
    assert prices == sorted(prices)
    assert prices[2] > 5 * prices[0]


def test_a_missing_cached_price_counts_in_full(priced):
    budget = evolve(CHAT.budget, api_model="groq-llama-3.3-70b-versatile")
    option = priced(CHAT, {"budget": budget})[1].option(CostKind.API)
    bill = lines(option)
    assert bill["api_cached"] == pytest.approx(bill["api_input"] / 4)
    assert any(w.key == "cost.warning.no_cached_price" for w in option.warnings)


# renting
def test_dollars_per_million_tokens():
    # $36 an hour at 10,000 tokens/s is $1 a million, $2 at half the use
    assert float(cloud_gpu.usd_per_mtok(36.0, 10_000.0)) == pytest.approx(1)
    assert float(cloud_gpu.usd_per_mtok(36.0, 10_000.0, 0.5)) == pytest.approx(2)
    assert float(cloud_gpu.usd_per_mtok(36.0, 0.0)) == np.inf


def test_the_sweeps_hourly_prices(catalogue):
    hourly = cloud_gpu.usd_per_device_hour(catalogue)
    assert 1 < hourly["nvidia-h100-sxm"] < 15
    assert hourly["nvidia-l4"] < hourly["nvidia-h100-sxm"] < hourly["nvidia-b200"]


@given(st.integers(1, 500), st.integers(1, 16), st.integers(1, 16))
def test_instances_hold_the_replicas(replicas, per_replica, per_instance):
    count = float(cloud_gpu.instances_for(replicas, per_replica, per_instance))
    assert count * per_instance >= replicas * per_replica
    assert count == int(count) >= 1


# electricity
def test_every_tariff_is_made(catalogue):
    assert set(catalogue.ids("tariff")) == set(TARIFFS)
    for name in TARIFFS:
        made = tariff(catalogue.operating_costs, name)
        assert made.per_kwh.shape == (24,)
        assert (made.per_kwh > 0).all()


def test_an_unknown_tariff_names_the_nearest(catalogue):
    with pytest.raises(UnknownId):
        tariff(catalogue.operating_costs, "kr-nothing")


def test_kepco_by_hand(catalogue):
    made = tariff(catalogue.operating_costs, "kr-industrial-eul-hv-a-2")
    # three in the morning is off-peak all year: 92 days at 116, 153 at 116, 120 at 123; + 9 + 5; x 1.032
    assert made.per_kwh[3] == pytest.approx(((92 + 153) * 116.0 + 120 * 123.0) / 365 * 1.032 + 14 * 1.032)
    # two in the afternoon: peak in summer, spring and autumn; mid in winter; Saturdays mid, Sundays off-peak

    def day(working, saturday, sunday):
        return (247 * working + 52 * saturday + 66 * sunday) / 365

    year = (92 * day(229.0, 163.8, 116) + 153 * day(150.9, 133.4, 116) + 120 * day(164, 164, 123)) / 365
    assert made.per_kwh[14] == pytest.approx((year + 14) * 1.032)
    assert made.per_kw_month == pytest.approx(8320 * 1.032)


def test_work_at_night_is_cheaper_where_the_tariff_has_hours(catalogue):
    night, day = np.zeros(24), np.zeros(24)
    night[0:6], day[10:16] = 4, 4
    banded = tariff(catalogue.operating_costs, "kr-industrial-eul-hv-a-1")
    assert banded.mean_per_kwh(night) < banded.mean_per_kwh() < banded.mean_per_kwh(day)
    flat = tariff(catalogue.operating_costs, "kr-average")
    assert flat.mean_per_kwh(night) == flat.mean_per_kwh(day)


def test_unverified_tariffs_say_so(catalogue):
    assert not tariff(catalogue.operating_costs, "kr-general-eul-hv-a-2").source.verified
    assert not tariff(catalogue.operating_costs, "us-commercial").source.verified
