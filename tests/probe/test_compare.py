"""Measured against the data sheet: the band, the first reason below it, and what can only be our own mistake."""

from __future__ import annotations

import pytest
from attrs import evolve

from app.host.paths import CATALOGUE
from engine.catalogue import load_catalogue
from engine.probe.compare import Judgement, compare, judged
from engine.probe.results import Conditions, DeviceFacts, ProbeRun, Reading, Status
from engine.units import GIB
from tests.probe.test_devices import a_run

L40S = DeviceFacts(
    "x",
    "NVIDIA L40S",
    "cuda",
    compute_capability="8.9",
    multiprocessors=142,
    memory_bytes=44.3 * GIB,
    memory_bus_bits=384,
    memory_clock_max_hz=9001e6,
    sm_clock_max_hz=2520e6,
    power_limit_w=350,
    power_default_limit_w=350,
    pcie_generation_max=4,
    pcie_lanes_max=16,
)
READ = Reading("read", Status.OK, 0.93 * 864e9, "B/s", n=7)


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue(CATALOGUE)


def only(run: ProbeRun, catalogue):
    return compare(run, catalogue)[-1]


@pytest.mark.parametrize(
    ("share", "judgement"),
    [(0.5, "below"), (0.87, "within"), (0.98, "within"), (1.0, "above"), (1.02, "above"), (1.03, "implausible")],
)
def test_a_share_is_judged_by_its_band_and_not_by_a_hundred_per_cent(share, judgement):
    assert judged(share, (0.87, 0.98)).value == judgement


def test_a_healthy_read_is_within_its_band(catalogue):
    found = only(a_run(READ, device=L40S), catalogue)
    assert found.judgement is Judgement.WITHIN
    assert found.reference == pytest.approx(864e9)
    assert found.share == pytest.approx(0.93)
    assert (found.low, found.high) == (pytest.approx(0.87 * 864e9), pytest.approx(0.98 * 864e9))
    assert found.why is None


def test_faster_than_the_peak_is_our_mistake_and_never_good(catalogue):
    found = only(a_run(evolve(READ, value=1.2 * 864e9), device=L40S), catalogue)
    assert found.judgement is Judgement.IMPLAUSIBLE
    assert found.why.key == "probe.why.implausible"


@pytest.mark.parametrize(
    ("facts", "conditions", "why"),
    [
        ({"on_battery": True, "power_limit_w": 60}, {"throttle": ("thermal",)}, "battery"),
        ({"power_limit_w": 200}, {"throttle": ("thermal",)}, "power_cap"),
        ({}, {"throttle": ("power_cap",)}, "power_cap"),
        ({"utilisation": 0.9}, {"throttle": ("hardware_thermal",)}, "thermal"),
        ({"utilisation": 0.9}, {}, "shared"),
        ({"other_processes": 1}, {}, "shared"),
        ({"ecc": True}, {}, "ecc"),
    ],
)
def test_the_first_reason_that_was_seen_is_given(catalogue, facts, conditions, why):
    slow = evolve(READ, value=0.6 * 864e9, conditions=Conditions(**conditions))
    found = only(a_run(slow, device=evolve(L40S, **facts)), catalogue)
    assert found.judgement is Judgement.BELOW
    assert found.why.key == f"probe.why.{why}"


def test_no_reason_is_made_up(catalogue):
    assert only(a_run(evolve(READ, value=0.6 * 864e9), device=L40S), catalogue).why is None


def test_windows_may_have_moved_the_memory(catalogue):
    run = a_run(evolve(READ, value=0.1 * 864e9), device=L40S)
    run = evolve(run, host=evolve(run.host, system="Windows 11"))
    assert only(run, catalogue).why.key == "probe.why.spilled"


def test_the_link_is_compared_with_what_it_was_under_load(catalogue):
    copy = Reading("h2d.pinned", Status.OK, 13e9, "B/s", conditions=Conditions(pcie_generation=4, pcie_lanes=8))
    found = only(a_run(copy, device=L40S), catalogue)
    assert found.reference == pytest.approx(8 * 1.969e9)
    assert found.judgement is Judgement.WITHIN
    slow = only(a_run(evolve(copy, value=5e9), device=L40S), catalogue)
    assert slow.why.key == "probe.why.link"
    assert slow.why.params["most"] == "Gen4 x16"


def test_a_slice_is_not_compared_with_the_whole(catalogue):
    found = only(a_run(READ, device=evolve(L40S, mig_slice=True)), catalogue)
    assert found.judgement is Judgement.NO_REFERENCE


def test_gemv_and_pageable_copies_are_shares_of_what_was_measured(catalogue):
    gemv = Reading("gemv.bf16", Status.OK, 0.9 * READ.value, "B/s")
    assert only(a_run(READ, gemv, device=L40S), catalogue).share == pytest.approx(0.9)
    assert only(a_run(gemv, device=L40S), catalogue).judgement is Judgement.NO_REFERENCE


def test_matrix_rates_against_the_dense_rate_with_the_clock_beside_it(catalogue):
    rate = catalogue.device("nvidia-l40s").bf16.value
    reading = Reading("mma.bf16", Status.OK, 0.8 * rate, "FLOP/s", conditions=Conditions(sm_clock_hz=2016e6))
    found = only(a_run(reading, device=L40S), catalogue)
    assert found.judgement is Judgement.BELOW
    assert found.at_clock == pytest.approx(1.0)


def test_plain_mma_on_hopper_has_its_own_band(catalogue):
    hopper = DeviceFacts(
        "x", "NVIDIA H200", "cuda", compute_capability="9.0", memory_bytes=140.4 * GIB, sm_clock_max_hz=1980e6
    )
    rate = catalogue.device("nvidia-h200-sxm").bf16.value
    found = compare(
        a_run(
            Reading("mma.bf16", Status.OK, 0.63 * rate, "FLOP/s"),
            Reading("wgmma.bf16", Status.OK, 0.8 * rate, "FLOP/s"),
            device=hopper,
        ),
        catalogue,
    )
    assert [c.judgement for c in found] == [Judgement.WITHIN, Judgement.WITHIN]


def test_an_unknown_device_is_compared_with_its_own_attributes(catalogue):
    unknown = evolve(L40S, name="NVIDIA Something 9")
    found = only(a_run(READ, device=unknown), catalogue)
    assert found.reference == pytest.approx(384 / 8 * 9001e6 * 2)
    assert found.reference_name.key == "probe.reference.attributes"


def test_a_slow_launch_is_worse_and_a_quick_one_is_no_fault(catalogue):
    readings = [Reading("launch.graph", Status.OK, seconds, "s") for seconds in (1.0e-6, 1.5e-6, 9e-6)]
    found = compare(a_run(*readings, device=L40S), catalogue)
    assert [c.judgement.value for c in found] == ["above", "within", "below"]


def test_a_processor_has_no_data_sheet_here(catalogue):
    assert only(a_run(Reading("cpu.read", Status.OK, 3e10, "B/s")), catalogue).judgement is Judgement.NO_REFERENCE
