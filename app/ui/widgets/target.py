"""Where a row reads and writes its answer: the workload on show, or a scenario's variation of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from app import documents
from app.session import Session, value_of
from engine.consultation import Change, Origin, Scenario
from engine.messages import Message, msg

if TYPE_CHECKING:
    from engine.advice.results import Assumption


class AnswerTarget(Protocol):
    def value(self, path: str) -> Any: ...

    def origin(self, path: str) -> Origin: ...

    def assumption(self, path: str) -> Assumption | None: ...

    def put(self, path: str, value: Any, initiator: object, origin: Origin, *, merge: bool) -> Message | None:
        """Make the change, or say why not."""


class BaseAnswers:
    """The workload on show."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def value(self, path: str) -> Any:
        return value_of(self._session.workload, path)

    def origin(self, path: str) -> Origin:
        return self._session.consultation.origin(self._session.workload_id, path)

    def assumption(self, path: str) -> Assumption | None:
        assessed = self._session.assessed_workload
        found = [a for a in assessed.assumptions if a.path == path] if assessed else []
        return found[0] if found else None

    def put(self, path: str, value: Any, initiator: object, origin: Origin, *, merge: bool) -> Message | None:
        session = self._session
        wrong = session.check(Change(path, value, session.workload_id))
        if wrong is None:
            session.answer(path, value, initiator, origin, merge=merge)
        return wrong


class ScenarioAnswers:
    """A scenario's answers for the workload on show; setting the base's own value takes the change out again."""

    def __init__(self, session: Session, scenario_id: str) -> None:
        self._session = session
        self.scenario_id = scenario_id

    @property
    def scenario(self) -> Scenario | None:
        return next((s for s in self._session.consultation.scenarios if s.id == self.scenario_id), None)

    def value(self, path: str) -> Any:
        scenario = self.scenario
        if scenario is not None:
            for change in scenario.changes:
                if (change.path, change.workload) == (path, self._session.workload_id):
                    return change.value
        return value_of(self._session.workload, path)

    def origin(self, path: str) -> Origin:
        return self._session.consultation.origin(self._session.workload_id, path)

    def assumption(self, _path: str) -> Assumption | None:
        return None

    def put(self, path: str, value: Any, initiator: object, _origin: Origin, *, merge: bool) -> Message | None:
        session = self._session
        wrong = session.check(Change(path, value, session.workload_id))
        if wrong is None:
            after = documents.vary(session.consultation, self.scenario_id, path, value, session.workload_id)
            key = f"scenario-{self.scenario_id}-{path}" if merge else ""
            session.edit(msg("ui.edit.scenario"), after, ("scenarios",), initiator, key)
        return wrong
