"""A value nobody said is listed; a value somebody said is used as it is."""

from __future__ import annotations

import pytest
from attrs import evolve

from engine.assumptions import Ledger, answer
from engine.consultation import Demand, Origin, Workload
from engine.estimate import Basis, Source, banded
from engine.messages import msg
from engine.units import RATIO, TOKENS

LABEL = msg("question.demand.prompt_tokens")
FALLBACK = banded(1000, 0.5, 1.0, TOKENS, Basis.DATASHEET)


def said(tokens: float | None) -> Workload:
    return Workload(id="w", demand=Demand(prompt_tokens=tokens))


def test_what_nobody_said_is_used_as_assumed_and_listed():
    ledger = Ledger()
    used = ledger.value(said(None), "demand.prompt_tokens", FALLBACK, LABEL, Source("tests"))
    assert (used.value, used.low, used.high, used.basis) == (1000, 500, 2000, Basis.ASSUMED)
    [entry] = ledger.entries
    assert (entry.path, entry.value, entry.source) == ("demand.prompt_tokens", used, Source("tests"))


def test_what_was_said_is_exact_and_not_listed():
    ledger = Ledger()
    used = ledger.value(said(700), "demand.prompt_tokens", FALLBACK, LABEL)
    assert (used.value, used.low, used.high, used.unit, used.basis) == (700, 700, 700, TOKENS, Basis.DATASHEET)
    assert ledger.entries == ()


@pytest.mark.parametrize(
    ("origin", "basis", "listed"),
    [(Origin.MEASURED, Basis.MEASURED, 0), (Origin.GUESSED, Basis.ASSUMED, 1), (Origin.PRESET, Basis.ASSUMED, 1)],
)
def test_the_basis_follows_where_the_answer_came_from(origin, basis, listed):
    ledger = Ledger({"demand.prompt_tokens": origin})
    assert ledger.value(said(700), "demand.prompt_tokens", FALLBACK, LABEL).basis is basis
    assert len(ledger.entries) == listed


def test_zero_is_an_answer():
    workload = evolve(said(None), demand=Demand(cached_prefix_share=0.0))
    ledger = Ledger()
    used = ledger.value(
        workload, "demand.cached_prefix_share", banded(0.3, 1, 1, RATIO, Basis.ASSUMED), msg("question.x")
    )
    assert used.value == 0
    assert ledger.entries == ()


def test_the_first_use_of_a_path_wins():
    ledger = Ledger()
    ledger.assume("cost.x", banded(1, 0, 0, RATIO, Basis.ASSUMED), LABEL)
    ledger.assume("cost.x", banded(2, 0, 0, RATIO, Basis.ASSUMED), LABEL)
    assert [entry.value.value for entry in ledger.entries] == [1]


def test_the_largest_come_first():
    ledger = Ledger()
    for name in "abc":
        ledger.assume(f"cost.{name}", banded(1, 0, 0, RATIO, Basis.ASSUMED), LABEL)
    ledger.weigh({"cost.b": 0.7, "cost.c": 0.2, "cost.unknown": 1.0})
    assert [entry.path for entry in ledger.largest(2)] == ["cost.b", "cost.c"]


def test_a_choice_nobody_made_is_listed_by_its_name():
    ledger = Ledger()
    assert ledger.choice(said(None), "budget.api_model", 7, "some-model", LABEL) == 7
    assert ledger.entries[0].value == "some-model"


def test_an_unknown_path_is_a_programming_error():
    with pytest.raises(AttributeError):
        answer(said(1), "demand.nothing")
