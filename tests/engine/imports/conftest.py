from pathlib import Path

import pytest

from engine.catalogue import Catalogue, load_catalogue

CATALOGUE = Path(__file__).resolve().parents[3] / "assets" / "catalogue"


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue(CATALOGUE)
