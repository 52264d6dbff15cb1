"""Texts as data. The engine never writes a sentence: it names one and hands over the typed values for its fields.

`app.present` turns a Message into words of one language. A key is stable: it may be stored, and tests look for it in
every language. Params stay typed (an Estimate, a number of bytes, a catalogue id), so that the language decides how a
number is printed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from engine.frozen import frozen_map

Param = Any
"""What a field may hold: str, int, float, bool, Estimate, Quantity, Message, or a tuple of these."""


@frozen
class Message:
    """A sentence by name. `key` is dotted, lower case; the template lives in assets/translations."""

    key: str
    params: Mapping[str, Param] = field(factory=dict, converter=frozen_map, hash=False)


@frozen
class Quantity:
    """A bare number with its unit, for a message field that is no estimate (a limit the user typed, a count)."""

    value: float
    unit: str


@frozen
class Name:
    """A catalogue id shown by its display name: kind is "device", "model", "engine", "format", "regulation" ..."""

    kind: str
    id: str


def msg(key: str, /, **params: Param) -> Message:
    """Short form for the many places that name a sentence."""
    return Message(key, params)
