"""A hybrid designed, not only named: what stays, what goes, how much goes, and what happens when the network is gone."""

from __future__ import annotations

from typing import Final

from engine.advice.answers import Answers
from engine.advice.meaning import HYBRIDS
from engine.advice.results import HybridDesign, Placement
from engine.consultation import Boundary, Intelligence, Sensitivity
from engine.estimate import Basis, Estimate, Input, Trace, exact
from engine.messages import msg
from engine.units import RATIO

ASSUMED_ROUTING: Final[dict[Intelligence | None, tuple[float, float, float]]] = {
    Intelligence.NARROW: (0.1, 0.02, 0.3),
    Intelligence.MEDIUM: (0.3, 0.1, 0.6),
    Intelligence.FRONTIER: (0.7, 0.4, 0.95),
    None: (0.3, 0.05, 0.8),
}
"""Share of requests that leave the near side (value, low, high) while nobody has measured how many are hard."""


def design(chosen: Placement | None, answers: Answers) -> HybridDesign | None:
    """The design of the chosen hybrid; None when the verdict is no hybrid."""
    if chosen not in HYBRIDS:
        return None
    name = chosen.value
    guarded = answers.data.boundary not in (None, Boundary.NONE) or answers.data.sensitivity in (
        Sensitivity.REGULATED,
        Sensitivity.SECRET,
    )
    return HybridDesign(
        stays=msg(f"advice.hybrid.{name}.stays"),
        goes=msg(f"advice.hybrid.{name}.goes"),
        routing_share=routing_share(answers),
        without_network=msg(f"advice.hybrid.{name}.without_network"),
        privacy=msg(f"advice.hybrid.{name}.privacy.{'guarded' if guarded else 'open'}"),
    )


def routing_share(answers: Answers) -> Estimate:
    """Share of the requests that go to the far side: the hard ones, and those of devices that cannot run the model.

    hard + (1 - hard) x (1 - eligible), with eligible = 1 while nobody said; an unsaid hard share is assumed by hardness.
    """
    said, eligible = answers.intelligence.hard_share, answers.scale.eligible_device_share
    value, low, high = ASSUMED_ROUTING[answers.intelligence.hardness] if said is None else (said, said, said)
    basis = Basis.ASSUMED if said is None else Basis.MEASURED
    able = 1.0 if eligible is None else eligible
    used = (
        Input("hard", value, RATIO, basis),
        Input("eligible", able, RATIO, Basis.ASSUMED if eligible is None else Basis.MEASURED),
    )
    trace = Trace("advice.trace.routing_share", "hard + (1 - hard) x (1 - eligible)", used)

    def sent(hard: float) -> float:
        return hard + (1.0 - hard) * (1.0 - able)

    if said is not None:
        return exact(sent(value), RATIO, basis, trace)
    return Estimate(sent(value), sent(low), sent(high), RATIO, basis, trace)
