"""The window's net: what nobody foresaw becomes one line and a log, and a run that ended badly is said at the next start."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSocketNotifier, Qt, Signal

from app.host import crash
from app.present.tones import Tone
from app.ui.context import Ui
from engine.errors import WaypostError

if TYPE_CHECKING:
    from app.store.running import Run


class Safety(QObject):
    """Made with the window; `begin` once the history is there; `end` when the window has closed."""

    _happened = Signal(str)

    def __init__(self, ui: Ui, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ui = ui
        self._run: Run | None = None
        self._happened.connect(self._say, Qt.ConnectionType.QueuedConnection)  # hooks run in the thread that failed
        crash.catch(self._tell)

    def begin(self) -> None:
        """Note that this run is on, and offer what the last one had open if it ended badly. Nothing opens by itself."""
        from app.store.running import Run  # after the first paint

        self._run = Run()
        self._ui.session.opened.connect(self._note_open)
        self._note_open()
        if not self._run.unclean:
            return
        left_open = self._run.unclean[-1].consultation_id
        act = None if left_open is None else lambda: self._open_again(left_open)
        action = self._ui.t.text("error.unclean_end.open") if act else ""
        self._ui.say(self._ui.t.text("error.unclean_end"), Tone.WARN, action, act)

    def end(self) -> None:
        """A clean end."""
        if self._run is not None:
            self._run.end()
            self._run = None

    def _note_open(self) -> None:
        if self._run is not None:
            self._run.opened(self._ui.session.consultation.id or None)

    def _open_again(self, consultation_id: str) -> None:
        store = self._ui.store
        if store is None:
            return
        try:
            self._ui.session.open(store.drafts.load(consultation_id))
        except WaypostError as error:
            self._ui.error(error)

    def _tell(self, what: str) -> None:
        with contextlib.suppress(RuntimeError):  # the window is gone already
            self._happened.emit(what)

    def _say(self, what: str) -> None:
        self._ui.say(self._ui.t.text("error.unforeseen", what=what, path=str(crash.log_path())), Tone.BAD)


class Termination(QObject):
    """The system asks the program to end (log-out, shutdown): it ends as if the window had been closed.

    Python runs a signal's handler only when it has the word, and inside Qt's loop it may not have it for long: the signal's number
    comes through a socket that Qt watches.
    """

    def __init__(self, end: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._end = end
        self._ours, theirs = socket.socketpair()
        self._theirs = theirs
        for side in (self._ours, theirs):
            side.setblocking(False)
        self._kept: list[tuple[signal.Signals, object]] = []
        self._before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGTERM, *([signal.SIGHUP] if os.name == "posix" else [])):
            self._kept.append((number, signal.signal(number, _heard)))
        self._notifier = QSocketNotifier(self._ours.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._asked)

    def _asked(self) -> None:
        with contextlib.suppress(BlockingIOError):
            heard = self._ours.recv(64)
            if any(number in heard for number, _handler in self._kept):
                self._end()

    def release(self) -> None:
        """Give the signals back."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._before)
        for number, handler in self._kept:
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._ours.close()
        self._theirs.close()


def _heard(_number: int, _frame: FrameType | None) -> None:
    """What has to happen happens in `Termination._asked`."""
