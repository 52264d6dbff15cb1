"""Rule 6: what has to keep working when the network is gone?

For a thing that moves, offline means the device. Inside a closed network it means the organisation's own servers (or a region cut
off for it): the internet is missing, not the building's cable.
"""

from __future__ import annotations

from typing import Final

from engine.advice import meaning as m
from engine.advice.answers import Answers
from engine.advice.ballot import FIRM, LEAN, SLIGHT, STRONG, Ballot
from engine.advice.meaning import P
from engine.advice.results import Rule
from engine.advice.rules.base import Context, Figures, RuleOf
from engine.advice.rules.data import sealed_accepted
from engine.advice.rules.immediacy import is_away
from engine.consultation import DeviceClass, OfflineNeed
from engine.estimate import Estimate, exact
from engine.messages import Message, msg
from engine.units import SECONDS


def weigh(answers: Answers, _context: Context, ballot: Ballot) -> None:
    need = answers.offline.need
    if need is OfflineNeed.FULL:
        _full(answers, ballot)
    elif need is OfflineNeed.BASICS:
        _basics(answers, ballot)
    elif need is OfflineNeed.NO and answers.device_class is not DeviceClass.SERVER:
        ballot.weigh(m.WITH_DEVICE, -LEAN, "advice.offline.not_needed")
    if answers.offline.closed_network:
        _closed(answers, ballot)


def _full(answers: Answers, ballot: Ballot) -> None:
    away, guess = is_away(answers), answers.is_guess("offline.need")
    isolated = bool(answers.offline.closed_network) and sealed_accepted(answers) is True
    clouds = m.PUBLIC_CLOUDS if isolated else m.CLOUDS
    ballot.exclude((*clouds, *m.CLOUD_HYBRIDS), guess, "advice.offline.stops_without_network")
    if away:
        ballot.exclude((P.ON_PREMISE, P.DEVICE_ON_PREMISE), guess, "advice.offline.server_out_of_reach")
    ballot.weigh((P.ON_DEVICE,), STRONG, "advice.offline.works_anywhere")
    if not away:
        on_site = answers.device_class in (DeviceClass.SERVER, None)
        ballot.weigh(
            (P.ON_PREMISE, P.DEVICE_ON_PREMISE), STRONG if on_site else SLIGHT, "advice.offline.works_in_the_building"
        )


def _basics(answers: Answers, ballot: Ballot) -> None:
    away, guess = is_away(answers), answers.is_guess("offline.need")
    ballot.exclude(m.CLOUDS, guess, "advice.offline.basics_stop")
    if away:
        ballot.exclude((P.ON_PREMISE, P.ON_PREMISE_CLOUD), guess, "advice.offline.server_out_of_reach")
    ballot.weigh((P.ON_DEVICE,), FIRM, "advice.offline.basics_on_device")
    ballot.weigh((P.DEVICE_CLOUD,), FIRM + LEAN, "advice.offline.basics_here_rest_there")
    ballot.weigh((P.DEVICE_ON_PREMISE,), FIRM, "advice.offline.basics_on_device")
    if not away:
        ballot.weigh((P.ON_PREMISE,), FIRM, "advice.offline.works_in_the_building")
        ballot.weigh((P.ON_PREMISE_CLOUD,), STRONG, "advice.offline.basics_here_rest_there")


def _closed(answers: Answers, ballot: Ballot) -> None:
    """No path to the internet by design. An isolated region may stand in where a sealed cloud is accepted."""
    guess = answers.is_guess("offline.closed_network")
    isolated = sealed_accepted(answers) is True
    clouds = m.PUBLIC_CLOUDS if isolated else m.CLOUDS
    ballot.exclude((*clouds, *m.CLOUD_HYBRIDS), guess, "advice.offline.closed_network")
    if isolated:
        ballot.weigh((P.SEALED_CLOUD,), SLIGHT, "advice.offline.isolated_region")
    ballot.weigh((P.ON_PREMISE,), STRONG, "advice.offline.inside_closed_network")
    ballot.weigh((P.ON_DEVICE, P.DEVICE_ON_PREMISE), SLIGHT, "advice.offline.inside_closed_network")


def describe(answers: Answers, _context: Context) -> tuple[Message, Figures]:
    outage = answers.immediacy.outage_s
    figures: list[tuple[str, Estimate]] = []
    if outage is not None:
        figures.append(("advice.figure.outage", exact(outage, SECONDS)))
    if answers.offline.closed_network:
        return msg("advice.offline.headline.closed"), tuple(figures)
    need = answers.offline.need
    return msg(f"advice.offline.headline.{need.value if need else 'open'}"), tuple(figures)


RULE: Final = RuleOf(
    Rule.OFFLINE,
    ("offline.need", "offline.closed_network"),
    frozenset({"profile", "offline", "data", "circumstances", "immediacy"}),
    weigh,
    describe,
    ("offline.need", "offline.closed_network"),
)
