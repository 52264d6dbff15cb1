"""Every sentence the advice can say has words in both languages, whatever the answers."""

from __future__ import annotations

import enum
import random
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import attrs
import pytest

from app.present.translator import LANGUAGES, enum_key, texts
from engine.advice import placement as verdicts
from engine.advice.alternatives import CHOICES, PLAUSIBLE, asked, placement_paths
from engine.advice.answers import Answers
from engine.advice.results import Placement, Rule, VerdictKind
from engine.assess import assess
from engine.consultation import Consultation
from engine.edits import put
from engine.estimate import Estimate, Trace
from engine.messages import Message
from engine.questions import Kind
from tests.engine.advice.cases import CASES
from tests.engine.advice.describe import SHORT, workload

OWN = ("advice.", "assumption.", "placement.", "rule.", "verdict_kind.", "state.", "family.", "step_state.")


def keys(value: Any, seen: set[int] | None = None) -> Iterator[str]:
    """Every key of a message, a figure's name or a trace anywhere inside a result."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, Message):
        yield value.key
        for param in value.params.values():
            yield from keys(param, seen)
    elif isinstance(value, Trace):
        yield value.key
    elif isinstance(value, enum.Enum):
        yield enum_key(value)
    elif isinstance(value, str) and value.startswith("advice.figure."):
        yield value
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            yield from keys(item, seen)
    elif isinstance(value, Estimate):
        yield from keys(value.trace, seen)
    elif attrs.has(type(value)):
        for attribute in attrs.fields(type(value)):
            yield from keys(getattr(value, attribute.name), seen)


def missing(found: set[str]) -> dict[str, set[str]]:
    own = {k for k in found if k.startswith(OWN)}
    lacking = {language: own - set(texts(language)) for language in LANGUAGES}
    return {language: some for language, some in lacking.items() if some}


def test_every_verdict_of_two_thousand_draws_has_words(context):
    source = random.Random(7)
    found: set[str] = set()
    for _ in range(2000):
        said = Answers()
        for path in placement_paths():
            if source.random() < 0.5:
                continue
            kind = asked(path).kind
            values = CHOICES[path] if kind is Kind.CHOICE else (True, False) if kind is Kind.FLAG else PLAUSIBLE[path]
            said = said.put(path, source.choice(tuple(values)))
        if source.random() < 0.2:
            said = attrs.evolve(said, guessed=frozenset(placement_paths()))
        found |= set(keys(verdicts.judge(said, context)))
    assert len([k for k in found if k.startswith("advice.")]) > 150
    assert missing(found) == {}


@pytest.mark.parametrize("part", range(4))
def test_every_assessment_of_the_cases_has_words(catalogue, part):
    workloads = tuple(attrs.evolve(workload(f"w{n}", **case.said)) for n, case in enumerate(CASES) if n % 4 == part)
    answer = assess(Consultation("c", workloads=workloads), catalogue, date(2026, 12, 1))
    found: set[str] = set()
    for judged in answer.workloads:
        found |= set(keys(judged.placement)) | set(keys(judged.flips)) | set(keys(judged.work_list))
        found |= set(keys(judged.chips)) | set(keys(judged.readiness)) | set(keys(judged.contradictions))
        found |= set(keys(judged.next_question)) | set(keys(judged.notes)) | set(keys(judged.assumptions))
    assert missing(found) == {}


def test_enumerations_have_words():
    for kind in (Placement, Rule, VerdictKind):
        for value in kind:
            assert all(enum_key(value) in texts(language) for language in LANGUAGES)
    for value in Placement:
        for more in ("meaning", "boundary"):
            assert f"placement.{value.value}.{more}" in texts("ko")


def test_no_text_of_the_advice_is_left_without_use(catalogue):
    """A key nobody can say is a sentence that was forgotten when code changed."""
    from pathlib import Path

    import engine

    source = "\n".join(p.read_text(encoding="utf-8") for p in Path(engine.__file__).parent.rglob("*.py"))
    unused = []
    for key in texts("en"):
        if not key.startswith("advice."):
            continue
        stem, _, last = key.rpartition(".")
        spoken = (
            f'"{key}"' in source or f'"{stem}.' in source or f'"{stem.rpartition(".")[0]}.' in source or last in source
        )
        if not spoken:
            unused.append(key)
    assert unused == []


def test_short_names_are_questions():
    made = workload()
    for short, path in SHORT.items():
        assert put(made, path, None) is not None, short
