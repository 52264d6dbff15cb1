"""Hardware questions to a ranked choice of chips: each family with a device of the catalogue, whether it fits, its speed, power and
price, how many are needed, and what to check before promising it.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from engine.advice import chip_rules
from engine.advice.chip_machines import Question
from engine.advice.chip_numbers import NOTHING, numbers_of
from engine.advice.chip_rules import FAMILIES, ChipCircumstances, FamilyBallot
from engine.advice.results import ChipOption
from engine.catalogue.catalogue import Catalogue
from engine.consultation import Workload
from engine.deployment import Deployment

SPAN: Final = 5.0
"""Weight at which a family counts as nothing beside the best."""


def rank(
    workload: Workload,
    base: Deployment | None,
    around: ChipCircumstances,
    catalogue: Catalogue,
) -> tuple[ChipOption, ...]:
    """The families, best first, the excluded last. Without a deployment there are no numbers, but the ranking stands."""
    ballot = chip_rules.weigh(workload.hardware, around)
    in_device = {"tpu", "lpu"} <= ballot.excluded
    made = [_option(family, _question(workload, base, in_device, catalogue), ballot) for family in FAMILIES]
    best = max((ballot.weights[o.family] - _penalty(o) for o in made if not o.excluded), default=0.0)

    def score(option: ChipOption) -> float:
        behind = best - (ballot.weights[option.family] - _penalty(option))
        return 0.0 if option.excluded else max(0.02, 1.0 - behind / SPAN)

    scored = [evolve(option, score=score(option)) for option in made]
    return tuple(sorted(scored, key=lambda o: (o.excluded, -o.score, FAMILIES.index(o.family))))


def _question(workload: Workload, base: Deployment | None, in_device: bool, catalogue: Catalogue) -> Question | None:
    return None if base is None else Question(workload, base, in_device, catalogue)


def _penalty(option: ChipOption) -> float:
    """A family whose device does not hold the model stands behind every one that does."""
    return 3.0 if option.fits is False else 0.0


def _option(family: str, asked: Question | None, ballot: FamilyBallot) -> ChipOption:
    reasons = tuple(m for _weight, m in sorted(ballot.reasons[family], key=lambda pair: -abs(pair[0])))
    excluded = family in ballot.excluded
    found = NOTHING if asked is None or excluded else numbers_of(family, asked)
    return ChipOption(
        family=family,
        device=found.device,
        count=found.count,
        score=0.0,
        excluded=excluded,
        fits=found.fits,
        decode_tokens_per_s=found.decode_tokens_per_s,
        throughput_tokens_per_s=found.throughput_tokens_per_s,
        power_w=found.power_w,
        usd_per_month=found.usd_per_month,
        usd_per_mtok=found.usd_per_mtok,
        reasons=(*found.reasons, *reasons),
        checks=tuple(ballot.checks[family]),
    )
