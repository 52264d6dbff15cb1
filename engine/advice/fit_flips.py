"""What would make the model fit no more, or fit at last: the nearest context and the nearest number of users at once."""

from __future__ import annotations

from collections.abc import Iterator

from engine.advice.alternatives import distance
from engine.advice.results import Flip, Placement
from engine.consultation import Serving
from engine.estimate import Estimate
from engine.memory.results import FitResult
from engine.messages import Quantity, msg
from engine.questions import question


def find(serving: Serving, placement: Placement | None, fit: FitResult | None) -> tuple[Flip, ...]:
    """At most one flip for the context and one for the users at once that were said, from the memory room's own inverse."""
    if fit is None:
        return ()
    limits = (
        ("serving.context_tokens", serving.context_tokens, fit.max_context_tokens),
        ("serving.concurrency", serving.concurrency, fit.max_concurrency),
    )
    return tuple(_flips(placement, fit.fits, limits))


def _flips(
    placement: Placement | None,
    fits: bool,
    limits: tuple[tuple[str, int | None, Estimate | None], ...],
) -> Iterator[Flip]:
    for path, before, most in limits:
        if before is None or most is None:
            continue
        certain = int(most.low)
        after = certain + 1 if fits else certain
        if after < 1 or (fits and after <= before) or (not fits and after >= before):
            continue
        asked = question(path)
        key = "advice.flip.fits_no_more" if fits else "advice.flip.fits_at_last"
        words = msg(
            key,
            question=asked.short,
            before=Quantity(float(before), asked.unit),
            after=Quantity(float(after), asked.unit),
        )
        yield Flip(path, before, after, asked.unit, placement, None, words, distance(path, before, after))
