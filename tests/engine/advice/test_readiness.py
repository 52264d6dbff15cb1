"""The five gaps, the four readings, who a bad version reaches, and the list of work that follows."""

from __future__ import annotations

import attrs
import pytest

from engine.advice.answers import answers_of
from engine.advice.contradictions import CHECKS, contradictions
from engine.advice.placement import judge
from engine.advice.readiness import GAPS, State, readiness
from engine.advice.work_list import work_list
from engine.consultation import (
    Circumstances,
    HardwareNeeds,
    OwnedDevices,
    Readiness,
    Serving,
    Targets,
    Workload,
)
from engine.estimate import Basis, Estimate
from tests.engine.advice.describe import workload

ALL_THERE = Readiness(
    endpoint=True, loading=True, scaling=True, conversion=True, health=True, batching=True, load_balancer=True,
    monitors_latency=True, monitors_errors=True, monitors_utilisation=True, monitors_quality=True, versioning=True,
    canary_share=0.05, detection_minutes=10.0, rollback_minutes=5.0, load_minutes=4.0,
)  # fmt: skip
CLOUD = {"trust": "reliable", "hardness": "medium", "boundary": "none", "contract": True, "offline": "no"}


def titles(made, context):
    verdict = judge(answers_of(made), context)
    return [item.title.key for item in work_list(made, verdict, readiness(made))]


def test_gaps_are_counted_in_the_order_they_are_closed():
    made = readiness(Workload("w", readiness=Readiness(endpoint=True, health=False)))
    assert [g.path for g in made.gaps] == [f"readiness.{name}" for name in GAPS]
    assert made.closed == 1
    assert [g.state for g in made.gaps] == [State.READY, State.UNKNOWN, State.UNKNOWN, State.UNKNOWN, State.MISSING]


def test_the_latency_alarm_is_the_promise_when_there_is_one():
    promised = readiness(Workload("w", targets=Targets(end_to_end_s=4.0, percentile=0.99)))
    assert promised.readings[0].threshold.key == "advice.readiness.threshold.latency"
    assert promised.readings[0].threshold.params["limit"].value == 4.0
    assert readiness(Workload("w")).readings[0].threshold.key == "advice.readiness.threshold.latency.open"
    assert readiness(workload(waiting="batch")).readings[0].threshold.key == "advice.readiness.threshold.batch"


def test_people_hit_are_share_times_traffic_times_time():
    """5 % of 20 requests/s for 10 minutes to notice and 5 to go back: 900 requests on 500 users, 500 (1 - e^-1.8) of them hit."""
    load = Estimate(20.0, 15.0, 30.0, "request/s", Basis.ASSUMED)
    made = workload(users=10_000)
    made = attrs.evolve(made, readiness=ALL_THERE)
    figures = dict(readiness(made, load).exposure)
    assert figures["advice.figure.requests_hit"].value == pytest.approx(900)
    assert figures["advice.figure.requests_hit"].low == pytest.approx(675)
    assert figures["advice.figure.users_hit"].value == pytest.approx(417.35, abs=0.01)
    assert readiness(made).exposure == ()


def test_a_missing_gap_blocks_and_an_unknown_one_is_found_out(context):
    made = attrs.evolve(workload(**CLOUD, skills="team", load="steady"), readiness=Readiness(endpoint=False))
    verdict = judge(answers_of(made), context)
    items = {i.title.key: i for i in work_list(made, verdict, readiness(made))}
    assert items["advice.work.endpoint"].blocking
    asked = [i for i in work_list(made, verdict, readiness(made)) if i.title.key == "advice.work.find_out"]
    assert {i.path for i in asked} >= {"readiness.loading", "readiness.scaling"}
    assert not any(i.blocking for i in asked)


def test_the_list_is_numbered_and_missing_comes_before_unknown(context):
    made = attrs.evolve(workload(**CLOUD, skills="team"), readiness=Readiness(endpoint=False, health=False))
    verdict = judge(answers_of(made), context)
    items = work_list(made, verdict, readiness(made))
    assert [i.order for i in items] == list(range(1, len(items) + 1))
    kinds = [i.title.key.startswith("advice.work.find_out") for i in items]
    assert kinds == sorted(kinds)


def test_everything_ready_leaves_only_what_the_verdict_asks_for(context):
    made = attrs.evolve(workload(**CLOUD, skills="team", load="steady"), readiness=ALL_THERE)
    assert titles(made, context) == []


def test_a_conflict_comes_first(context):
    made = workload(**{"class": "phone"}, boundary="device", hardness="frontier")
    assert titles(made, context)[0] == "advice.work.resolve_conflict"
    assert titles(workload(), context)[0] == "advice.work.answer_more"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"class": "server", "boundary": "organisation", "hardness": "frontier", "trust": "reliable"},
         "advice.work.confirm_sealed_cloud"),
        ({"trust": "reliable", "hardness": "medium", "boundary": "none", "sensitivity": "personal"},
         "advice.work.check_contract"),
        ({"trust": "reliable", "hardness": "frontier", "offline": "no"}, "advice.work.settle_boundary"),
        ({"class": "server", "boundary": "organisation", "hardness": "medium"}, "advice.work.buy_servers"),
        ({"class": "phone", "offline": "full", "hardness": "narrow"}, "advice.work.measure_on_device"),
        ({"class": "phone", "offline": "full", "hardness": "narrow"}, "advice.work.count_eligible_devices"),
        ({"class": "phone", "offline": "basics", "hardness": "medium", "trust": "patchy"}, "advice.work.build_router"),
        ({"class": "phone", "offline": "basics", "hardness": "medium", "trust": "patchy"},
         "advice.work.measure_hard_share"),
    ],
)  # fmt: skip
def test_what_a_placement_asks_for(said, expected, context):
    assert expected in titles(workload(**said), context)


def test_owned_servers_are_not_bought(context):
    made = workload(**{"class": "server"}, boundary="organisation", hardness="medium", owned=True)
    assert "advice.work.buy_servers" not in titles(made, context)


def test_on_a_device_there_is_no_endpoint_to_open(context):
    made = workload(**{"class": "phone"}, offline="full", hardness="narrow", hard=0.0)
    made = attrs.evolve(made, readiness=Readiness(endpoint=False, conversion=False))
    found = titles(made, context)
    assert "advice.work.conversion" in found
    assert "advice.work.endpoint" not in found


def test_a_wide_canary_and_a_slow_rollback_are_work(context):
    careless = attrs.evolve(
        ALL_THERE, canary_share=0.5, detection_minutes=240.0, rollback_minutes=90.0, load_minutes=None
    )
    made = attrs.evolve(workload(**CLOUD, skills="team", load="steady"), readiness=careless)
    assert titles(made, context) == [
        "advice.work.shrink_canary",
        "advice.work.detect_sooner",
        "advice.work.roll_back_sooner",
        "advice.work.measure_load_time",
    ]


CONTRADICTORY = {
    "batch_with_budget": workload(waiting="batch", budget=2.0),
    "narrow_but_hard": workload(hardness="narrow", hard=0.7),
    "frontier_but_easy": workload(hardness="frontier", hard=0.0),
    "no_network_no_offline": workload(trust="none", offline="no"),
    "secret_without_boundary": workload(sensitivity="secret", boundary="none"),
    "device_boundary_without_device": workload(**{"class": "server"}, boundary="device"),
    "device_with_shared_state": workload(shared=True, boundary="device"),
    "closed_without_boundary": workload(closed=True, boundary="none"),
    "contract_against_sealed": workload(contract=False, sealed=True),
    "fixed_but_changing": attrs.evolve(workload(every=14), hardware=HardwareNeeds(model_fixed=True)),
    "owned_but_not": Workload(
        "w",
        circumstances=Circumstances(hardware_owned=False),
        hardware=HardwareNeeds(owned=(OwnedDevices("nvidia-l4", 1),)),
    ),
    "rare_but_many": workload(load="rare", users=1e6, requests=5),
    "longer_than_context": attrs.evolve(
        Workload("w", serving=Serving(context_tokens=4096)),
        demand=attrs.evolve(Workload("w").demand, prompt_tokens=4000.0, output_tokens=500.0),
    ),
}


def test_every_contradiction_has_an_example():
    assert set(CONTRADICTORY) == {name for name, _, _ in CHECKS}


@pytest.mark.parametrize("name", CONTRADICTORY)
def test_contradictions_are_named_with_their_questions(name):
    found = contradictions(CONTRADICTORY[name])
    assert [c.message.key for c in found] == [f"advice.contradiction.{name}"]
    assert len(found[0].paths) == 2


def test_nothing_said_contradicts_nothing():
    assert contradictions(Workload("w")) == ()
