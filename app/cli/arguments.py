"""Words several commands share, and their limits. A refused value names its option and the reason."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any, Final

from attrs import frozen

from app.cli.context import Context
from engine.errors import InvalidInput
from engine.messages import Quantity, msg
from engine.units import COUNT, TOKENS


@frozen
class Limits:
    """What a number on the command line may be."""

    low: float
    high: float
    unit: str = COUNT
    whole: bool = False
    above_low: bool = False


TOKEN_COUNT: Final = Limits(1, 100_000_000, TOKENS, whole=True)
LENGTH: Final = Limits(1, 100_000_000, TOKENS)
"""A mean length: need not be whole."""
CONCURRENCY: Final = Limits(1, 1_000_000, COUNT, whole=True)
DEVICE_COUNT: Final = Limits(1, 100_000, COUNT, whole=True)
PARALLEL: Final = Limits(1, 1_024, COUNT, whole=True)
SHARE: Final = Limits(0, 1, COUNT)


def checked(option: str, given: Any, limits: Limits) -> float:
    """A number within its limits. Raises InvalidInput that names the option."""
    try:
        value = float(str(given).replace("_", ""))
    except ValueError:
        raise InvalidInput(msg("error.not_a_number", field=option)) from None
    if math.isnan(value):
        raise InvalidInput(msg("error.not_a_number", field=option))
    if value < limits.low or (limits.above_low and value == limits.low):
        key = "error.must_exceed" if limits.above_low else "error.too_small"
        raise InvalidInput(msg(key, field=option, limit=Quantity(limits.low, limits.unit)))
    if value > limits.high:
        raise InvalidInput(msg("error.too_large", field=option, limit=Quantity(limits.high, limits.unit)))
    if limits.whole and value != int(value):
        raise InvalidInput(msg("error.not_whole", field=option))
    return value


def number(parser: argparse.ArgumentParser, context: Context, option: str, limits: Limits, **more: Any) -> None:
    """Add an option that takes one number."""
    convert = _Number(option, limits)
    parser.add_argument(option, type=convert, metavar="N", help=_help(context, option), **more)


class _Number:
    """A converter that argparse calls; InvalidInput passes through argparse untouched."""

    def __init__(self, option: str, limits: Limits) -> None:
        self._option, self._limits = option, limits

    def __call__(self, text: str) -> float | int:
        value = checked(self._option, text, self._limits)
        return int(value) if self._limits.whole else value


def json_option(parser: argparse.ArgumentParser, context: Context, *, trace: bool = True) -> None:
    """`--json`, and `--trace` where results carry one."""
    parser.add_argument("--json", action="store_true", help=_help(context, "--json"))
    if trace:
        parser.add_argument("--trace", action="store_true", help=_help(context, "--trace"))


def _help(context: Context, option: str) -> str:
    return context.text(f"cli.option.{option.lstrip('-').replace('-', '_')}")


helped: Callable[[Context, str], str] = _help
"""The help line of an option."""
