"""Rule 5: how often does the model change, how soon must a fix reach everyone, and who carries the download?

Rarely decisive. A cloud's fix reaches every user the same day; a device's fix rises, flattens and never reaches everyone.
"""

from __future__ import annotations

from typing import Final

from engine.advice import meaning as m
from engine.advice.answers import Answers
from engine.advice.ballot import FIRM, LEAN, SLIGHT, STRONG, Ballot
from engine.advice.facts import SMALLEST_MODEL_BYTES
from engine.advice.meaning import P
from engine.advice.results import Rule
from engine.advice.rules.base import Context, Figures, RuleOf
from engine.capacity.rollout import days_until, download
from engine.consultation import DeviceClass, DownloadCarrier
from engine.estimate import Basis, Estimate, Input, Trace
from engine.messages import Message, Quantity, msg
from engine.units import BYTES, COUNT, DAYS, RATIO

WEEKLY_DAYS: Final = 7.0
MONTHLY_DAYS: Final = 31.0
RARELY_DAYS: Final = 180.0

MOBILE_BIT_PER_S: Final = Estimate(96e6, 20e6, 974e6, COUNT, Basis.ASSUMED)
"""Bits a second a phone downloads: mean LTE, from a thin line to mean 5G in Korea (rollout table)."""

NEAR_PART_BYTES: Final = 1.2e9
"""The near part of a hybrid needs no model for all of the work: two billion parameters at four bits and a short cache."""

CARRIED: Final = (DownloadCarrier.SYSTEM, DownloadCarrier.MANAGED)
"""Somebody else brings the model: the operating system, or device management at night."""


def model_bytes(answers: Answers, context: Context) -> float | None:
    """What would have to be downloaded: the named model, else the smallest of its class."""
    if context.small_model_bytes is not None:
        return context.small_model_bytes
    hardness = answers.intelligence.hardness
    return None if hardness is None else SMALLEST_MODEL_BYTES[hardness]


def weigh(answers: Answers, context: Context, ballot: Ballot) -> None:
    if answers.device_class is DeviceClass.SERVER:
        return
    _interval(answers, ballot)
    _download(answers, context, ballot)


def _interval(answers: Answers, ballot: Ballot) -> None:
    days, carried = answers.updates.update_interval_days, answers.updates.carrier in CARRIED
    if days is None:
        return
    every = Quantity(days, DAYS)
    if days <= MONTHLY_DAYS:
        size = FIRM if days <= WEEKLY_DAYS else LEAN
        ballot.weigh((P.ON_DEVICE,), -(size / 2 if carried else size), "advice.updates.fixes_reach_slowly", every=every)
        ballot.weigh(
            (P.CLOUD_API, P.CLOUD_GPU, P.SEALED_CLOUD), SLIGHT, "advice.updates.fixes_reach_at_once", every=every
        )
    elif days >= RARELY_DAYS:
        ballot.weigh((P.ON_DEVICE,), SLIGHT, "advice.updates.changes_rarely", every=every)


def _download(answers: Answers, context: Context, ballot: Ballot) -> None:
    limit, alone = answers.updates.download_limit_bytes, model_bytes(answers, context)
    if limit is not None and alone is not None:
        near = alone if context.small_model_bytes is not None else min(alone, NEAR_PART_BYTES)
        for placements, size in (((P.ON_DEVICE,), alone), (m.DEVICE_HYBRIDS, near)):
            if size > limit:
                named = {"size": Quantity(size, BYTES), "limit": Quantity(limit, BYTES)}
                ballot.weigh(placements, -STRONG, "advice.updates.download_too_large", **named)
        if alone > limit:
            return
    if answers.updates.carrier in (*CARRIED, DownloadCarrier.OPT_IN):
        ballot.weigh(m.WITH_DEVICE, SLIGHT, "advice.updates.download_is_carried")


def describe(answers: Answers, context: Context) -> tuple[Message, Figures]:
    if answers.device_class is DeviceClass.SERVER:
        return _headline(answers), ()
    figures: list[tuple[str, Estimate]] = [
        (f"advice.figure.reach.{days}", _reach(context, float(days))) for days in (3, 14, 60)
    ]
    half = days_until(context.facts.reach, 0.5)
    if half is not None:
        figures.append(("advice.figure.days_to_half", half))
    size = model_bytes(answers, context)
    if size is not None:
        figures.append(("advice.figure.download_time", download(size, MOBILE_BIT_PER_S).seconds))
    return _headline(answers), tuple(figures)


def _reach(context: Context, days: float) -> Estimate:
    """Share of users a fix has reached: the measured curve of all installs, the others and the teaching curve as its band."""
    found = [float(curve.reached(days)) for curve in context.facts.reach]
    trace = Trace(
        "advice.trace.reach", "share of installs on the new version", (Input("days", days, DAYS, Basis.ASSUMED),)
    )
    return Estimate(found[0], min(found), max(found), RATIO, Basis.ASSUMED, trace)


def _headline(answers: Answers) -> Message:
    days = answers.updates.update_interval_days
    if answers.device_class is DeviceClass.SERVER:
        return msg("advice.updates.headline.server")
    if days is None:
        return msg("advice.updates.headline.open")
    every = Quantity(days, DAYS)
    if days <= MONTHLY_DAYS:
        return msg("advice.updates.headline.often", every=every)
    return msg("advice.updates.headline.rarely" if days >= RARELY_DAYS else "advice.updates.headline.calm", every=every)


RULE: Final = RuleOf(
    Rule.UPDATES,
    ("updates.update_interval_days", "updates.download_limit_bytes", "updates.carrier"),
    frozenset({"profile", "updates", "intelligence"}),
    weigh,
    describe,
    ("updates.update_interval_days", "updates.download_limit_bytes"),
)
