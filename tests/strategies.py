"""Any consultation at all: every field of the document, filled from its type."""

from __future__ import annotations

import collections.abc
import enum
import types
import typing
from typing import Any

import attrs
from hypothesis import strategies as st

from engine.consultation import SCHEMA_VERSION, Consultation

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
TEXT = st.text(max_size=12) | st.sampled_from(["서울병원에서", "50%_\\", "한", "a\0b", "\u202e", "🙂"])


def of_type(kind: Any) -> st.SearchStrategy[Any]:
    """Values of one annotation of the document."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return JSON
    if origin is types.UnionType or origin is typing.Union:
        return st.one_of(st.none(), *(of_type(a) for a in arguments if a is not type(None)))
    if origin is tuple:
        return st.lists(of_type(arguments[0]), max_size=2).map(tuple)
    if origin is collections.abc.Mapping:
        return st.dictionaries(of_type(arguments[0]), of_type(arguments[1]), max_size=2)
    if attrs.has(kind):
        return of_class(kind)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return st.sampled_from(list(kind))
    simple = {
        str: TEXT,
        int: st.integers(-(2**53), 2**53),
        float: st.floats(allow_nan=False, allow_infinity=False),
        bool: st.booleans(),
    }
    return simple[kind]


def of_class(kind: type) -> st.SearchStrategy[Any]:
    """Instances of one attrs class. A field is often left at its default, as in real documents."""
    fields = {}
    for field in attrs.fields(attrs.resolve_types(kind)):
        if field.name == "schema_version":
            fields[field.name] = st.just(SCHEMA_VERSION)
        elif field.default is attrs.NOTHING:
            fields[field.name] = of_type(field.type)
        else:
            default = field.default.factory() if isinstance(field.default, attrs.Factory) else field.default
            fields[field.name] = st.just(default) | of_type(field.type)
    return st.builds(kind, **fields)


def consultations() -> st.SearchStrategy[Consultation]:
    """Any consultation, each with an id that is not empty."""
    return of_class(Consultation).map(lambda c: attrs.evolve(c, id=c.id.replace("\0", "") or "c"))
