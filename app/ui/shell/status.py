"""The status line: is it saved, how old is the catalogue, does anything use the network, which keys move on."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar

from app.present import design
from app.session import SaveState
from app.ui.context import Ui
from app.ui.theme import fix, pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.text import KeyCap, Text

BUSY_AFTER_MS = 300
"""Work shorter than this shows no bar."""


class StatusLine(QFrame):
    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self.setObjectName("status")
        self.setProperty("surface", "status")
        fix(ui.theme, self, height=32)
        row = QHBoxLayout(self)
        pad(ui.theme, row, (18, 1, 18, 0), 20)
        self.saved = Text(ui, "", design.SMALL, "ink3")
        self.saved.setObjectName("save-state")
        self.catalogue = Text(ui, "", design.SMALL, "ink3")
        self.network = Text(ui, style=design.SMALL, ink="ink3", key="ui.status.network")
        for part in (self.saved, self.catalogue, self.network):
            row.addWidget(part)
        self.work = Text(ui, "", design.SMALL, "accent")
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(ui.t.text("ui.status.working"))
        fix(ui.theme, self.bar, width=90)
        self.stop = Button(ui, "ui.status.cancel", name="cancel-work", kind="quiet")
        self.stop.clicked.connect(self._stop)
        for busy in (self.work, self.bar, self.stop):
            row.addWidget(busy)
            busy.hide()
        row.addStretch(1)
        self._keys(row, "ui.status.back", "Alt ←")
        self._keys(row, "ui.status.next", "Enter")
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(BUSY_AFTER_MS)
        self._timer.timeout.connect(self._show_busy)
        ui.session.save_changed.connect(self._save_changed)
        ui.session.tasks.busy_changed.connect(self._busy)
        self.retranslate()

    def _keys(self, row: QHBoxLayout, key: str, cap: str) -> None:
        words = Text(self._ui, style=design.SMALL, ink="ink2", key=key)
        pair = QHBoxLayout()
        pad(self._ui.theme, pair, (0, 0, 0, 0), 6)
        pair.addWidget(words)
        pair.addWidget(KeyCap(self._ui, cap))
        row.addLayout(pair)

    def retranslate(self) -> None:
        self._save_changed(self._ui.session.save_state)
        self.refresh()

    def refresh(self) -> None:
        t, catalogue = self._ui.t, self._ui.session.catalogue
        self.catalogue.say(
            t.text("ui.status.catalogue", version=catalogue.version) if catalogue else t.text("ui.status.reading")
        )

    def _save_changed(self, state: SaveState) -> None:
        open_ = self._ui.session.is_open
        self.saved.say(self._ui.t.text(f"ui.status.save.{state.value}") if open_ or state is SaveState.NO_STORE else "")
        self.saved.ink("bad" if state is SaveState.FAILED else "warn" if state is SaveState.NO_STORE else "ink3")

    def _busy(self, count: int) -> None:
        if count and not self._timer.isActive() and self.bar.isHidden():
            self._timer.start()
        elif not count:
            self._timer.stop()
            for part in (self.work, self.bar, self.stop):
                part.hide()

    def _show_busy(self) -> None:
        tasks = self._ui.session.tasks
        if tasks.busy:
            titled = tasks.titled
            self.work.say(titled.title if titled else self._ui.t.text("ui.status.working"))
            self.work.show()
            self.bar.show()
            self.stop.setVisible(titled is not None)

    def _stop(self) -> None:
        tasks = self._ui.session.tasks
        if tasks.titled is not None:
            tasks.stop(tasks.titled)
