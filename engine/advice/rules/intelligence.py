"""Rule 3: how hard is the work, which class of model does it, and what of that fits where?"""

from __future__ import annotations

from typing import Final

from engine.advice import meaning as m
from engine.advice.answers import Answers
from engine.advice.ballot import DECISIVE, FIRM, LEAN, SLIGHT, STRONG, Ballot
from engine.advice.facts import MODEL_CLASS_PARAMS, SMALLEST_MODEL_BYTES
from engine.advice.meaning import P
from engine.advice.results import Rule
from engine.advice.rules.base import Context, Figures, RuleOf
from engine.consultation import DeviceClass, Intelligence
from engine.estimate import Basis, Estimate, exact
from engine.messages import Message, Quantity, msg
from engine.units import BYTES, COUNT, RATIO

MOST: Final = 0.75
FEW: Final = 0.25
"""Shares of a device class from which a model counts as fitting most, or only few, of its devices."""


def needed_bytes(answers: Answers, context: Context) -> float | None:
    """Memory of the model that would stand on the device: the one named, else the smallest that does such work."""
    if context.small_model_bytes is not None:
        return context.small_model_bytes
    hardness = answers.intelligence.hardness
    return None if hardness is None else SMALLEST_MODEL_BYTES[hardness]


def device_share(answers: Answers, context: Context) -> float | None:
    """Share of the kinds of device that hold it; None when hardness or device is unknown."""
    need = needed_bytes(answers, context)
    if need is None:
        return None
    return context.facts.fit_share(answers.device_class, answers.target_device, need)


def weigh(answers: Answers, context: Context, ballot: Ballot) -> None:
    hardness = answers.intelligence.hardness
    if hardness is Intelligence.NARROW:
        _narrow(answers, context, ballot)
    elif hardness is Intelligence.MEDIUM:
        _medium(answers, context, ballot)
    elif hardness is Intelligence.FRONTIER:
        _frontier(answers, context, ballot)
    _hard_share(answers, ballot)


def _narrow(answers: Answers, context: Context, ballot: Ballot) -> None:
    if answers.device_class is DeviceClass.SERVER:
        return
    if device_share(answers, context) == 0.0:
        ballot.weigh((P.ON_DEVICE,), -FIRM, "advice.intelligence.even_narrow_too_large")
        return
    ballot.weigh((P.ON_DEVICE, *m.DEVICE_HYBRIDS), LEAN, "advice.intelligence.small_model_is_enough")


def _medium(answers: Answers, context: Context, ballot: Ballot) -> None:
    ballot.weigh(m.WITH_CLOUD, FIRM, "advice.intelligence.larger_model_helps")
    ballot.weigh((P.ON_PREMISE,), LEAN, "advice.intelligence.open_model_on_own_server")
    ballot.weigh((P.DEVICE_ON_PREMISE,), LEAN, "advice.intelligence.open_model_on_own_server")
    share = device_share(answers, context)
    if share is None or share >= MOST:
        return
    size = STRONG if share < FEW else SLIGHT
    ballot.weigh((P.ON_DEVICE,), -size, "advice.intelligence.fits_few_devices", share=Quantity(share, RATIO))


def _frontier(answers: Answers, context: Context, ballot: Ballot) -> None:
    ballot.weigh(m.CLOUDS, DECISIVE, "advice.intelligence.best_models_are_in_clouds")
    ballot.weigh((P.ON_PREMISE_CLOUD,), FIRM + LEAN, "advice.intelligence.hard_part_goes_out")
    ballot.weigh((P.DEVICE_CLOUD,), STRONG, "advice.intelligence.hard_part_goes_out")
    ballot.weigh((P.ON_PREMISE,), -LEAN, "advice.intelligence.frontier_at_home_is_large")
    ballot.weigh((P.DEVICE_ON_PREMISE,), -STRONG, "advice.intelligence.frontier_at_home_is_large")
    share = device_share(answers, context)
    if share == 0.0:
        guess = answers.is_guess("intelligence.hardness", "profile.device_class")
        ballot.exclude((P.ON_DEVICE,), guess, "advice.intelligence.frontier_fits_no_device")
    else:
        ballot.weigh((P.ON_DEVICE,), -DECISIVE, "advice.intelligence.frontier_fits_few_devices")


def _hard_share(answers: Answers, ballot: Ballot) -> None:
    share = answers.intelligence.hard_share
    if share is None or answers.device_class is DeviceClass.SERVER:
        return
    said = Quantity(share, RATIO)
    if share == 0.0:
        ballot.weigh((P.ON_DEVICE,), FIRM, "advice.intelligence.nothing_hard")
        ballot.weigh((P.DEVICE_CLOUD,), -SLIGHT, "advice.intelligence.nothing_to_send")
    elif share < 0.5:
        ballot.weigh(m.DEVICE_HYBRIDS, STRONG, "advice.intelligence.some_hard", share=said)
    elif share < 1.0:
        ballot.weigh(m.CLOUDS, LEAN, "advice.intelligence.mostly_hard", share=said)
        ballot.weigh((P.ON_DEVICE,), -FIRM, "advice.intelligence.mostly_hard", share=said)
    else:
        guess = answers.is_guess("intelligence.hard_share")
        ballot.exclude(m.WITH_DEVICE, guess, "advice.intelligence.all_hard")


def describe(answers: Answers, context: Context) -> tuple[Message, Figures]:
    hardness = answers.intelligence.hardness
    memory = context.facts.class_memory(answers.device_class, answers.target_device)
    figures: list[tuple[str, Estimate]] = []
    if hardness is not None:
        low, high = MODEL_CLASS_PARAMS[hardness]
        figures.append(
            (
                "advice.figure.model_class",
                Estimate(float(f"{(low * high) ** 0.5:.1g}"), low, high, COUNT, Basis.ASSUMED),
            )
        )
    need = needed_bytes(answers, context)
    if need is not None:
        figures.append(("advice.figure.model_need", Estimate(need, need, need, BYTES, Basis.ASSUMED)))
    if memory is not None:
        figures.append(("advice.figure.device_memory", memory))
    if answers.intelligence.hard_share is not None:
        figures.append(("advice.figure.hard_share", exact(answers.intelligence.hard_share, RATIO)))
    return _headline(answers, context), tuple(figures)


def _headline(answers: Answers, context: Context) -> Message:
    hardness = answers.intelligence.hardness
    if hardness is None:
        return msg("advice.intelligence.headline.open")
    share = device_share(answers, context)
    if share is None:
        return msg(f"advice.intelligence.headline.{hardness.value}")
    grade = "most" if share >= MOST else ("few" if share < FEW else "some")
    return msg(f"advice.intelligence.headline.{hardness.value}.{grade}")


RULE: Final = RuleOf(
    Rule.INTELLIGENCE,
    ("intelligence.hardness", "intelligence.hard_share"),
    frozenset({"profile", "intelligence"}),
    weigh,
    describe,
    ("intelligence.hardness",),
)
