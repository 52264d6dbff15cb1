"""What would flip the chip: every hardware answer given another value, and the families ranked again."""

from __future__ import annotations

from typing import Any, Final

from attrs import evolve

from engine.advice import chip_rules
from engine.advice.chip_rules import ChipCircumstances
from engine.advice.results import Flip
from engine.consultation import Framework, Purpose, Workload
from engine.messages import Message, Quantity, msg
from engine.questions import question

TRIED: Final[dict[str, tuple[Any, ...]]] = {
    "hardware.purpose": tuple(Purpose),
    "hardware.token_speed_felt": (True, False),
    "hardware.model_fixed": (True, False),
    "hardware.constant_latency": (True, False),
    "hardware.long_context": (True, False),
    "hardware.matrix_size": (64.0, 512.0, 4096.0),
    "hardware.framework": tuple(Framework),
    "hardware.vendor_lock_accepted": (True, False),
    "hardware.google_cloud": (True, False),
}
"""Hardware question -> the values tried. An open one is left out: it is a question to ask, not a flip."""
FLIP_DISTANCE: Final = 0.45
"""Hardware answers have no scale between them: all are about as far as another choice."""


def find(workload: Workload, around: ChipCircumstances) -> tuple[Flip, ...]:
    """One flip a hardware question at most: the first other value that puts another family first."""
    needs = workload.hardware
    now = chip_rules.weigh(needs, around, explain=False).leader()
    found = []
    for path, values in TRIED.items():
        name = path.partition(".")[2]
        before = getattr(needs, name)
        if before is None or not question(path).asked_if(workload):
            continue
        for value in values:
            if value == before:
                continue
            after = chip_rules.weigh(evolve(needs, **{name: value}), around, explain=False).leader()
            if after is not None and after != now:
                found.append(_flip(path, before, value, after, around))
                break
    return tuple(found)


def _flip(path: str, before: Any, value: Any, family: str, around: ChipCircumstances) -> Flip:
    asked = question(path)
    words = msg(
        "advice.flip.chip",
        question=asked.short,
        before=_said(path, before),
        after=_said(path, value),
        family=msg(f"family.{family}"),
    )
    return Flip(path, before, value, asked.unit, around.placement, family, words, FLIP_DISTANCE)


def _said(path: str, value: Any) -> Message:
    asked = question(path)
    if isinstance(value, bool):
        return msg("flag.yes" if value else "flag.no")
    if isinstance(value, float | int):
        return msg("advice.value.number", value=Quantity(float(value), asked.unit))
    return asked.choice_title(str(value))
