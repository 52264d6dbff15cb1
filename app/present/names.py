"""Display names of catalogue ids."""

from __future__ import annotations

import re
from typing import Final

from app.present.translator import NameLookup, texts
from engine.catalogue import Catalogue

_HANGUL: Final = re.compile(r"[가-힣]")
_HAN: Final = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_GLOSS: Final = re.compile(r"^(?P<first>.*?)\s*\((?P<gloss>[^()]*(?:\([^()]*\)[^()]*)*)\)\s*$")


def names_of(catalogue: Catalogue, language: str) -> NameLookup:
    """How a Translator finds the name of a device, model, engine, format, regulation, price or tariff."""
    words = texts(language)

    def named(table: str, kind: str) -> NameLookup:
        rows = getattr(catalogue, table)
        return lambda _kind, item: words.get(f"{kind}.{item}") or (rows[item].name if item in rows else item)

    def target(_kind: str, item: str) -> str:
        word = words.get(f"device_class.{item}")
        if word or item in catalogue.device_classes:
            return word or catalogue.device_classes[item].name
        return catalogue.devices[item].name if item in catalogue.devices else item

    def regulation(_kind: str, item: str) -> str:
        row = catalogue.regulations.get(item)
        return in_language(row.name, language) if row else item

    def api(_kind: str, item: str) -> str:
        row = catalogue.api_prices.get(item)
        return f"{row.provider} {row.model}" if row else item

    def rented(_kind: str, item: str) -> str:
        row = catalogue.gpu_prices.get(item)
        return f"{row.provider} {row.instance} ({row.region})" if row else item

    def word_or_id(kind: str, item: str) -> str:
        return words.get(f"{kind}.{item}", item)

    kinds: dict[str, NameLookup] = {
        "device": target,
        "target": target,
        "model": named("models", "model"),
        "engine": named("engines", "engine"),
        "format": named("weight_formats", "format"),
        "weight_format": named("weight_formats", "format"),
        "kv_format": word_or_id,
        "regulation": regulation,
        "api_model": api,
        "gpu_instance": rented,
        "tariff": word_or_id,
        "device_class": target,
    }
    return lambda kind, item: kinds.get(kind, word_or_id)(kind, item)


def in_language(name: str, language: str) -> str:
    """The half of "한글 이름 (English name)" that the reader wants.

    A name in a third language gives way to its English gloss for every reader; a name in one language stays whole.
    """
    found = _GLOSS.match(name)
    if not found or _HANGUL.search(found["gloss"]):
        return name
    if _HANGUL.search(found["first"]):
        return found["first"] if language == "ko" else found["gloss"]
    return found["gloss"] if _HAN.search(found["first"]) else name
