"""The built-in catalogue, once, and short ways to describe a workload."""

from __future__ import annotations

import pytest

from app.host.paths import ASSETS
from engine.advice.facts import facts_of
from engine.advice.rules import Context
from engine.catalogue import Catalogue, load_catalogue


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue(ASSETS / "catalogue")


@pytest.fixture(scope="session")
def context(catalogue: Catalogue) -> Context:
    return Context(facts_of(catalogue), catalogue.regulations)
