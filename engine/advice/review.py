"""When to look again, and what would reopen the decision. Decisions of this kind were reversed within three years."""

from __future__ import annotations

from typing import Final

from engine.advice.answers import Answers
from engine.advice.meaning import SITES, Site
from engine.advice.results import Review, VerdictKind
from engine.advice.rules import Context
from engine.advice.weighing import Decision
from engine.consultation import Intelligence, OfflineNeed
from engine.messages import Message, Name, msg

USUAL_MONTHS: Final = 12
SHORT_MONTHS: Final = 6
MOVING: Final = ("sandbox", "temporary", "planned", "relaxed", "reorganised", "staged", "appeal", "suspended")
"""Words in a regulation's status that mean it may have changed by the next meeting."""


def review(answers: Answers, decision: Decision, context: Context) -> Review:
    """Twelve months; six where the call was close, a regulation is moving, or models on devices may soon do the work."""
    moving = moving_regulations(answers, context)
    close = decision.kind in (VerdictKind.CLOSE, VerdictKind.DEFAULT_HYBRID, VerdictKind.OPEN, VerdictKind.CONFLICT)
    months = SHORT_MONTHS if close or moving else USUAL_MONTHS
    return Review(months, tuple(_reopeners(answers, decision, moving)))


def moving_regulations(answers: Answers, context: Context) -> tuple[str, ...]:
    """Named regulations whose status says that they are changing."""
    known = (context.regulations[r] for r in answers.data.regulations if r in context.regulations)
    return tuple(r.id for r in known if any(word in r.status for word in MOVING))


def _reopeners(answers: Answers, decision: Decision, moving: tuple[str, ...]) -> list[Message]:
    sites = SITES[decision.chosen] if decision.chosen else frozenset()
    found = []
    if moving:
        found.append(msg("advice.reopen.regulation", regulations=tuple(Name("regulation", r) for r in moving)))
    if Site.CLOUD in sites:
        found.append(msg("advice.reopen.cloud_bill"))
        if answers.data.boundary is None:
            found.append(msg("advice.reopen.boundary"))
    if Site.CLOUD in sites and answers.intelligence.hardness in (Intelligence.MEDIUM, None):
        found.append(msg("advice.reopen.small_models"))
    if Site.DEVICE in sites:
        found.append(msg("advice.reopen.device_memory"))
    if Site.PREMISE in sites:
        found.append(msg("advice.reopen.utilisation"))
        found.append(msg("advice.reopen.skills"))
    if answers.offline.need in (None, OfflineNeed.NO) and Site.DEVICE not in sites:
        found.append(msg("advice.reopen.offline"))
    found.append(msg("advice.reopen.model_change"))
    return found
