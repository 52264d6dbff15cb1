"""Rule 2: how far may the data go? A distance, not a yes or no.

Sensitivity alone decides little: half of the regulated work seen runs in some cloud. What the contract, the regulator or the
accreditation accepts decides, and between the own building and a public cloud stands the sealed one.
"""

from __future__ import annotations

from typing import Final

from engine.advice import meaning as m
from engine.advice.answers import Answers
from engine.advice.ballot import FIRM, LEAN, SLIGHT, STRONG, Ballot
from engine.advice.meaning import P
from engine.advice.results import Rule
from engine.advice.rules.base import Context, Figures, RuleOf
from engine.consultation import Boundary, DeviceClass, Sensitivity
from engine.estimate import Basis, exact
from engine.messages import Message, Name, msg
from engine.units import COUNT


def sealed_accepted(answers: Answers) -> bool | None:
    """Whether a sealed cloud (confidential, cleared, in-country, under an audited contract) is accepted; None: nobody said."""
    if answers.circumstances.contract_accepts_cloud is False:
        return False
    said = answers.data.sealed_cloud_accepted
    if said is None and answers.circumstances.contract_accepts_cloud:
        return True
    return said


def weigh(answers: Answers, _context: Context, ballot: Ballot) -> None:
    boundary = answers.data.boundary
    guess = answers.is_guess("data.boundary")
    if boundary is Boundary.DEVICE:
        _device_only(answers, guess, ballot)
    elif boundary is Boundary.ORGANISATION:
        _organisation(answers, guess, ballot)
    elif boundary is Boundary.COUNTRY:
        _country(answers, guess, ballot)
    _sensitivity(answers, ballot)


def _device_only(answers: Answers, guess: bool, ballot: Ballot) -> None:
    ballot.exclude(
        (*m.PUBLIC_CLOUDS, P.ON_PREMISE, P.ON_PREMISE_CLOUD, P.DEVICE_ON_PREMISE), guess, "advice.data.leaves_device"
    )
    if sealed_accepted(answers):
        ballot.weigh((P.SEALED_CLOUD, P.DEVICE_CLOUD), -SLIGHT, "advice.data.sealed_stands_in")
    elif guess:
        ballot.weigh((P.SEALED_CLOUD, P.DEVICE_CLOUD), -LEAN, "advice.data.sealed_unconfirmed")
    else:
        ballot.exclude((P.SEALED_CLOUD, P.DEVICE_CLOUD), False, "advice.data.leaves_device")
    if answers.device_class is not DeviceClass.SERVER:
        ballot.weigh((P.ON_DEVICE,), STRONG, "advice.data.stays_on_device")


def _organisation(answers: Answers, guess: bool, ballot: Ballot) -> None:
    ballot.exclude(m.PUBLIC_CLOUDS, guess, "advice.data.leaves_organisation")
    _sealed(answers, guess, ballot, "advice.data.leaves_organisation")
    ballot.weigh((P.ON_PREMISE,), STRONG, "advice.data.stays_in_organisation")
    ballot.weigh((P.DEVICE_ON_PREMISE,), FIRM, "advice.data.stays_in_organisation")
    ballot.weigh((P.ON_PREMISE_CLOUD,), SLIGHT, "advice.data.guarded_part_stays")
    if answers.device_class in m.OF_THE_ORGANISATION:
        ballot.weigh((P.ON_DEVICE,), STRONG, "advice.data.own_device")
    elif not _records(answers):
        ballot.weigh((P.ON_DEVICE,), LEAN, "advice.data.users_device")


def _records(answers: Answers) -> bool:
    """The data is the organisation's record, not the user's own: on the user's device it has left the organisation."""
    return answers.data.sensitivity in (Sensitivity.REGULATED, Sensitivity.SECRET)


def _country(answers: Answers, guess: bool, ballot: Ballot) -> None:
    ballot.exclude(m.PUBLIC_CLOUDS, guess, "advice.data.leaves_country")
    _sealed(answers, guess, ballot, "advice.data.no_sealed_cloud")
    ballot.weigh((P.ON_PREMISE,), FIRM, "advice.data.stays_in_country")
    ballot.weigh((P.ON_DEVICE, P.DEVICE_ON_PREMISE), LEAN, "advice.data.stays_in_country")
    ballot.weigh((P.ON_PREMISE_CLOUD,), SLIGHT, "advice.data.guarded_part_stays")


def _sealed(answers: Answers, guess: bool, ballot: Ballot, refused: str) -> None:
    """A sealed cloud inside a boundary: welcome when accepted, ruled out when refused, open until somebody says."""
    accepted = sealed_accepted(answers)
    if accepted:
        ballot.weigh((P.SEALED_CLOUD,), FIRM, "advice.data.sealed_accepted")
        ballot.weigh(m.CLOUD_HYBRIDS, SLIGHT, "advice.data.sealed_accepted")
    elif accepted is False:
        soft = guess or answers.is_guess("data.sealed_cloud_accepted")
        ballot.exclude((P.SEALED_CLOUD, *m.CLOUD_HYBRIDS), soft, refused)


def _sensitivity(answers: Answers, ballot: Ballot) -> None:
    level = answers.data.sensitivity
    if level is Sensitivity.SECRET:
        ballot.weigh(m.PUBLIC_CLOUDS, -STRONG, "advice.data.secret_in_public")
        if not sealed_accepted(answers):
            ballot.weigh((P.SEALED_CLOUD, P.ON_PREMISE_CLOUD), -SLIGHT, "advice.data.secret_needs_clearance")
            ballot.weigh((P.DEVICE_CLOUD,), -LEAN, "advice.data.secret_needs_clearance")
        ballot.weigh((P.ON_PREMISE, P.ON_DEVICE, P.DEVICE_ON_PREMISE), LEAN, "advice.data.secret_short_way")
    elif level is Sensitivity.REGULATED:
        free = answers.data.boundary is Boundary.NONE
        ballot.weigh(m.PUBLIC_CLOUDS, -(SLIGHT if free else LEAN), "advice.data.regulated_in_public")
        near = (P.ON_PREMISE,) if answers.device_class in m.USERS_OWN else (P.ON_PREMISE, P.ON_DEVICE)
        ballot.weigh(near, SLIGHT, "advice.data.regulated_short_way")
    elif level is Sensitivity.PERSONAL and answers.data.boundary is None:
        ballot.weigh(m.PUBLIC_CLOUDS, -SLIGHT, "advice.data.personal_in_public")
        ballot.weigh((P.ON_DEVICE,), SLIGHT, "advice.data.personal_short_way")


def describe(answers: Answers, context: Context) -> tuple[Message, Figures]:
    boundary, level = answers.data.boundary, answers.data.sensitivity
    figures: Figures = tuple(
        (f"advice.figure.boundaries.{placement.value}", exact(len(m.crossed(placement)), COUNT, Basis.DATASHEET))
        for placement in (P.ON_DEVICE, P.ON_PREMISE, P.SEALED_CLOUD, P.CLOUD_API)
    )
    if boundary is None:
        return msg("advice.data.headline.open", sensitivity=_level(level)), figures
    named = tuple(Name("regulation", r) for r in answers.data.regulations if r in context.regulations)
    if named and boundary is not Boundary.NONE:
        return msg(f"advice.data.headline.{boundary.value}.named", regulations=named), figures
    return msg(f"advice.data.headline.{boundary.value}"), figures


def _level(level: Sensitivity | None) -> Message:
    return msg("advice.data.level.unknown") if level is None else msg(f"advice.data.level.{level.value}")


RULE: Final = RuleOf(
    Rule.DATA,
    ("data.boundary", "data.sensitivity", "data.sealed_cloud_accepted", "data.regulations"),
    frozenset({"profile", "data", "circumstances"}),
    weigh,
    describe,
    ("data.boundary", "data.sensitivity"),
)
