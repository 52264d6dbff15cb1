"""Every answer of a document checked at once: what a file brings in must pass what the window would have let in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.catalogue import Catalogue
from engine.consultation import Consultation, Workload
from engine.edits import apply_all, get
from engine.errors import InvalidInput, UnknownId, WaypostError
from engine.messages import Quantity, msg
from engine.questions.registry import QUESTIONS, question, validate
from engine.questions.types import Kind
from engine.units import TOKENS


def check_answers(consultation: Consultation, catalogue: Catalogue) -> None:
    """Refuse the first answer outside its limits or naming what the catalogue does not hold, with the workload's name.

    Raises InvalidInput. Scenarios are checked as they would be judged.
    """
    _check_ids(consultation)
    for workload in consultation.workloads:
        _check_named(workload, catalogue, workload.name or workload.id)
    for scenario in consultation.scenarios:
        known = {w.id for w in consultation.workloads}
        for change in scenario.changes:
            if change.workload is not None and change.workload not in known:
                raise UnknownId("workload", change.workload, known)
        try:
            varied = apply_all(consultation, scenario.changes)
        except (ValueError, TypeError, WaypostError) as error:
            problem = error.message if isinstance(error, WaypostError) else str(error)
            raise InvalidInput(
                msg("error.in_workload", workload=scenario.name or scenario.id, problem=problem)
            ) from error
        for workload in varied.workloads:
            _check_named(workload, catalogue, f"{scenario.name or scenario.id}, {workload.name or workload.id}")


def _check_ids(consultation: Consultation) -> None:
    seen: set[str] = set()
    for workload in consultation.workloads:
        if not workload.id or workload.id in seen:
            raise InvalidInput(msg("error.workload_id", id=workload.id))
        seen.add(workload.id)


def _check_named(workload: Workload, catalogue: Catalogue, name: str) -> None:
    try:
        check_workload(workload, catalogue)
    except (InvalidInput, UnknownId) as error:
        raise InvalidInput(msg("error.in_workload", workload=name, problem=error.message)) from error


def check_workload(workload: Workload, catalogue: Catalogue) -> None:
    """As `check_answers`, for one workload. Raises InvalidInput, UnknownId."""
    for asked in QUESTIONS:
        _check(asked.path, get(workload, asked.path), catalogue)
    for stage in workload.stages:
        for path, value in stage.answers.items():
            question(path)
            _check(path, value, catalogue)
    _check_context(workload, catalogue)


def _check(path: str, value: Any, catalogue: Catalogue) -> None:
    asked = question(path)
    if asked.kind is Kind.LIST:
        _check_list(asked.table, value or (), catalogue)
    else:
        validate(path, value, catalogue.ids(asked.table) if asked.table else None)


def _check_list(table: str, entries: Iterable[Any], catalogue: Catalogue) -> None:
    known = set(catalogue.ids(table))
    for entry in entries:
        name = entry if isinstance(entry, str) else entry.device
        if name not in known:
            raise UnknownId(table, name, known)
        if not isinstance(entry, str):
            validate("serving.device_count", entry.count)


def _check_context(workload: Workload, catalogue: Catalogue) -> None:
    """A context beyond what the model was made for is no question to memory or speed."""
    model_id, wanted = workload.serving.model, workload.serving.context_tokens
    if model_id is None or wanted is None:
        return
    limit = catalogue.model(model_id).max_context
    if limit is not None and wanted > limit:
        asked = question("serving.context_tokens")
        raise InvalidInput(
            msg("error.beyond_context", field=asked.title, model=model_id, limit=Quantity(limit, TOKENS))
        )
