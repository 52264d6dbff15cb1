"""Events of the children gathered into one run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from attrs import evolve

from engine.messages import Message, msg
from engine.probe import outcome, protocol
from engine.probe.items import ITEMS, Child, Group
from engine.probe.results import (
    ChildReport,
    DeviceFacts,
    DriverAnswer,
    Ending,
    HostFacts,
    Lesson,
    Outcome,
    OutcomeCode,
    ProbeRun,
    Reading,
    Series,
    Surroundings,
)

_NOT_ON_DEVICE: Final = frozenset({Group.START, Group.HOST})


class Collector:
    """Takes every event; `run` gives the value so far, so that a page can show results as they come."""

    def __init__(self, started: str, quick: bool) -> None:
        self.started = started
        self.quick = quick
        self.item = ""
        """What the running child is at."""
        self.device = ""
        self.backend = ""
        self.refusal: DriverAnswer | None = None
        self.lost: Reading | None = None
        self._host = HostFacts()
        self._surroundings = Surroundings()
        self._devices: dict[str, DeviceFacts] = {}
        self._readings: list[Reading] = []
        self._lessons: dict[str, list[Series]] = {}
        self._children: list[ChildReport] = []
        self._versions: dict[str, str] = {}
        self._notes: list[Message] = []

    def take(self, event: protocol.Event) -> None:
        """One event of a child."""
        handler = _HANDLERS.get(type(event))
        if handler is not None:
            handler(self, event)

    def child_ended(self, report: ChildReport) -> None:
        self._children.append(report)
        self.item = ""

    def measured_on_device(self) -> bool:
        """Whether more is known than that a context can be made and kernels load."""
        return any(r.measured and r.item in ITEMS and ITEMS[r.item].group not in _NOT_ON_DEVICE for r in self._readings)

    def outcome(self) -> Outcome:
        """What became of the accelerator part, as far as is known."""
        report = next((c for c in self._children if c.child == Child.DEVICE.value), None)
        abandoned = next((c for c in self._children if c.ending is Ending.ABANDONED), None)
        if abandoned is not None:
            return outcome.ended_early(Ending.ABANDONED, abandoned.item, abandoned.message, measured=False)
        if self.lost is not None:
            return outcome.ended_early(Ending.CRASHED, self.lost.item, self.lost.reason, measured=True)
        if report is not None and report.ending is not Ending.DONE:
            return outcome.ended_early(report.ending, report.item, report.message, self.measured_on_device())
        if self.measured_on_device():
            return Outcome(OutcomeCode.MEASURED, msg("probe.outcome.measured", name=self._device_name()))
        if self.refusal is not None:
            return outcome.refused(self.refusal, self._surroundings)
        if self.device:
            message = msg("probe.outcome.unmeasured", name=self._device_name())
            return Outcome(OutcomeCode.UNMEASURED, message, msg("probe.advice.unmeasured"))
        return Outcome(OutcomeCode.NOT_ASKED, msg("probe.outcome.not_asked"))

    def _device_name(self) -> str:
        found = self._devices.get(self.device)
        return found.name if found is not None else ""

    def run(self, seconds: float) -> ProbeRun:
        """Everything so far as one value."""
        return ProbeRun(
            started=self.started,
            seconds=seconds,
            quick=self.quick,
            outcome=self.outcome(),
            host=self._host,
            surroundings=self._surroundings,
            devices=tuple(self._devices.values()),
            device=self.device,
            readings=tuple(self._readings),
            lessons=tuple(Lesson(key, tuple(series)) for key, series in self._lessons.items()),
            children=tuple(self._children),
            versions=self._versions,
            notes=tuple(self._notes),
        )

    def _surroundings_found(self, event: protocol.SurroundingsFound) -> None:
        self._surroundings = event.surroundings

    def _host_found(self, event: protocol.HostFound) -> None:
        self._host = event.host

    def _device_found(self, event: protocol.DeviceFound) -> None:
        self._devices[event.device.id] = event.device
        if event.chosen:
            self.device, self.backend = event.device.id, event.device.backend

    def _version_found(self, event: protocol.VersionFound) -> None:
        self._versions[event.name] = event.version

    def _started(self, event: protocol.Started) -> None:
        self.item = event.item

    def _measured(self, event: protocol.Measured) -> None:
        self._readings.append(event.reading)
        self.item = ""
        if event.fatal:
            self.lost = event.reading

    def _series_found(self, event: protocol.SeriesFound) -> None:
        self._lessons.setdefault(event.lesson, []).append(event.series)

    def _noted(self, event: protocol.Noted) -> None:
        if event.message not in self._notes:
            self._notes.append(event.message)

    def _refused(self, event: protocol.Refused) -> None:
        self.refusal = event.answer


_HANDLERS: Final[Mapping[type[Any], Callable[[Collector, Any], None]]] = MappingProxyType(
    {
        protocol.SurroundingsFound: Collector._surroundings_found,
        protocol.HostFound: Collector._host_found,
        protocol.DeviceFound: Collector._device_found,
        protocol.VersionFound: Collector._version_found,
        protocol.Started: Collector._started,
        protocol.Measured: Collector._measured,
        protocol.SeriesFound: Collector._series_found,
        protocol.Noted: Collector._noted,
        protocol.Refused: Collector._refused,
    }
)


def merged(first: ProbeRun, second: ProbeRun) -> ProbeRun:
    """A run and its continuation without the item that ended it: later results win, nothing is lost."""
    again = {r.item for r in second.readings}
    lessons = {lesson.key: lesson for lesson in (*first.lessons, *second.lessons)}
    return evolve(
        second,
        started=first.started,
        seconds=first.seconds + second.seconds,
        readings=(*(r for r in first.readings if r.item not in again), *second.readings),
        lessons=tuple(lessons.values()),
        children=(*first.children, *second.children),
        devices=second.devices or first.devices,
        device=second.device or first.device,
        versions={**first.versions, **second.versions},
        notes=tuple(dict.fromkeys((*first.notes, *second.notes))),
    )
