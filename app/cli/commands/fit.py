"""`waypost fit`: does a model fit on a machine, and how far."""

from __future__ import annotations

import argparse
from typing import Any, Final

from app.cli import deployments
from app.cli.arguments import json_option
from app.cli.context import Context
from engine.memory.fit import fit
from engine.memory.results import FitResult

FIGURES: Final = (
    "weights_bytes",
    "kv_cache_bytes",
    "runtime_bytes",
    "total_bytes",
    "device_memory_bytes",
    "max_context_tokens",
    "max_concurrency",
)


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """The words that name a deployment."""
    deployments.arguments(parser, context)
    json_option(parser, context)


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0 also where it does not fit: that is an answer. Raises UnknownId, InvalidInput, Refused."""
    deployment, assumed = deployments.deployment_of(args, context.catalogue)
    for name in ("prompt", "output"):  # lengths do not matter to memory
        assumed.pop(name, None)
    result = fit(deployment, context.catalogue.weight_formats.values())
    if args.json:
        question = deployments.deployment_json(deployment)
        context.json({**question, **fit_json(result), "assumed": assumed}, trace=args.trace)
        return 0
    context.say(deployments.title(deployment))
    print_fit(context, result)
    deployments.print_assumed(assumed, context)
    return 0


def fit_json(result: FitResult) -> dict[str, Any]:
    """The stable keys; everything per device."""
    return {
        **{name: getattr(result, name) for name in FIGURES},
        "fits": result.fits,
        "tight": result.tight,
        "valid_tensor_parallel": result.valid_tensor_parallel,
        "runtime_parts": dict(result.runtime_parts),
        "host_bytes": result.host_bytes,
        "remedies": result.remedies,
        "notes": result.notes,
    }


def print_fit(context: Context, result: FitResult) -> None:
    """The verdict first, then the figures, then what to change."""
    verdict = "cli.fit.fits" if result.fits else "cli.fit.tight" if result.tight else "cli.fit.short"
    context.say(context.text(verdict))
    context.table([(context.text(f"cli.figure.{name}"), *context.figure(getattr(result, name))) for name in FIGURES])
    for remedy in result.remedies:
        context.say(f"- {context.speaker(remedy.message)}")
    for note in result.notes:
        context.say(f"* {context.speaker(note)}")
