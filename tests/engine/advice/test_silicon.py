"""The arithmetic of the chips, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.advice import silicon


def test_a_thousand_by_a_thousand_is_a_billion_multiply_adds():
    assert silicon.multiply_adds(1000, 1000, 1000) == 1e9


def test_seventy_gigabytes_over_three_terabytes_a_second():
    assert float(silicon.seconds_per_token(70e9, 3e12)) == pytest.approx(23.3e-3, rel=2e-3)
    assert 1 / float(silicon.seconds_per_token(70e9, 3e12)) == pytest.approx(43, rel=5e-3)


def test_the_same_from_on_chip_memory_is_twenty_seven_times_faster():
    near, far = silicon.seconds_per_token(70e9, 80e12), silicon.seconds_per_token(70e9, 3e12)
    assert float(near) == pytest.approx(0.875e-3)
    assert float(far / near) == pytest.approx(26.7, abs=0.05)


def test_seventy_gigabytes_need_about_three_hundred_and_five_lpus():
    assert silicon.lpu_chips(70e9, 0.0, 230e6) == 305
    assert silicon.lpu_chips(140e9, 0.0, 230e6) == 609


def test_the_cache_of_long_conversations_takes_chips_too():
    assert silicon.lpu_chips(70e9, 20e9, 230e6) > silicon.lpu_chips(70e9, 0.0, 230e6)


def test_lpu_speed_meets_what_services_showed():
    """A 70 B model with 80 layers near 300 tokens/s, an 8 B model with 32 layers near 900, both within the band."""
    for weights, layers, shown in ((70e9, 80, 300.0), (8e9, 32, 900.0)):
        value, fast, slow = silicon.lpu_token_seconds(weights, 80e12, layers)
        assert 1 / slow <= shown <= 1 / fast
        assert 1 / value == pytest.approx(shown, rel=0.15)


def test_one_row_uses_one_beat_in_128():
    assert float(silicon.array_utilisation(1, 4096, 4096, 128)) == pytest.approx(1 / 128)


def test_small_weights_are_mostly_padding():
    assert float(silicon.array_utilisation(4096, 100, 100, 128)) == pytest.approx((100 / 128) ** 2)
    assert float(silicon.array_utilisation(4096, 100, 100, 256)) == pytest.approx((100 / 256) ** 2)


def test_multiples_of_the_array_fill_it():
    assert float(silicon.array_utilisation(256, 256, 512, 256)) == 1.0
    assert silicon.array_utilisation(np.array([128, 256]), 256, 256, 128).shape == (2,)


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 5000), st.sampled_from([128, 256]))
def test_utilisation_is_a_share(m, k, n, tile):
    assert 0 < float(silicon.array_utilisation(m, k, n, tile)) <= 1


@given(st.integers(1, 4000), st.sampled_from([128, 256]))
def test_more_rows_never_use_the_array_less_up_to_its_edge(rows, tile):
    if rows + 1 <= tile:
        less, more = (float(silicon.array_utilisation(r, 1024, 1024, tile)) for r in (rows, rows + 1))
        assert more >= less


def test_tiles_by_generation(catalogue):
    assert silicon.tile_of(catalogue.device("google-tpu-v5e")) == 128
    assert silicon.tile_of(catalogue.device("google-tpu-v6e")) == 256


def test_adding_two_lists_never_pays_the_copy(catalogue):
    """12 bytes and one operation an element: the bus is slower than the processor's own memory."""
    assert silicon.copy_break_even(12.0, 1.0, catalogue.device("nvidia-l4")) is None


def test_heavy_work_on_each_element_does(catalogue):
    edge = silicon.copy_break_even(8.0, 10_000.0, catalogue.device("nvidia-l4"))
    assert edge is not None
    assert edge < 1_000
    assert silicon.gpu_seconds(10 * edge, 8.0, 10_000.0, catalogue.device("nvidia-l4")) < silicon.cpu_seconds(
        10 * edge, 8.0, 10_000.0
    )


def test_matrix_products_pay_from_a_middling_size(catalogue):
    edge = silicon.product_break_even(catalogue.device("nvidia-l4"))
    assert edge is not None
    assert 32 <= edge <= 512
