"""The one command for a machine with a GPU: its self-test against the fake driver, its judgement, its word where there is none."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from attrs import evolve

from engine.messages import msg
from engine.probe.results import DeviceFacts, Reading, Status
from kernels import check_gpu, sass
from kernels.expectations import H200, UNSUPPORTED_ON_H200
from tests.kernels import compile as builds
from tests.probe.test_devices import a_run

HOPPER = DeviceFacts("x", "NVIDIA H200", "cuda", compute_capability="9.0")


def selftest(build_folder, **settings):
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": os.fspath(builds.fake_driver(build_folder)),
        "FAKE_CUDA_KERNELS": os.fspath(builds.driver_kernels(build_folder)),
        "PYTHONPATH": os.fspath(builds.HERE.parents[1]),
        **{f"FAKE_CUDA_{k}": v for k, v in settings.items()},
    }
    command = [sys.executable, "-m", "kernels.device.selftest"]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    return ran.returncode, [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize(("capability", "target"), [("9.0", "sm_90"), ("7.5", "sm_75"), ("12.0", "sm_120a")])
def test_the_self_test_covers_every_kernel_of_the_device(build_folder, capability, target):
    pytest.importorskip("cuda.bindings")
    status, rows = selftest(build_folder, CC=capability)
    assert status == 0, rows
    tested = {row["kernel"] for row in rows}
    wanted = set(sass.PRECISIONS[target]) | (set(sass.PRECISIONS["sm_90a"]) if capability == "9.0" else set())
    assert {k for k in tested if k.startswith(("mma", "wgmma"))} == wanted
    assert {"vector_add", "fill", "stream", "reduction", "shared", "divergence", "fma", "gemv"} <= tested


def test_the_self_test_names_the_kernel_that_is_wrong(build_folder):
    pytest.importorskip("cuda.bindings")
    status, rows = selftest(build_folder, CC="8.9", SKIP="fma_chains")
    assert status == 1
    assert [row["kernel"] for row in rows if not row["ok"]] == ["fma"]


def test_without_a_gpu_it_says_so_and_still_writes_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", os.fspath(tmp_path))
    monkeypatch.setattr(check_gpu, "run", lambda _options: a_run())
    file = tmp_path / "check.json"
    status = check_gpu.main(["--out", os.fspath(file)])
    body = json.loads(file.read_text())
    if body["selftest"]["status"] != 2:
        pytest.skip("there is a GPU here")
    assert status == 2
    assert body["probe"]["format"] == "waypost-probe"


def test_the_ratios_and_what_misses_them():
    run = a_run(
        Reading("copy", Status.OK, 4.0e12, "B/s"),
        Reading("copy_driver", Status.OK, 4.2e12, "B/s"),
        Reading("wgmma.bf16", Status.OK, 7.7e14, "FLOP/s"),
        Reading("blas.bf16", Status.OK, 7.8e14, "FLOP/s"),
        device=HOPPER,
    )
    copy, matrix, gemv = check_gpu.ratios(run)
    assert (copy["ok"], matrix["ok"], gemv["ok"]) == (False, True, None)


def test_what_is_expected_of_an_h200():
    good = [Reading(item, Status.OK, (band.low + band.high) / 2, "1") for item, band in H200.items()]
    honest = [Reading(item, Status.UNSUPPORTED, reason=msg("probe.reason.emulated")) for item in UNSUPPORTED_ON_H200]
    rows = check_gpu.expected(a_run(*good, *honest, device=HOPPER))
    assert all(row["ok"] for row in rows)
    assert len(rows) == len(H200) + len(UNSUPPORTED_ON_H200)
    lying = [evolve(r, status=Status.OK, value=1e15, reason=None) for r in honest]
    assert [r["ok"] for r in check_gpu.expected(a_run(*good, *lying, device=HOPPER))][-3:] == [False] * 3
    assert check_gpu.expected(a_run(*good, device=evolve(HOPPER, name="NVIDIA L4"))) == []


def test_all_well_means_all_of_it():
    body = {
        "selftest": {"status": 0},
        "ratios": [{"ok": True}, {"ok": None}],
        "datasheet": [{"judgement": "within"}],
        "expected_h200": [{"ok": False, "lead": True}],
    }
    assert check_gpu.all_well(body)
    for key, value in (
        ("selftest", {"status": 1}),
        ("ratios", [{"ok": False}]),
        ("datasheet", [{"judgement": "implausible"}]),
        ("expected_h200", [{"ok": False, "lead": False}]),
    ):
        assert not check_gpu.all_well({**body, key: value})


@pytest.mark.gpu
def test_a_real_gpu_does_as_expected(tmp_path):
    if check_gpu.selftest([sys.executable, "-m", "kernels.device.selftest"])["status"] == 2:
        pytest.skip("no NVIDIA GPU here")
    file = tmp_path / "check.json"
    assert check_gpu.main(["--out", os.fspath(file)]) == 0, file.read_text()
