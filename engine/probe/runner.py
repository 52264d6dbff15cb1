"""Runs the probe: one child after another, every wait bounded, every result kept. No Qt; a window calls `run` from a worker.

    run(ProbeOptions(quick=True), on_event=print) -> ProbeRun

`engine.probe.documents.to_dict(run)` is the JSON shape of `waypost probe --json`:

    {"format": "waypost-probe", "schema_version": 1, "started": "2026-10-30T01:02:03Z", "seconds": 11.2, "quick": false,
     "outcome": {"code": "measured", "message": {"key": "probe.outcome.measured", "params": {"name": "..."}}, "advice": ...},
     "host": {"processor": "...", "cores": 8, "memory_bytes": ...}, "surroundings": {...},
     "devices": [{"id": "<hash>", "name": "...", "backend": "cuda", ...}], "device": "<hash>",
     "readings": [{"item": "read", "status": "ok", "value": 4.1e12, "unit": "B/s", "low": ..., "high": ..., "n": 7,
                   "spread": 0.01, "method": "events", "work": ..., "conditions": {...}}, ...],
     "lessons": [{"key": "break_even", "series": [{"key": "gpu_copies", "x": [...], "y": [...]}]}],
     "children": [{"child": "device", "ending": "done", "seconds": 7.9}], "versions": {"driver": "580.95"}, "notes": []}

The command ends with exit status 0 whenever it could say what is the case, a machine without a GPU included.
"""

from __future__ import annotations

import datetime
import os
import queue
import runpy
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import evolve, frozen

from engine.messages import Message, Quantity, msg
from engine.probe import outcome, power
from engine.probe.collect import Collector
from engine.probe.items import Child, chosen
from engine.probe.process import ChildProcess
from engine.probe.protocol import Done, Event, Measured, Started, parse_line
from engine.probe.results import ChildReport, Ending, Outcome, OutcomeCode, ProbeRun
from engine.units import SECONDS

ROOT: Final = Path(__file__).resolve().parents[2]
SILENCE_S: Final = 5.0
FIRST_LINE_S: Final = 20.0
"""A cold disk may take its time to bring the interpreter up."""
LONGEST_SILENCE_S: Final = 60.0
POLL_S: Final = 0.05
MODULES: Final[Mapping[Child, str]] = {
    Child.DEVICE: "kernels.child_device",
    Child.HOST: "kernels.child_host",
    Child.TORCH: "kernels.child_torch",
}
_SOFT_S: Final[Mapping[Child, float]] = {Child.DEVICE: 12.0, Child.HOST: 4.0, Child.TORCH: 10.0}
_GRACE_S: Final[Mapping[Child, float]] = {Child.DEVICE: 25.0, Child.HOST: 10.0, Child.TORCH: 60.0}
"""Past its own deadline a child may still be waking a device or importing a library; then it is killed."""


@frozen
class ProbeOptions:
    """What to run. `quick` None: quick on battery, whole on mains."""

    quick: bool | None = None
    device: str = ""
    """Id (hash) of the device to measure; "" the first."""
    children: tuple[Child, ...] = (Child.DEVICE, Child.HOST, Child.TORCH)
    only: frozenset[str] = frozenset()
    skip: frozenset[str] = frozenset()
    deadline_s: float = 25.0
    """Soft limit of the whole run; lessons are dropped first, facts never."""
    silence_s: float = SILENCE_S
    accept_external: bool = False
    """Somebody was asked and said yes to touching a device behind an external or narrow link (outcome EXTERNAL asks)."""


@frozen
class ChildStarted:
    child: Child


@frozen
class ChildEnded:
    report: ChildReport


RunEvent = Event | ChildStarted | ChildEnded

_abandoned: list[ChildProcess] = []


@frozen
class Plan:
    """What Start will touch, said before it is pressed."""

    quick: bool
    on_battery: bool | None
    items: int
    seconds: float
    message: Message


def plan(options: ProbeOptions) -> Plan:
    """Number of items and expected time of a run. Touches no device."""
    on_battery = power.on_battery()
    quick = bool(on_battery) if options.quick is None else options.quick
    items = [i for c in _children(options, quick) for i in chosen(c, quick, options.skip, options.only)]
    start_s = sum({Child.DEVICE: 1.0, Child.HOST: 0.4, Child.TORCH: 4.0}[c] for c in _children(options, quick))
    seconds = min(options.deadline_s, start_s + sum(item.budget_s for item in items))
    key = "probe.plan.quick" if quick else "probe.plan.whole"
    return Plan(
        quick, on_battery, len(items), seconds, msg(key, items=len(items), seconds=Quantity(round(seconds), SECONDS))
    )


def _children(options: ProbeOptions, quick: bool) -> tuple[Child, ...]:
    return tuple(c for c in options.children if chosen(c, quick, options.skip, options.only))


def run(
    options: ProbeOptions | None = None,
    on_event: Callable[[RunEvent], None] | None = None,
    cancel: threading.Event | None = None,
) -> ProbeRun:
    """Measure. Never raises for what a device, a driver or a child does; blocks until the last child is gone.

    `on_event` is called in the calling thread for every event; `cancel` may be set from any thread and acts within 0.1 s.
    """
    options = options or ProbeOptions()
    quick = plan(options).quick
    tell = on_event or (lambda _event: None)
    started = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    collector = Collector(started, quick)
    begin = time.monotonic()
    if _still_stuck():
        return evolve(collector.run(0.0), outcome=_stuck())
    for child in _children(options, quick):
        if cancel is not None and cancel.is_set():
            report = ChildReport(child.value, Ending.CANCELLED, message=msg("probe.child.cancelled"))
        else:
            left_s = options.deadline_s - (time.monotonic() - begin)
            tell(ChildStarted(child))
            report = _Watch(child, options, quick, left_s, collector, tell, cancel).run()
        collector.child_ended(report)
        tell(ChildEnded(report))
    return collector.run(time.monotonic() - begin)


def rest_of(options: ProbeOptions, run_so_far: ProbeRun) -> ProbeOptions:
    """The options of a new run without what is measured already and without the item that ended a child."""
    done = {r.item for r in run_so_far.readings}
    culprits = {c.item for c in run_so_far.children if c.item}
    return evolve(options, quick=run_so_far.quick, skip=options.skip | done | culprits)


def _still_stuck() -> bool:
    for child in [c for c in _abandoned if not c.alive()]:
        child.close()
        _abandoned.remove(child)
    return bool(_abandoned)


def _stuck() -> Outcome:
    return Outcome(OutcomeCode.ABANDONED, msg("probe.outcome.still_stuck"), msg("probe.advice.abandoned"))


class _Watch:
    """One child from start to end."""

    def __init__(
        self,
        child: Child,
        options: ProbeOptions,
        quick: bool,
        left_s: float,
        collector: Collector,
        tell: Callable[[RunEvent], None],
        cancel: threading.Event | None,
    ) -> None:
        self.child, self.options, self.collector, self.tell, self.cancel = child, options, collector, tell, cancel
        self.soft_s = max(1.0, min(_SOFT_S[child] if not options.only else options.deadline_s, left_s))
        self.command = child_command(child, options, quick, self.soft_s, collector.device, _unwell(collector))
        self.silence_s = FIRST_LINE_S
        self.begin = time.monotonic()
        self.item = ""

    def run(self) -> ChildReport:
        try:
            process = ChildProcess(self.command, child_environment(os.environ))
        except OSError as error:
            message = msg("probe.child.not_started", detail=str(error))
            return ChildReport(self.child.value, Ending.NOT_STARTED, message=message)
        try:
            ending = self._listen(process)
        except BaseException:
            process.stop()
            raise
        status = process.wait(2.0) if ending is Ending.DONE else None
        if status is None:
            status = process.stop()
        if status is None:
            _abandoned.append(process)
            return self._report(Ending.ABANDONED, None, process)
        if ending is Ending.DONE and status != 0:
            ending = Ending.CRASHED
        process.close()
        return self._report(ending, status, process)

    def _listen(self, process: ChildProcess) -> Ending:
        """Until the child is done, ends, falls silent, takes too long, or somebody cancels."""
        heard = time.monotonic()
        done = False
        while True:
            if self.cancel is not None and self.cancel.is_set():
                return Ending.CANCELLED
            now = time.monotonic()
            if now - self.begin > self.soft_s + _GRACE_S[self.child]:
                return Ending.TIMED_OUT
            if now - heard > self.silence_s:
                return Ending.SILENT
            try:
                line = process.next_line(POLL_S)
            except queue.Empty:
                continue
            if line is None:
                return Ending.DONE if done else Ending.CRASHED
            event = parse_line(line)
            if event is None:
                continue
            heard = time.monotonic()
            done = done or isinstance(event, Done)
            self._note(event)

    def _note(self, event: Event) -> None:
        if isinstance(event, Started):
            self.item = event.item
            self.silence_s = min(max(event.silence_s, 0.5), LONGEST_SILENCE_S)
        elif isinstance(event, Measured):
            self.silence_s = self.options.silence_s
        self.collector.take(event)
        self.item = self.collector.item
        self.tell(event)

    def _report(self, ending: Ending, status: int | None, process: ChildProcess) -> ChildReport:
        item = "" if ending is Ending.DONE else self.item
        seconds = time.monotonic() - self.begin
        return ChildReport(
            self.child.value, ending, seconds, status, item, self._message(ending, status), process.errors()
        )

    def _message(self, ending: Ending, status: int | None) -> Message | None:
        if ending is Ending.DONE:
            return None
        return msg(
            f"probe.child.{ending.value}",
            item=outcome.step(self.item),
            code=outcome.exit_in_words(status),
            limit=Quantity(round(self.silence_s, 1), SECONDS),
        )


def _unwell(collector: Collector) -> bool:
    """True when touching CUDA a second time would ask for trouble: a driver that failed, hung or lost its context."""
    if collector.lost is not None:
        return True
    if collector.refusal is not None:
        return collector.refusal.code not in (outcome.LIBRARY_MISSING, outcome.BINDINGS_MISSING, outcome.IMAGE_MISSING)
    return collector.outcome().code in (
        OutcomeCode.EXTERNAL,
        OutcomeCode.ASLEEP,
        OutcomeCode.SILENT,
        OutcomeCode.CRASHED,
        OutcomeCode.TIMED_OUT,
        OutcomeCode.ABANDONED,
        OutcomeCode.PARTLY,
    )


def child_command(
    child: Child, options: ProbeOptions, quick: bool, soft_s: float, measured: str = "", avoid_cuda: bool = False
) -> list[str]:
    """The command line of a child: the same interpreter, or the same frozen executable with a hidden argument.

    `measured` is the device an earlier child worked on: torch takes the same one.
    """
    start = ["--waypost-child", child.value] if getattr(sys, "frozen", False) else ["-m", MODULES[child]]
    more = ["--quick"] if quick else []
    device = options.device or measured
    more += ["--device", device] if device else []
    more += ["--accept-external"] if options.accept_external else []
    more += ["--only", ",".join(sorted(options.only))] if options.only else []
    more += ["--skip", ",".join(sorted(options.skip))] if options.skip else []
    more += ["--avoid-cuda"] if avoid_cuda and child is Child.TORCH else []
    return [sys.executable, *start, "--deadline", f"{soft_s:.1f}", "--silence", f"{options.silence_s:.1f}", *more]


def run_as_child(arguments: Sequence[str]) -> bool:
    """For the first lines of a frozen executable, before any window is imported: True when this process was a child.

    `--waypost-child NAME ...` runs that child here and now; anything else is left alone.
    """
    if len(arguments) < 2 or arguments[0] != "--waypost-child":
        return False
    module = MODULES[Child(arguments[1])]
    sys.argv = [module, *arguments[2:]]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    return True


def child_environment(parent: Mapping[str, str]) -> dict[str, str]:
    """The parent's environment; device order by bus unless set, kernels loaded lazily, this product's own modules first."""
    made = dict(parent)
    made.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    made.setdefault("CUDA_MODULE_LOADING", "LAZY")
    made["PYTHONPATH"] = os.pathsep.join(p for p in (str(ROOT), parent.get("PYTHONPATH", "")) if p)
    made.update(PYTHONUNBUFFERED="1", PYTHONIOENCODING="utf-8", PYTHONDONTWRITEBYTECODE="1")
    return made
