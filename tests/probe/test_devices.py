"""Names as drivers write them, and the row of the catalogue each is."""

from __future__ import annotations

import pytest

from app.host.paths import CATALOGUE
from engine.catalogue import load_catalogue
from engine.messages import msg
from engine.probe.devices import best_bandwidth, catalogue_device, device_of
from engine.probe.results import DeviceFacts, HostFacts, Outcome, OutcomeCode, ProbeRun, Reading, Status
from engine.units import GIB


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue(CATALOGUE)


@pytest.mark.parametrize(
    ("name", "gib", "bus_bits", "clock_mhz", "row"),
    [
        ("NVIDIA H200", 140.4, 6144, 3201, "nvidia-h200-sxm"),
        ("NVIDIA H100 80GB HBM3", 79.6, 5120, 2619, "nvidia-h100-sxm"),
        ("NVIDIA H100 PCIe", 79.6, 5120, 1593, "nvidia-h100-pcie"),
        ("NVIDIA H100 NVL", 93.6, 6016, 2619, "nvidia-h100-nvl"),
        ("NVIDIA A100-SXM4-80GB", 79.3, 5120, 1593, "nvidia-a100-sxm-80gb"),
        ("NVIDIA A100-PCIE-40GB", 39.4, 5120, 1215, "nvidia-a100-pcie-40gb"),
        ("NVIDIA A100 80GB PCIe", 79.3, 5120, 1512, "nvidia-a100-pcie-80gb"),
        ("Tesla T4", 14.6, 256, 5001, "nvidia-t4"),
        ("Tesla V100-SXM2-16GB", 15.8, 4096, 877, "nvidia-v100-sxm2-16gb"),
        ("NVIDIA GeForce RTX 4090", 23.6, 384, 10501, "nvidia-rtx-4090"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", 15.6, 256, 9001, "nvidia-rtx-4090-laptop"),
        ("NVIDIA GeForce RTX 4060 Ti", 15.7, 128, 9001, "nvidia-rtx-4060-ti-16gb"),
        ("NVIDIA GeForce RTX 3080", 11.6, 384, 9501, "nvidia-rtx-3080-12gb"),
        ("NVIDIA L40S", 44.3, 384, 9001, "nvidia-l40s"),
        ("NVIDIA L40", 44.3, 384, 9001, "nvidia-l40"),
        ("NVIDIA RTX 6000 Ada Generation", 47.5, 384, 10001, "nvidia-rtx-6000-ada"),
        ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 95, 512, 14001, "nvidia-rtx-pro-6000-maxq"),
        ("NVIDIA GB10", 119, 256, 4266, "nvidia-dgx-spark-gb10"),
        ("NVIDIA GH200 480GB", 94.5, 6144, 2619, "nvidia-gh200-96gb"),
        ("AMD Radeon RX 7900 XTX", 24, None, None, "amd-rx-7900-xtx"),
        ("Apple M3 Max", None, None, None, "apple-m3-max"),
        ("Apple M3", None, None, None, "apple-m3"),
        ("AMD RYZEN AI MAX+ 395 w/ Radeon 8060S", None, None, None, "amd-ryzen-ai-max-395"),
        ("Intel(R) Arc(TM) B580 Graphics", 11.6, None, None, "intel-arc-b580"),
    ],
)
def test_a_known_device_is_found(catalogue, name, gib, bus_bits, clock_mhz, row):
    facts = DeviceFacts(
        "x",
        name,
        "cuda",
        memory_bytes=gib * GIB if gib else None,
        memory_bus_bits=bus_bits,
        memory_clock_max_hz=clock_mhz * 1e6 if clock_mhz else None,
    )
    found = catalogue_device(facts, catalogue)
    assert found is not None
    assert found.id == row


@pytest.mark.parametrize(
    ("name", "gib"),
    [
        ("NVIDIA GeForce RTX 4060 Ti", 7.7),
        ("NVIDIA GeForce RTX 3060 Laptop GPU", 5.8),
        ("NVIDIA GeForce GTX 1650", 3.8),
        ("Fake GPU", 4),
        ("AMD EPYC", None),
    ],
)
def test_a_device_that_is_not_in_the_catalogue_is_not_made_into_another(catalogue, name, gib):
    assert catalogue_device(DeviceFacts("x", name, "cuda", memory_bytes=gib * GIB if gib else None), catalogue) is None


def a_run(*readings: Reading, device: DeviceFacts | None = None) -> ProbeRun:
    outcome = Outcome(OutcomeCode.MEASURED, msg("probe.outcome.not_asked"))
    host = HostFacts("A processor", memory_bytes=32e9, memory_available_bytes=20e9)
    devices = (device,) if device else ()
    return ProbeRun(
        "2026-01-02T03:04:05Z",
        1.0,
        False,
        outcome,
        host,
        devices=devices,
        device=device.id if device else "",
        readings=readings,
    )


def test_an_unknown_device_becomes_a_row_of_what_was_measured(catalogue):
    device = DeviceFacts("x", "NVIDIA Something 9", "cuda", memory_bytes=8e9, compute_capability="8.9")
    run = a_run(
        Reading("read", Status.OK, 4e11, "B/s"),
        Reading("mma.bf16", Status.OK, 5e13, "FLOP/s"),
        Reading("blas.bf16", Status.OK, 6e13, "FLOP/s"),
        device=device,
    )
    row = device_of(run, catalogue)
    assert (row.name, row.bandwidth.value, row.bf16.value, row.fp8) == ("NVIDIA Something 9", 4e11, 6e13, None)
    assert row.bandwidth.source.where == "probe"


def test_a_machine_without_a_device_is_its_processor(catalogue):
    run = a_run(Reading("cpu.read", Status.OK, 3e10, "B/s"), Reading("cpu.copy", Status.OK, 4e10, "B/s"))
    row = device_of(run, catalogue)
    assert (row.kind, row.bandwidth.value, row.driver_memory.value) == ("cpu", 4e10, 20e9 + 8 * GIB)
    assert row.unified_memory
    assert best_bandwidth(run) == 4e10


def test_nothing_measured_is_no_bandwidth():
    assert best_bandwidth(a_run()) is None
