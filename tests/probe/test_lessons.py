"""Lines through times, where they cross, and the worked example's numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.probe.lessons import IndexWalk, best_of, break_even, crossing, fit
from engine.probe.results import Lesson, Series

SIZES = tuple(float(2**k) for k in range(10, 24, 2))


def line(fixed_s: float, rate: float, key: str = "a") -> Series:
    return Series(key, SIZES, tuple(fixed_s + n / rate for n in SIZES))


@given(st.floats(1e-7, 1e-3), st.floats(1e7, 1e11))
def test_an_exact_line_is_found_again(fixed_s, rate):
    found = fit(SIZES, line(fixed_s, rate).y)
    assert found.fixed_s == pytest.approx(fixed_s, rel=1e-3, abs=1e-12)
    assert found.error < 1e-6
    assert found.seconds(SIZES[-1]) == pytest.approx(line(fixed_s, rate).y[-1], rel=1e-3)


@given(st.floats(1e-6, 1e-3), st.floats(1e8, 1e11), st.integers(0, 99))
def test_a_noisy_line_is_found_nearly(fixed_s, rate, seed):
    noise = 1 + 0.02 * np.random.default_rng(seed).standard_normal(len(SIZES))
    found = fit(SIZES, np.asarray(line(fixed_s, rate).y) * noise)
    assert found.fixed_s >= 0
    assert found.rate_per_s > 0
    assert found.error < 0.1


def test_the_crossing_by_hand():
    device, host = fit(*_xy(line(1e-4, 1e10))), fit(*_xy(line(1e-6, 1e9)))
    assert crossing(device, host) == pytest.approx(99e-6 / (1e-9 - 1e-10), rel=1e-3)


def _xy(series: Series) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return series.x, series.y


def test_never_and_always_are_answers():
    slow, quick = fit(*_xy(line(1e-4, 1e8))), fit(*_xy(line(1e-6, 1e9)))
    assert crossing(slow, quick) is None
    assert crossing(quick, slow) == 0.0


@given(st.floats(1e-6, 1e-3), st.floats(1e-9, 1e-6), st.floats(1e8, 1e10), st.floats(2.0, 50.0))
def test_before_the_crossing_the_quick_start_wins_and_after_it_the_slow_one(device_s, host_s, host_rate, times):
    device, host = fit(*_xy(line(device_s, host_rate * times))), fit(*_xy(line(host_s, host_rate)))
    size = crossing(device, host)
    assert size is not None
    if size > 0:
        assert host.seconds(size / 2) < device.seconds(size / 2)
        assert device.seconds(size * 2) < host.seconds(size * 2)


@pytest.mark.parametrize(("x", "y"), [((1.0,), (1.0,)), ((1.0, 1.0), (1.0, 2.0)), ((1.0, 2.0), (0.0, 1.0))])
def test_too_few_points_are_no_line(x, y):
    with pytest.raises(ValueError, match="two sizes"):
        fit(x, y)


def test_break_even_against_the_better_of_two_ways_and_confirmed():
    lesson = Lesson(
        "break_even",
        (
            line(1e-4, 1e10, "gpu_copies"),
            line(1e-6, 1e9, "cpu_one"),
            line(5e-5, 2e9, "cpu_all"),
            Series("confirm_cpu", (1e5, 1e6), (1e-4, 5e-4)),
            Series("confirm_gpu", (1e5, 1e6), (1.2e-4, 2e-4)),
        ),
    )
    found = break_even(lesson, "gpu_copies", ("cpu_one", "cpu_all"))
    assert found is not None
    assert found.confirmed is True
    alone = break_even(lesson, "gpu_copies", ("cpu_one",))
    assert alone is not None
    assert alone.size is not None
    assert found.size is None or found.size >= alone.size


def test_a_missing_curve_is_no_lesson():
    assert break_even(Lesson("break_even", (line(1e-4, 1e10, "gpu_copies"),)), "gpu_copies", ("cpu_one",)) is None


def test_the_best_of_two_curves_on_the_sizes_they_share():
    found = best_of(Series("a", (1, 2, 3), (1.0, 5.0, 3.0)), Series("b", (2, 3, 4), (4.0, 6.0, 1.0)))
    assert (found.x, found.y) == ((2, 3), (4.0, 3.0))


def test_the_index_walk_of_the_worked_example():
    walk = IndexWalk()
    assert (walk.blocks, walk.spare_threads) == (3_907, 192)
    assert walk.element(2, 10) == 522
    assert walk.element(walk.blocks - 1, 63) == 999_999
