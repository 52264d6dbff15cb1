"""One proposal a sample and language, written once for all tests."""

from __future__ import annotations

from functools import cache

import pytest

from app.report import render
from tests.app import handmade

LANGUAGES = ("ko", "en")


@cache
def book():
    return handmade.catalogue()


@cache
def whole(name):
    return handmade.assessment(name, book())


@cache
def printed(name, language):
    """The proposal's bytes and page count."""
    return render(whole(name), language, handmade.TODAY, book(), handmade.ROOMS)


@pytest.fixture(params=[(n, c) for n in ("bank-documents", "phone-translator", "chat-and-nightly") for c in LANGUAGES])
def proposal(request):
    """Sample name, language, bytes, pages."""
    name, language = request.param
    return (name, language, *printed(name, language))
