"""The words of `fit`, `speed` and their kin, turned into one Deployment. What was not said is listed, never silent."""

from __future__ import annotations

import argparse
import math
from typing import Any, Final

from app.cli.arguments import (
    CONCURRENCY,
    DEVICE_COUNT,
    LENGTH,
    PARALLEL,
    SHARE,
    TOKEN_COUNT,
    Limits,
    checked,
    helped,
    number,
)
from app.cli.context import Context
from engine.catalogue import Catalogue, Device, Model, ServingEngine, WeightFormat
from engine.catalogue.catalogue import KV_FORMATS
from engine.deployment import Deployment
from engine.errors import InvalidInput, UnknownId
from engine.messages import Quantity, msg
from engine.units import BYTES, TOKENS

USUAL_CONTEXT: Final = 8192
LAYER_SPLIT: Final = ("llama.cpp", "ollama")
"""Engines that split a model over devices by layers unless told otherwise."""
FILE: Final = Limits(1, 1e15, BYTES)
ACCEPTANCE: Final = Limits(1, 16, TOKENS)


def arguments(parser: argparse.ArgumentParser, context: Context) -> None:
    """The options that name a deployment."""
    parser.add_argument("--model", required=True, metavar="ID", help=helped(context, "--model"))
    parser.add_argument("--format", required=True, metavar="ID", help=helped(context, "--format"))
    parser.add_argument("--device", required=True, metavar="ID[:N]", help=helped(context, "--device"))
    number(parser, context, "--context", TOKEN_COUNT)
    number(parser, context, "--concurrency", CONCURRENCY)
    parser.add_argument("--kv-format", metavar="ID", help=helped(context, "--kv-format"))
    parser.add_argument("--engine", metavar="ID", help=helped(context, "--engine"))
    parser.add_argument("--engine-version", metavar="V", default="", help=helped(context, "--engine-version"))
    for option in ("--tp", "--pp", "--dp", "--ep"):
        number(parser, context, option, PARALLEL)
    number(parser, context, "--offload", SHARE)
    number(parser, context, "--prompt", LENGTH)
    number(parser, context, "--output", LENGTH)
    number(parser, context, "--cached-prefix", SHARE)
    number(parser, context, "--file-bytes", FILE)
    number(parser, context, "--speculative", ACCEPTANCE)


def deployment_of(args: argparse.Namespace, catalogue: Catalogue) -> tuple[Deployment, dict[str, Any]]:
    """The deployment and what was assumed for it. Raises UnknownId, InvalidInput."""
    model, weight_format = catalogue.model(args.model), catalogue.weight_format(args.format)
    device, count = device_and_count(args.device, catalogue)
    assumed: dict[str, Any] = {}
    engine = catalogue.engine(args.engine) if args.engine else usual_engine(catalogue, weight_format, device)
    if not args.engine:
        assumed["engine"] = engine.id
    if args.kv_format is not None and args.kv_format not in KV_FORMATS:
        raise UnknownId("kv_format", args.kv_format, KV_FORMATS)

    def given(name: str, fallback: Any) -> Any:
        said = getattr(args, name)
        if said is None:
            assumed[name] = fallback
        return fallback if said is None else said

    usual = Deployment(model, weight_format, device, engine)
    context_tokens = _context(args, model, assumed)
    output = given("output", min(int(usual.output_tokens), context_tokens))
    prompt = given("prompt", max(1, min(int(usual.prompt_tokens), context_tokens - output)))
    degrees = _degrees(args, engine, count, assumed)
    return Deployment(
        model=model,
        weight_format=weight_format,
        device=device,
        engine=engine,
        kv_format=given("kv_format", usual.kv_format),
        device_count=count,
        tensor_parallel=degrees["tp"],
        pipeline_parallel=degrees["pp"],
        data_parallel=degrees["dp"],
        expert_parallel=degrees["ep"],
        context_tokens=context_tokens,
        concurrency=given("concurrency", 1),
        prompt_tokens=float(prompt),
        output_tokens=float(output),
        cached_prefix_share=args.cached_prefix or 0.0,
        speculative_acceptance=args.speculative or 1.0,
        offloaded_layer_share=args.offload or 0.0,
        engine_version=args.engine_version,
        file_bytes=args.file_bytes,
    ), assumed


def device_and_count(word: str, catalogue: Catalogue) -> tuple[Device, int]:
    """ "nvidia-l40s:2" -> the device and 2. Raises UnknownId, InvalidInput."""
    name, colon, count = word.rpartition(":")
    if not colon:
        return catalogue.device(word), 1
    device = catalogue.device(name)
    return device, int(checked("--device ID:N", count, DEVICE_COUNT))


def usual_engine(catalogue: Catalogue, weight_format: WeightFormat, device: Device) -> ServingEngine:
    """The first engine of the catalogue that loads the format on this kind of device."""
    able = [e for e in catalogue.engines.values() if weight_format.family in e.families]
    here = [e for e in able if device.kind in e.device_kinds]
    if here or able:
        return (here or able)[0]
    raise InvalidInput(msg("error.no_engine", format=weight_format.id, device=device.id))


def _context(args: argparse.Namespace, model: Model, assumed: dict[str, Any]) -> int:
    """What one sequence may grow to: said, or room for the lengths that were said, within the model's maximum."""
    limit, lengths = model.max_context, math.ceil((args.prompt or 0) + (args.output or 0))
    if args.context is None:
        if limit is not None and lengths > limit:
            raise _beyond("--prompt + --output", model, limit)
        assumed["context"] = max(lengths, min(USUAL_CONTEXT, limit or USUAL_CONTEXT))
        return int(assumed["context"])
    if limit is not None and args.context > limit:
        raise _beyond("--context", model, limit)
    if lengths > args.context:
        raise InvalidInput(msg("error.too_large", field="--prompt + --output", limit=Quantity(args.context, TOKENS)))
    return int(args.context)


def _beyond(option: str, model: Model, limit: int) -> InvalidInput:
    return InvalidInput(msg("error.beyond_context", field=option, model=model.id, limit=Quantity(limit, TOKENS)))


def _degrees(args: argparse.Namespace, engine: ServingEngine, count: int, assumed: dict[str, Any]) -> dict[str, int]:
    """How the model is spread. Unsaid: by tensors, or by layers where the engine does that; products must give the count."""
    said = {"tp": args.tp, "pp": args.pp, "dp": args.dp}
    product = 1
    for value in said.values():
        product *= value or 1
    if all(value is None for value in said.values()):
        said["pp" if engine.id in LAYER_SPLIT else "tp"] = count
        if count > 1:
            assumed["pp" if engine.id in LAYER_SPLIT else "tp"] = count
    elif product != count:
        if count % product or args.dp is not None:
            raise InvalidInput(msg("error.degrees", product=product, count=count))
        said["dp"] = count // product
        assumed["dp"] = count // product
    return {"tp": said["tp"] or 1, "pp": said["pp"] or 1, "dp": said["dp"] or 1, "ep": args.ep or 1}


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


def title(deployment: Deployment) -> str:
    """One line that names the deployment."""
    split = f"TP{deployment.tensor_parallel} PP{deployment.pipeline_parallel} DP{deployment.data_parallel}"
    parts = [
        deployment.model.name,
        deployment.weight_format.name,
        f"{deployment.device_count} x {deployment.device.name}"
        + (f" ({split})" if deployment.device_count > 1 else ""),
        deployment.engine.name,
    ]
    return " · ".join(parts)


def print_assumed(assumed: dict[str, Any], context: Context) -> None:
    """What nobody said, as the options that would say it."""
    if assumed:
        words = ", ".join(f"--{name.replace('_', '-')} {value}" for name, value in assumed.items())
        context.say(context.text("cli.assumed", words=words))
