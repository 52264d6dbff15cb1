"""Text tables: aligned by places, folded at the terminal's edge, nothing lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.cli.columns import columns, fold, width

CELLS = st.text(alphabet="ab 가나다 ", max_size=60).map(str.strip)


def test_korean_letters_take_two_places():
    assert list(columns([("가나", "x"), ("abcde", "y")], ("제목", "Z"))) == [
        "제목   Z",
        "-----  -",
        "가나   x",
        "abcde  y",
    ]


def test_a_long_cell_is_folded_under_itself():
    assert list(columns([("key", "one two three four five six")], room=22)) == [
        "key  one two three",
        "     four five six",
    ]


@given(CELLS, st.integers(2, 40))
def test_folding_loses_no_letter(text, room):
    lines = fold(text, room)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(width(line) <= room for line in lines)


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=5))
def test_a_table_stays_inside_its_room(rows):
    assert all(width(line) <= 80 for line in columns(rows, room=80))
