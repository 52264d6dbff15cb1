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


def test_an_id_is_never_cut():
    lines = list(columns([("nvidia-rtx-pro-6000-server", "a b c d e f g h i j k l m n o p q r s t")], room=50))
    assert lines[0].startswith("nvidia-rtx-pro-6000-server  ")
    assert len(lines) > 1


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=5))
def test_a_table_stays_inside_its_room(rows):
    longest = sum(min(40, max((width(w) for row in rows for w in row[i].split()), default=0)) for i in range(3))
    assert all(width(line) <= max(130, longest + 4) for line in columns(rows, room=130))
