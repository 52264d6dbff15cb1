"""Rule 4: how many users, how often, and who pays for the computing?

Requests times unit price against what the device costs once. Two more facts decide as often: what share of the users' devices can
run the model at all, and whether a decision needs to know what others did.
"""

from __future__ import annotations

from typing import Final

from engine.advice import meaning as m
from engine.advice.answers import Answers
from engine.advice.ballot import FIRM, LEAN, SLIGHT, STRONG, Ballot
from engine.advice.meaning import P
from engine.advice.results import Rule
from engine.advice.rules.base import Context, Figures, RuleOf
from engine.consultation import DeviceClass, Intelligence, UserScale
from engine.estimate import Basis, Estimate, Input, Trace, exact
from engine.messages import Message, Quantity, msg
from engine.units import COUNT, DAYS_PER_MONTH, RATIO, USERS

MANY_USERS: Final = 1e6
FEW_USERS: Final = 1e3
"""Where the number of users speaks while no price is known: far above and far below any crossover seen."""


def requests_per_month(scale: UserScale) -> float | None:
    """users x requests a day x days of a month; None while one is unknown."""
    users, each = scale.users, scale.requests_per_user_day
    return None if users is None or each is None else users * each * DAYS_PER_MONTH


def weigh(answers: Answers, context: Context, ballot: Ballot) -> None:
    if answers.device_class is not DeviceClass.SERVER:
        _eligible(answers, ballot)
        _cost(answers, context, ballot)
    if context.cheaper_cloud is not None and requests_per_month(answers.scale) is not None:
        ballot.weigh((context.cheaper_cloud,), LEAN, "advice.scale.cheaper_cloud")
    if answers.scale.shared_state:
        ballot.weigh((P.ON_DEVICE,), -STRONG, "advice.scale.needs_what_others_did")
        ballot.weigh((*m.CLOUDS, P.ON_PREMISE), SLIGHT, "advice.scale.sees_all_requests")


def _eligible(answers: Answers, ballot: Ballot) -> None:
    share = answers.scale.eligible_device_share
    if share is None:
        return
    said = Quantity(share, RATIO)
    if share == 0.0:
        guess = answers.is_guess("scale.eligible_device_share")
        ballot.exclude(m.WITH_DEVICE, guess, "advice.scale.no_device_can")
    elif share < 0.9:
        ballot.weigh((P.ON_DEVICE,), -(STRONG if share < 0.5 else LEAN), "advice.scale.some_devices_cannot", share=said)
        if share < 0.5:
            ballot.weigh(m.DEVICE_HYBRIDS, -LEAN, "advice.scale.few_devices_share_the_work", share=said)
        else:
            ballot.weigh((P.DEVICE_CLOUD,), SLIGHT, "advice.scale.cloud_serves_the_rest", share=said)
    else:
        ballot.weigh((P.ON_DEVICE,), SLIGHT, "advice.scale.devices_can", share=said)


def _cost(answers: Answers, context: Context, ballot: Ballot) -> None:
    paid = answers.scale.compute_paid_by_user
    if paid is not None:
        key = "advice.scale.user_pays" if paid else "advice.scale.we_pay_anyway"
        ballot.weigh((P.ON_DEVICE,), LEAN if paid else -SLIGHT, key)
    asked, crossover = requests_per_month(answers.scale), context.device_pays_above
    if asked is not None and crossover is not None:
        _against_crossover(asked, crossover, ballot)
        return
    users = answers.scale.users
    if users is None or answers.intelligence.hardness is Intelligence.FRONTIER:
        return
    simple = answers.intelligence.hardness is Intelligence.NARROW
    if users >= MANY_USERS and simple:
        ballot.weigh((P.ON_DEVICE,), LEAN, "advice.scale.many_simple", users=Quantity(users, USERS))
        ballot.weigh((P.DEVICE_CLOUD,), SLIGHT, "advice.scale.many_simple", users=Quantity(users, USERS))
    elif users < FEW_USERS:
        ballot.weigh((P.ON_DEVICE,), -SLIGHT, "advice.scale.few_users", users=Quantity(users, USERS))


def _against_crossover(asked: float, crossover: Estimate, ballot: Ballot) -> None:
    """Clear of the crossover's band on either side it is a firm reason, inside the band a slight one."""
    per_month = Quantity(asked, COUNT)
    if asked >= crossover.high:
        ballot.weigh((P.ON_DEVICE,), FIRM, "advice.scale.above_crossover", requests=per_month, crossover=crossover)
        ballot.weigh((P.DEVICE_CLOUD,), SLIGHT, "advice.scale.above_crossover", requests=per_month, crossover=crossover)
    elif asked <= crossover.low:
        ballot.weigh((P.ON_DEVICE,), -LEAN, "advice.scale.below_crossover", requests=per_month, crossover=crossover)
    elif asked > crossover.value:
        ballot.weigh((P.ON_DEVICE,), SLIGHT, "advice.scale.near_crossover", requests=per_month, crossover=crossover)


def describe(answers: Answers, context: Context) -> tuple[Message, Figures]:
    asked = requests_per_month(answers.scale)
    figures: list[tuple[str, Estimate]] = []
    if asked is not None:
        used = (
            Input("users", answers.scale.users or 0.0, USERS, Basis.MEASURED),
            Input("requests_per_user_day", answers.scale.requests_per_user_day or 0.0, "1/day", Basis.MEASURED),
            Input("days_per_month", DAYS_PER_MONTH, "day", Basis.DATASHEET),
        )
        trace = Trace("advice.trace.requests", "users x requests_per_user_day x days_per_month", used)
        figures.append(("advice.figure.requests_per_month", exact(asked, COUNT, trace=trace)))
    if context.device_pays_above is not None:
        figures.append(("advice.figure.crossover_requests", context.device_pays_above))
    if answers.scale.eligible_device_share is not None:
        figures.append(("advice.figure.eligible_share", exact(answers.scale.eligible_device_share, RATIO)))
    return _headline(answers, context, asked), tuple(figures)


def _headline(answers: Answers, context: Context, asked: float | None) -> Message:
    if answers.scale.shared_state:
        return msg("advice.scale.headline.shared")
    if asked is None:
        key = "advice.scale.headline.open" if answers.scale.users is None else "advice.scale.headline.users"
        return msg(key, users=Quantity(answers.scale.users or 0.0, USERS))
    crossover = context.device_pays_above
    if crossover is None:
        return msg("advice.scale.headline.requests", requests=Quantity(asked, COUNT))
    key = "advice.scale.headline.above" if asked > crossover.value else "advice.scale.headline.below"
    return msg(key, requests=Quantity(asked, COUNT), crossover=crossover)


RULE: Final = RuleOf(
    Rule.SCALE,
    (
        "scale.users",
        "scale.requests_per_user_day",
        "scale.eligible_device_share",
        "scale.shared_state",
        "scale.compute_paid_by_user",
    ),
    frozenset({"profile", "scale", "intelligence"}),
    weigh,
    describe,
    ("scale.users", "scale.eligible_device_share", "scale.shared_state"),
)
