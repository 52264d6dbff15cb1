"""Kept answers: the last ones only, by identity, and never a failure."""

from __future__ import annotations

import pytest

from engine.kept import Kept


def counted(most: int):
    asked: list[object] = []

    def answer(question):
        asked.append(question)
        if question == "bad":
            raise ValueError(question)
        return len(asked)

    return Kept(lambda question: (question,), answer, most), asked


def test_asked_once_and_answered_twice():
    kept, asked = counted(4)
    assert kept("a") == kept("a") == 1
    assert asked == ["a"]


def test_the_longest_unused_goes_first():
    kept, asked = counted(2)
    kept("a"), kept("b"), kept("a"), kept("c")
    kept("a")
    assert asked == ["a", "b", "c"]
    kept("b")
    assert asked == ["a", "b", "c", "b"]


def test_a_failure_is_raised_again_and_not_kept():
    kept, asked = counted(2)
    for _ in range(2):
        with pytest.raises(ValueError, match="bad"):
            kept("bad")
    assert asked == ["bad", "bad"]
