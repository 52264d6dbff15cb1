"""Regulations as presets: what a named rule says about the boundaries becomes answers, each with its source.

Orientation for an engineer, not legal advice. Where several rules meet, the strictest row counts. "Conditional" never becomes "no":
it leaves the boundary where it was and becomes something to ask.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import frozen

from engine.advice.meaning import BOUNDARY_ORDER
from engine.catalogue.catalogue import Catalogue
from engine.catalogue.rows import Regulation
from engine.consultation import Boundary, Change, Customer, Sensitivity, Workload
from engine.errors import UnknownId
from engine.estimate import Source
from engine.messages import Message, Name, msg

NO: Final = "no"
CONDITIONAL: Final = "conditional"

SECTORS: Final[Mapping[str, tuple[str, ...]]] = {
    "finance": ("finance", "payments", "credit"),
    "health": ("health",),
    "healthcare": ("health",),
    "public": ("public", "government"),
    "defence": ("defence",),
    "manufacturing": ("manufacturing", "semiconductors"),
    "education": ("education",),
    "mobility": ("location", "maps", "mobility"),
    "telecom": ("location",),
    "retail": (),
}
"""Sector of a customer -> words in the table's sector column."""

COUNTRIES: Final[Mapping[str, tuple[str, ...]]] = {
    "KR": ("Korea",),
    "EU": ("EU", "EU/EEA"),
    "DE": ("EU", "EU/EEA"),
    "FR": ("EU", "EU/EEA", "France"),
    "US": ("United States",),
    "JP": ("Japan",),
    "CN": ("China",),
    "IN": ("India",),
    "SG": ("Singapore",),
    "GB": ("United Kingdom",),
    "SA": ("Saudi Arabia",),
    "AE": ("United Arab Emirates",),
    "VN": ("Vietnam",),
}


@frozen
class Preset:
    """What the named regulations set, and what they leave to be asked."""

    changes: tuple[Change, ...]
    """Answers to set with origin PRESET."""
    sources: tuple[tuple[str, Source], ...]
    """Path -> source of the regulation that set it."""
    ask: tuple[Message, ...]
    """Conditions to be checked, one a regulation."""
    strictest: str | None
    """The regulation that set the boundary."""

    @property
    def note(self) -> Message:
        """Said wherever a preset is offered."""
        return msg("advice.regulation.orientation")


def boundary_of(regulation: Regulation) -> Boundary | None:
    """The farthest boundary a regulation leaves open; None where it sets none (conditional, not stated, no rule)."""
    for leaves, stays_inside in (
        (regulation.leave_device, Boundary.DEVICE),
        (regulation.leave_organisation, Boundary.ORGANISATION),
        (regulation.leave_country, Boundary.COUNTRY),
    ):
        if leaves == NO:
            return stays_inside
    return None


def preset(workload: Workload, ids: Iterable[str], catalogue: Catalogue) -> Preset:
    """The answers a set of regulations puts in place for a workload. Raises UnknownId.

    The boundary is only ever narrowed: an answer that is already narrower stays. Sensitivity becomes "regulated" where nothing or
    something milder was said.
    """
    rows = [_row(catalogue, regulation_id) for regulation_id in ids]
    named = tuple(dict.fromkeys((*workload.data.regulations, *(r.id for r in rows))))
    values: dict[str, Any] = {"data.regulations": named} if named != workload.data.regulations else {}
    sources: list[tuple[str, Source]] = []
    strictest = _strictest(rows)
    if strictest is not None:
        boundary = boundary_of(strictest)
        if boundary is not None and _narrower(boundary, workload.data.boundary):
            values["data.boundary"] = boundary
            sources.append(("data.boundary", strictest.source))
    binding = [r for r in rows if boundary_of(r) is not None or CONDITIONAL in (r.leave_organisation, r.leave_country)]
    if binding and workload.data.sensitivity in (None, Sensitivity.PUBLIC, Sensitivity.INTERNAL, Sensitivity.PERSONAL):
        values["data.sensitivity"] = Sensitivity.REGULATED
        sources.append(("data.sensitivity", binding[0].source))
    changes = tuple(Change(path, value, workload.id) for path, value in values.items())
    return Preset(changes, tuple(sources), tuple(_conditions(rows)), strictest.id if strictest else None)


def _row(catalogue: Catalogue, regulation_id: str) -> Regulation:
    try:
        return catalogue.regulations[regulation_id]
    except KeyError:
        raise UnknownId("regulation", regulation_id, catalogue.regulations) from None


def _strictest(rows: Iterable[Regulation]) -> Regulation | None:
    """The row that keeps data nearest; None when none sets a boundary."""
    binding = [(BOUNDARY_ORDER.index(b), r.id, r) for r in rows if (b := boundary_of(r)) is not None]
    return min(binding, key=lambda item: item[:2])[2] if binding else None


def _narrower(new: Boundary, said: Boundary | None) -> bool:
    if said in (None, Boundary.NONE):
        return True
    return BOUNDARY_ORDER.index(new) < BOUNDARY_ORDER.index(said)


def _conditions(rows: Iterable[Regulation]) -> Iterable[Message]:
    for row in rows:
        name = Name("regulation", row.id)
        if CONDITIONAL in (row.leave_organisation, row.leave_country):
            yield msg("advice.regulation.conditional", regulation=name, effect=row.effect_on_placement)
        if not row.source.verified or row.confidence in ("unverified", "partly"):
            yield msg("advice.regulation.unverified", regulation=name, as_of=row.source.as_of)


def suggested(customer: Customer, catalogue: Catalogue) -> tuple[str, ...]:
    """Regulations to ask a customer about first: those of the country and the sector, then those for all sectors.

    Only rows that speak about boundaries at all. Empty where neither country nor sector is known.
    """
    places = COUNTRIES.get((customer.country or "").upper(), ())
    if not places:
        return ()
    words = SECTORS.get((customer.sector or "").lower(), ())
    speaking = [r for r in catalogue.regulations.values() if r.jurisdiction in places and _speaks(r)]
    own = [r.id for r in speaking if any(word in r.sector for word in words)]
    everyone = [r.id for r in speaking if "all sectors" in r.sector]
    return (*own, *everyone)


def _speaks(regulation: Regulation) -> bool:
    marks = (regulation.leave_device, regulation.leave_organisation, regulation.leave_country)
    return any(mark in (NO, CONDITIONAL) for mark in marks)


def federated_learning_helps(workload: Workload) -> Message | None:
    """Federated learning answers one need: a model that must learn from what may not leave the device.

    That is so where data stays on the device (or personal data stays inside), and the model changes at least every few months or
    training is asked for. None where it answers nothing.
    """
    kept = workload.data.boundary is Boundary.DEVICE or (
        workload.data.boundary is Boundary.ORGANISATION and workload.data.sensitivity is Sensitivity.PERSONAL
    )
    purpose = workload.hardware.purpose
    learns = purpose is not None and purpose.value in ("training", "both")
    changes = (workload.updates.update_interval_days or 1e9) <= 120.0
    many = (workload.scale.users or 0.0) >= 1_000.0
    if kept and many and (learns or changes):
        return msg("advice.regulation.federated")
    return None
