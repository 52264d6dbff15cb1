"""Capacity of real deployments, on the speed and memory rooms' own answers."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve

from engine.assumptions import Ledger
from engine.capacity.demand import demand_of
from engine.capacity.room import plan_of, replica_of, speed_of
from engine.consultation import Demand, Profile, Targets, UserScale, Waiting, Workload
from engine.deployment import Deployment
from engine.errors import Refused
from engine.memory.fit import fit
from engine.speed.speed import load_curve

CHAT = Workload(
    id="w",
    scale=UserScale(users=20_000, requests_per_user_day=10),
    demand=Demand(active_hours_per_day=10, peak_factor=2, prompt_tokens=1600, output_tokens=320),
    targets=Targets(time_to_first_token_s=1.5, time_per_output_token_s=0.06, percentile=0.95, availability_spares=1),
)


@pytest.fixture(scope="module")
def large(catalogue):
    return Deployment(
        catalogue.model("llama-3.3-70b"),
        catalogue.weight_format("fp8"),
        catalogue.device("nvidia-h100-sxm"),
        catalogue.engine("vllm"),
        device_count=4,
        tensor_parallel=4,
    )


def test_a_70b_chat_on_four_cards(large, catalogue):
    found = plan_of(CHAT, large, fit(large), catalogue, Ledger())
    assert found.meets_targets
    assert found.devices_per_replica == 4
    assert found.devices.value == (found.replicas.value + 1) * 4
    # the promise holds at the load of the peak
    assert found.at_peak.time_per_output_token_s <= 0.06
    assert found.at_peak.time_to_first_token_s <= 1.5
    throughput = found.requests_per_s_per_replica
    assert throughput.low <= throughput.value <= throughput.high
    assert throughput.low < throughput.high


def test_the_curve_is_the_speed_rooms(large, catalogue):
    found = plan_of(CHAT, large, fit(large), catalogue, Ledger())
    one = replica_of(large, demand_of(CHAT, Ledger()))
    asked = load_curve(one, [p.concurrency for p in found.curve])
    assert [p.throughput_tokens_per_s for p in found.curve] == pytest.approx(
        np.maximum.accumulate(asked.throughput_tokens_per_s), rel=1e-6
    )
    assert found.curve[-1].concurrency <= asked.room


def test_the_lengths_are_the_demands(large):
    one = replica_of(large, demand_of(CHAT, Ledger()))
    assert (one.prompt_tokens, one.output_tokens) == (1600, 320)


def test_copies_are_counted_as_replicas(large, catalogue):
    copies = evolve(large, data_parallel=2, device_count=8)
    one, two = (plan_of(CHAT, d, fit(large), catalogue, Ledger()) for d in (large, copies))
    assert one.devices.value == two.devices.value


def test_every_split_that_holds_the_model_is_counted(large, catalogue):
    found = plan_of(CHAT, large, fit(large), catalogue, Ledger())
    degrees = {o.devices_per_replica for o in found.parallel}
    assert {2, 4, 8} <= degrees
    assert 1 not in degrees, "70 GB do not fit on one card"
    assert [o.devices for o in found.parallel if o.meets_targets] == sorted(
        o.devices for o in found.parallel if o.meets_targets
    )


def test_what_does_not_fit_has_no_capacity(large, catalogue):
    small = evolve(large, device_count=1, tensor_parallel=1)
    with pytest.raises(Refused):
        plan_of(CHAT, small, fit(small), catalogue, Ledger())


def test_a_nightly_million(large, catalogue):
    nightly = Workload(
        id="n",
        profile=Profile(waiting=Waiting.BATCH),
        demand=Demand(
            batch_items=1_000_000, batch_window_hours=8, batch_runs_per_month=30, prompt_tokens=900, output_tokens=24
        ),
    )
    found = plan_of(nightly, large, fit(large), catalogue, Ledger())
    held = found.replicas.value * found.requests_per_s_per_replica.value * 8 * 3600
    assert held * 0.85 >= 1_000_000 * (1 - 1e-9)


def test_the_band_is_the_speed_rooms(large):
    found = speed_of(replica_of(large, demand_of(CHAT, Ledger())))
    assert 0 < found.band[0] <= 1 <= found.band[1]
    assert found.max_concurrency > 1
