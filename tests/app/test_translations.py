"""Every sentence exists in both languages, says the same fields, and needs no particle after an inserted value."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from app.present.translator import LANGUAGES, texts

ROOT = Path(__file__).resolve().parents[2]
FIELD = re.compile(r"\{(\w+)\}")
PARTICLE = re.compile(r"\}(은|는|이|가|을|를|과|와|으로|로|이라|라|이나|이고|이며|아|야)(?![가-힣])")
MAKERS = {"msg", "Message", "text"}


def keys_in_code() -> set[str]:
    """Every literal key handed to msg(), Message() or Translator.text()."""
    found = set()
    for package in ("engine", "app", "kernels"):
        for file in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call) or not node.args:
                    continue
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                first = node.args[0]
                literal = first.value if isinstance(first, ast.Constant) else None
                if name in MAKERS and isinstance(literal, str) and "." in literal:
                    found.add(literal)
    return found


def test_both_languages_hold_the_same_keys():
    ko, en = (set(texts(language)) for language in LANGUAGES)
    assert ko ^ en == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty(language):
    assert [key for key, text in texts(language).items() if not text.strip()] == []


def test_fields_agree():
    ko, en = texts("ko"), texts("en")
    differing = {
        k: (ko[k], en[k]) for k in ko.keys() & en.keys() if set(FIELD.findall(ko[k])) != set(FIELD.findall(en[k]))
    }
    assert differing == {}


def test_no_particle_after_an_inserted_value():
    assert {k: t for k, t in texts("ko").items() if PARTICLE.search(t)} == {}


def test_every_key_in_the_code_has_words():
    assert keys_in_code() - set(texts("en")) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_key_stands_in_one_file_only(language):
    seen: dict[str, str] = {}
    twice = []
    for file in sorted((ROOT / "assets/translations" / language).glob("*.po")):
        for key in re.findall(r'^msgid "(.+)"$', file.read_text(encoding="utf-8"), re.MULTILINE):
            if key in seen:
                twice.append((key, seen[key], file.name))
            seen[key] = file.name
    assert twice == []
