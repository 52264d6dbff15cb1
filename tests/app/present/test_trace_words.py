"""Every input that a figure of the samples is derived from can be named in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from app.present.scene import speaker
from app.present.traces import input_name
from app.present.translator import LANGUAGES
from engine.assess import assess
from engine.estimate import Estimate, Trace
from tests.app import handmade
from tests.app.present.test_samples import NAMES

ROWS = ("model", "device", "weight_format", "engine", "workload", "consultation")


def input_names(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, Estimate):
        yield from input_names(value.trace, depth)
    elif isinstance(value, Trace):
        for given in value.inputs:
            yield given.name
            yield from input_names(given.trace, depth)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from input_names(item, depth)
    elif attrs.has(type(value)) and depth < 12:
        for field in attrs.fields(type(value)):
            if field.name not in ROWS and not field.metadata.get("internal"):
                yield from input_names(getattr(value, field.name), depth + 1)


@pytest.fixture(scope="module")
def book():
    return handmade.catalogue()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sample", NAMES)
def test_every_input_of_every_figure_has_a_word(sample, language, book):
    consultation = handmade.sample(sample)
    t = speaker(language, consultation, book)
    names = set(input_names(assess(consultation, book, handmade.TODAY).workloads))
    bare = {n for n in names if input_name(n, t) == n.rsplit(".", 1)[-1].replace("_", " ")}
    assert {n for n in bare if not t.has(f"trace.{n}") and not t.has(n)} == set()
