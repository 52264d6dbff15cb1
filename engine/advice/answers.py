"""The answers the advice reads, cut out of a workload so that asking "what if" costs microseconds.

`Answers` holds the sections of the document as they are. A stage, a flip, a guess and a Monte Carlo draw are all the same
thing: a copy with a few answers put in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final

import attrs
from attrs import field, frozen

from engine.consultation import (
    Circumstances,
    DataBoundary,
    DeviceClass,
    HardwareNeeds,
    Immediacy,
    NeededIntelligence,
    OfflineUse,
    Origin,
    Profile,
    Stage,
    UpdateFrequency,
    UserScale,
    Waiting,
    Workload,
)
from engine.edits import put as put_typed

SECTIONS: Final = (
    "profile",
    "immediacy",
    "data",
    "intelligence",
    "scale",
    "updates",
    "offline",
    "circumstances",
    "hardware",
)


@frozen(cache_hash=True)
class Answers:
    """What is known about one workload, as far as its placement depends on it."""

    profile: Profile = field(factory=Profile)
    immediacy: Immediacy = field(factory=Immediacy)
    data: DataBoundary = field(factory=DataBoundary)
    intelligence: NeededIntelligence = field(factory=NeededIntelligence)
    scale: UserScale = field(factory=UserScale)
    updates: UpdateFrequency = field(factory=UpdateFrequency)
    offline: OfflineUse = field(factory=OfflineUse)
    circumstances: Circumstances = field(factory=Circumstances)
    hardware: HardwareNeeds = field(factory=HardwareNeeds)
    target_device: str | None = None
    """The on-device target the customer named (id of device_classes or devices)."""
    guessed: frozenset[str] = frozenset()
    """Paths somebody guessed: they weigh, they never rule out."""

    @property
    def device_class(self) -> DeviceClass | None:
        return self.profile.device_class

    @property
    def batch(self) -> bool:
        """Nobody waits for the answer."""
        return self.profile.waiting is Waiting.BATCH

    def get(self, path: str) -> Any:
        """The answer at `path` ("immediacy.actor")."""
        section, _, name = path.partition(".")
        return getattr(getattr(self, section), name)

    def put(self, path: str, value: Any) -> Answers:
        """A copy with one answer replaced; a value put here is said, not guessed."""
        section, _, name = path.partition(".")
        guessed = self.guessed - {path} if path in self.guessed else self.guessed
        changed = _replaced(getattr(self, section), {name: value})
        return _replaced(self, {section: changed, "guessed": guessed})  # type: ignore[no-any-return]

    def draft(self, path: str) -> Callable[[Any], Answers]:
        """`put` for one path many times over. Each call hands out the same draft, changed: read it before the next."""
        section, _, name = path.partition(".")
        sample = self.put(path, self.get(path))
        part = getattr(sample, section)
        kind: Any = type(part)
        names = _names(kind)
        values, at = [getattr(part, n) for n in names], names.index(name)

        def with_value(value: Any) -> Answers:
            values[at] = value
            object.__setattr__(sample, section, kind(*values))
            return sample

        return with_value

    def is_guess(self, *paths: str) -> bool:
        """True when any of these answers was guessed."""
        return bool(self.guessed) and not self.guessed.isdisjoint(paths)


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(a.name for a in attrs.fields(kind))


def _replaced(value: Any, changes: Mapping[str, Any]) -> Any:
    """attrs.evolve without its per-call look-ups: this runs hundreds of times a second while someone answers."""
    kind: Any = type(value)
    return kind(*[changes[n] if n in changes else getattr(value, n) for n in _names(kind)])


def answers_of(workload: Workload, origins: Mapping[str, Origin] | None = None) -> Answers:
    """The answers of a workload. `origins`: path -> where an answer came from; those of origin GUESSED are marked."""
    guessed = frozenset(path for path, origin in (origins or {}).items() if origin is Origin.GUESSED)
    return Answers(
        profile=workload.profile,
        immediacy=workload.immediacy,
        data=workload.data,
        intelligence=workload.intelligence,
        scale=workload.scale,
        updates=workload.updates,
        offline=workload.offline,
        circumstances=workload.circumstances,
        hardware=workload.hardware,
        target_device=workload.serving.target_device,
        guessed=guessed,
    )


def stage_answers(answers: Answers, stage: Stage) -> Answers:
    """The workload's answers with what differs in a stage; paths that are no rule answers are ignored."""
    for path, value in stage.answers.items():
        section, _, name = path.partition(".")
        if section in SECTIONS and hasattr(getattr(answers, section), name):
            typed = put_typed(getattr(answers, section), name, value)
            answers = answers.put(path, getattr(typed, name))
    return answers


def known(answers: Answers, paths: Iterable[str]) -> int:
    """How many of these questions have an answer."""
    return sum(answers.get(path) is not None for path in paths)
