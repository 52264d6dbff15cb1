import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.estimate import Basis, Estimate, banded, exact, loosest
from engine.units import BYTES, USD

finite = st.floats(-1e15, 1e15)


def test_a_band_must_hold_its_value():
    with pytest.raises(ValueError, match="does not hold"):
        Estimate(3.0, 1.0, 2.0, BYTES, Basis.DATASHEET)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_no_estimate_is_infinite(value):
    with pytest.raises(ValueError, match="finite"):
        exact(value, BYTES)


def test_an_unknown_unit_is_refused():
    with pytest.raises(ValueError, match="GB"):
        exact(1.0, "GB")


@given(finite, st.floats(0, 1), st.floats(0, 5), st.floats(-1e6, 1e6))
def test_scaling_keeps_the_band_around_the_value(value, below, above, factor):
    made = banded(value, below, above, USD, Basis.ASSUMED)
    scaled = made.scaled(factor)
    assert scaled.low <= scaled.value <= scaled.high


def test_the_loosest_basis_wins():
    assert loosest([Basis.MEASURED, Basis.ASSUMED, Basis.CALIBRATED]) is Basis.ASSUMED
    assert loosest([Basis.MEASURED, Basis.DATASHEET]) is Basis.DATASHEET
    assert loosest([]) is Basis.DATASHEET
