"""What competent people weigh besides the six rules: contract, audit, machines owned, skills, load, where the data lies, buying."""

from __future__ import annotations

from typing import Final

from engine.advice import meaning as m
from engine.advice.answers import Answers
from engine.advice.ballot import FIRM, LEAN, SLIGHT, Ballot
from engine.advice.meaning import P
from engine.advice.results import Rule
from engine.advice.rules.base import Context, Figures, RuleOf
from engine.consultation import DeviceClass, LoadShape, Skills
from engine.estimate import Basis, Estimate, Input, Trace
from engine.messages import Message, Quantity, msg
from engine.units import BYTES, MONTHS, SECONDS, TERA

LARGE_DATA_BYTES: Final = 50 * TERA
UPLOAD_BYTES_PER_S: Final = (125e6, 1.25e8 / 10, 1.25e9)
"""A company's line to a cloud (value, low, high): 1 Gbit/s, from 100 Mbit/s to 10 Gbit/s."""
SLOW_PURCHASE_MONTHS: Final = 3.0


def weigh(answers: Answers, _context: Context, ballot: Ballot) -> None:
    _start(answers, ballot)
    _contract(answers, ballot)
    _people(answers, ballot)
    _load(answers, ballot)
    _things(answers, ballot)


def _start(answers: Answers, ballot: Ballot) -> None:
    """Where everybody starts: renting is the least to build, own servers must be bought, two places are two systems."""
    ballot.weigh(m.PUBLIC_CLOUDS, LEAN, "advice.circumstances.least_to_build")
    ballot.weigh((P.ON_PREMISE,), -SLIGHT, "advice.circumstances.must_be_bought")
    ballot.weigh(m.HYBRIDS, -FIRM, "advice.circumstances.two_systems")
    if answers.batch:
        ballot.weigh(m.HYBRIDS, -SLIGHT, "advice.circumstances.nobody_waits_nearby")
    if answers.device_class is DeviceClass.SERVER:
        guess = answers.is_guess("profile.device_class")
        ballot.exclude(m.WITH_DEVICE, guess, "advice.circumstances.no_user_device")


def _contract(answers: Answers, ballot: Ballot) -> None:
    here = answers.circumstances
    if here.contract_accepts_cloud is False:
        guess = answers.is_guess("circumstances.contract_accepts_cloud")
        ballot.exclude(m.WITH_CLOUD, guess, "advice.circumstances.contract_forbids_cloud")
    elif here.contract_accepts_cloud:
        ballot.weigh(m.CLOUDS, SLIGHT, "advice.circumstances.contract_accepts_cloud")
    if here.audit_needed:
        ballot.weigh((P.CLOUD_API,), -SLIGHT, "advice.circumstances.audit_hard_with_api")
        ballot.weigh((P.SEALED_CLOUD, P.ON_PREMISE), SLIGHT, "advice.circumstances.audit_possible")


def _people(answers: Answers, ballot: Ballot) -> None:
    skills = answers.circumstances.skills
    if skills is Skills.NONE:
        ballot.weigh((P.ON_PREMISE,), -FIRM, "advice.circumstances.nobody_to_run_it")
        ballot.weigh((P.CLOUD_GPU,), -LEAN, "advice.circumstances.nobody_to_run_it")
        ballot.weigh((P.ON_DEVICE, *m.HYBRIDS), -SLIGHT, "advice.circumstances.nobody_to_run_it")
        ballot.weigh((P.CLOUD_API,), SLIGHT, "advice.circumstances.somebody_else_runs_it")
    elif skills is Skills.TEAM:
        ballot.weigh((P.ON_PREMISE, P.CLOUD_GPU), SLIGHT, "advice.circumstances.team_can_run_it")


def _load(answers: Answers, ballot: Ballot) -> None:
    shape = answers.circumstances.load_shape
    if shape is LoadShape.STEADY:
        ballot.weigh((P.ON_PREMISE,), LEAN, "advice.circumstances.steady_load_fills_servers")
        ballot.weigh((P.CLOUD_GPU,), SLIGHT, "advice.circumstances.steady_load_fills_servers")
    elif shape is LoadShape.SPIKY:
        ballot.weigh((P.ON_PREMISE, P.CLOUD_GPU), -LEAN, "advice.circumstances.peaks_leave_servers_idle")
        ballot.weigh((P.CLOUD_API, P.ON_PREMISE_CLOUD), SLIGHT, "advice.circumstances.peaks_are_shared")
    elif shape is LoadShape.RARE:
        ballot.weigh((P.ON_PREMISE,), -FIRM, "advice.circumstances.rare_use_leaves_servers_idle")
        ballot.weigh((P.CLOUD_GPU,), -LEAN, "advice.circumstances.rare_use_leaves_servers_idle")
        ballot.weigh((P.CLOUD_API,), LEAN, "advice.circumstances.pay_per_use")


def _things(answers: Answers, ballot: Ballot) -> None:
    here = answers.circumstances
    if here.hardware_owned or answers.hardware.owned:
        ballot.weigh((P.ON_PREMISE,), FIRM, "advice.circumstances.machines_are_there")
        ballot.weigh((P.ON_PREMISE_CLOUD, P.DEVICE_ON_PREMISE), SLIGHT, "advice.circumstances.machines_are_there")
    elif here.hardware_owned is False:
        ballot.weigh((P.ON_PREMISE,), -SLIGHT, "advice.circumstances.no_machines_yet")
    weight = here.data_gravity_bytes
    if weight is not None and weight >= LARGE_DATA_BYTES:
        amount = Quantity(weight, BYTES)
        ballot.weigh((P.ON_PREMISE, P.DEVICE_ON_PREMISE), LEAN, "advice.circumstances.data_is_heavy", amount=amount)
        ballot.weigh(m.CLOUDS, -LEAN, "advice.circumstances.data_would_have_to_move", amount=amount)
    months = here.procurement_months
    if months is not None and months >= SLOW_PURCHASE_MONTHS:
        size = LEAN if months >= 3 * SLOW_PURCHASE_MONTHS else SLIGHT
        ballot.weigh((P.ON_PREMISE,), -size, "advice.circumstances.buying_takes_long", months=Quantity(months, MONTHS))


def describe(answers: Answers, _context: Context) -> tuple[Message, Figures]:
    here = answers.circumstances
    figures: list[tuple[str, Estimate]] = []
    if here.data_gravity_bytes:
        value, thin, fast = UPLOAD_BYTES_PER_S
        amount = here.data_gravity_bytes
        used = (Input("data", amount, BYTES, Basis.MEASURED), Input("rate", value, "B/s", Basis.ASSUMED))
        trace = Trace("advice.trace.upload_time", "data / rate", used)
        moved = Estimate(amount / value, amount / fast, amount / thin, SECONDS, Basis.ASSUMED, trace)
        figures.append(("advice.figure.upload_time", moved))
    answered = RULE.answered(answers) or bool(answers.hardware.owned)
    return msg(f"advice.circumstances.headline.{'weighed' if answered else 'open'}"), tuple(figures)


RULE: Final = RuleOf(
    Rule.CIRCUMSTANCES,
    (
        "circumstances.contract_accepts_cloud",
        "circumstances.audit_needed",
        "circumstances.hardware_owned",
        "circumstances.skills",
        "circumstances.load_shape",
        "circumstances.data_gravity_bytes",
        "circumstances.procurement_months",
    ),
    frozenset({"profile", "circumstances", "hardware"}),
    weigh,
    describe,
    (
        "circumstances.contract_accepts_cloud",
        "circumstances.hardware_owned",
        "circumstances.load_shape",
        "circumstances.data_gravity_bytes",
    ),
)
