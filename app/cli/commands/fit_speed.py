"""`waypost fit` and `waypost speed`: one model on one kind of machine."""

from __future__ import annotations

import argparse
from typing import Any, Final

from engine.memory.fit import fit
from engine.speed.speed import speed

from app.cli import deployments
from app.cli.arguments import json_option
from app.cli.context import Context
from engine.deployment import Deployment
from engine.memory.results import FitResult
from engine.speed.results import SpeedResult

FIT_FIGURES: Final = (
    "weights_bytes",
    "kv_cache_bytes",
    "runtime_bytes",
    "total_bytes",
    "device_memory_bytes",
    "max_context_tokens",
    "max_concurrency",
)
SPEED_FIGURES: Final = (
    "ceiling_tokens_per_s",
    "decode_tokens_per_s",
    "throughput_tokens_per_s",
    "prefill_tokens_per_s",
    "prefill_ceiling_tokens_per_s",
    "time_to_first_token_s",
    "time_per_output_token_s",
)


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """Both commands take the same words."""
    deployments.arguments(parser, context)
    json_option(parser, context)
    parser.set_defaults(command=_name)


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0 also where it does not fit: that is an answer. Raises UnknownId, InvalidInput, Refused."""
    deployment, assumed = deployments.deployment_of(args, context.catalogue)
    result = fit(deployment) if args.command == "fit" else speed(deployment)
    if args.json:
        context.json({**deployment_json(deployment), **_result(result), "assumed": assumed}, trace=args.trace)
        return 0
    context.say(_title(context, deployment))
    if isinstance(result, FitResult):
        print_fit(context, result)
    else:
        print_speed(context, result)
    if assumed:
        words = ", ".join(f"--{name.replace('_', '-')} {value}" for name, value in assumed.items())
        context.say(context.text("cli.assumed", words=words))
    return 0


def deployment_json(deployment: Deployment) -> dict[str, Any]:
    """The question as it was understood."""
    return {
        "model": deployment.model,
        "format": deployment.weight_format,
        "device": deployment.device,
        "device_count": deployment.device_count,
        "engine": deployment.engine,
        "kv_format": deployment.kv_format,
        "tensor_parallel": deployment.tensor_parallel,
        "pipeline_parallel": deployment.pipeline_parallel,
        "data_parallel": deployment.data_parallel,
        "expert_parallel": deployment.expert_parallel,
        "context_tokens": deployment.context_tokens,
        "concurrency": deployment.concurrency,
        "prompt_tokens": deployment.prompt_tokens,
        "output_tokens": deployment.output_tokens,
    }


def _result(result: FitResult | SpeedResult) -> dict[str, Any]:
    if isinstance(result, FitResult):
        figures = {name: getattr(result, name) for name in FIT_FIGURES}
        return {
            **figures,
            "fits": result.fits,
            "tight": result.tight,
            "valid_tensor_parallel": result.valid_tensor_parallel,
            "runtime_parts": dict(result.runtime_parts),
            "host_bytes": result.host_bytes,
            "remedies": result.remedies,
            "notes": result.notes,
        }
    figures = {name: getattr(result, name) for name in SPEED_FIGURES}
    return {
        **figures,
        "unloaded": result.unloaded,
        "bound_by": result.bound_by,
        "calibrated": result.calibrated,
        "notes": result.notes,
    }


def _title(context: Context, deployment: Deployment) -> str:
    split = f"TP{deployment.tensor_parallel} PP{deployment.pipeline_parallel} DP{deployment.data_parallel}"
    parts = [
        deployment.model.name,
        deployment.weight_format.name,
        f"{deployment.device_count} x {deployment.device.name}"
        + (f" ({split})" if deployment.device_count > 1 else ""),
        deployment.engine.name,
    ]
    return " · ".join(parts)


def print_fit(context: Context, result: FitResult) -> None:
    """The verdict first, then the figures, then what to change."""
    verdict = "cli.fit.fits" if result.fits else "cli.fit.tight" if result.tight else "cli.fit.short"
    context.say(context.text(verdict))
    context.table([(context.text(f"cli.figure.{name}"), context.figure(getattr(result, name))) for name in FIT_FIGURES])
    for remedy in result.remedies:
        context.say(f"- {context.speaker(remedy.message)}")
    for note in result.notes:
        context.say(f"* {context.speaker(note)}")


def print_speed(context: Context, result: SpeedResult) -> None:
    """Ceiling and expected apart."""
    context.table(
        [(context.text(f"cli.figure.{name}"), context.figure(getattr(result, name))) for name in SPEED_FIGURES]
    )
    context.say(context.speaker(result.bound_by))
    context.say(context.text("cli.speed.unloaded" if result.unloaded else "cli.speed.loaded"))
    for note in result.notes:
        context.say(f"* {context.speaker(note)}")
