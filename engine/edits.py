"""One changed answer in, a new document out. Paths are the questions' paths; nothing is ever changed in place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from engine.consultation import Change, Consultation, Origin, Workload
from engine.errors import UnknownId


def get(document: Any, path: str) -> Any:
    """The value at a dotted path of attribute names. Raises UnknownId when a part does not exist."""
    value = document
    for name in path.split("."):
        if not hasattr(value, name):
            raise UnknownId("question", path, (a.name for a in attrs.fields(type(document))))
        value = getattr(value, name)
    return value


def put(document: Any, path: str, value: Any) -> Any:
    """A copy of an attrs value with the attribute at `path` replaced. Raises UnknownId when a part does not exist."""
    name, _, rest = path.partition(".")
    if not hasattr(document, name):
        raise UnknownId("question", path, (a.name for a in attrs.fields(type(document))))
    inner = put(getattr(document, name), rest, value) if rest else _typed(document, name, value)
    return attrs.evolve(document, **{name: inner})


def _typed(document: Any, name: str, value: Any) -> Any:
    """A choice given as text becomes the enum member its field holds."""
    from engine.documents import converter  # noqa: PLC0415  (documents reads whole files; edits are its smaller half)

    field = attrs.fields_dict(attrs.resolve_types(type(document)))[name]
    if field.type is None or not isinstance(value, str):
        return value
    return converter().structure(value, field.type)


def apply(consultation: Consultation, change: Change, origin: Origin = Origin.SAID) -> Consultation:
    """The consultation with one change made; for an answer, where it came from is kept with it."""
    if change.workload is None:
        return put(consultation, change.path, change.value)  # type: ignore[no-any-return]
    workloads = tuple(
        put(w, change.path, change.value) if w.id == change.workload else w for w in consultation.workloads
    )
    origins = dict(consultation.origins)
    key = f"{change.workload}/{change.path}"
    origins.pop(key, None)
    if origin is not Origin.SAID and change.value is not None:
        origins[key] = origin
    return attrs.evolve(consultation, workloads=workloads, origins=origins)


def apply_all(consultation: Consultation, changes: Iterable[Change]) -> Consultation:
    for change in changes:
        consultation = apply(consultation, change)
    return consultation


def replace_workload(consultation: Consultation, workload: Workload) -> Consultation:
    """The consultation with the workload of the same id replaced."""
    workloads = tuple(workload if w.id == workload.id else w for w in consultation.workloads)
    return attrs.evolve(consultation, workloads=workloads)
