"""The tokens can be read: every pair that carries words, in both schemes."""

from __future__ import annotations

import pytest

from app.present import design
from app.present.design import PALETTES, READ_ON, Scheme, contrast
from app.present.views import Tone


@pytest.mark.parametrize("scheme", list(Scheme))
@pytest.mark.parametrize(("ink", "ground"), READ_ON)
def test_words_reach_contrast(scheme, ink, ground):
    palette = PALETTES[scheme]
    assert contrast(getattr(palette, ink), getattr(palette, ground)) >= 4.5


@pytest.mark.parametrize("scheme", list(Scheme))
def test_every_tone_can_be_read_on_its_tint(scheme):
    for tone in Tone:
        ink, tint = design.tone_colours(PALETTES[scheme], tone)
        assert contrast(ink, tint) >= 4.5, tone


@pytest.mark.parametrize("scheme", list(Scheme))
def test_every_colour_is_a_colour_and_series_differ(scheme):
    palette = PALETTES[scheme]
    for name in design.COLOUR_NAMES:
        design.channels(getattr(palette, name))
    for i, a in enumerate(palette.series):
        for b in palette.series[i + 1 :]:
            assert sum(abs(x - y) for x, y in zip(design.channels(a), design.channels(b), strict=True)) >= 100, (a, b)
        assert contrast(design.ink_on(a, palette), a) >= 4.5, a


def test_contrast_of_black_and_white_is_twenty_one():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#FFFFFF", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


def test_not_a_colour():
    with pytest.raises(ValueError, match="not a colour"):
        design.channels("red")
