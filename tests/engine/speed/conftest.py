from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.catalogue import Catalogue, load_catalogue
from engine.deployment import Deployment

CATALOGUE = Path(__file__).resolve().parents[3] / "assets" / "catalogue"


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue(CATALOGUE)


@pytest.fixture(scope="session")
def deploy(catalogue: Catalogue) -> Callable[..., Deployment]:
    """A deployment by ids."""

    def make(model: str, weight_format: str, device: str, engine: str, **more: Any) -> Deployment:
        return Deployment(
            catalogue.model(model),
            catalogue.weight_format(weight_format),
            catalogue.device(device),
            catalogue.engine(engine),
            **more,
        )

    return make
