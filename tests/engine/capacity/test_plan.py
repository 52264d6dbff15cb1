"""Replicas, spares, zones, load time, power and notes of whole workloads."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.assumptions import Ledger
from engine.capacity.batch import BatchJob, idle_by_hour, job_of, pack, pack_into
from engine.capacity.load_time import Storage, load_time, rise_covered
from engine.capacity.parallel import in_flight, parallel_options, smallest_that_keeps
from engine.capacity.plan import Speed, capacity
from engine.capacity.promise import promise_of
from engine.capacity.servers import chassis_of, server_of, servers_for, site_of
from engine.capacity.service import curve_of_points, service_curve
from engine.capacity.sizing import Promise, Sizing, with_zones
from engine.consultation import (
    Actor,
    Circumstances,
    Demand,
    Immediacy,
    LoadShape,
    Profile,
    Readiness,
    Targets,
    UserScale,
    Waiting,
    Workload,
)
from engine.deployment import Deployment
from engine.estimate import exact
from engine.units import BYTES
from tests.engine.capacity.conftest import OUTPUT_TOKENS, speed_at

CHAT = Workload(
    id="w",
    scale=UserScale(users=5000, requests_per_user_day=20),
    demand=Demand(
        active_hours_per_day=10, peak_factor=2, prompt_tokens=1000, prompt_tokens_p95=2000, output_tokens=OUTPUT_TOKENS,
        output_tokens_p95=400,
    ),
    targets=Targets(time_to_first_token_s=0.6, time_per_output_token_s=0.03, percentile=0.95, availability_spares=1),
)  # fmt: skip
NIGHTLY = Workload(
    id="n",
    profile=Profile(waiting=Waiting.BATCH),
    demand=Demand(
        batch_items=200_000, batch_window_hours=8, batch_runs_per_month=30, prompt_tokens=500,
        output_tokens=OUTPUT_TOKENS,
    ),
)  # fmt: skip


@pytest.fixture(scope="session")
def deployment(catalogue):
    return Deployment(
        catalogue.model("llama-3.1-8b"),
        catalogue.weight_format("fp16"),
        catalogue.device("nvidia-h100-sxm"),
        catalogue.engine("vllm"),
    )


@pytest.fixture(scope="session")
def plan(catalogue, deployment):
    def made(workload, held=64, ledger=None, **more):
        return capacity(
            workload, deployment, Speed(speed_at, held), exact(16e9, BYTES), catalogue, ledger or Ledger(), **more
        )

    return made


def keys(result):
    return {note.key for note in result.notes}


def test_a_chat_service(plan):
    result = plan(CHAT)
    # 100,000 a day over 36,000 s = 2.78/s, peak 5.56/s
    assert result.demand.requests_per_s_peak.value == pytest.approx(200_000 / 36_000)
    assert result.meets_targets
    assert result.replicas.value >= np.ceil(5.556 / (result.requests_per_s_per_replica.value * 0.85)) - 1e-9
    assert result.devices.value == result.replicas.value + 1
    # utilisation counts the nights: 100,000 x 30.42 a month... over replicas that run all 730 h
    month = result.demand.requests_per_month.value
    room = (result.replicas.value + 1) * result.requests_per_s_per_replica.value * 730 * 3600
    assert result.utilisation.value == pytest.approx(month / room)
    assert result.idle_hours_per_month.value == pytest.approx(
        (result.replicas.value + 1) * 730 * (1 - result.utilisation.value)
    )


def test_littles_law_at_the_peak(plan):
    result = plan(CHAT)
    each = result.demand.requests_per_s_peak.value / result.replicas.value
    held = result.concurrency_per_replica.value
    # L = lambda W: W is first token + 199 tokens at that many held
    first, per_token, _ = speed_at(held)
    assert held == pytest.approx(each * (first + 199 * per_token), rel=0.03)
    assert result.demand.concurrency_peak.value == pytest.approx(held * result.replicas.value)


@settings(max_examples=25, deadline=None)
@given(st.integers(10, 200_000), st.floats(1.05, 20))
def test_more_users_never_need_fewer_replicas(plan, users, factor):
    few = plan(evolve(CHAT, scale=evolve(CHAT.scale, users=users)))
    many = plan(evolve(CHAT, scale=evolve(CHAT.scale, users=round(users * factor))))
    assert few.replicas.value <= many.replicas.value


def test_a_stricter_promise_never_needs_fewer_replicas(plan):
    counts = [
        plan(evolve(CHAT, targets=Targets(time_to_first_token_s=t, percentile=0.95))).replicas.value
        for t in (3.0, 1.0, 0.6, 0.4)
    ]
    assert counts == sorted(counts)


def test_the_batch_size_keeps_the_promise_by_itself(plan):
    result = plan(CHAT)
    i = result.sizing.index(result.batch_size.value)
    assert result.sizing.curve.time_per_output_token_s[i] <= 0.03
    assert result.sizing.first_token_s()[i] <= 0.6


def test_a_target_out_of_reach_says_so_and_still_counts(plan):
    result = plan(evolve(CHAT, targets=Targets(time_to_first_token_s=0.01)))
    assert not result.meets_targets
    assert "capacity.note.first_token_out_of_reach" in keys(result)
    assert np.isfinite(result.replicas.value)


def test_each_target_out_of_reach_is_named(plan):
    assert "capacity.note.per_token_out_of_reach" in keys(
        plan(evolve(CHAT, targets=Targets(time_per_output_token_s=0.001)))
    )
    assert "capacity.note.whole_answer_out_of_reach" in keys(plan(evolve(CHAT, targets=Targets(end_to_end_s=0.1))))


def test_without_batching_the_load_needs_many_more(plan):
    notes = {n.key: n for n in plan(CHAT).notes}
    told = notes["capacity.note.without_batching"].params
    # one at a time: 1 / (0.054 + 199 x 0.0106) = 0.462/s; 5.56 / (0.462 x 0.85) = 14.2
    assert told["replicas"] >= 15
    assert told["batched"] < told["replicas"]


def test_a_batch_needs_no_spare_and_no_promise(plan):
    result = plan(NIGHTLY)
    assert result.spares == 0
    assert result.queue_wait_s.value == 0 or result.percentile == 0.95
    top = result.sizing.curve.requests_per_s[-1]
    assert result.replicas.value == np.ceil(200_000 / 28_800 / (top * 0.85))
    assert "capacity.note.batch_only_while_running" in keys(result)


def test_no_balancer_needs_as_many_or_more(plan):
    apart = plan(evolve(CHAT, readiness=Readiness(load_balancer=False)))
    assert apart.replicas.value >= plan(CHAT).replicas.value
    assert "capacity.note.no_balancer" in keys(apart)


def test_scale_to_zero_is_weighed_against_the_promise(plan):
    rare = evolve(CHAT, circumstances=Circumstances(load_shape=LoadShape.RARE))
    assert "capacity.note.no_scale_to_zero" in keys(plan(rare))
    patient = evolve(rare, targets=Targets(end_to_end_s=3600))
    assert "capacity.note.scale_to_zero_open" in keys(plan(patient))


def test_contradictions_are_named(plan):
    demand = evolve(CHAT.demand, prompt_tokens_p95=500, output_tokens_p95=5000, peak_requests_per_s=100)
    assert {
        "capacity.note.p95_below_mean", "capacity.note.p95_too_far", "capacity.note.peak_disagrees",
    } <= keys(plan(evolve(CHAT, demand=demand)))  # fmt: skip


def test_the_load_time_said_wins(plan):
    result = plan(evolve(CHAT, readiness=Readiness(load_minutes=7)))
    assert result.load_time_s.value == 420


def test_topologies_by_hand(plan):
    result = plan(evolve(CHAT, scale=evolve(CHAT.scale, users=40_000)))
    n = result.replicas.value
    counts = [t.replicas for t in result.topologies]
    assert counts == [n, n + 1, n + 2, 2 * n, 3 * np.ceil(n / 2)]


def test_zones_by_hand():
    assert float(with_zones(5, 2)) == 10
    assert float(with_zones(5, 3)) == 9
    assert float(with_zones(1, 3)) == 3


# the promise
def test_the_latency_budget_stands_in_for_targets():
    person = Workload(id="w", immediacy=Immediacy(latency_budget_s=1.0, round_trip_s=0.2, actor=Actor.PERSON))
    assert promise_of(person, Ledger()).time_to_first_token_s == pytest.approx(0.8)
    machine = evolve(person, immediacy=evolve(person.immediacy, actor=Actor.MACHINE))
    assert promise_of(machine, Ledger()).end_to_end_s == pytest.approx(0.8)


def test_without_any_target_the_assumed_ones_are_listed():
    ledger = Ledger()
    promise = promise_of(Workload(id="w"), ledger)
    assert promise.time_to_first_token_s is not None
    assert {"targets.time_to_first_token_s", "targets.time_per_output_token_s"} <= {e.path for e in ledger.entries}


def test_nobody_waits_for_a_batch():
    assert promise_of(NIGHTLY, Ledger()).empty


# load time
def test_load_time_by_hand(catalogue):
    found = load_time(exact(140e9, BYTES), catalogue.engine("vllm"), 2, Storage.DISK)
    # process 16 + links 20 + weights 140/2 = 70 + compile 45 + graphs 20 + warm-up 20
    assert found.total_s.value == pytest.approx(191)
    assert found.total_s.low < 191 < found.total_s.high


def test_the_network_is_slower_than_the_disk_and_a_new_machine_slower_still(catalogue):
    engine = catalogue.engine("vllm")
    size = exact(140e9, BYTES)
    memory, disk, network = (load_time(size, engine, 1, s).total_s.value for s in Storage)
    assert memory < disk < network
    assert load_time(size, engine, 1, Storage.NETWORK, True, False).total_s.value > network + 180


def test_llama_cpp_has_nothing_to_compile(catalogue):
    names = {m.key for m, _ in load_time(exact(5e9, BYTES), catalogue.engine("llama.cpp"), 1, Storage.DISK).parts}
    assert "capacity.load.compile" not in names


def test_a_load_growing_while_a_replica_loads_needs_that_much_spare():
    assert rise_covered(exact(120, "s"), 0.05) == pytest.approx(0.1)


# machines
def test_servers_by_hand(catalogue):
    server = server_of(catalogue.device("nvidia-h100-sxm"), catalogue)
    assert (server.devices, server.max_power_w.value) == (8, 10_200)
    assert servers_for(3, 4, 8) == 2
    assert servers_for(1, 16, 8) == 2
    assert servers_for(5, 3, 8) == 3
    site = site_of(3, 4, server)
    assert (site.servers, site.power_w.value, site.rack_units.value) == (2, 20_400, 16)


def test_a_board_nobody_published_has_no_power(catalogue):
    assert server_of(catalogue.device("nvidia-groq-3-lpu"), catalogue).max_power_w is None


def test_a_desktop_machine_is_one_device(catalogue):
    server = server_of(catalogue.device("nvidia-dgx-spark-gb10"), catalogue)
    assert server.devices == 1
    assert server.max_power_w.value == pytest.approx(140)


# packing
def test_a_nightly_job_fits_into_the_idle_night():
    profile = np.zeros(24)
    profile[9:17] = 3.0
    idle = idle_by_hour(2, 10.0, 4.0, profile)
    # day: 2 x 0.85 - 12/10 = 0.5 free; night: 1.7 free
    assert idle[10] == pytest.approx(0.5)
    assert idle[2] == pytest.approx(1.7)
    packed = pack([BatchJob("labels", 10.0, first_hour=22, window_hours=8)], idle)
    assert packed.all_fit
    assert sum(packed.used) == pytest.approx(10)


def test_what_does_not_fit_needs_its_own_machines():
    packed = pack([BatchJob("big", 20.0, 0, 4), BatchJob("small", 1.0, 0, 2)], np.full(24, 1.0))
    assert dict(packed.placed) == pytest.approx({"big": 3 / 20, "small": 1.0})
    assert packed.extra_replicas


# parallel
def test_data_parallel_and_tensor_parallel_are_both_computed(curve):
    def two_cards(held):
        first, per_token = 0.03 + 0.0025 * held, 0.007 + 0.0004 * held
        return first, per_token, held * OUTPUT_TOKENS / (first + 199 * per_token)

    curves = {1: curve, 2: service_curve(two_cards, OUTPUT_TOKENS, 128)}
    options = parallel_options(curves, Sizing(curve, Promise(0.95, 0.6)), 8.0)
    assert {o.devices_per_replica for o in options} == {1, 2}
    assert options[0].devices <= options[1].devices
    tight = parallel_options(curves, Sizing(curve, Promise(0.95, time_per_output_token_s=0.009)), 8.0)
    assert smallest_that_keeps(tight).devices_per_replica == 2
    assert not next(o for o in tight if o.devices_per_replica == 1).meets_targets
    assert smallest_that_keeps([o for o in tight if not o.meets_targets]) is None


def test_in_flight_reads_the_curve_backwards(curve):
    for held in (1.0, 7.0, 33.0):
        rate = float(np.interp(held, curve.concurrency, curve.requests_per_s))
        assert in_flight(curve, rate) == pytest.approx(held, rel=1e-6)
    assert in_flight(curve, 1e9) == curve.concurrency[-1]


def test_a_curve_from_measured_points(curve):
    again = curve_of_points(curve.points(), OUTPUT_TOKENS)
    assert again.throughput_tokens_per_s == pytest.approx(curve.throughput_tokens_per_s)
    with pytest.raises(ValueError, match="no load point"):
        curve_of_points([], OUTPUT_TOKENS)


def test_memory_for_no_sequence_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        service_curve(speed_at, OUTPUT_TOKENS, 0.4)


def test_splits_are_compared_in_the_plan(catalogue, deployment):
    def two_cards(held):
        first, per_token = 0.03 + 0.0025 * held, 0.007 + 0.0004 * held
        return first, per_token, held * OUTPUT_TOKENS / (first + 199 * per_token)

    speed = Speed(speed_at, 64, splits=lambda: {2: (two_cards, 128), 4: (two_cards, 0.5)})
    found = capacity(CHAT, deployment, speed, exact(16e9, BYTES), catalogue, Ledger())
    assert {o.devices_per_replica for o in found.parallel} == {1, 2}
    mine = next(o for o in found.parallel if o.devices_per_replica == 1)
    assert mine.devices == found.devices.value


def test_the_nightly_job_fits_into_the_chats_idle_nights(plan):
    chat, nightly = plan(CHAT), plan(NIGHTLY)
    hours = 200_000 / nightly.requests_per_s_per_replica.value / 3600
    assert nightly.busy_replica_hours_per_run == pytest.approx(hours)
    job = job_of("labels", nightly, window_hours=8)
    packed = pack_into(chat, [job])
    night = sum(chat.idle_by_hour[h % 24] for h in range(22, 30))
    assert packed.all_fit is (hours <= night)
    assert chat.idle_by_hour[3] > min(chat.idle_by_hour)
    with pytest.raises(ValueError, match="batch"):
        job_of("chat", chat, 8)


def test_what_rooms_compute_with_stays_out_of_json(plan):
    from app.present.jsonable import Jsonable
    from app.present.translator import Translator

    made = Jsonable(Translator("en"))(plan(CHAT))
    assert "sizing" not in made
    assert "demand_inputs" not in made
    assert made["replicas"]["value"] >= 1


@pytest.mark.parametrize(
    ("device", "needed", "held"),
    [
        ("nvidia-l40s", 2, 2),
        ("nvidia-l40s", 3, 4),
        ("nvidia-l40s", 30, 8),
        ("nvidia-h100-sxm", 1, 8),
        ("amd-mi300x", 2, 8),
        ("nvidia-gb200", 1, 4),
        ("furiosa-rngd", 5, 8),
        ("nvidia-rtx-4090", 9, 2),
        ("nvidia-rtx-pro-6000-workstation", 3, 4),
        ("nvidia-dgx-spark-gb10", 4, 1),
        ("nvidia-rtx-4090-laptop", 4, 1),
    ],
)
def test_cards_stand_in_the_chassis_they_need_and_boards_come_whole(catalogue, device, needed, held):
    assert chassis_of(catalogue.device(device), needed) == held


def test_every_device_stands_in_some_machine(catalogue):
    for device in catalogue.devices.values():
        server = server_of(device, catalogue, 3)
        assert server.devices >= 1
        assert server.max_power_w is None or server.max_power_w.value > 0
