"""Totals, crossovers, bands, sensitivities and draws of the whole comparison."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from app.present.jsonable import Jsonable
from app.present.translator import Translator
from engine.assumptions import Ledger
from engine.consultation import Budget, DeviceClass, Profile, UserScale, Workload
from engine.cost.compare import OnDevice, cost, device_crossover
from engine.cost.kinds import CostKind
from engine.cost.montecarlo import simulate
from engine.cost.on_device import battery_joules, device_speed
from engine.estimate import exact
from engine.inputs import Inputs, Known, band
from engine.lazy import Later
from engine.messages import msg
from engine.units import BYTES, COUNT, HOURS_PER_MONTH
from tests.engine.cost.conftest import CHAT, NIGHTLY, TODAY

K = CostKind


def test_a_month_has_730_hours():
    assert HOURS_PER_MONTH == 730


def test_every_kind_is_looked_at_once(priced):
    assert [o.kind for o in priced()[1].options] == list(K)


def test_the_month_is_the_sum_of_its_lines(priced):
    for option in (*priced()[1].options, *priced()[1].variants):
        monthly = sum(line.amount.value for line in option.lines if not line.upfront)
        once = sum(line.amount.value for line in option.lines if line.upfront)
        assert option.per_month_usd.value == pytest.approx(monthly)
        assert option.upfront_usd.value == pytest.approx(once)


@settings(max_examples=40, deadline=None)
@given(st.integers(10, 3_000_000), st.floats(1.1, 30))
def test_more_users_are_never_cheaper_in_total(priced, users, factor):
    few = priced(CHAT, {"scale": evolve(CHAT.scale, users=users)})[1]
    many = priced(CHAT, {"scale": evolve(CHAT.scale, users=round(users * factor))})[1]
    for kind in K:
        assert few.option(kind).per_month_usd.value <= many.option(kind).per_month_usd.value * (1 + 1e-9)


def test_more_growth_never_pays_less_in_the_end(priced):
    totals = []
    for growth in (0.0, 0.3, 1.0):
        result = priced(CHAT, {"demand": evolve(CHAT.demand, growth_per_year=growth)})[1]
        totals.append([result.option(kind).yearly_usd[-1].value for kind in K])
    assert (np.diff(totals, axis=0) >= -1e-6).all()


def test_the_curve_passes_through_the_options(priced):
    result = priced()[1]
    at = evolve(CHAT.scale, users=float(result.curve.users[np.argmin(abs(result.curve.users - 10_000))]))
    same = priced(CHAT, {"scale": at})[1]
    place = int(np.argmin(abs(result.curve.users - at.users)))
    for row, kind in enumerate(result.curve.kinds):
        assert result.curve.usd[row, place] == pytest.approx(same.option(kind).per_month_usd.value, rel=1e-6)
    assert (result.curve.usd_low <= result.curve.usd + 1e-9).all()
    assert (result.curve.usd <= result.curve.usd_high + 1e-9).all()


def per_request(priced, users, kind, **changes):
    result = priced(CHAT, {"scale": evolve(CHAT.scale, users=users), **changes})[1]
    return result.option(kind).per_request_usd.value


def test_a_crossover_is_one_when_both_sides_are_evaluated(priced):
    found = [c for c in priced()[1].crossovers if c.axis == "users" and c.at is not None]
    assert found
    for c in found:
        below, above = c.at.value * 0.93, c.at.value * 1.07
        assert per_request(priced, below, c.cheaper_below) < per_request(priced, below, c.cheaper_above)
        assert per_request(priced, above, c.cheaper_above) < per_request(priced, above, c.cheaper_below)
        assert c.at.low <= c.at.value <= c.at.high


def test_below_the_crossover_the_cloud_is_cheaper_and_above_it_the_device(priced):
    """The handbook's judgement: on-device costs up front, is free per answer, and wins with many users."""
    c = priced()[1].crossover(K.API, K.ON_DEVICE, "users")
    assert (c.cheaper_below, c.cheaper_above) == (K.API, K.ON_DEVICE)
    assert 1 < c.at.value < 1e7
    requests = priced()[1].crossover(K.ON_DEVICE, K.API, "requests")
    assert requests.at.value == pytest.approx(c.at.value * 10 * 365 / 12)


def test_the_device_crossover_by_hand(catalogue):
    """Engineering 360,000 over 36 months and no updates to speak of, against $0.0037 a request."""
    workload = Workload(
        id="w",
        scale=UserScale(users=10_000, requests_per_user_day=10, eligible_device_share=1.0),
        circumstances=CHAT.circumstances,
        demand=CHAT.demand,
        budget=Budget(
            horizon_years=3, api_model="openai-gpt-6-sol", on_device_engineering_usd=360_000,
            test_usd_per_device_class=0, device_classes_tested=1,
        ),
        updates=evolve(CHAT.updates, update_interval_days=3650),
    )  # fmt: skip
    monthly = 360_000 / 36 + 365 / 12 / 3650 * 360_000 * 0.05
    a_request = (800 * 2 + 200 * 0.2 + 200 * 10) / 1e6 * 1.02
    found = device_crossover(workload, catalogue, Ledger(), TODAY)
    assert found.value == pytest.approx(monthly / a_request, rel=0.02)
    assert found.unit == COUNT


def test_a_dearer_api_crosses_earlier(catalogue):
    def at(model):
        workload = evolve(CHAT, budget=evolve(CHAT.budget, api_model=model))
        return device_crossover(workload, catalogue, Ledger(), TODAY).value

    assert at("openai-gpt-6-astra") < at("openai-gpt-6-sol") < at("openai-gpt-6-luna")


def test_utilisation_at_which_renting_pays(priced):
    plan, result = priced()
    c = result.crossover(K.API, K.RENTED_GPU, "utilisation")
    api, rented = result.option(K.API), result.option(K.RENTED_GPU)
    room = (plan.replicas.value + 1) * plan.requests_per_s_per_replica.value * 730 * 3600
    needed = rented.per_month_usd.value / (api.per_request_usd.value * room)
    assert c.at.value == pytest.approx(needed)


def test_months_until_a_purchase_has_paid_for_itself(priced):
    result = priced(CHAT, {"scale": evolve(CHAT.scale, users=200_000)})[1]
    c = result.crossover(K.API, K.ON_PREMISE, "months")
    api, own = result.option(K.API), result.option(K.ON_PREMISE)
    assert c.at.value == pytest.approx(own.upfront_usd.value / (api.running_usd.value - own.running_usd.value))
    # cash on both sides is equal after that many months
    paid = own.upfront_usd.value + c.at.value * own.running_usd.value
    assert paid == pytest.approx(c.at.value * api.running_usd.value)


def test_what_never_crosses_says_so(priced):
    tiny = priced(CHAT, {"scale": evolve(CHAT.scale, users=5)})[1]
    c = tiny.crossover(K.API, K.API, "months")
    assert c is None or c.at is None
    assert any(c.message.key == "cost.crossover.months_never" for c in tiny.crossovers)


def test_idle_capacity_is_paid(priced):
    many = {"scale": evolve(CHAT.scale, users=1_000_000)}
    busy = priced(CHAT, {**many, "demand": evolve(CHAT.demand, active_hours_per_day=24, peak_factor=1)})[1]
    idle = priced(CHAT, {**many, "demand": evolve(CHAT.demand, active_hours_per_day=2, peak_factor=5)})[1]
    assert idle.option(K.RENTED_GPU).per_month_usd.value > busy.option(K.RENTED_GPU).per_month_usd.value
    assert idle.option(K.API).per_month_usd.value == pytest.approx(busy.option(K.API).per_month_usd.value)


def test_a_batch_has_every_option_too(priced):
    result = priced(NIGHTLY)[1]
    assert all(o.per_month_usd is not None for o in result.options)


# bands and sensitivities
def test_the_tornado_moves_the_explained_option(priced):
    result = priced(explain=K.ON_PREMISE)[1]
    assert result.explained is K.ON_PREMISE
    spans = [abs(s.high_usd - s.low_usd) for s in result.sensitivities]
    assert spans == sorted(spans, reverse=True)
    assert len(result.largest_assumptions) <= 10
    base = result.option(K.ON_PREMISE).per_month_usd
    for s in result.sensitivities:
        assert min(s.low_usd, s.high_usd) <= base.value * (1 + 1e-9)
        assert max(s.low_usd, s.high_usd) >= base.value * (1 - 1e-9)
    assert {s.path for s in result.sensitivities} >= {"budget.server_price_usd", "budget.staff_usd_per_year"}


def test_a_tornado_bar_is_the_bill_with_that_input_at_its_end(priced):
    ledger = Ledger()
    result = priced(ledger=ledger, explain=K.ON_PREMISE)[1]
    bar = next(s for s in result.sensitivities if s.path == "budget.staff_usd_per_year")
    cheap = evolve(CHAT.budget, staff_usd_per_year=55_000)
    said = priced(CHAT, {"budget": cheap}, explain=K.ON_PREMISE)[1]
    assert bar.low_usd == pytest.approx(said.option(K.ON_PREMISE).per_month_usd.value)


def test_the_ledger_learns_the_impact(priced):
    ledger = Ledger()
    priced(ledger=ledger, explain=K.ON_PREMISE)
    largest = ledger.largest(10)
    assert largest[0].impact >= largest[-1].impact
    assert largest[0].impact > 0
    assert all(0 <= e.impact <= 1 for e in ledger.entries)


def test_what_is_said_narrows_the_band(priced):
    open_ = priced()[1].option(K.ON_PREMISE).per_month_usd
    said = evolve(CHAT.budget, server_price_usd=370_000, staff_fte=0.6, staff_usd_per_year=75_000, depreciation_years=3)
    known = priced(CHAT, {"budget": said})[1].option(K.ON_PREMISE).per_month_usd
    assert known.relative_band < open_.relative_band


def test_bands_by_hand():
    inputs = Inputs.of(
        [
            Known("a.x", msg("cost.what.row", item="x"), evolve(exact(10, COUNT), low=8, high=13)),
            Known("a.y", msg("cost.what.row", item="y"), evolve(exact(5, COUNT), low=4, high=5)),
            Known("a.z", msg("cost.what.row", item="z"), exact(2, COUNT)),
        ]
    )
    rows = inputs.rows()
    total = rows["a.x"] - 6 + rows["a.y"] - rows["a.z"] * 5
    value, low, high = band(total)
    # it changes sign, so the deviations add as they are: down sqrt(2^2 + 1^2), up 3
    assert (value, low, high) == pytest.approx((-1, -1 - 5**0.5, 2))
    product = rows["a.x"] * rows["a.y"]
    value, low, high = band(product)
    assert value == 50
    assert low == pytest.approx(50 * np.exp(-np.hypot(np.log(10 / 8), np.log(5 / 4))))
    assert high == pytest.approx(65)


# draws
def test_the_draws_repeat_with_their_seed(priced):
    model = priced()[1].model
    one = simulate(model, np.random.default_rng(5), 2000)
    two = simulate(model, np.random.default_rng(5), 2000)
    assert one.monthly_usd == two.monthly_usd
    assert one.cheapest_share == two.cheapest_share


def test_the_shares_of_the_draws_add_up(priced):
    draws = simulate(priced()[1].model, np.random.default_rng(6), 4000)
    assert sum(draws.cheapest_share.values()) == pytest.approx(1)
    for quantiles in draws.monthly_usd.values():
        assert quantiles.p05 <= quantiles.median <= quantiles.p95
    assert draws.cheaper_share(K.API, K.ON_DEVICE) + draws.cheaper_share(K.ON_DEVICE, K.API) == pytest.approx(1)


def test_the_band_and_the_draws_agree(priced):
    """First-order band against 10,000 draws: the ends within a quarter of each other."""
    result = priced()[1]
    draws = simulate(result.model, np.random.default_rng(7))
    for kind in (K.API, K.RENTED_GPU, K.ON_PREMISE, K.ON_DEVICE):
        shown, drawn = result.option(kind).per_month_usd, draws.monthly_usd[kind]
        assert drawn.median == pytest.approx(shown.value, rel=0.2)
        assert drawn.p05 == pytest.approx(shown.low, rel=0.25)
        assert drawn.p95 == pytest.approx(shown.high, rel=0.25)


def test_draws_stay_inside_what_can_be():
    inputs = Inputs.of(
        [Known("a.share", msg("cost.what.row", item="s"), evolve(exact(0.9, "ratio"), low=0.5, high=1.0))]
    )
    drawn = inputs.draws(np.random.default_rng(1), 5000)["a.share"]
    assert drawn.min() >= 0
    assert drawn.max() <= 1
    assert np.mean(drawn < 0.5) == pytest.approx(0.05, abs=0.015)


# the user's own bill
def test_the_battery_by_hand(catalogue):
    speed = device_speed(catalogue.device_classes["phone-flagship-iphone"], exact(2e9, BYTES))
    # 0.6 x 76.8 GB/s / 2 GB = 23 tokens/s written, twelve times that read; 4 W
    assert speed.decode_tokens_per_s.value == pytest.approx(23.04)
    joules = battery_joules(speed, 180, 60)
    assert joules.value == pytest.approx(4 * (180 / (23.04 * 12) + 60 / 23.04))
    assert joules.low < joules.value < joules.high


def test_the_battery_is_shown_beside_the_bill(priced, catalogue):
    small = exact(2e9, BYTES)
    speed = device_speed(catalogue.device_classes["phone-mid"], small)
    result = priced(device=OnDevice(None, small, speed))[1]
    assert result.option(K.ON_DEVICE).user_battery_joules.value > 0
    assert result.option(K.API).user_battery_joules is None
    without = priced(device=OnDevice(None, small, None))[1]
    assert without.option(K.ON_DEVICE).user_battery_joules is None
    assert without.option(K.ON_DEVICE).per_month_usd == result.option(K.ON_DEVICE).per_month_usd


def test_a_phones_battery_is_worked_out_without_being_asked(priced):
    phone = Profile(device_class=DeviceClass.PHONE)
    result = priced(CHAT, {"profile": phone})[1]
    joules = result.option(K.ON_DEVICE).user_battery_joules
    # a mid-range phone: 0.6 x 38 GB/s / 2 GB = 11.4 tokens/s; 4 W x (1,000 / 137 + 200 / 11.4) = 99 J
    assert joules.value == pytest.approx(4 * (1000 / (11.4 * 12) + 200 / 11.4), rel=0.01)


def test_a_large_model_is_not_priced_on_phones_unless_named(priced, catalogue):
    large = OnDevice(catalogue.model("llama-3.3-70b"))
    option = priced(device=large)[1].option(K.ON_DEVICE)
    assert option.label.key == "cost.option.on_device"
    named = {"serving": evolve(CHAT.serving, target_model="llama-3.3-70b")}
    assert priced(CHAT, named, device=large)[1].option(K.ON_DEVICE).label.key == "cost.option.on_device_named"


def test_a_servers_work_has_no_user_device(priced):
    option = priced(CHAT, {"profile": Profile(device_class=DeviceClass.SERVER)})[1].option(K.ON_DEVICE)
    assert [m.key for m in option.missing] == ["cost.missing.user_device"]
    assert option.per_month_usd is None


def test_a_class_without_bandwidth_has_no_battery_figure(catalogue):
    assert device_speed(catalogue.device_classes["phone-mean-world"], exact(2e9, BYTES)) is None


def test_currency_and_horizon_are_handed_over(priced):
    result = priced()[1]
    assert result.usd_to_krw.value == 1358.19
    assert result.usd_to_krw.trace.inputs[0].source.as_of == "2026-09-29"
    assert result.horizon_years.value == 3


def test_nothing_is_assumed_in_silence(priced, catalogue, deployment):
    """Every uncertain input that is not the speed or a price with a source stands in the ledger."""
    ledger = Ledger()
    result = priced(ledger=ledger)[1]
    listed = {e.path for e in ledger.entries}
    open_ = {k.path for k in result.model.inputs.uncertain if k.source is None or not k.source.where}
    assert open_ - listed <= {"speed.throughput", "cost.server_power_w"}


def test_what_nobody_reads_is_not_worked_out(priced):
    result = priced()[1]
    assert isinstance(result.crossovers, Later)
    assert isinstance(result.option(K.API).lines, Later)
    assert len(result.crossovers) > 4
    assert result.curve.usd.shape == (len(result.curve.kinds), result.curve.users.size)
    again = Jsonable(Translator("en"), trace=True)(result)
    assert set(again["curve"]) == {"users", "kinds", "usd", "usd_low", "usd_high"}
    assert "model" not in again
    assert again["options"][0]["lines"][0]["amount"]["trace"]["inputs"]


def test_cost_alone_completes_the_demand(catalogue):
    result = cost(Workload(id="w"), None, None, catalogue, Ledger(), TODAY)
    assert result.cheapest in {K.API, K.ON_DEVICE}
