"""Every question, every choice, every step and group can be said in both languages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.present.translator import LANGUAGES, Translator
from engine.messages import Message
from engine.questions import QUESTIONS, Question, Step

LONGEST_TITLE = 64
"""Characters a headline may have before it breaks into a third line at 26 points."""


def spoken(question: Question) -> Iterator[Message]:
    yield from (question.title, question.why, question.background, question.unknown, question.short)
    yield from (question.group_title, question.group_lead)
    for value in question.choices:
        yield question.choice_title(value)
        yield question.choice_hint(value)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.path)
def test_a_question_has_all_its_words(question, language):
    translator = Translator(language)
    missing = [m.key for m in spoken(question) if not translator.has(m.key)]
    assert missing == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_has_a_name(language):
    translator = Translator(language)
    assert [s for s in Step if not translator.has(s.label.key)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_titles_are_questions_and_short_enough_to_be_read_aloud(language):
    translator = Translator(language)
    titles = {q.path: translator(q.title) for q in QUESTIONS}
    assert {p: t for p, t in titles.items() if not t.endswith("?")} == {}
    assert {p: t for p, t in titles.items() if len(t) > LONGEST_TITLE} == {}


def test_a_flag_says_yes_and_no_like_every_other_flag():
    ko = Translator("ko")
    flags = [q for q in QUESTIONS if q.choices == ("yes", "no")]
    assert {(ko(q.choice_title("yes")), ko(q.choice_title("no"))) for q in flags} == {("예", "아니요")}


@pytest.mark.parametrize("language", LANGUAGES)
def test_choices_of_a_question_are_told_apart(language):
    translator = Translator(language)
    for question in QUESTIONS:
        titles = [translator(question.choice_title(value)) for value in question.choices]
        hints = [translator(question.choice_hint(value)) for value in question.choices]
        assert len(set(titles)) == len(titles), question.path
        assert len(set(hints)) == len(hints), question.path
