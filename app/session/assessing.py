"""Asks the engine off the window's thread, one question at a time: what was asked meanwhile is asked once, as it then stands."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

from app.session.tasks import Tasks
from engine.consultation import Consultation

if TYPE_CHECKING:
    from engine.catalogue import Catalogue
    from engine.results import Assessment

STALE_AFTER_MS: Final = 250
"""An answer that takes longer marks the one on show as old."""

Assessor = Callable[[Consultation, "Catalogue"], "Assessment"]
Deepener = Callable[["Assessment", "Catalogue", Callable[[], None]], "Assessment"]
DEEPENING: Final = "deepening"
"""The channel of what follows an answer; a new question cancels it."""


class Assessing(QObject):
    """`answered` carries an Assessment, `failed` an exception; both on the window's thread."""

    answered = Signal(object)
    deepened = Signal(object)
    """The last answer again, with what takes longer: how stable its verdicts are."""
    failed = Signal(object)
    stale_changed = Signal(bool)

    def __init__(
        self,
        tasks: Tasks,
        assessor: Assessor | None = None,
        parent: QObject | None = None,
        deepener: Deepener | None = None,
    ) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._assessor = assessor or assess_with_engine
        self._deepener = deepener or (deepen_with_engine if assessor is None else None)
        self._catalogue: Catalogue | None = None
        self._asked: tuple[Consultation, Catalogue] | None = None
        self._running = False
        self._stale = False
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(STALE_AFTER_MS)
        self._patience.timeout.connect(self._lost_patience)

    @property
    def stale(self) -> bool:
        """The answer on show is old and the new one takes its time."""
        return self._stale

    def ask(self, consultation: Consultation, catalogue: Catalogue) -> None:
        """Answer this document; an answer under way for an older one is not shown any more."""
        self._asked = (consultation, catalogue)
        self._tasks.cancel_channel(DEEPENING)
        if not self._running:
            self._start()

    def _start(self) -> None:
        assert self._asked is not None
        (consultation, catalogue), self._asked = self._asked, None
        assessor, self._catalogue = self._assessor, catalogue
        self._running = True
        if not self._patience.isActive() and not self._stale:
            self._patience.start()
        job = self._tasks.run(lambda _cancel: assessor(consultation, catalogue), self._done, self._broke)
        if job is None:
            self._running = False

    def _done(self, answer: Assessment) -> None:
        self._running = False
        if self._asked is not None:
            self._start()
            return
        self._settle()
        self.answered.emit(answer)
        if self._asked is None and not self._running:
            self._deepen(answer)

    def _deepen(self, answer: Assessment) -> None:
        deepener, catalogue = self._deepener, self._catalogue
        if deepener is not None and catalogue is not None:
            self._tasks.run(lambda cancel: deepener(answer, catalogue, cancel.check), self._deeper, channel=DEEPENING)

    def _deeper(self, answer: Assessment) -> None:
        self.deepened.emit(answer)

    def _broke(self, error: BaseException) -> None:
        self._running = False
        if self._asked is not None:
            self._start()
            return
        self._settle()
        self.failed.emit(error)

    def _settle(self) -> None:
        self._patience.stop()
        self._mark(False)

    def _lost_patience(self) -> None:
        self._mark(True)

    def _mark(self, stale: bool) -> None:
        if stale != self._stale:
            self._stale = stale
            self.stale_changed.emit(stale)


def assess_with_engine(consultation: Consultation, catalogue: Catalogue) -> Assessment:
    """The engine's answer on the day at the desk."""
    from engine.assess import assess  # numpy stays out of the start

    return assess(consultation, catalogue, datetime.now(UTC).astimezone().date())


def deepen_with_engine(answer: Assessment, catalogue: Catalogue, check: Callable[[], None]) -> Assessment:
    """The engine's slower figures for an answer. `check` raises when nobody wants them any more."""
    from engine.assess import deepen

    return deepen(answer, catalogue, check)
