"""Made once, at the first look, and a tuple in every other respect."""

from __future__ import annotations

from engine.lazy import Later


def counted():
    calls = []

    def make():
        calls.append(1)
        return [1, 2, 3]

    return Later(make), calls


def test_nothing_is_made_until_somebody_looks():
    later, calls = counted()
    assert calls == []
    assert list(later) == [1, 2, 3]
    assert len(later) == 3
    assert calls == [1]


def test_it_is_a_tuple_to_everybody():
    later, _ = counted()
    assert later == (1, 2, 3)
    assert later == (1, 2, 3)
    assert later == Later(lambda: (1, 2, 3))
    assert later != (1, 2)
    assert hash(later) == hash((1, 2, 3))
    assert repr(later) == "(1, 2, 3)"
    assert later[0] == 1
    assert later[1:] == (2, 3)
    assert 2 in later
    assert bool(later)
    assert not Later(list)
    assert (*later, 4) == (1, 2, 3, 4)
