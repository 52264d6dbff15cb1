"""Parts of the probe's page that stand apart: under which conditions it was measured, and runs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.present.scene import Scene
from app.present.views import Cell, Table, Tone
from engine.messages import Quantity
from engine.probe.results import Conditions, DeviceFacts, ProbeRun

COMPARED: Final = (
    "read",
    "copy",
    "gemv.bf16",
    "h2d.pinned",
    "wgmma.bf16",
    "mma.bf16",
    "blas.bf16",
    "cpu.read",
    "cpu.sgemm",
)
"""Columns of runs side by side, as far as any run has them."""
CHANGED: Final = 0.05
"""A difference between two runs of one machine worth a word."""


def conditions(run: ProbeRun, scene: Scene) -> Table:
    """Device, driver, power and clocks while it worked; the machine around it."""
    rows = [*_device_rows(run, scene), *_surroundings_rows(run, scene), *_host_rows(run, scene)]
    rows += [
        (name, version) for name, version in sorted(run.versions.items()) if version and name not in ("driver", "cuda")
    ]
    cells = tuple((Cell(label, Tone.MUTED), Cell(text)) for label, text in rows if text)
    return Table(("", ""), cells, scene.t.text("probe.page.conditions"))


def _device_rows(run: ProbeRun, scene: Scene) -> list[tuple[str, str]]:
    facts, t = run.measured_device(), scene.t
    if facts is None:
        return []
    busy = busiest(run)
    return [
        (
            t.text("probe.fact.device"),
            _joined(facts.name, _capability(facts, scene)),
        ),
        (t.text("probe.fact.driver"), _joined(run.versions.get("driver", ""), _cuda(run))),
        (t.text("probe.fact.memory"), _memory(facts, scene)),
        (t.text("probe.fact.clock"), _clocks(facts, busy, scene)),
        (t.text("probe.fact.power"), _power(facts, busy, scene)),
        (t.text("probe.fact.temperature"), f"{busy.temperature_c:.0f} °C" if busy.temperature_c is not None else ""),
        (t.text("probe.fact.held_back"), ", ".join(t.text(f"probe.throttle.{w}") for w in busy.throttle)),
        (t.text("probe.fact.link"), _link(busy)),
    ]


def _capability(facts: DeviceFacts, scene: Scene) -> str:
    return scene.t.text("probe.fact.capability", found=facts.compute_capability) if facts.compute_capability else ""


def busiest(run: ProbeRun) -> Conditions:
    """The conditions of the reading that drew most power; of the last one that says anything where none says that."""
    told = [r.conditions for r in run.readings if r.conditions != Conditions()]
    return max(told, key=lambda c: c.power_w or 0.0, default=Conditions())


def _cuda(run: ProbeRun) -> str:
    return f"CUDA {run.versions['cuda']}" if run.versions.get("cuda") else ""


def _memory(facts: DeviceFacts, scene: Scene) -> str:
    if facts.memory_bytes is None:
        return ""
    total = scene.t.figure(Quantity(facts.memory_bytes, "B"))
    if facts.memory_free_bytes is None:
        return total
    return scene.t.text("probe.fact.memory_of", free=Quantity(facts.memory_free_bytes, "B"), total=total)


def _clocks(facts: DeviceFacts, busy: Conditions, scene: Scene) -> str:
    parts = [c / 1e6 for c in (busy.sm_clock_hz, facts.sm_clock_max_hz) if c]
    if len(parts) == 2:
        return scene.t.text("probe.fact.clock_of", now=f"{parts[0]:,.0f}", most=f"{parts[1]:,.0f}")
    return f"{parts[0]:,.0f} MHz" if parts else ""


def _power(facts: DeviceFacts, busy: Conditions, scene: Scene) -> str:
    t = scene.t
    source = (
        "" if facts.on_battery is None else t.text("probe.power.battery" if facts.on_battery else "probe.power.mains")
    )
    drawn = f"{busy.power_w:.0f} W" if busy.power_w is not None else ""
    limit = t.text("probe.power.limit", limit=f"{facts.power_limit_w:.0f} W") if facts.power_limit_w is not None else ""
    return _joined(source, drawn, limit)


def _link(busy: Conditions) -> str:
    if busy.pcie_generation is None or busy.pcie_lanes is None:
        return ""
    return f"PCIe Gen{busy.pcie_generation} x{busy.pcie_lanes}"


def _surroundings_rows(run: ProbeRun, scene: Scene) -> list[tuple[str, str]]:
    """The management library's own answer beside CUDA's, what hides devices, and the driver's words where it said no."""
    around, t = run.surroundings, scene.t
    management = t.text("probe.fact.answers") if around.management == "ok" else around.management
    return [
        (t.text("probe.fact.management"), management),
        (t.text("probe.fact.visible"), around.visible_devices or ""),
        (t.text("probe.fact.answer"), run.outcome.detail),
    ]


def _host_rows(run: ProbeRun, scene: Scene) -> list[tuple[str, str]]:
    host, t = run.host, scene.t
    threads = t.text("probe.fact.threads", threads=host.threads) if host.threads else ""
    memory = t.figure(Quantity(host.memory_bytes, "B")) if host.memory_bytes else ""
    source = (
        "" if host.on_battery is None else t.text("probe.power.battery" if host.on_battery else "probe.power.mains")
    )
    return [
        (t.text("probe.fact.processor"), _joined(host.processor, threads)),
        (t.text("probe.fact.machine"), _joined(memory, host.system, host.architecture, source)),
    ]


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def history(runs: Sequence[ProbeRun], scene: Scene) -> Table:
    """Runs side by side, newest first; a change of more than a twentieth against the run before on the same device is marked."""
    t = scene.t
    items = [item for item in COMPARED if any(run.value(item) is not None for run in runs)]
    rows = []
    for at, run in enumerate(runs):
        device = run.measured_device()
        name = device.name if device is not None else run.host.processor
        before = next((older for older in runs[at + 1 :] if older.device == run.device), None)
        cells = [Cell(run.started[:16].replace("T", " ")), Cell(name)]
        cells += [_beside(run.value(item), before.value(item) if before else None, run, item, scene) for item in items]
        rows.append(tuple(cells))
    headers = (
        t.text("probe.history.when"),
        t.text("probe.history.machine"),
        *(t.text(f"probe.item.{i}") for i in items),
    )
    numeric = frozenset(range(2, 2 + len(items)))
    return Table(headers, tuple(rows), t.text("probe.history.title"), numeric, t.text("present.probe.none"))


def _beside(value: float | None, before: float | None, run: ProbeRun, item: str, scene: Scene) -> Cell:
    reading = run.reading(item)
    if value is None or reading is None:
        return Cell("–", Tone.MUTED)
    text = scene.t.figure(reading.estimate())
    if before is None or abs(value / before - 1) <= CHANGED:
        return Cell(text)
    return Cell(f"{text} ({(value / before - 1) * 100:+.0f} %)", Tone.GOOD if value > before else Tone.WARN)
