"""`waypost train`: memory of a training run on one device, and whether the device has it."""

from __future__ import annotations

import argparse
from typing import Any, Final

from app.cli.arguments import PARALLEL, TOKEN_COUNT, Limits, helped, json_option, number
from app.cli.context import Context
from app.cli.deployments import device_and_count
from engine.errors import InvalidInput
from engine.memory.device_memory import visible_memory
from engine.memory.training import METHODS, STATE_BYTES, TrainingMemory, TrainingQuestion, training_memory
from engine.messages import Quantity, msg
from engine.units import COUNT, TOKENS

FRAMEWORKS: Final = ("transformers", "other:litgpt", "other:torchtune", "other:torchtitan")
_RANK: Final = Limits(1, 4096, COUNT, whole=True)
_STAGE: Final = Limits(0, 3, COUNT, whole=True)
_BATCH: Final = Limits(1, 65_536, COUNT, whole=True)


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """The words of a training run."""
    parser.add_argument("--model", required=True, metavar="ID", help=helped(context, "--model"))
    parser.add_argument("--device", required=True, metavar="ID[:N]", help=helped(context, "--device"))
    parser.add_argument("--method", required=True, choices=METHODS, help=helped(context, "--method"))
    parser.add_argument("--format", metavar="ID", help=helped(context, "--frozen-format"))
    parser.add_argument("--optimizer", choices=tuple(STATE_BYTES), help=helped(context, "--optimizer"))
    number(parser, context, "--sequence", TOKEN_COUNT)
    number(parser, context, "--micro-batch", _BATCH)
    number(parser, context, "--lora-rank", _RANK)
    number(parser, context, "--zero", _STAGE)
    for option in ("--tp", "--pp", "--cp"):
        number(parser, context, option, PARALLEL)
    for flag in ("--checkpointing", "--bf16-states", "--cpu-offload", "--deepspeed"):
        parser.add_argument(flag, action="store_true", help=helped(context, flag))
    parser.add_argument("--framework", choices=FRAMEWORKS, default=FRAMEWORKS[0], help=helped(context, "--framework"))
    json_option(parser, context)


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0 also where it does not fit. Raises UnknownId, InvalidInput, Refused."""
    question, assumed, device, count = question_of(args, context)
    needed = training_memory(question)
    room = visible_memory(device)
    fits = needed.total_bytes.high <= room.low
    tight = not fits and needed.total_bytes.value <= room.value
    if args.json:
        context.json({**_echo(question, device.id, count), **_body(needed), "device_memory_bytes": room, "fits": fits,
                      "tight": tight, "assumed": assumed}, trace=args.trace)  # fmt: skip
        return 0
    context.say(context.text("cli.fit.fits" if fits else "cli.fit.tight" if tight else "cli.fit.short"))
    named = [*needed.parts, ("total_bytes", needed.total_bytes), ("device_memory_bytes", room)]
    context.table([(context.text(f"cli.figure.{name}"), *context.figure(estimate)) for name, estimate in named])
    if assumed:
        words = ", ".join(f"--{name.replace('_', '-')} {value}" for name, value in assumed.items())
        context.say(context.text("cli.assumed", words=words))
    return 0


def question_of(args: argparse.Namespace, context: Context) -> tuple[TrainingQuestion, dict[str, Any], Any, int]:
    """The question, what was assumed for it, the device and how many. Raises UnknownId, InvalidInput."""
    catalogue = context.catalogue
    model = catalogue.model(args.model)
    device, count = device_and_count(args.device, catalogue)
    assumed: dict[str, Any] = {}

    def given(name: str, fallback: Any) -> Any:
        said = getattr(args, name)
        if said is None:
            assumed[name] = fallback
            return fallback
        return said

    if args.sequence is not None and model.max_context is not None and args.sequence > model.max_context:
        limit = Quantity(model.max_context, TOKENS)
        raise InvalidInput(msg("error.beyond_context", field="--sequence", model=model.id, limit=limit))
    tp, pp, cp = args.tp or 1, args.pp or 1, args.cp or 1
    if count % (tp * pp * cp):
        raise InvalidInput(msg("error.degrees", product=tp * pp * cp, count=count))
    question = TrainingQuestion(
        model=model,
        weight_format=catalogue.weight_format(given("format", "bnb-nf4" if args.method.startswith("q") else "bf16")),
        method=args.method,
        optimizer=given("optimizer", "adamw"),
        mixed_precision=not args.bf16_states,
        checkpointing=args.checkpointing,
        zero_stage=given("zero", 0),
        shards=count // (tp * pp),
        tensor_parallel=tp,
        pipeline_parallel=pp,
        context_parallel=cp,
        sequence_length=given("sequence", min(2048, model.max_context or 2048)),
        micro_batch=given("micro_batch", 1),
        lora_rank=args.lora_rank or 16,
        deepspeed=args.deepspeed,
        cpu_offload=args.cpu_offload,
        framework=args.framework,
    )
    if args.lora_rank is None and args.method in ("lora", "qlora"):
        assumed["lora_rank"] = 16
    return question, assumed, device, count


def _echo(question: TrainingQuestion, device: str, count: int) -> dict[str, Any]:
    return {
        "model": question.model,
        "device": device,
        "device_count": count,
        "method": question.method,
        "format": question.weight_format,
        "optimizer": question.optimizer,
        "checkpointing": question.checkpointing,
        "zero_stage": question.zero_stage,
        "tensor_parallel": question.tensor_parallel,
        "pipeline_parallel": question.pipeline_parallel,
        "context_parallel": question.context_parallel,
        "sequence_length": question.sequence_length,
        "micro_batch": question.micro_batch,
        "framework": question.framework,
    }


def _body(needed: TrainingMemory) -> dict[str, Any]:
    return {**{f"{name}_bytes": estimate for name, estimate in needed.parts}, "total_bytes": needed.total_bytes}
