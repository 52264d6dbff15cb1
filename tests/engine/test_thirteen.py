"""The thirteen questions: answered on every sample, with the session's numbers, in words of both languages, on pages that exist."""

from __future__ import annotations

from datetime import date

import attrs
import pytest

from app.host.paths import ASSETS
from app.present.translator import LANGUAGES, Translator, texts
from engine import thirteen
from engine.assess import assess
from engine.consultation import Consultation, Readiness, Serving, Workload
from engine.documents import from_json
from engine.flow import pages
from tests.engine.advice.describe import workload

TODAY = date(2026, 12, 1)
SAMPLES = sorted((ASSETS / "samples").glob("*.waypost"))


def judged(catalogue, made: Workload):
    return assess(Consultation("c", workloads=(made,)), catalogue, TODAY).workloads[0]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_is_answered_in_words(catalogue, path, language):
    say, known = Translator(language), texts(language)
    for assessed in assess(from_json(path.read_text(encoding="utf-8")), catalogue, TODAY).workloads:
        found = thirteen.answers(assessed)
        assert [a.number for a in found] == list(range(1, 14))
        for answer in found:
            assert answer.sentences
            assert answer.page in pages()
            for message in (answer.question, *answer.sentences):
                assert "[" not in say(message), message.key
            assert all(name in known for name, _ in answer.figures)


def test_an_empty_session_is_answered_too(catalogue):
    found = thirteen.answers(judged(catalogue, Workload("w")))
    assert all(answer.sentences for answer in found)


def test_the_gaps_are_counted(catalogue):
    made = Workload("w", readiness=Readiness(endpoint=True, loading=False, scaling=False, conversion=True, health=True))
    (first, *_), _ = thirteen.file_to_service(judged(catalogue, made))
    assert (first.key, first.params["count"]) == ("thirteen.1.missing", 2)
    done = attrs.evolve(made, readiness=attrs.evolve(made.readiness, loading=True, scaling=True))
    (first, *_), _ = thirteen.file_to_service(judged(catalogue, done))
    assert first.key == "thirteen.1.complete"


def test_a_million_elements_are_3907_blocks_with_192_to_spare(catalogue):
    none_chosen = attrs.evolve(judged(catalogue, Workload("w")), deployment=None)
    sentences, _ = thirteen.threads(none_chosen)
    example = next(m for m in sentences if m.key == "thirteen.7.example")
    assert (example.params["blocks"], example.params["spare"]) == (3907, 192)


def test_seven_billion_on_24_gb_as_16_bit_and_not_as_32(catalogue):
    serving = Serving(model="llama-2-7b", weight_format="fp16", device="nvidia-l4", device_count=1, engine="vllm",
                      context_tokens=2048, concurrency=1)  # fmt: skip
    sentences, figures = thirteen.does_it_fit(judged(catalogue, Workload("w", serving=serving)))
    assert sentences[0].key == "thirteen.4.fits"
    assert dict(figures)["thirteen.figure.weights"].value == pytest.approx(13.5e9, rel=0.01)
    wide = attrs.evolve(serving, weight_format="fp32")
    sentences, _ = thirteen.does_it_fit(judged(catalogue, Workload("w", serving=wide)))
    assert sentences[0].key == "thirteen.4.short"
    assert len(sentences) > 1, "with what would help"


def test_offline_answers_follow_the_verdict(catalogue):
    for said, key in (
        ({"class": "phone", "offline": "basics", "hardness": "medium", "trust": "patchy"}, "thirteen.13.hybrid"),
        ({"class": "phone", "offline": "full", "hardness": "narrow"}, "thirteen.13.device"),
        ({"class": "server", "closed": True, "hardness": "medium"}, "thirteen.13.premise"),
        ({"trust": "reliable", "hardness": "frontier", "offline": "no"}, "thirteen.13.cloud"),
        ({}, "thirteen.13.open"),
    ):
        sentences, _ = thirteen.without_network(judged(catalogue, workload(**said)))
        assert sentences[0].key == key


def test_the_phone_question_says_where_the_device_stands(catalogue):
    for said, key in (
        ({"class": "phone", "offline": "full", "hardness": "narrow"}, "chosen"),
        ({"class": "phone", "offline": "basics", "hardness": "medium", "trust": "patchy"}, "in_part"),
        ({"class": "phone", "hardness": "frontier", "trust": "reliable"}, "ruled_out"),
        ({"class": "pc", "hardness": "medium", "trust": "reliable", "offline": "no", "boundary": "none"}, "behind"),
    ):
        sentences, _ = thirteen.on_the_phone(judged(catalogue, workload(**said)))
        assert sentences[1].key == f"thirteen.11.{key}"
