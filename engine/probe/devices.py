"""Which catalogue row a measured device is. A driver writes "NVIDIA H100 80GB HBM3", the catalogue "H100 SXM5 80 GB"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from attrs import evolve, frozen

from engine.catalogue import Catalogue, Device
from engine.catalogue.rows import Figure
from engine.estimate import Source
from engine.probe.results import DeviceFacts, ProbeRun
from engine.units import BYTES, BYTES_PER_S, FLOP_PER_S, GIB, MIB

_NOISE: Final = frozenset(
    {
        "nvidia", "amd", "intel", "apple", "qualcomm", "geforce", "tesla", "quadro", "radeon", "instinct", "gpu", "graphics",
        "generation", "edition", "the", "tm", "r", "with", "design", "of", "one", "per", "card", "series", "gb", "hbm2", "hbm2e",
        "hbm3", "hbm3e", "cpu", "processor", "core", "cores", "hgx", "socket", "chip", "corporation",
    }
)  # fmt: skip
_FORMS: Final = {"pcie": "pcie", "sxm": "sxm", "sxm2": "sxm", "sxm3": "sxm", "sxm4": "sxm", "sxm5": "sxm", "nvl": "nvl"}
_VARIANTS: Final = frozenset(
    {
        "ti",
        "super",
        "laptop",
        "mobile",
        "xt",
        "xtx",
        "gre",
        "max",
        "pro",
        "ultra",
        "maxq",
        "ada",
        "server",
        "workstation",
        "mini",
    }
)
_NEAR: Final = 0.15
"""Two bandwidths this close may be the same memory."""


@frozen
class _Name:
    words: frozenset[str]
    form: str
    gigabytes: float | None


def _read(name: str) -> _Name:
    text = name.lower().replace("max-q", "maxq").replace("®", " ").replace("(tm)", " ").replace("(r)", " ")
    words = re.split(r"[^a-z0-9+]+", text)
    form, gigabytes, kept = "", None, []
    for at, word in enumerate(words):
        size = re.fullmatch(r"(\d+)gb", word)
        after = words[at + 1] if at + 1 < len(words) else ""
        if word in _FORMS:
            form = _FORMS[word]
        elif size:
            gigabytes = float(size.group(1))
        elif word.isdigit() and after == "gb":
            gigabytes = float(word)
        elif word and word not in _NOISE:
            kept.append(word)
    if "hbm3" in words and not form and "h100" in words:
        form = "sxm"
    if "maxq" in kept and "workstation" in kept:
        kept.remove("workstation")
    return _Name(frozenset(kept), form, gigabytes)


def _aliases(name: str) -> Iterable[_Name]:
    outside = re.sub(r"\([^)]*\)", " ", name)
    yield _read(outside)
    yield from (_read(inner) for inner in re.findall(r"\(([^)]*)\)", name))


def _distance(found: _Name, row: _Name) -> int | None:
    """Words that stand in one name only; None when they name different things."""
    shared = found.words & row.words
    if not any(any(c.isdigit() for c in word) for word in shared):
        return None
    if not (found.words <= row.words or row.words <= found.words):
        return None
    if (found.words ^ row.words) & _VARIANTS:
        return None
    if found.form and row.form and found.form != row.form:
        return None
    return len(found.words ^ row.words) + (found.form != row.form)


def catalogue_device(facts: DeviceFacts, catalogue: Catalogue) -> Device | None:
    """The row of the catalogue this device is, by name first, then by memory and by the bandwidth its own clocks give."""
    named = _read(facts.name)
    candidates = []
    for device in catalogue.devices.values():
        distances = [d for alias in _aliases(device.name) if (d := _distance(named, alias)) is not None]
        if distances:
            candidates.append((min(distances), _memory_miss(facts, device), _bandwidth_miss(facts, device), device))
    if not candidates:
        return None
    best = min(candidates, key=lambda c: (c[0] + 4 * (c[1] > _NEAR) + 2 * (c[2] > _NEAR), c[1] + c[2], c[3].id))
    return best[3] if best[1] <= 2 * _NEAR or facts.mig_slice else None


def _memory_miss(facts: DeviceFacts, device: Device) -> float:
    """Relative difference of the memory; what the driver reports against what it reports, else against the marketed size."""
    own = device.driver_memory or device.memory
    if own is None or facts.memory_bytes is None or device.unified_memory:
        return 0.0
    candidates = [abs(facts.memory_bytes / f.value - 1) for f in (device.driver_memory, device.memory) if f is not None]
    return min(candidates)


def peak_bandwidth_bytes_per_s(facts: DeviceFacts) -> float | None:
    """Bus width x memory clock x 2 / 8, from the device's attributes; a few per cent off the data sheet."""
    if not facts.memory_bus_bits or not facts.memory_clock_max_hz:
        return None
    return facts.memory_bus_bits / 8 * facts.memory_clock_max_hz * 2


def _bandwidth_miss(facts: DeviceFacts, device: Device) -> float:
    peak = peak_bandwidth_bytes_per_s(facts)
    if peak is None or device.bandwidth is None:
        return 0.0
    return abs(peak / device.bandwidth.value - 1)


def processor_row(run: ProbeRun, catalogue: Catalogue) -> Device | None:
    """The row of this machine's processor, for machines with unified memory above all (an Apple M3 Max, a Ryzen AI Max)."""
    if not run.host.processor:
        return None
    facts = DeviceFacts("", re.sub(r"\bw/.*|@.*", "", run.host.processor), "cpu")
    return catalogue_device(facts, catalogue)


def device_of(run: ProbeRun, catalogue: Catalogue) -> Device:
    """The machine that was measured as a device one can deploy on: its catalogue row, else a row made of what was measured."""
    facts = run.measured_device()
    if facts is not None and run.value("read" if facts.backend == "cuda" else "torch.copy") is not None:
        return _with_free_memory(catalogue_device(facts, catalogue) or _made_of_device(run, facts), facts, run)
    return _made_of_host(run)


OWN_CONTEXT: Final = 512 * MIB
"""About what the probe's own context held when free memory was read."""


def _with_free_memory(device: Device, facts: DeviceFacts, run: ProbeRun) -> Device:
    """The row with the memory that is free here: a display or another program takes what no data sheet knows of."""
    if facts.memory_free_bytes is None or facts.memory_bytes is None or device.unified_memory:
        return device
    here = min(facts.memory_bytes, facts.memory_free_bytes + OWN_CONTEXT)
    return evolve(device, driver_memory=_figure(here, BYTES, run))


def _figure(value: float | None, unit: str, run: ProbeRun) -> Figure | None:
    return None if value is None else Figure(value, unit, Source("probe", run.started[:10]))


def best_rate(run: ProbeRun, precision: str) -> float | None:
    """The fastest way this device did that precision: by a library or by its own matrix instruction."""
    found = [run.value(f"{kind}.{precision}") for kind in ("blas", "wgmma", "mma", "fma")]
    return max((v for v in found if v is not None), default=None)


def _made_of_device(run: ProbeRun, facts: DeviceFacts) -> Device:
    def rate(precision: str) -> Figure | None:
        return _figure(best_rate(run, precision), FLOP_PER_S, run)

    return Device(
        id="measured-device",
        name=facts.name,
        vendor="",
        kind="apu" if facts.integrated else "gpu",
        segment="measured",
        release_year=None,
        memory=_figure(facts.memory_bytes, BYTES, run),
        driver_memory=_figure(facts.memory_bytes, BYTES, run),
        memory_type="",
        bandwidth=_figure(best_bandwidth(run), BYTES_PER_S, run),
        onchip=None,
        onchip_bandwidth=None,
        fp32=rate("fp32"),
        tf32=rate("tf32"),
        fp16=rate("fp16"),
        bf16=rate("bf16"),
        fp8=rate("fp8"),
        int8=rate("int8"),
        fp4=rate("fp4"),
        interconnect="",
        interconnect_bandwidth=None,
        host_link="unified" if facts.integrated else "",
        host_link_bandwidth=_figure(run.value("h2d.pinned"), BYTES_PER_S, run),
        power=None,
        compute_capability=facts.compute_capability,
        max_devices_per_node=1,
    )


HOST_RESERVE: Final = 8 * GIB
"""What the memory room keeps for the operating system of a processor's machine. It is in use already when free memory is read, so
it is given back here: taking it twice would refuse what fits."""


def _free_of_host(run: ProbeRun) -> float | None:
    total, free = run.host.memory_bytes, run.host.memory_available_bytes
    if total is None or free is None:
        return total
    return min(total, free + HOST_RESERVE)


def _made_of_host(run: ProbeRun) -> Device:
    """Memory and bandwidth as measured; no matrix rates: an FP32 product says little of what its integer units do."""
    return Device(
        id="measured-host",
        name=run.host.processor or run.host.architecture,
        vendor="",
        kind="cpu",
        segment="measured",
        release_year=None,
        memory=_figure(run.host.memory_bytes, BYTES, run),
        driver_memory=_figure(_free_of_host(run), BYTES, run),
        memory_type="",
        bandwidth=_figure(best_bandwidth(run), BYTES_PER_S, run),
        onchip=None,
        onchip_bandwidth=None,
        fp32=None,
        tf32=None,
        fp16=None,
        bf16=None,
        fp8=None,
        int8=None,
        fp4=None,
        interconnect="",
        interconnect_bandwidth=None,
        host_link="unified",
        host_link_bandwidth=None,
        power=None,
        compute_capability="",
        max_devices_per_node=1,
    )


def best_bandwidth(run: ProbeRun) -> float | None:
    """The fastest the measured memory was read or copied; of the device if there is one, else of the machine."""
    on_device = [run.value(i) for i in ("read", "gemv.bf16", "copy", "copy_driver", "triad", "torch.copy")]
    on_host = [run.value(i) for i in ("cpu.read", "cpu.copy", "cpu.triad")]
    for values in (on_device, on_host):
        known = [v for v in values if v is not None]
        if known:
            return max(known)
    return None
