"""Every line of every bill by hand."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve

from engine.assumptions import Ledger
from engine.capacity.plan import Speed, capacity
from engine.consultation import (
    Boundary,
    Budget,
    DataBoundary,
    DownloadCarrier,
    HardwareNeeds,
    NeededIntelligence,
    OwnedDevices,
    UpdateFrequency,
)
from engine.cost.compare import cost
from engine.cost.kinds import CostKind
from engine.cost.on_premise import annuity
from engine.deployment import Deployment
from engine.estimate import exact
from engine.units import BYTES, USD_PER_MONTH
from tests.engine.cost.conftest import CHAT, DAYS, NIGHTLY, REQUESTS, TODAY, lines, speed_at

K = CostKind


# the API
def test_api_by_hand(priced):
    # gpt-6-sol: $2 in, $0.2 cached, $10 out a million
    bill = lines(priced()[1].option(K.API))
    millions_in = REQUESTS * 1000 / 1e6
    assert bill["api_input"] == pytest.approx(millions_in * 0.8 * 2)
    assert bill["api_cached"] == pytest.approx(millions_in * 0.2 * 0.2)
    assert bill["api_output"] == pytest.approx(REQUESTS * 200 / 1e6 * 10)
    whole = bill["api_input"] + bill["api_cached"] + bill["api_output"]
    assert bill["api_retries"] == pytest.approx(whole * 0.02)


def test_api_totals_by_hand(priced):
    option = priced()[1].option(K.API)
    # 3,041.667 M in: 0.8 x 2 + 0.2 x 0.2 = 1.64 -> 4,988.33; 608.333 M out x 10 = 6,083.33; x 1.02
    assert option.per_month_usd.value == pytest.approx((3041.6667 * 1.64 + 6083.333) * 1.02, rel=1e-6)
    assert option.per_month_usd.unit == USD_PER_MONTH
    assert option.per_request_usd.value == pytest.approx((1000 * 1.64 + 200 * 10) / 1e6 * 1.02)
    assert option.per_mtok_usd.value == pytest.approx(option.per_request_usd.value / 200 * 1e6)
    assert option.upfront_usd.value == 0


def test_a_batch_gets_its_discount(priced):
    option = priced(NIGHTLY)[1].option(K.API)
    full = 10_000_000 * (1000 * 2 + 200 * 10) / 1e6 * 1.02
    assert lines(option)["api_batch"] == pytest.approx(-full / 2)
    assert option.per_month_usd.value == pytest.approx(full / 2)


def test_no_discount_is_counted_until_it_is_known(priced):
    budget = evolve(NIGHTLY.budget, api_batch_discount=None)
    assert lines(priced(NIGHTLY, {"budget": budget})[1].option(K.API))["api_batch"] == 0


# rented GPUs
def test_rented_by_hand(priced):
    plan, result = priced()
    option = result.option(K.RENTED_GPU)
    # AWS Seoul p5en: 8 x H200 for $87.34848 an hour; the replicas with their spare fit into one
    assert plan.replicas.value + 1 <= 8
    bill = lines(option)
    assert bill["gpu_hours"] == pytest.approx(87.34848 * 730)
    assert bill["cloud_extras"] == pytest.approx(87.34848 * 730 * 0.05)
    # (0.5 + 0.1 people x 1 server) x half of them x $75,000 / 12
    assert bill["rented_staff"] == pytest.approx(0.6 * 0.5 * 75_000 / 12)


def test_instances_grow_with_the_replicas(priced):
    few = lines(priced()[1].option(K.RENTED_GPU))["gpu_hours"]
    plan, result = priced(CHAT, {"scale": evolve(CHAT.scale, users=3_000_000)})
    need = np.ceil((plan.replicas.value + 1) / 8)
    assert need > 1
    assert lines(result.option(K.RENTED_GPU))["gpu_hours"] == pytest.approx(few * need)


def test_a_batch_pays_for_its_runs_only(priced):
    plan, result = priced(NIGHTLY)
    option = result.option(K.RENTED_GPU)
    rate = plan.requests_per_s_per_replica.value
    busy = 10 * 1_000_000 / (plan.replicas.value * rate * 3600)
    hours = busy + 10 * plan.load_time_s.value / 3600
    assert hours < 10 * 8 + 1
    named = {i.name: i.value for line in option.lines for i in line.amount.trace.inputs}
    instances = lines(option)["gpu_hours"] / (named["gpu_usd_per_hour"] * hours)
    assert instances == pytest.approx(round(instances))
    assert 1 <= round(instances) <= plan.replicas.value


def test_said_utilisation_replaces_the_replicas(priced):
    plan, result = priced(
        CHAT, {"scale": evolve(CHAT.scale, users=300_000), "budget": evolve(CHAT.budget, utilisation=0.5)}
    )
    busy = 30 * REQUESTS / (plan.requests_per_s_per_replica.value * 3600)
    instances = np.ceil(np.ceil(busy / (730 * 0.5)) / 8)
    assert lines(result.option(K.RENTED_GPU))["gpu_hours"] == pytest.approx(instances * 87.34848 * 730)


def test_rented_variants_by_hand(priced):
    variants = {v.label.key: v for v in priced()[1].variants}
    on_demand = 87.34848 * 730
    assert lines(variants["cost.variant.spot"])["gpu_hours"] == pytest.approx(12.5232 * 730)
    # 10 h a day and the time to load, every day of the month
    hours = DAYS * (10 + priced()[0].load_time_s.value / 3600)
    assert lines(variants["cost.variant.scheduled"])["gpu_hours"] == pytest.approx(87.34848 * hours)
    # AWS's three-year plan: $23.80 an hour for the same eight
    reserved = [v for v in priced()[1].variants if v.label.key == "cost.variant.reserved"]
    assert min(lines(v)["gpu_hours"] for v in reserved) == pytest.approx(23.8 * 730)
    assert all(lines(v)["gpu_hours"] < on_demand for v in reserved)


# own servers
def test_on_premise_by_hand(priced):
    budget = Budget(
        horizon_years=3, server_price_usd=400_000, depreciation_years=4, electricity_usd_per_kwh=0.15,
        power_usage_effectiveness=1.5, staff_fte=1, staff_usd_per_year=60_000,
    )  # fmt: skip
    plan, result = priced(CHAT, {"budget": budget})
    option = result.option(K.ON_PREMISE)
    bill = lines(option)
    assert bill["servers"] == 400_000
    assert bill["network"] == pytest.approx(40_000)
    assert bill["spare_parts"] == pytest.approx(12_000)
    assert option.upfront_usd.value == pytest.approx(452_000)
    assert bill["depreciation"] == pytest.approx(452_000 / 48)
    i = 0.08 / 12
    assert bill["capital"] == pytest.approx(452_000 * i / (1 - (1 + i) ** -48) - 452_000 / 48)
    # 10.2 kW x 1.5 x 730 h x (0.35 idle + 0.65 x busy share of the eight devices) x $0.15
    used = plan.utilisation.value * (plan.replicas.value + 1) / 8
    assert bill["energy"] == pytest.approx(10.2 * 1.5 * 730 * (0.35 + 0.65 * used) * 0.15)
    assert "demand_charge" not in bill
    assert bill["support"] == pytest.approx(400_000 * 0.08 / 12)
    assert bill["staff"] == pytest.approx(60_000 / 12)
    running = bill["energy"] + bill["support"] + bill["staff"]
    assert option.running_usd.value == pytest.approx(running)
    assert option.per_month_usd.value == pytest.approx(running + bill["depreciation"] + bill["capital"])


def test_the_demand_charge_by_hand(priced):
    budget = Budget(horizon_years=3, electricity_tariff="kr-industrial-eul-hv-a-2", power_usage_effectiveness=1.5)
    bill = lines(priced(CHAT, {"budget": budget})[1].option(K.ON_PREMISE))
    # 8,320 won a kW with the 3.2 % fund, 10.2 kW x 1.5, at 1,358.19 won a dollar
    assert bill["demand_charge"] == pytest.approx(8320 * 1.032 * 10.2 * 1.5 / 1358.19)


def test_colocation_pays_for_its_kilowatts(priced):
    variant = next(v for v in priced()[1].variants if v.label.key == "cost.variant.colocation")
    assert lines(variant)["colocation"] == pytest.approx(10.2 * 150)


def test_owned_servers_are_not_bought_again(priced):
    own = HardwareNeeds(owned=(OwnedDevices("nvidia-h200-sxm", 8),))
    option = priced(CHAT, {"hardware": own})[1].option(K.ON_PREMISE)
    assert option.upfront_usd.value == 0
    assert lines(option)["depreciation"] == 0
    assert lines(option)["energy"] > 0


def test_the_annuity_by_hand():
    # 12,000 over one year at 12 %: 1 % a month, 12,000 x 0.01 / (1 - 1.01^-12) = 1,066.19
    assert float(annuity(12_000.0, 1.0, 0.12)) == pytest.approx(1066.185, abs=0.001)
    assert float(annuity(12_000.0, 1.0, 0.0)) == pytest.approx(1000)


# the user's device
ON_DEVICE = Budget(
    horizon_years=3, on_device_engineering_usd=300_000, test_usd_per_device_class=10_000, device_classes_tested=6
)


def test_on_device_by_hand(priced):
    changes = {
        "budget": ON_DEVICE,
        "scale": evolve(CHAT.scale, eligible_device_share=0.6),
        "updates": UpdateFrequency(update_interval_days=DAYS, carrier=DownloadCarrier.OPT_IN),
    }
    option = priced(CHAT, changes)[1].option(K.ON_DEVICE)
    bill = lines(option)
    assert bill["engineering"] == 300_000
    assert bill["device_tests"] == 60_000
    # 6,000 devices x 2 GB (the assumed small model) x $0.03
    assert bill["first_download"] == pytest.approx(6000 * 2 * 0.03)
    assert bill["per_answer"] == 0
    # one update a month: 5 % of the engineering and 30 % of the tests
    assert bill["updates"] == pytest.approx(300_000 * 0.05 + 60_000 * 0.3)
    assert bill["update_downloads"] == pytest.approx(6000 * 2 * 0.03 * 0.85)
    assert bill["written_off"] == pytest.approx((300_000 + 60_000 + 360) / 36)
    assert option.served_share.value == 0.6
    assert option.per_request_usd.value == pytest.approx(option.per_month_usd.value / (REQUESTS * 0.6))


def test_a_store_carries_the_download_for_nothing(priced):
    bill = lines(priced(CHAT, {"budget": ON_DEVICE})[1].option(K.ON_DEVICE))
    assert bill["first_download"] == bill["update_downloads"] == 0


def test_on_device_costs_the_same_for_ten_times_the_answers(priced):
    one = priced(CHAT, {"budget": ON_DEVICE})[1].option(K.ON_DEVICE)
    busy = evolve(CHAT.scale, requests_per_user_day=100)
    ten = priced(CHAT, {"budget": ON_DEVICE, "scale": busy})[1].option(K.ON_DEVICE)
    assert ten.per_month_usd.value == one.per_month_usd.value
    assert ten.per_request_usd.value == pytest.approx(one.per_request_usd.value / 10)


# hybrids
def test_device_and_cloud_by_hand(priced):
    changes = {
        "scale": evolve(CHAT.scale, eligible_device_share=0.5),
        "intelligence": NeededIntelligence(hard_share=0.2),
        "budget": evolve(ON_DEVICE, api_model="openai-gpt-6-sol"),
    }
    result = priced(CHAT, changes, hybrid_of=(K.ON_DEVICE, K.API))[1]
    both = result.option(K.HYBRID).per_month_usd.value
    # the device answers 0.5 x 0.8 = 40 %, the API the other 60 %
    api = result.option(K.API).per_month_usd.value
    device = result.option(K.ON_DEVICE).per_month_usd.value
    assert both == pytest.approx(device + 0.6 * api)
    assert result.option(K.HYBRID).served_share.value == 1


def test_own_servers_and_cloud_by_hand(priced):
    hard = {"intelligence": NeededIntelligence(hard_share=0.25)}
    plan, result = priced(CHAT, hard, hybrid_of=(K.ON_PREMISE, K.API))
    hybrid, api, own = (result.option(k) for k in (K.HYBRID, K.API, K.ON_PREMISE))
    assert lines(hybrid)["api_output"] == pytest.approx(lines(api)["api_output"] / 4)
    assert lines(hybrid)["servers"] == lines(own)["servers"]
    assert lines(hybrid)["energy"] < lines(own)["energy"]
    assert plan.meets_targets


def test_device_and_own_servers_by_hand(priced):
    hard = {"intelligence": NeededIntelligence(hard_share=0.25), "scale": evolve(CHAT.scale, eligible_device_share=1.0)}
    result = priced(CHAT, hard, hybrid_of=(K.ON_DEVICE, K.ON_PREMISE))[1]
    hybrid, device, own = (lines(result.option(k)) for k in (K.HYBRID, K.ON_DEVICE, K.ON_PREMISE))
    assert hybrid["engineering"] == device["engineering"]
    assert hybrid["servers"] == own["servers"]
    assert hybrid["energy"] < own["energy"]
    assert "api_output" not in hybrid


# the boundary
def test_korean_regions_where_the_data_may_not_leave(priced):
    changes = {"data": DataBoundary(boundary=Boundary.COUNTRY), "budget": evolve(CHAT.budget, gpu_instance=None)}
    option = priced(CHAT, changes)[1].option(K.RENTED_GPU)
    region = option.label.params["what"].params["region"]
    assert region in {"ap-northeast-2", "koreacentral", "koreasouth", "asia-northeast3"}


def test_elsewhere_where_the_data_may_go_anywhere_with_the_country_beside_it(priced):
    changes = {"data": DataBoundary(boundary=Boundary.NONE), "budget": evolve(CHAT.budget, gpu_instance=None)}
    result = priced(CHAT, changes)[1]
    option = result.option(K.RENTED_GPU)
    assert option.label.params["what"].params["region"] not in {"ap-northeast-2", "koreasouth"}
    home = next(v for v in result.variants if v.label.key == "cost.variant.at_home")
    assert home.label.params["what"].params["region"] in {"ap-northeast-2", "koreasouth"}
    # the middle of AWS Seoul (8 x H200 at $87.35) and Azure Korea South (8 at $106.00), the cheaper of two
    assert lines(home)["gpu_hours"] == pytest.approx(87.34848 * 730)


# the years
def test_the_years_are_cash(priced):
    option = priced(CHAT, {"budget": evolve(CHAT.budget, server_price_usd=400_000)})[1].option(K.ON_PREMISE)
    up, run = option.upfront_usd.value, option.running_usd.value
    assert [y.value for y in option.yearly_usd] == pytest.approx([up + 12 * k * run for k in range(1, 6)])


def test_growth_compounds_in_the_years(priced):
    grown = {"demand": evolve(CHAT.demand, growth_per_year=0.5)}
    option = priced(CHAT, grown)[1].option(K.API)
    first = option.per_month_usd.value * 12
    assert option.yearly_usd[2].value == pytest.approx(first * (1 + 1.5 + 2.25))


def test_every_line_has_a_trace_and_a_word(priced):
    from app.present.translator import texts

    known = texts("en")
    for option in (*priced()[1].options, *priced()[1].variants):
        for line in option.lines:
            assert line.label.key in known
            assert line.amount.trace is not None
        assert option.label.key in known


# what is bought
@pytest.fixture(scope="module")
def on_cards(catalogue):
    """The bill of own servers with that device."""

    def made(device, count=1, budget=None, users=10_000, whole=False):
        deployment = Deployment(
            catalogue.model("llama-3.1-8b"),
            catalogue.weight_format("fp16"),
            catalogue.device(device),
            catalogue.engine("vllm"),
            device_count=count,
            tensor_parallel=count,
        )
        workload = evolve(CHAT, budget=budget or Budget(horizon_years=3), scale=evolve(CHAT.scale, users=users))
        ledger = Ledger()
        plan = capacity(workload, deployment, Speed(speed_at, 64), exact(16e9, BYTES), catalogue, ledger)
        result = cost(workload, plan, deployment, catalogue, ledger, TODAY)
        return plan, result if whole else result.option(K.ON_PREMISE)

    return made


def test_two_cards_stand_in_a_small_machine(on_cards):
    plan, option = on_cards("nvidia-l40s")
    assert plan.replicas.value + plan.spares == 2
    # two cards at $8,500 and a host for two at $6,000
    assert lines(option)["servers"] == pytest.approx(2 * 8_500 + 6_000)
    assert "cost.warning.single_server" in {w.key for w in option.warnings}


def test_a_quote_for_cards_is_one_for_a_replica(on_cards):
    plan, option = on_cards("nvidia-l40s", 2, Budget(horizon_years=3, server_price_usd=58_000))
    assert lines(option)["servers"] == pytest.approx(58_000 * (plan.replicas.value + plan.spares))


def test_boards_come_whole_and_say_what_stands_idle(on_cards):
    _, option = on_cards("nvidia-h200-sxm")
    assert lines(option)["servers"] == 370_000
    assert "cost.warning.idle_slots" in {w.key for w in option.warnings}


@pytest.mark.parametrize("device", ["google-tpu-v6e", "aws-trainium2"])
def test_what_nobody_sells_has_no_price(on_cards, device):
    option = on_cards(device)[1]
    assert [m.key for m in option.missing] == ["cost.missing.not_sold"]


def test_a_device_without_a_price_asks_for_a_quote(on_cards):
    option = on_cards("furiosa-rngd")[1]
    assert [m.key for m in option.missing] == ["cost.missing.server_price"]
    quoted = on_cards("furiosa-rngd", 1, Budget(horizon_years=3, server_price_usd=30_000))[1]
    assert quoted.per_month_usd is not None


def test_shares_of_a_device_are_not_put_together(on_cards, catalogue):
    _, result = on_cards("nvidia-l4", 1, whole=True)
    chosen = result.option(K.RENTED_GPU).label.params["what"].params["instance"]
    assert not chosen.startswith("g6f")
    assert min(p.count for p in catalogue.gpu_prices.values() if p.device == "nvidia-l4") < 1
