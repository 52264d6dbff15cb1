"""Where a row reads and writes its answer: the workload on show, a scenario of it, or one of its stages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from app.present.tones import Tone
from app.session import Session, parts, value_of
from app.ui.context import Ui
from engine.consultation import Change, Consultation, Origin, Scenario, Stage
from engine.messages import Message, msg

if TYPE_CHECKING:
    from engine.assumptions import Assumption


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

    def __init__(self, ui: Ui, scenario_id: str) -> None:
        self._ui = ui
        self._session = ui.session
        self.scenario_id = scenario_id

    @property
    def _scenario(self) -> Scenario | None:
        return next((s for s in self._session.consultation.scenarios if s.id == self.scenario_id), None)

    @property
    def exists(self) -> bool:
        return self._scenario is not None

    @property
    def name(self) -> str:
        return self._scenario.name if self._scenario else ""

    def paths(self) -> list[str]:
        scenario = self._scenario
        own = scenario.changes if scenario else ()
        return [c.path for c in own if c.workload == self._session.workload_id]

    def value(self, path: str) -> Any:
        scenario = self._scenario
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
            after = parts.vary(session.consultation, self.scenario_id, path, value, session.workload_id)
            key = f"scenario-{self.scenario_id}-{path}" if merge else ""
            session.edit(msg("ui.edit.scenario"), after, ("scenarios",), initiator, key)
        return wrong

    def rename(self, name: str, initiator: object) -> None:
        after = parts.rename_scenario(self._session.consultation, self.scenario_id, name)
        self._session.edit(
            msg("ui.edit.scenario"), after, ("scenarios",), initiator, key=f"scenario-name-{self.scenario_id}"
        )

    def copy(self, name: str) -> None:
        scenario = self._scenario
        if scenario is not None:
            after, _ = parts.add_scenario(self._session.consultation, name, scenario.changes)
            self._session.edit(msg("ui.edit.scenario_added"), after, ("scenarios",))

    def remove(self) -> None:
        after = parts.remove_scenario(self._session.consultation, self.scenario_id)
        removed(self._ui, msg("ui.edit.scenario_removed"), after, "scenarios", "ui.scenario.removed")


class StageAnswers:
    """What one stage of the workload on show answers otherwise; the rest it inherits."""

    def __init__(self, ui: Ui, stage_id: str) -> None:
        self._ui = ui
        self._session = ui.session
        self.stage_id = stage_id

    @property
    def _stage(self) -> Stage | None:
        workload = self._session.workload
        return next((s for s in workload.stages if s.id == self.stage_id), None) if workload else None

    @property
    def exists(self) -> bool:
        return self._stage is not None

    @property
    def name(self) -> str:
        return self._stage.name if self._stage else ""

    def paths(self) -> list[str]:
        return list(self._stage.answers) if self._stage else []

    def value(self, path: str) -> Any:
        stage = self._stage
        if stage is not None and path in stage.answers:
            return stage.answers[path]
        return value_of(self._session.workload, path)

    def origin(self, path: str) -> Origin:
        return self._session.consultation.origin(self._session.workload_id, path)

    def assumption(self, _path: str) -> Assumption | None:
        return None

    def put(self, path: str, value: Any, initiator: object, _origin: Origin, *, merge: bool) -> Message | None:
        session = self._session
        wrong = session.check(Change(path, value, session.workload_id))
        if wrong is None:
            after = parts.vary_stage(session.consultation, session.workload_id, self.stage_id, path, value)
            key = f"stage-{self.stage_id}-{path}" if merge else ""
            session.edit(msg("ui.edit.stage"), after, (f"{session.workload_id}/stages",), initiator, key)
        return wrong

    def rename(self, name: str, initiator: object) -> None:
        session = self._session
        after = parts.rename_stage(session.consultation, session.workload_id, self.stage_id, name)
        session.edit(
            msg("ui.edit.stage"),
            after,
            (f"{session.workload_id}/stages",),
            initiator,
            key=f"stage-name-{self.stage_id}",
        )

    def copy(self, name: str) -> None:
        session, stage = self._session, self._stage
        if stage is not None:
            after, _ = parts.add_stage(session.consultation, session.workload_id, name, stage.answers)
            session.edit(msg("ui.edit.stage_added"), after, (f"{session.workload_id}/stages",))

    def remove(self) -> None:
        session = self._session
        after = parts.remove_stage(session.consultation, session.workload_id, self.stage_id)
        removed(self._ui, msg("ui.edit.stage_removed"), after, f"{session.workload_id}/stages", "ui.stage.removed")


def removed(ui: Ui, name: Message, after: Consultation, field: str, said: str) -> None:
    """Take something out of the document, and offer it back."""
    ui.session.seal()
    ui.session.edit(name, after, (field,))
    ui.say(ui.t.text(said), Tone.PLAIN, ui.t.text("ui.top.undo"), ui.session.undo)
