"""`waypost sweep`: every device, number of devices and format that holds a model for certain, with speed and cost."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from attrs import evolve

from app.cli.arguments import CONCURRENCY, LENGTH, TOKEN_COUNT, Limits, helped, json_option, number
from app.cli.context import Context
from engine.catalogue import Catalogue
from engine.deployment import Deployment
from engine.errors import InvalidInput, UnknownId
from engine.estimate import Basis
from engine.memory.kv_cache import KV_BYTES
from engine.messages import Quantity, msg
from engine.speed.bands import BandState, band_of
from engine.speed.calibration import Band, load_calibration
from engine.sweep import SweepQuestion, SweepResult, sweep
from engine.units import COUNT, SECONDS, TOKENS, TOKENS_PER_S, USD_PER_HOUR, USD_PER_MTOK

ORDERS: Final = (
    "usd_per_mtok",
    "usd_per_hour",
    "decode_tokens_per_s",
    "throughput_tokens_per_s",
    "time_to_first_token_s",
)
_MOST_FIRST: Final = ("decode_tokens_per_s", "throughput_tokens_per_s")
_KINDS: Final = {
    "decode_tokens_per_s": ("decode", TOKENS_PER_S),
    "throughput_tokens_per_s": ("throughput", TOKENS_PER_S),
    "time_to_first_token_s": ("ttft", SECONDS),
    "time_per_output_token_s": ("tpot", SECONDS),
}
_TOP: Final = Limits(1, 1_000_000, COUNT, whole=True)
_SHOWN: Final = 30


def arguments(parser: argparse.ArgumentParser, context: Context, _name: str) -> None:
    """--model ID, the load, filters and an order"""
    parser.add_argument("--model", required=True, metavar="ID", help=helped(context, "--model"))
    number(parser, context, "--context", TOKEN_COUNT)
    number(parser, context, "--concurrency", CONCURRENCY)
    number(parser, context, "--prompt", LENGTH)
    number(parser, context, "--output", LENGTH)
    parser.add_argument("--kv-format", metavar="ID", default="f16", help=helped(context, "--kv-format"))
    for option in ("--device", "--format", "--engine"):
        parser.add_argument(option, metavar="ID", help=helped(context, f"{option}-only"))
    parser.add_argument("--by", choices=ORDERS, default=ORDERS[0], help=helped(context, "--by"))
    number(parser, context, "--top", _TOP)
    json_option(parser, context, trace=False)


def run(args: argparse.Namespace, context: Context) -> int:
    """Exit code 0. Raises UnknownId, InvalidInput, Refused."""
    question, assumed = question_of(args, context.catalogue)
    result = sweep(question, context.catalogue)
    rows = list(kept(args, result))
    bands = Bands(context.catalogue, question)
    if args.json:
        _print_json(result, rows, bands, assumed)
    else:
        _print_table(args, result, rows, bands, context)
    return 0


def question_of(args: argparse.Namespace, catalogue: Catalogue) -> tuple[SweepQuestion, dict[str, Any]]:
    """The question and what was assumed for it. Raises UnknownId, InvalidInput."""
    model = catalogue.model(args.model)
    if args.kv_format not in KV_BYTES:
        raise UnknownId("kv_format", args.kv_format, KV_BYTES)
    for name, table in (
        ("device", catalogue.devices),
        ("format", catalogue.weight_formats),
        ("engine", catalogue.engines),
    ):
        wanted = getattr(args, name)
        if wanted is not None and wanted not in table:
            raise UnknownId("weight_format" if name == "format" else name, wanted, table)
    usual, assumed = SweepQuestion(model), {}
    limit = model.max_context
    lengths = math.ceil((args.prompt or 0) + (args.output or 0))
    tokens = args.context
    if tokens is None:
        tokens = assumed["context"] = max(lengths, min(int(usual.context_tokens), limit or int(usual.context_tokens)))
    if limit is not None and tokens > limit:
        field = "--context" if args.context is not None else "--prompt + --output"
        raise InvalidInput(msg("error.beyond_context", field=field, model=model.id, limit=Quantity(limit, TOKENS)))
    if lengths > tokens:
        raise InvalidInput(msg("error.too_large", field="--prompt + --output", limit=Quantity(tokens, TOKENS)))
    output, prompt, users = args.output, args.prompt, args.concurrency
    if output is None:
        output = assumed["output"] = min(int(usual.output_tokens), max(1, tokens - int(prompt or 1)))
    if prompt is None:
        prompt = assumed["prompt"] = max(1, min(int(usual.prompt_tokens), tokens - int(output)))
    if users is None:
        users = assumed["concurrency"] = 1
    return SweepQuestion(model, float(tokens), float(users), float(prompt), float(output), args.kv_format), assumed


def kept(args: argparse.Namespace, result: SweepResult) -> Iterator[dict[str, Any]]:
    """The rows asked for, in the order asked for."""
    wanted = {"device": args.device, "weight_format": args.format, "engine": args.engine}
    rows = [r for r in result.rows(by=args.by) if all(v is None or r[n] == v for n, v in wanted.items())]
    if args.by in _MOST_FIRST:
        rows.sort(key=lambda r: -(r[args.by] or 0.0))
    yield from rows[: args.top]


class Bands:
    """The bands of a sweep's figures: those of like rows, one look-up a device and engine."""

    def __init__(self, catalogue: Catalogue, question: SweepQuestion) -> None:
        self._catalogue, self._question = catalogue, question
        self._calibration = load_calibration()
        self._state = lru_cache(maxsize=None)(self._find)

    def _find(self, kind: str, device: str, engine: str) -> BandState:
        q, catalogue = self._question, self._catalogue
        alone = kind == "decode"
        deployment = Deployment(
            q.model,
            catalogue.weight_formats["fp16"],
            catalogue.devices[device],
            catalogue.engines[engine],
            context_tokens=int(q.prompt_tokens + q.output_tokens / 2 if alone else q.context_tokens),
            concurrency=1 if alone else int(q.concurrency),
            prompt_tokens=q.prompt_tokens,
            output_tokens=q.output_tokens,
        )
        return band_of(self._calibration, kind, deployment)

    def row(self, row: dict[str, Any]) -> dict[str, Any]:
        """The row with its figures as estimates; need and room stay the ends that were compared."""
        device, engine, top = row["device"], row["engine"], row["ceiling_tokens_per_s"]
        made: dict[str, Any] = {
            "device": device,
            "device_count": row["count"],
            "format": row["weight_format"],
            "engine": engine,
            "need_bytes_high": row["need_bytes"],
            "device_memory_bytes_low": row["room_bytes"],
            "ceiling_tokens_per_s": _known(top, TOKENS_PER_S),
        }
        for name, (kind, unit) in _KINDS.items():
            state = self._state(kind, device, engine)
            made[name] = _banded(row[name], state, unit, top if kind == "decode" else None)
        made["usd_per_hour"] = _known(row["usd_per_hour"], USD_PER_HOUR)
        rate = self._state("throughput", device, engine)
        turned = Band(1.0 / max(rate.band.high, 1.0), 1.0 / min(rate.band.low, 1.0), rate.band.rows)
        made["usd_per_mtok"] = _banded(row["usd_per_mtok"], evolve(rate, band=turned), USD_PER_MTOK, None)
        return made


def _known(value: float | None, unit: str) -> dict[str, Any] | None:
    return None if value is None else _estimate(value, value, value, unit, Basis.DATASHEET)


def _banded(value: float | None, state: BandState, unit: str, top: float | None) -> dict[str, Any] | None:
    if value is None:
        return None
    high = value * max(state.band.high, 1.0)
    basis = Basis.CALIBRATED if state.calibrated else Basis.ASSUMED
    return _estimate(value, value * min(state.band.low, 1.0), max(value, min(high, top or high)), unit, basis)


def _estimate(value: float, low: float, high: float, unit: str, basis: Basis) -> dict[str, Any]:
    """As `Jsonable` writes one; tens of thousands of them are written straight. Seven digits are more than any band allows."""
    ends = {"value": float(f"{value:.7g}"), "low": float(f"{low:.7g}"), "high": float(f"{high:.7g}")}
    return {**ends, "unit": unit, "basis": basis.value}


def _print_json(result: SweepResult, rows: list[dict[str, Any]], bands: Bands, assumed: dict[str, Any]) -> None:
    """One configuration a line: tens of thousands of them stay readable and small."""
    q = result.question
    head = {
        "model": q.model.id,
        "context_tokens": q.context_tokens,
        "concurrency": q.concurrency,
        "prompt_tokens": q.prompt_tokens,
        "output_tokens": q.output_tokens,
        "kv_format": q.kv_format,
        "evaluated": result.configurations,
        "fitting": len(result),
        "assumed": assumed,
    }
    sys.stdout.write(json.dumps(head, ensure_ascii=False)[:-1] + ', "configurations": [')
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
    for n, row in enumerate(rows):
        sys.stdout.write((",\n" if n else "\n") + encode(bands.row(row)))
    sys.stdout.write("\n]}\n")


def _print_table(
    args: argparse.Namespace, result: SweepResult, rows: list[dict[str, Any]], bands: Bands, context: Context
) -> None:
    shown = rows[: args.top or _SHOWN]
    context.say(context.text("cli.sweep.found", fitting=len(result), evaluated=result.configurations, shown=len(shown)))
    speaker = context.speaker

    def cell(estimate: dict[str, Any] | None) -> str:
        return "-" if estimate is None else speaker.figure(Quantity(estimate["value"], estimate["unit"]))

    lines = []
    for row in map(bands.row, shown):
        figures = [
            cell(row[n]) for n in ("decode_tokens_per_s", "throughput_tokens_per_s", "usd_per_hour", "usd_per_mtok")
        ]
        lines.append((f"{row['device_count']} x {row['device']}", row["format"], row["engine"], *figures))
    names = ("machine", "format", "engine", "decode", "throughput", "per_hour", "per_mtok")
    context.table(lines, [context.text(f"cli.sweep.column.{n}") for n in names])
