"""The open consultation: state, undo, signals.

One direction: a widget hands over an intent, `apply` makes a new frozen document, `changed` says which fields and who began it,
`assessed` brings the new answer. The document before an edit is kept whole in the undo step, so undo cannot miss anything.
"""

from __future__ import annotations

import enum
import logging
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

import attrs
from attrs import frozen
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from app.session.assessing import Assessing, Assessor
from app.session.tasks import Tasks
from engine.consultation import Change, Consultation, Origin, Workload
from engine.edits import apply as apply_change
from engine.edits import get
from engine.errors import InvalidInput, WaypostError
from engine.messages import Message, msg
from engine.questions import question, validate
from engine.questions.registry import QUESTIONS
from engine.questions.types import Kind

if TYPE_CHECKING:
    from engine.catalogue import Catalogue
    from engine.results import Assessment, WorkloadAssessment

log = logging.getLogger("waypost.session")

UNDO_STEPS: Final = 200
DRAFT_DELAY_MS: Final = 1000
SaveDraft = Callable[[Consultation], None]


@frozen
class Changed:
    """What an edit touched. `fields`: "<workload>/<path>", or the path alone for the consultation's own."""

    fields: frozenset[str]
    initiator: object | None = None
    everything: bool = False
    """Another document, or an undo that may have moved anything: read all again."""

    def touches(self, prefix: str) -> bool:
        return self.everything or any(f.startswith(prefix) for f in self.fields)


class SaveState(enum.StrEnum):
    CLEAN = "clean"
    WAITING = "waiting"
    SAVED = "saved"
    FAILED = "failed"
    NO_STORE = "no_store"


class _Step(QUndoCommand):
    """Before and after, whole. Steps with one key merge while nothing came between."""

    def __init__(self, session: Session, name: Message, after: Consultation, changed: Changed, key: str) -> None:
        super().__init__()
        self._session = session
        self.name = name
        self.before = session.consultation
        self.after = after
        self.fields = changed
        self.key = key
        self._first = True

    def id(self) -> int:
        return 1 if self.key else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _Step) or other.key != self.key:
            return False
        self.after = other.after
        if self.after == self.before:
            self.setObsolete(True)
        return True

    def redo(self) -> None:
        initiator = self.fields.initiator if self._first else None
        self._first = False
        self._session._show(self.after, attrs.evolve(self.fields, initiator=initiator))

    def undo(self) -> None:
        self._session._show(self.before, attrs.evolve(self.fields, initiator=None))


class Session(QObject):
    """Holds the document and everything said about it. Widgets get it by constructor and keep no state of their own."""

    changed = Signal(object)
    assessed = Signal(object)
    opened = Signal()
    refused = Signal(str, object)
    """Path of the field and the sentence; the document is as it was."""
    failed = Signal(object)
    """A Message nobody asked for: the draft could not be written, the answer could not be computed."""
    workload_changed = Signal(str)
    save_changed = Signal(object)

    def __init__(self, tasks: Tasks, assessor: Assessor | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tasks = tasks
        self.undo_stack = QUndoStack(self)
        self.undo_stack.setUndoLimit(UNDO_STEPS)
        self.catalogue: Catalogue | None = None
        self.assessment: Assessment | None = None
        self.before_last: Assessment | None = None
        """The answer before the last edit: what "what just changed" is told from."""
        self.last_change: Changed | None = None
        self.save_state = SaveState.NO_STORE
        self.assessing = Assessing(tasks, assessor, self)
        self.assessing.answered.connect(self._take)
        self.assessing.deepened.connect(self._take_deeper)
        self.assessing.failed.connect(self._could_not)
        self._consultation = Consultation(id="")
        self._workload_id = ""
        self._key = ""
        self._save_draft: SaveDraft | None = None
        self._draft_timer = QTimer(self)
        self._draft_timer.setSingleShot(True)
        self._draft_timer.setInterval(DRAFT_DELAY_MS)
        self._draft_timer.timeout.connect(self.save_draft_now)

    # the document

    @property
    def consultation(self) -> Consultation:
        return self._consultation

    @property
    def is_open(self) -> bool:
        return bool(self._consultation.id)

    @property
    def workload_id(self) -> str:
        return self._workload_id

    @property
    def workload(self) -> Workload | None:
        """The workload on show."""
        found = [w for w in self._consultation.workloads if w.id == self._workload_id]
        return found[0] if found else None

    @property
    def assessed_workload(self) -> WorkloadAssessment | None:
        """What is said about the workload on show, or None while nothing was computed."""
        if self.assessment is None:
            return None
        found = [a for a in self.assessment.workloads if a.workload.id == self._workload_id]
        return found[0] if found else None

    def open(self, consultation: Consultation, *, dirty: bool = False) -> None:
        """Put another document on the table. Its undo history starts empty."""
        self.flush()
        self.undo_stack.clear()
        self._consultation = consultation
        self._workload_id = consultation.workloads[0].id if consultation.workloads else ""
        self.assessment = self.before_last = self.last_change = None
        self.seal()
        self._set_save_state(SaveState.CLEAN if self._save_draft else SaveState.NO_STORE)
        self.opened.emit()
        self.changed.emit(Changed(frozenset(), everything=True))
        self.assess()
        if dirty:
            self._touch_draft()

    def close(self) -> None:
        """Nothing on the table."""
        self.flush()
        self.open(Consultation(id=""))

    def show_workload(self, workload_id: str) -> None:
        if workload_id != self._workload_id and any(w.id == workload_id for w in self._consultation.workloads):
            self._workload_id = workload_id
            self.before_last = self.last_change = None
            self.seal()
            self.workload_changed.emit(workload_id)

    # edits

    def answer(
        self, path: str, value: Any, initiator: object = None, origin: Origin = Origin.SAID, *, merge: bool = False
    ) -> bool:
        """One answer of the workload on show. False: refused, and `refused` said why."""
        return self.apply(Change(path, value, self._workload_id), initiator, origin, merge=merge)

    def apply(
        self, change: Change, initiator: object = None, origin: Origin = Origin.SAID, *, merge: bool = False
    ) -> bool:
        """Make a change if it is allowed. `merge`: part of one stretch of typing, one undo step until `seal`."""
        wrong = self.check(change)
        if wrong is not None:
            self.refused.emit(change.path, wrong)
            return False
        after = apply_change(self._consultation, change, origin)
        field = f"{change.workload}/{change.path}" if change.workload else change.path
        name = question(change.path).title if change.workload and change.path in _PATHS else msg("ui.edit.field")
        self.edit(name, after, (field,), initiator, field if merge else "")
        return True

    def apply_all(self, name: Message, changes: Iterable[Change], origin: Origin = Origin.SAID) -> None:
        """Several answers as one undo step; the changes are the engine's own and are not asked again."""
        after, fields = self._consultation, []
        for change in changes:
            after = apply_change(after, change, origin)
            fields.append(f"{change.workload}/{change.path}" if change.workload else change.path)
        self.edit(name, after, fields)

    def edit(
        self, name: Message, after: Consultation, fields: Iterable[str], initiator: object = None, key: str = ""
    ) -> None:
        """Any other change of the document as one named undo step."""
        if after == self._consultation:
            return
        step_key = f"{key}#{self._key}" if key else ""
        self.undo_stack.push(_Step(self, name, after, Changed(frozenset(fields), initiator), step_key))

    def seal(self) -> None:
        """What is typed from here on is another undo step (the focus left the field)."""
        self._key = str(time.monotonic_ns())

    def undo(self) -> None:
        self.seal()
        self.undo_stack.undo()

    def redo(self) -> None:
        self.seal()
        self.undo_stack.redo()

    @property
    def undo_name(self) -> Message | None:
        return self._name_of(self.undo_stack.index() - 1)

    @property
    def redo_name(self) -> Message | None:
        return self._name_of(self.undo_stack.index())

    def _name_of(self, index: int) -> Message | None:
        step = self.undo_stack.command(index) if 0 <= index < self.undo_stack.count() else None
        return step.name if isinstance(step, _Step) else None

    def check(self, change: Change) -> Message | None:
        """Why a change would be refused; None: it may be made."""
        try:
            self._check(change)
        except WaypostError as error:
            return error.message
        return None

    def _check(self, change: Change) -> None:
        if change.workload is None or change.path not in _PATHS:
            return
        asked = question(change.path)
        known = self.catalogue.ids(asked.table) if asked.kind is Kind.CATALOGUE and self.catalogue else None
        validate(change.path, change.value, known)
        if change.path == "serving.context_tokens" and change.value is not None:
            self._check_context(int(change.value), change.workload)

    def _check_context(self, wanted: int, workload_id: str) -> None:
        model_id = self._consultation.workload(workload_id).serving.model
        model = self.catalogue.models.get(model_id) if self.catalogue and model_id else None
        if model is not None and model.max_context and wanted > model.max_context:
            raise InvalidInput(msg("ui.field.context_too_long", limit=model.max_context))

    def _show(self, consultation: Consultation, changed: Changed) -> None:
        self._consultation = consultation
        if self._workload_id not in {w.id for w in consultation.workloads}:
            self._workload_id = consultation.workloads[0].id if consultation.workloads else ""
            changed = attrs.evolve(changed, everything=True)
        self.last_change = changed
        self.changed.emit(changed)
        self._touch_draft()
        self.assess()

    # the answer

    def set_catalogue(self, catalogue: Catalogue) -> None:
        """The catalogue was read (or the user changed a row): everything is answered again."""
        self.catalogue = catalogue
        self.changed.emit(Changed(frozenset(), everything=True))
        self.assess()

    def assess(self) -> None:
        """Answer the document as it stands, off the window's thread."""
        if self.catalogue is not None and self.is_open:
            self.assessing.ask(self._consultation, self.catalogue)

    def _take(self, answer: Assessment) -> None:
        if answer.consultation.id == self._consultation.id:
            self.before_last, self.assessment = self.assessment, answer
            self.assessed.emit(answer)

    def _take_deeper(self, answer: Assessment) -> None:
        """The answer on show, with more in it; what the last edit changed is told from the same answer as before."""
        if self.assessment is not None and answer.consultation is self.assessment.consultation:
            self.assessment = answer
            self.assessed.emit(answer)

    def _could_not(self, error: BaseException) -> None:
        log.error("assess failed", exc_info=error)
        message = error.message if isinstance(error, WaypostError) else msg("ui.error.assess", where=str(error)[:120])
        self.failed.emit(message)

    # the draft

    def keep_drafts(self, save: SaveDraft | None) -> None:
        """`save` runs on the files' worker. None: nothing is kept, and the status line says so."""
        self._save_draft = save
        self._set_save_state(SaveState.CLEAN if save else SaveState.NO_STORE)

    def _touch_draft(self) -> None:
        if self._save_draft is not None and self.is_open:
            self._set_save_state(SaveState.WAITING)
            self._draft_timer.start()

    def save_draft_now(self) -> None:
        """Write the draft without waiting for the pause."""
        self._draft_timer.stop()
        save, document = self._save_draft, self._consultation
        if save is None or self.save_state not in (SaveState.WAITING, SaveState.FAILED):
            return
        self.tasks.run(lambda _cancel: save(document), self._draft_saved, self._draft_failed, serial=True)

    def flush(self) -> None:
        """Before the document leaves the table: nothing typed is lost."""
        if self.save_state is SaveState.WAITING:
            self.save_draft_now()

    def _draft_saved(self, _nothing: object) -> None:
        if not self._draft_timer.isActive():
            self._set_save_state(SaveState.SAVED)

    def _draft_failed(self, error: BaseException) -> None:
        log.error("draft not written", exc_info=error)
        self._set_save_state(SaveState.FAILED)
        message = error.message if isinstance(error, WaypostError) else msg("ui.error.draft", where=str(error)[:120])
        self.failed.emit(message)

    def _set_save_state(self, state: SaveState) -> None:
        self.save_state = state
        self.save_changed.emit(state)


_PATHS: Final = frozenset(q.path for q in QUESTIONS)


def value_of(workload: Workload | None, path: str) -> Any:
    """The answer at a question's path; None where there is no workload."""
    return None if workload is None else get(workload, path)
