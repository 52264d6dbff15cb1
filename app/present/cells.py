"""Table cells from figures and words."""

from __future__ import annotations

from app.present.make import BASIS_TONE
from app.present.translator import Translator
from app.present.views import Cell, Tone
from engine.estimate import Basis, Estimate


def said(text: str, tone: Tone = Tone.PLAIN, *, strong: bool = False) -> Cell:
    return Cell(text, tone, strong)


def number(estimate: Estimate | None, t: Translator, *, strong: bool = False, empty: str = "–") -> Cell:
    """A figure; an assumed one in the tint of an assumption, a missing one as a dash."""
    if estimate is None:
        return Cell(empty, Tone.MUTED)
    tone = BASIS_TONE[Basis.ASSUMED] if estimate.basis is Basis.ASSUMED else Tone.PLAIN
    return Cell(t.figure(estimate), tone, strong)


def with_band(estimate: Estimate | None, t: Translator) -> Cell:
    """ "38 토큰/초 (31–44)"."""
    if estimate is None:
        return Cell("–", Tone.MUTED)
    band = t.band(estimate)
    return Cell(f"{t.figure(estimate)} ({band})" if band else t.figure(estimate))
