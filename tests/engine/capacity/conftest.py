"""A replica whose speed is simple enough to work out by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.capacity.service import ServiceCurve, service_curve
from engine.catalogue import Catalogue, load_catalogue

OUTPUT_TOKENS = 200
CATALOGUE = Path(__file__).resolve().parents[3] / "assets" / "catalogue"


def speed(held):
    """First token after 50 ms + 4 ms a request held, then 10 ms + 0.6 ms a token."""
    return 0.05 + 0.004 * held, 0.01 + 0.0006 * held


def speed_at(held):
    first, per_token = speed(np.asarray(held, dtype=float))
    return first, per_token, held * OUTPUT_TOKENS / (first + (OUTPUT_TOKENS - 1) * per_token)


@pytest.fixture(scope="session")
def curve() -> ServiceCurve:
    return service_curve(speed_at, OUTPUT_TOKENS, 64)


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue(CATALOGUE)
