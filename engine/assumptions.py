"""The ledger: every value nobody said, as it was used.

A room that needs an answer asks the ledger for it. What the customer said comes back as it is; what nobody said comes back
as the room's own assumed figure, and the ledger keeps that figure so that the proposal can list it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import evolve, frozen

from engine.consultation import Origin, Workload
from engine.estimate import Basis, Estimate, Source, exact
from engine.messages import Message

_BASIS = {Origin.MEASURED: Basis.MEASURED, Origin.GUESSED: Basis.ASSUMED, Origin.PRESET: Basis.ASSUMED}


@frozen
class Assumption:
    """One value nobody said, as used: the ledger of the proposal."""

    path: str
    label: Message
    value: Estimate | str
    basis: Basis
    source: Source | None
    impact: float = 0.0
    """0..1: how far it moves the monthly cost; sorts the ten largest."""
    why: Message | None = None
    """Why this figure and no other, in one line."""


def answer(workload: Workload, path: str) -> Any:
    """The answer at a dotted path ("demand.prompt_tokens"); None where nobody said. Raises AttributeError."""
    value: Any = workload
    for name in path.split("."):
        value = getattr(value, name)
    return value


class Ledger:
    """Collects the assumed values of one workload, once a path. `origins`: path -> where an answer came from."""

    def __init__(self, origins: Mapping[str, Origin] | None = None) -> None:
        self._origins = dict(origins or {})
        self._entries: dict[str, Assumption] = {}

    def value(
        self,
        workload: Workload,
        path: str,
        fallback: Estimate,
        label: Message,
        source: Source | None = None,
        why: Message | None = None,
    ) -> Estimate:
        """The answer at `path` in the unit of `fallback`, or `fallback` itself, which is then listed as assumed.

        A said value is exact; its basis is DATASHEET (given), MEASURED, or ASSUMED where the customer guessed or a preset
        set it: those two are listed as well.
        """
        said = answer(workload, path)
        if said is None:
            return self.assume(path, fallback, label, source, why)
        basis = _BASIS.get(self._origins.get(path, Origin.SAID), Basis.DATASHEET)
        estimate = exact(float(said), fallback.unit, basis)
        if basis is Basis.ASSUMED:
            self.note(path, estimate, label, source, why)
        return estimate

    def choice(
        self, workload: Workload, path: str, fallback: Any, shown: str, label: Message, why: Message | None = None
    ) -> Any:
        """The answer at `path` or `fallback`; `shown` (an id, a choice) is what the ledger prints for the fallback."""
        said = answer(workload, path)
        if said is not None:
            return said
        self.note(path, shown, label, None, why)
        return fallback

    def assume(
        self, path: str, value: Estimate, label: Message, source: Source | None = None, why: Message | None = None
    ) -> Estimate:
        """List a figure no question asks for (a headroom, a price of storage) and hand it back with basis ASSUMED."""
        assumed = value if value.basis is Basis.ASSUMED else evolve(value, basis=Basis.ASSUMED)
        self.note(path, assumed, label, source, why)
        return assumed

    def note(
        self,
        path: str,
        value: Estimate | str,
        label: Message,
        source: Source | None = None,
        why: Message | None = None,
    ) -> None:
        """List one entry; the first use of a path wins, so that all rooms show the same figure."""
        self._entries.setdefault(path, Assumption(path, label, value, Basis.ASSUMED, source, why=why))

    def weigh(self, impacts: Mapping[str, float]) -> None:
        """Write the impact (0..1) of each path into its entry, for the ten largest."""
        for path, impact in impacts.items():
            if path in self._entries:
                self._entries[path] = evolve(self._entries[path], impact=impact)

    @property
    def origins(self) -> frozenset[tuple[str, Origin]]:
        """Where the answers came from, as a key."""
        return frozenset(self._origins.items())

    def take(self, entries: Iterable[Assumption]) -> None:
        """List what another ledger of the same workload has listed; what is already here stays."""
        for entry in entries:
            self._entries.setdefault(entry.path, entry)

    @property
    def entries(self) -> tuple[Assumption, ...]:
        """In the order they were first used."""
        return tuple(self._entries.values())

    def largest(self, count: int = 10) -> tuple[Assumption, ...]:
        """The assumptions that move the answer most, largest first."""
        return tuple(sorted(self._entries.values(), key=lambda entry: -entry.impact)[:count])
