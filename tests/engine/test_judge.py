"""Judging a case file: columns to answers, guesses softened, words of the file, bad cells named."""

from __future__ import annotations

import pytest

from engine.advice.results import Placement
from engine.consultation import Boundary, DeviceClass, NetworkTrust, Origin, Waiting
from engine.judge import OTHER_DEVICES, WORDS, judge_cases, word_for, workload_of

HEADER = (
    "case_id", "workload", "online_or_batch", "latency_need_ms", "network_trust", "data_sensitivity", "data_boundary",
    "intelligence", "hard_share_pct", "users", "requests_per_user_day", "update_cadence_days", "offline", "device_class",
    "inferred_fields",
)  # fmt: skip


def case(**cells: str) -> dict[str, str]:
    return {name: cells.get(name, "") for name in HEADER}


def verdict(catalogue, **cells: str) -> str:
    return judge_cases([case(**cells)], catalogue)[0].verdict


def test_columns_become_answers_in_si_units():
    made, origins, unread = workload_of(
        case(
            case_id="X1", online_or_batch="online", latency_need_ms="250", network_trust="weak", data_boundary="country",
            hard_share_pct="20", users="1000", device_class="hearing-aid", inferred_fields="data_boundary;users;year",
        )
    )  # fmt: skip
    assert made.immediacy.latency_budget_s == pytest.approx(0.25)
    assert made.immediacy.network_trust is NetworkTrust.PATCHY
    assert made.data.boundary is Boundary.COUNTRY
    assert made.intelligence.hard_share == pytest.approx(0.2)
    assert made.profile.waiting is Waiting.ONLINE
    assert made.profile.device_class is DeviceClass.WEARABLE
    assert origins == {"data.boundary": Origin.GUESSED, "scale.users": Origin.GUESSED}
    assert unread == ()


def test_empty_cells_stay_unknown_and_strange_devices_are_machines():
    made, origins, unread = workload_of(case(users="n/a", data_boundary=" - "))
    assert made.data.boundary is None
    assert unread == ()
    assert made.profile.device_class is None
    assert origins == {}
    assert workload_of(case(device_class="detector"))[0].profile.device_class is DeviceClass.MACHINE
    for word, device in OTHER_DEVICES.items():
        assert workload_of(case(device_class=word))[0].profile.device_class is device


@pytest.mark.parametrize(
    "cells",
    [
        {"users": "many"},
        {"latency_need_ms": "-1"},
        {"data_boundary": "moon"},
        {"hard_share_pct": "nan%"},
        {"hard_share_pct": "130"},
        {"network_trust": "often"},
        {"intelligence": "genius"},
    ],
)
def test_a_cell_that_cannot_be_read_is_named_and_counts_as_open(catalogue, cells):
    row = case(case_id="X9", network_trust="yes", intelligence="medium", device_class="server")
    judged, plain = judge_cases([{**row, **cells}, {**row, **dict.fromkeys(cells, "")}], catalogue)
    assert [m.params["column"] for m in judged.unread] == list(cells)
    assert judged.unread[0] in judged.why
    assert judged.verdict == plain.verdict
    assert not plain.unread


def test_a_thousand_is_a_thousand_with_its_comma():
    assert workload_of(case(users="1,200"))[0].scale.users == 1200


def test_the_chosen_column_is_never_read(catalogue):
    row = case(network_trust="yes", intelligence="frontier", device_class="server", data_boundary="none")
    plain = judge_cases([row], catalogue)[0]
    told = judge_cases([{**row, "chosen": "on-device", "reasons_given": "on-device is best"}], catalogue)[0]
    assert plain.verdict == told.verdict == "cloud-api"


def test_every_place_has_a_word_and_batch_has_its_own():
    assert set(WORDS) == set(Placement)
    assert word_for(Placement.CLOUD_GPU, True) == "cloud-batch"
    assert word_for(Placement.ON_PREMISE, True) == "onprem-batch"
    assert word_for(Placement.ON_DEVICE, True) == "on-device"
    assert word_for(Placement.SEALED_CLOUD, False) == "cloud-sealed"


def test_a_guessed_boundary_does_not_rule_the_cloud_out(catalogue):
    cells = {"online_or_batch": "online", "intelligence": "frontier", "data_boundary": "device", "device_class": "phone",
             "network_trust": "weak", "offline": "no"}  # fmt: skip
    assert verdict(catalogue, **cells, inferred_fields="data_boundary").startswith("cloud")


def test_alternatives_differ_and_reasons_are_given(catalogue):
    judged = judge_cases([case(intelligence="medium", network_trust="weak", device_class="phone")], catalogue)[0]
    assert judged.verdict not in judged.alternatives
    assert len(set(judged.alternatives)) == len(judged.alternatives) <= 3
    assert judged.why[0] == judged.detail.headline
    assert len(judged.why) > 1


def test_a_contradiction_and_an_empty_row_still_get_a_word(catalogue):
    torn = judge_cases([case(data_boundary="device", intelligence="frontier", device_class="phone")], catalogue)[0]
    assert torn.verdict in WORDS.values()
    assert judge_cases([case()], catalogue)[0].verdict in WORDS.values()
