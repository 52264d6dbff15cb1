"""Table cells from figures and words."""

from __future__ import annotations

from app.present.translator import Translator
from app.present.views import Cell, Tone
from engine.estimate import Estimate


def said(text: str, tone: Tone = Tone.PLAIN, *, strong: bool = False) -> Cell:
    return Cell(text, tone, strong)


def number(estimate: Estimate | None, t: Translator, *, strong: bool = False, empty: str = "–") -> Cell:
    """A figure; a missing one as a dash, or as what `empty` says of it."""
    return Cell(empty, Tone.MUTED) if estimate is None else Cell(t.figure(estimate), Tone.PLAIN, strong)


def with_band(estimate: Estimate | None, t: Translator) -> Cell:
    """ "38 토큰/초 (31–44)"."""
    if estimate is None:
        return Cell("–", Tone.MUTED)
    band = t.band(estimate)
    return Cell(f"{t.figure(estimate)} ({band})" if band else t.figure(estimate))
