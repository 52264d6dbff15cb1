"""`waypost speed`: how fast a model answers on a machine, ceiling and expected apart."""

from __future__ import annotations

import argparse
from typing import Any, Final

from app.cli import deployments
from app.cli.arguments import json_option
from app.cli.context import Context
from engine.speed.results import SpeedResult
from engine.speed.speed import speed

FIGURES: Final = (
    "ceiling_tokens_per_s",
    "decode_tokens_per_s",
    "throughput_tokens_per_s",
    "prefill_tokens_per_s",
    "prefill_ceiling_tokens_per_s",
    "time_to_first_token_s",
    "time_per_output_token_s",
)


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """The words that name a deployment."""
    deployments.arguments(parser, context)
    json_option(parser, context)


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0. Raises UnknownId, InvalidInput, Refused."""
    deployment, assumed = deployments.deployment_of(args, context.catalogue)
    result = speed(deployment)
    if args.json:
        question = deployments.deployment_json(deployment)
        context.json({**question, **speed_json(result), "assumed": assumed}, trace=args.trace)
        return 0
    context.say(deployments.title(deployment))
    print_speed(context, result)
    deployments.print_assumed(assumed, context)
    return 0


def speed_json(result: SpeedResult) -> dict[str, Any]:
    """The stable keys."""
    return {
        **{name: getattr(result, name) for name in FIGURES},
        "unloaded": result.unloaded,
        "bound_by": result.bound_by,
        "calibrated": result.calibrated,
        "notes": result.notes,
    }


def print_speed(context: Context, result: SpeedResult) -> None:
    """Ceiling and expected, what binds, and whether a queue is in it."""
    context.table([(context.text(f"cli.figure.{name}"), *context.figure(getattr(result, name))) for name in FIGURES])
    context.say(context.speaker(result.bound_by))
    context.say(context.text("cli.speed.unloaded" if result.unloaded else "cli.speed.loaded"))
    for note in result.notes:
        context.say(f"* {context.speaker(note)}")
