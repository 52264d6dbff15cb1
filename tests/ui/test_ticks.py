"""Round values on axes, labels that do not lie on each other."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ui.blocks.lines import spread, ticks


@pytest.mark.parametrize(
    ("low", "high", "log", "wanted"),
    [
        (0, 10, False, [0, 2, 4, 6, 8, 10]),
        (0, 2.6, False, [0, 1, 2]),
        (0.3, 20, True, [0.3, 1, 3, 10]),
        (1, 8, True, [1, 2, 5]),
        (10, 1e6, True, [10, 100, 1_000, 10_000, 100_000, 1_000_000]),
        (5, 5, False, [5]),
    ],
)
def test_ticks(low, high, log, wanted):
    assert ticks(low, high, log=log) == pytest.approx(wanted)


@given(st.floats(0.001, 1e9), st.floats(1.5, 1e6))
def test_ticks_are_few_and_inside(low, factor):
    for log in (True, False):
        found = ticks(low, low * factor, log=log)
        assert len(found) <= 12
        assert all(low * 0.999 <= value <= low * factor * 1.001 for value in found)
        assert found == sorted(found)


@given(st.lists(st.floats(-50, 400), min_size=1, max_size=8))
def test_labels_never_overlap_where_there_is_room(tops):
    placed = spread(sorted((top, "x", 0) for top in tops), 16, 300)
    found = [top for top, _, _ in placed]
    assert all(b - a >= 15.999 for a, b in pairwise(found))
    assert found[0] >= 0
    assert found[-1] <= 300 - 16 + 1e-9
