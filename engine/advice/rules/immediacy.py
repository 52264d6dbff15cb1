"""Rule 1: must the answer come at once, or is there a path that is down when it is needed?

It is about machines that act within about a tenth of a second, and about networks that cannot be relied on. People who read wait
for a cloud every day without noticing.
"""

from __future__ import annotations

from typing import Final

from engine.advice import meaning as m
from engine.advice.answers import Answers
from engine.advice.ballot import DECISIVE, FIRM, LEAN, SLIGHT, STRONG, Ballot
from engine.advice.meaning import P
from engine.advice.results import Rule
from engine.advice.rules.base import Context, Figures, RuleOf
from engine.consultation import Actor, DeviceClass, NetworkTrust
from engine.estimate import Basis, Estimate, Input, Trace, as_input, exact
from engine.messages import Message, Quantity, msg
from engine.units import METRES, METRES_PER_S, RATIO, SECONDS

INSTANT_S: Final = 0.1
"""Below this a person feels the response as part of the own movement (perception threshold, latency table)."""


SHORTEST_ROUND_TRIP_S: Final = 0.001
"""Nothing beyond the building answers sooner, whatever the line: two zones of one region are already 0.25 to 3.4 ms apart. Only
this, or a round trip somebody measured, rules a place out; the usual round trip of the table weighs."""


def round_trip(answers: Answers, context: Context) -> Estimate:
    """The round trip to a cloud: said or measured, else the band of the latency table for where the device is."""
    said = answers.immediacy.round_trip_s
    if said is not None:
        return exact(said, SECONDS, Basis.MEASURED)
    return context.facts.round_trip(is_away(answers))


def is_away(answers: Answers) -> bool:
    """The device leaves the organisation's buildings, as far as is known."""
    return answers.device_class in m.AWAY


def beyond_the_network(answers: Answers) -> tuple[P, ...]:
    """Placements that answer only when a public network carries the request."""
    return (*m.CLOUDS, P.ON_PREMISE, P.ON_PREMISE_CLOUD) if is_away(answers) else m.CLOUDS


def weigh(answers: Answers, context: Context, ballot: Ballot) -> None:
    if not answers.batch:
        _weigh_budget(answers, context, ballot)
        _weigh_outage(answers, ballot)
    _weigh_network(answers, ballot)


def _weigh_budget(answers: Answers, context: Context, ballot: Ballot) -> None:
    budget, actor = answers.immediacy.latency_budget_s, answers.immediacy.actor
    if budget is None:
        if actor is Actor.MACHINE:
            ballot.weigh((P.ON_DEVICE,), SLIGHT, "advice.immediacy.machine_acts")
        return
    trip, far = round_trip(answers, context), beyond_the_network(answers)
    guess = answers.is_guess("immediacy.latency_budget_s", "immediacy.round_trip_s")
    if budget < trip.low:
        words = {"budget": _s(budget), "trip": _s(trip.low)}
        if answers.immediacy.round_trip_s is not None or budget < SHORTEST_ROUND_TRIP_S:
            ballot.exclude(far, guess, "advice.immediacy.budget_under_round_trip", **words)
        else:
            ballot.weigh(far, -DECISIVE, "advice.immediacy.budget_under_usual_round_trip", **words)
        ballot.weigh((P.ON_DEVICE,), STRONG, "advice.immediacy.answers_in_place", budget=_s(budget))
        ballot.weigh(m.DEVICE_HYBRIDS, LEAN, "advice.immediacy.near_part_answers", budget=_s(budget))
        if P.ON_PREMISE not in far and budget >= context.facts.lan_round_trip.low:
            ballot.weigh((P.ON_PREMISE,), STRONG, "advice.immediacy.answers_on_site", budget=_s(budget))
            ballot.weigh((P.ON_PREMISE_CLOUD,), LEAN, "advice.immediacy.near_part_answers", budget=_s(budget))
    elif budget < 2 * trip.value or (budget <= INSTANT_S and not _person_waits(answers)):
        size = SLIGHT if _person_waits(answers) else (STRONG if actor is Actor.MACHINE else LEAN)
        share = Quantity(min(trip.value / budget, 1.0), RATIO)
        ballot.weigh(far, -size, "advice.immediacy.network_takes_the_wait", share=share, budget=_s(budget))
        ballot.weigh((P.ON_DEVICE,), size, "advice.immediacy.answers_in_place", budget=_s(budget))
        if P.ON_PREMISE not in far:
            ballot.weigh((P.ON_PREMISE,), size / 2, "advice.immediacy.answers_on_site", budget=_s(budget))
    if P.ON_PREMISE not in far and budget < context.facts.lan_round_trip.low:
        ballot.exclude(
            (P.ON_PREMISE, P.ON_PREMISE_CLOUD), guess, "advice.immediacy.budget_under_lan", budget=_s(budget)
        )


def _person_waits(answers: Answers) -> bool:
    """A person waits, by what was said or, while nobody said, because the device is one that people hold."""
    if answers.immediacy.actor is not None:
        return answers.immediacy.actor is Actor.PERSON
    return answers.device_class in m.HELD_BY_PEOPLE


def _weigh_outage(answers: Answers, ballot: Ballot) -> None:
    outage = answers.immediacy.outage_s
    if outage and answers.immediacy.actor is Actor.MACHINE:
        ballot.weigh(beyond_the_network(answers), -LEAN, "advice.immediacy.outage_stops_machine", outage=_s(outage))


def _weigh_network(answers: Answers, ballot: Ballot) -> None:
    trust = answers.immediacy.network_trust
    away, site_server = is_away(answers), answers.device_class is DeviceClass.SERVER
    far = beyond_the_network(answers)
    if trust is NetworkTrust.NONE:
        ballot.exclude(far, answers.is_guess("immediacy.network_trust"), "advice.immediacy.no_network")
        distant = m.DEVICE_HYBRIDS if away else m.CLOUD_HYBRIDS
        ballot.weigh(distant, -FIRM, "advice.immediacy.far_part_unreachable")
        ballot.weigh((P.ON_DEVICE,), STRONG, "advice.immediacy.no_link_to_break")
        if not away:
            ballot.weigh((P.ON_PREMISE, P.DEVICE_ON_PREMISE), STRONG, "advice.immediacy.site_network_is_own")
    elif trust is NetworkTrust.PATCHY and not answers.batch:
        ballot.weigh(far, -(FIRM if site_server else LEAN), "advice.immediacy.network_patchy")
        ballot.weigh((P.ON_DEVICE, P.DEVICE_CLOUD), LEAN, "advice.immediacy.near_part_bridges")
        if not away:
            ballot.weigh((P.ON_PREMISE,), STRONG if site_server else LEAN, "advice.immediacy.site_network_is_own")
            ballot.weigh((P.ON_PREMISE_CLOUD, P.DEVICE_ON_PREMISE), LEAN, "advice.immediacy.near_part_bridges")


def describe(answers: Answers, context: Context) -> tuple[Message, Figures]:
    if answers.batch:
        return msg("advice.immediacy.headline.batch"), ()
    trip, budget = round_trip(answers, context), answers.immediacy.latency_budget_s
    figures: list[tuple[str, Estimate]] = [("advice.figure.round_trip", trip)]
    if budget is not None:
        figures.append(("advice.figure.round_trip_share", _share(trip, budget)))
    figures += _blind(answers, trip)
    if answers.immediacy.outage_s is not None:
        figures.append(("advice.figure.outage", exact(answers.immediacy.outage_s, SECONDS)))
    return _headline(answers, trip), tuple(figures)


def _share(trip: Estimate, budget: float) -> Estimate:
    """The round trip as a share of the whole wait allowed."""
    said = Input("budget", budget, SECONDS, Basis.MEASURED)
    trace = Trace("advice.trace.round_trip_share", "round_trip / budget", (as_input("round_trip", trip), said))
    return Estimate(trip.value / budget, trip.low / budget, trip.high / budget, RATIO, trip.basis, trace)


def _blind(answers: Answers, trip: Estimate) -> list[tuple[str, Estimate]]:
    """Metres travelled without an answer: speed x round trip, and speed x outage. 27.8 m/s x 0.2 s = 5.6 m."""
    speed, outage = answers.immediacy.speed_m_per_s, answers.immediacy.outage_s
    if not speed:
        return []
    moved = Input("speed", speed, METRES_PER_S, Basis.MEASURED)
    trace = Trace("advice.trace.metres_blind", "speed x round_trip", (moved, as_input("round_trip", trip)))
    blind = Estimate(speed * trip.value, speed * trip.low, speed * trip.high, METRES, trip.basis, trace)
    figures = [("advice.figure.metres_blind", blind)]
    if outage:
        lost = Input("outage", outage, SECONDS, Basis.MEASURED)
        trace = Trace("advice.trace.metres_blind", "speed x outage", (moved, lost))
        figures.append(("advice.figure.metres_outage", exact(speed * outage, METRES, trace=trace)))
    return figures


def _headline(answers: Answers, trip: Estimate) -> Message:
    budget, trust = answers.immediacy.latency_budget_s, answers.immediacy.network_trust
    if trust is NetworkTrust.NONE:
        return msg("advice.immediacy.headline.no_network")
    if budget is None:
        key = "advice.immediacy.headline.open" if trust is None else f"advice.immediacy.headline.{trust.value}"
        return msg(key, trip=trip)
    if budget < trip.low:
        return msg("advice.immediacy.headline.too_fast_for_cloud", budget=_s(budget), trip=trip)
    if budget < 2 * trip.value:
        return msg("advice.immediacy.headline.round_trip_matters", budget=_s(budget), trip=trip)
    return msg("advice.immediacy.headline.round_trip_small", budget=_s(budget), trip=trip)


def _s(seconds: float) -> Quantity:
    return Quantity(seconds, SECONDS)


RULE: Final = RuleOf(
    Rule.IMMEDIACY,
    (
        "immediacy.actor",
        "immediacy.network_trust",
        "immediacy.latency_budget_s",
        "immediacy.round_trip_s",
        "immediacy.speed_m_per_s",
        "immediacy.outage_s",
    ),
    frozenset({"profile", "immediacy"}),
    weigh,
    describe,
    ("immediacy.network_trust", "immediacy.latency_budget_s"),
)
