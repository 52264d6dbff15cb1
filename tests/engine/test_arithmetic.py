"""The same answers for one number and for many."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import arithmetic

numbers = st.floats(allow_nan=True, allow_infinity=True)
positive = st.floats(1e-9, 1e12)


def same(one: float, many) -> bool:
    other = float(many[0])
    return one == other or (math.isnan(one) and math.isnan(other))


@given(numbers, numbers)
def test_the_smaller_and_the_larger_of_two_with_nan_as_numpy_has_it(a, b):
    for name in ("least", "most"):
        operation = getattr(arithmetic, name)
        assert same(operation(a, b), operation(np.array([a]), np.array([b])))
        assert same(operation(a, b), operation(a, np.array([b])))


@given(st.booleans(), numbers, numbers)
def test_a_choice(condition, yes, no):
    assert same(arithmetic.choose(condition, yes, no), arithmetic.choose(np.array([condition]), yes, no))


@given(positive)
def test_functions_of_one_number(x):
    for name in ("rounded_up", "root", "cube_root", "log2"):
        operation = getattr(arithmetic, name)
        assert operation(x) == pytest.approx(float(operation(np.array([x]))[0]), rel=1e-12)
        assert type(operation(x)) is float


def test_what_is_no_number_and_what_comes_first():
    assert arithmetic.is_nan(math.nan)
    assert not arithmetic.is_nan(1.0)
    assert arithmetic.first(np.array([[2.0, 3.0]])) == 2.0
    assert arithmetic.first(5) == 5.0


def test_scalars_become_floats_and_lists_arrays():
    assert type(arithmetic.number(3)) is float
    assert arithmetic.number([1, 2]).dtype == np.float64
