"""How firm is the verdict? The share of plausible inputs that keep it: open questions answered as customers do, said numbers
moved a little, guesses a lot.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any, Final

from attrs import evolve

from engine.advice.alternatives import CHOICES, asked, likelihoods, placement_paths, plausible
from engine.advice.answers import Answers
from engine.advice.flips import changed
from engine.advice.results import VerdictKind
from engine.advice.subject import Subject, subject
from engine.consultation import Stage, Workload
from engine.estimate import Basis, Estimate, Input, Trace
from engine.questions import Kind
from engine.units import COUNT, RATIO

DRAWS: Final = 400
SEED: Final = 20_261_201
"""Fixed: the same consultation has the same stability on every machine."""
SAID_SPREAD: Final = 0.15
GUESSED_SPREAD: Final = 0.7
"""Standard deviation of the natural logarithm of a number: somebody said it, or somebody guessed it."""
GUESS_WRONG: Final = 0.3
"""Chance that a guessed choice is another one."""
Z90: Final = 1.645

Draw = Callable[[random.Random], Any]


def stability(
    judged: Subject, workload: Workload, draws: int = DRAWS, check: Callable[[], None] | None = None
) -> Estimate | None:
    """Share of draws that keep the verdict, with the 90 % interval of the sampling; None while nothing is recommended.

    `check` is called before each draw and may raise to stop.
    """
    now = judged.decision()
    if now.kind in (VerdictKind.OPEN, VerdictKind.CONFLICT):
        return None
    sources = _sources(judged.answers, workload)
    random_source = random.Random(SEED)  # noqa: S311  (a simulation, not a secret)
    stages = tuple(part.stage for part in judged.parts)
    kept = 0
    for _ in range(draws):
        if check is not None:
            check()
        kept += not changed(now, _redrawn(judged, stages, sources, random_source).decision())
    low, high = _wilson(kept, draws)
    used = (Input("kept", kept, COUNT, Basis.ASSUMED), Input("draws", draws, COUNT, Basis.ASSUMED))
    share = kept / draws
    return Estimate(
        share,
        min(low, share),
        max(high, share),
        RATIO,
        Basis.ASSUMED,
        Trace("advice.trace.stability", "kept / draws", used),
    )


def _redrawn(judged: Subject, stages: tuple[Stage, ...], sources: dict[str, Draw], source: random.Random) -> Subject:
    """The same subject with its inputs drawn anew."""
    sections: dict[str, dict[str, Any]] = {}
    for path, draw in sources.items():
        section, _, name = path.partition(".")
        sections.setdefault(section, {})[name] = draw(source)
    answers = judged.answers
    made = evolve(
        answers, guessed=frozenset(), **{s: evolve(getattr(answers, s), **values) for s, values in sections.items()}
    )
    return subject(made, judged.context, stages)


def _sources(answers: Answers, workload: Workload) -> dict[str, Draw]:
    """Path -> how to draw it. Firm choices and flags do not move; what is not asked of this workload is left out."""
    found: dict[str, Draw] = {}
    for path in placement_paths():
        question = asked(path)
        if not question.asked_if(workload):
            continue
        value, guessed = answers.get(path), path in answers.guessed
        if value is None:
            found[path] = _any_of(plausible(path), likelihoods(path))
        elif question.kind is Kind.NUMBER:
            found[path] = _around(
                float(value), GUESSED_SPREAD if guessed else SAID_SPREAD, question.minimum, question.maximum
            )
        elif question.kind is Kind.SHARE:
            found[path] = _share_around(float(value), GUESSED_SPREAD if guessed else SAID_SPREAD)
        elif guessed:
            found[path] = _perhaps(value, tuple(CHOICES[path]) if question.kind is Kind.CHOICE else (True, False))
    return found


def _any_of(values: tuple[Any, ...], chances: tuple[float, ...]) -> Draw:
    return lambda source: source.choices(values, chances)[0]


def _around(value: float, spread: float, low: float | None, high: float | None) -> Draw:
    def draw(source: random.Random) -> float:
        moved = value * math.exp(source.gauss(0.0, spread))
        return min(max(moved, low if low is not None else moved), high if high is not None else moved)

    return draw


def _share_around(value: float, spread: float) -> Draw:
    """Zero and one are firm: "none" and "all" are statements, not measurements."""
    if value in (0.0, 1.0):
        return lambda _source: value
    return lambda source: min(max(value * math.exp(source.gauss(0.0, spread)), 0.001), 0.999)


def _perhaps(value: Any, choices: tuple[Any, ...]) -> Draw:
    others = tuple(c for c in choices if c != value)
    return lambda source: source.choice(others) if others and source.random() < GUESS_WRONG else value


def _wilson(kept: int, draws: int) -> tuple[float, float]:
    """Wilson's interval of a share, 90 %."""
    p, z2 = kept / draws, Z90 * Z90
    centre = (p + z2 / (2 * draws)) / (1 + z2 / draws)
    half = Z90 * math.sqrt(p * (1 - p) / draws + z2 / (4 * draws * draws)) / (1 + z2 / draws)
    return max(0.0, centre - half), min(1.0, centre + half)
