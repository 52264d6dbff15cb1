"""The probe: what it will touch and for how long, the run as it goes, what was found, and the runs before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.present import design
from app.present.views import Callout, Cell, Table, Tone
from app.session import Changed
from app.session.tasks import Job
from app.ui.blocks.bullets import CalloutView
from app.ui.blocks.card import BlockCard
from app.ui.blocks.column import BlockColumn
from app.ui.blocks.table import TableView
from app.ui.context import Ui
from app.ui.pages.base import Page
from app.ui.pages.history_list import when
from app.ui.pages.views import view_of
from app.ui.theme import fix, pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.choice import Choice
from app.ui.widgets.segments import Segments
from app.ui.widgets.text import Text, surface
from engine.messages import msg
from engine.probe.documents import to_dict
from engine.probe.protocol import DeviceFound, Measured, Progress, Started
from engine.probe.results import ProbeRun, Reading
from engine.probe.runner import ProbeOptions, plan, run

if TYPE_CHECKING:
    from app.store.interface import ProbeRun as KeptRun

MODES = ("auto", "quick", "whole")
_QUICK: Mapping[str, bool | None] = {"auto": None, "quick": True, "whole": False}


class ProbeCard(QWidget):
    """What Start will do; while it runs how far it is, and Cancel."""

    def __init__(self, ui: Ui, start: Callable[[], None], stop: Callable[[], None]) -> None:
        super().__init__()
        self._ui = ui
        self.mode = "auto"
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        card = surface("card")
        outer.addWidget(card)
        column = QVBoxLayout(card)
        pad(ui.theme, column, (18, 14, 18, 14), 10)
        self.plan = Text(ui, "", design.BODY, wrap=True)
        self.touches = Text(ui, style=design.NOTE, ink="ink2", key="ui.probe.touches", wrap=True)
        column.addWidget(self.plan)
        column.addWidget(self.touches)
        row = QHBoxLayout()
        pad(ui.theme, row, (0, 0, 0, 0), 10)
        self.modes = Segments(ui, "probe-mode", self._choices())
        self.modes.chosen.connect(self._chose)
        self.start = Button(ui, "ui.probe.start", name="probe-start", kind="primary", icon="play")
        self.start.clicked.connect(start)
        self.stop = Button(ui, "ui.probe.stop", name="probe-stop", icon="stop")
        self.stop.clicked.connect(stop)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        fix(ui.theme, self.bar, min_width=160)
        self.doing = Text(ui, "", design.NOTE, "ink2")
        row.addWidget(self.modes)
        row.addWidget(self.bar, 1)
        row.addWidget(self.doing)
        row.addStretch(0)
        row.addWidget(self.stop)
        row.addWidget(self.start)
        column.addLayout(row)
        self.retranslate()
        self.show_running(False)

    def _choices(self) -> list[Choice]:
        t = self._ui.t
        return [Choice(mode, t.text(f"ui.probe.{mode}"), t.text(f"ui.probe.{mode}.hint")) for mode in MODES]

    def retranslate(self) -> None:
        t = self._ui.t
        self.modes.say(self._choices())
        self.modes.show_value(self.mode)
        self.modes.setAccessibleName(t.text("ui.probe.mode"))
        self.bar.setAccessibleName(t.text("ui.probe.progress"))
        self.plan.say(t(plan(self.options).message))

    @property
    def options(self) -> ProbeOptions:
        return ProbeOptions(quick=_QUICK[self.mode])

    def _chose(self, mode: str) -> None:
        self.mode = mode
        self.retranslate()

    def show_running(self, running: bool) -> None:
        self.modes.setVisible(not running)
        self.start.setVisible(not running)
        for part in (self.bar, self.doing, self.stop):
            part.setVisible(running)
        self.stop.setEnabled(True)
        if running:
            self.bar.setRange(0, plan(self.options).items)
            self.bar.setValue(0)
            self.doing.say("")

    def show_item(self, item: str, done: int) -> None:
        key = f"probe.item.{item}"
        self.doing.say(self._ui.t.text(key) if self._ui.t.has(key) else item)
        self.bar.setValue(done)

    def show_stopping(self) -> None:
        self.stop.setEnabled(False)
        self.doing.say(self._ui.t.text("ui.probe.stopping"))


class ProbePage(Page):
    def __init__(self, ui: Ui, key: str) -> None:
        super().__init__(ui, key)
        self.card = ProbeCard(ui, self.start, self.stop)
        self.live = BlockCard(ui, TableView(ui))
        self.said = CalloutView(ui)
        self.blocks = BlockColumn(ui)
        self.before = BlockCard(ui, TableView(ui))
        for part in (self.card, self.said, self.live, self.blocks, self.before):
            self.column.addWidget(part)
        self.finish()
        self.running = False
        self._job: Job | None = None
        self.runner = run
        self._found: list[Reading] = []
        self._last: ProbeRun | None = None
        self._kept: tuple[KeptRun, ...] = ()
        self.live.hide()
        self.said.hide()
        self.before.hide()

    # showing

    def refresh(self, changed: Changed | None = None) -> None:
        t = self.ui.t
        view = view_of(self.ui, self.key) if self.ui.session.consultation.probe is not None else None
        if self.running:
            self.say_head(t.text("ui.stop.probe"), t.text("ui.probe.running"), t.text("ui.probe.lead"))
        elif view is not None:
            self.show_head_of(view)
        elif self._last is not None:
            self.say_head(t.text("ui.stop.probe"), t(self._last.outcome.message))
        else:
            self.say_head(t.text("ui.stop.probe"), t.text("ui.probe.title"), t.text("ui.probe.lead"))
        self.blocks.show_blocks(view.blocks if view is not None and not self.running else ())
        self.blocks.setVisible(view is not None and not self.running)
        self._show_outcome(view is not None)
        self._show_before()

    def _show_outcome(self, taken_in: bool) -> None:
        """Without an open consultation the run is still told."""
        last = self._last
        show = last is not None and not taken_in and not self.running
        self.said.setVisible(show)
        self.live.setVisible(self.running or (show and bool(self._found)))
        if last is not None and show:
            advice = self.ui.t(last.outcome.advice) if last.outcome.advice is not None else ""
            self.said.show_block(
                Callout(advice or self.ui.t(last.outcome.message), Tone.WARN if advice else Tone.PLAIN)
            )

    def _show_live(self) -> None:
        t = self.ui.t
        rows = tuple(
            (
                Cell(t.text(f"probe.item.{r.item}") if t.has(f"probe.item.{r.item}") else r.item),
                Cell(t.figure(r.estimate()), strong=True) if r.measured else Cell("–", Tone.MUTED),
                Cell(r.size or (t(r.reason) if r.reason is not None else ""), Tone.MUTED),
            )
            for r in self._found
        )
        headers = ("", t.text("ui.probe.measured"), t.text("ui.probe.size"))
        self.live.show_block(Table(headers, rows, t.text("ui.probe.live"), frozenset({1}), t.text("ui.probe.waiting")))

    def _show_before(self) -> None:
        t = self.ui.t
        rows = tuple(
            (
                Cell(when(self.ui, kept.at)),
                Cell(kept.machine, strong=True),
                Cell(_headline(self.ui, kept.result), Tone.MUTED),
            )
            for kept in self._kept[:12]
        )
        headers = (t.text("ui.probe.when"), t.text("ui.probe.machine"), t.text("ui.probe.read"))
        self.before.show_block(Table(headers, rows, t.text("ui.probe.before"), frozenset({2})))
        self.before.setVisible(bool(rows) and not self.running)

    def shown(self) -> None:
        store = self.ui.store
        if store is not None:
            self.ui.session.tasks.run(
                lambda _c: store.probes.recent(), self._have_kept, self.ui.error, channel="probes", serial=True
            )

    def _have_kept(self, kept: tuple[KeptRun, ...]) -> None:
        self._kept = kept
        self._show_before()

    # the run

    def start(self) -> None:
        if self.running:
            return
        options, runner = self.card.options, self.runner
        self._found = []
        self.card.show_running(True)
        self._show_live()
        self.running = True
        self._job = self.ui.session.tasks.run(
            lambda cancel: runner(options, cancel.tell, cancel.event), self._ended, self._broke, told=self._heard
        )
        self.refresh()

    def stop(self) -> None:
        """Ask the run to end; what it has found until then is kept."""
        if self.running and self._job is not None:
            self.card.show_stopping()
            self._job.cancel.event.set()

    def _heard(self, event: object) -> None:
        if isinstance(event, Started | Progress):
            self.card.show_item(event.item, len(self._found))
        elif isinstance(event, Measured):
            self._found.append(event.reading)
            self.card.show_item(event.reading.item, len(self._found))
            self._show_live()
        elif isinstance(event, DeviceFound) and event.chosen:
            self.lead.say(event.device.name)

    def _ended(self, found: ProbeRun) -> None:
        self.running = False
        self._last = found
        self._found = list(found.readings)
        self.card.show_running(False)
        self._show_live()
        document = to_dict(found)
        session = self.ui.session
        if session.is_open:
            session.edit(msg("ui.edit.probe"), attrs.evolve(session.consultation, probe=document), ("probe",))
        self._keep(document, found)
        self.refresh()

    def _keep(self, document: Mapping[str, Any], found: ProbeRun) -> None:
        store, device = self.ui.store, found.measured_device()
        machine = device.name if device is not None else self.ui.t.text("ui.probe.no_gpu")
        if store is not None:
            self.ui.session.tasks.run(
                lambda _c: store.probes.add(document, machine), self._was_kept, self.ui.error, serial=True
            )

    def _was_kept(self, _run: object) -> None:
        self.shown()

    def _broke(self, error: BaseException) -> None:
        self.running = False
        self.card.show_running(False)
        self.refresh()
        self.ui.error(error)


def _headline(ui: Ui, result: Mapping[str, Any]) -> str:
    """What a kept run read from memory in a second."""
    from engine.errors import WaypostError
    from engine.probe.documents import from_dict

    try:
        reading = from_dict(result).reading("read")
    except WaypostError:
        return ""
    return ui.t.figure(reading.estimate()) if reading is not None and reading.measured else ""
