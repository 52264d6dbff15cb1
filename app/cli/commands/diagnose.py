"""`waypost diagnose`: what a running service shows now against what the machine could do, and what to check first."""

from __future__ import annotations

import argparse
from typing import Any, Final

from app.cli import deployments
from app.cli.arguments import SHARE, Limits, helped, json_option, number
from app.cli.commands.speed import print_speed, speed_json
from app.cli.context import Context
from engine.errors import InvalidInput
from engine.messages import msg
from engine.speed.diagnose import Diagnosis, Observation, diagnose
from engine.units import COUNT, SECONDS, TOKENS_PER_S

_RATE: Final = Limits(0, 1e9, TOKENS_PER_S, above_low=True)
_WAIT: Final = Limits(0, 86_400, SECONDS, above_low=True)
_QUEUE: Final = Limits(0, 1e9, COUNT)

READINGS: Final = {
    "--tokens-per-s": ("tokens_per_s", _RATE),
    "--total-tokens-per-s": ("total_tokens_per_s", _RATE),
    "--ttft": ("time_to_first_token_s", _WAIT),
    "--utilisation": ("utilisation", SHARE),
    "--memory-utilisation": ("memory_utilisation", SHARE),
    "--clock": ("clock_share", SHARE),
    "--power": ("power_share", SHARE),
    "--layers-on-device": ("layers_on_device_share", SHARE),
    "--copy-time": ("copy_time_share", SHARE),
    "--waiting": ("waiting_requests", _QUEUE),
}
"""Option -> field of Observation and its limits."""


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """The words of `speed`, then what is seen."""
    deployments.arguments(parser, context)
    for option, (field, limits) in READINGS.items():
        number(parser, context, option, limits, dest=field)
    batching = parser.add_mutually_exclusive_group()
    batching.add_argument(
        "--batches", dest="batches", action="store_true", default=None, help=helped(context, "--batches")
    )
    batching.add_argument("--one-by-one", dest="batches", action="store_false", help=helped(context, "--one-by-one"))
    json_option(parser, context)


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0. Raises UnknownId, InvalidInput, Refused."""
    seen = Observation(**{field: getattr(args, field) for field, _ in READINGS.values()}, batches=args.batches)
    if seen == Observation():
        raise InvalidInput(msg("error.nothing_seen", options=", ".join(READINGS)))
    deployment, assumed = deployments.deployment_of(args, context.catalogue)
    found = diagnose(deployment, seen)
    if args.json:
        body = {**deployments.deployment_json(deployment), **diagnosis_json(found), "assumed": assumed}
        context.json(body, trace=args.trace)
        return 0
    context.say(deployments.title(deployment))
    context.say(context.speaker(found.verdict))
    for n, suspect in enumerate(found.suspects, 1):
        context.say(f"{n}. {context.speaker(suspect.why)} {context.speaker(suspect.check)}")
    print_speed(context, found.expected)
    deployments.print_assumed(assumed, context)
    return 0


def diagnosis_json(found: Diagnosis) -> dict[str, Any]:
    """The stable keys."""
    return {
        "of_ceiling": found.of_ceiling,
        "of_expected": found.of_expected,
        "verdict": found.verdict,
        "suspects": found.suspects,
        "expected": speed_json(found.expected),
    }
