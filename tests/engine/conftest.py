"""What every room's tests may ask for."""

from __future__ import annotations

import pytest

from app.host.paths import CATALOGUE
from engine.catalogue import Catalogue, load_catalogue


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The built-in catalogue, read once."""
    return load_catalogue(CATALOGUE)
