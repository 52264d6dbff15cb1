"""Words on paper: Korean breaks between words, nothing is read as markup, labels are cut and never run over."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.report import fonts, theme
from app.report.flow.scale import Scale, log_ticks, nice_ticks, pushed_apart, spanning
from app.report.text import balanced, clean, fitted, keep_last_words, paragraph

KOREAN = (
    "대역폭을 토큰 하나에 움직여야 하는 양으로 나누면 한 사람이 받을 수 있는 속도의 천장이 나오고 "
    "어떤 측정도 이 값을 넘지 못합니다."
)


@pytest.fixture(autouse=True)
def registered():
    fonts.register()


def lines(made, room):
    made.wrap(room, 1e6)
    out = []
    for line in made.blPara.lines:
        words = line[1] if isinstance(line, tuple) else [w.text for w in line.words]
        out.append(" ".join(words).replace("\u00a0", " "))
    return out


@pytest.mark.parametrize("room", [90, 120, 180, 260, 480])
def test_korean_breaks_only_between_words(room):
    broken = lines(paragraph(KOREAN, theme.styles().body), room)
    assert " ".join(broken) == KOREAN
    assert all(word in KOREAN.split(" ") for line in broken for word in line.split(" "))


@pytest.mark.parametrize("room", [120, 180, 260, 480])
def test_the_last_line_is_never_a_lonely_ending(room):
    text = "이 장비의 메모리에 들어가는지 확인하고 나서 동시 사용자를 정하는 순서로 보면 됩니다."
    broken = lines(paragraph(text, theme.styles().body), room)
    assert len(broken[-1].replace(" ", "")) > 4


def test_a_balanced_title_has_lines_of_like_length():
    text = "More answers are needed before these can be computed: Memory, Speed, Capacity, Cost"
    made = balanced(text, theme.styles().title, 480)
    first, second = lines(made, 480)
    assert abs(len(first) - len(second)) < 0.35 * len(text)


@given(st.text(max_size=200))
def test_any_text_makes_a_paragraph(text):
    made = paragraph(text, theme.styles().body)
    assert made.wrap(200, 1e6)[1] >= 0


@given(st.text(max_size=200))
def test_clean_text_holds_only_what_the_font_can_print(text):
    held = fonts.register()
    assert all(ord(c) in held or c == " " for c in clean(text))


@given(st.text(max_size=120), st.floats(20, 300))
def test_a_label_never_runs_over_its_room(text, room):
    shown = fitted(text, fonts.REGULAR, 8, room)
    assert fonts.width(shown, fonts.REGULAR, 8) <= room or shown == "…"


def test_an_ordinary_last_word_is_left_alone():
    assert "\u00a0" not in keep_last_words("한 사람에게 약속하는 처리량입니다")


@given(st.floats(1e-3, 1e9), st.floats(1.01, 1e6))
def test_ticks_lie_on_the_axis_and_are_few(low, factor):
    high = low * factor
    for ticks in (nice_ticks(low, high), log_ticks(low, high)):
        assert all(low * 0.99 <= t <= high * 1.01 for t in ticks)
        assert len(ticks) <= 12


@given(st.lists(st.floats(0, 100), min_size=1, max_size=6))
def test_labels_pushed_apart_keep_their_order_and_distance(wanted):
    placed = pushed_apart(wanted, 10, 0, 100)
    ordered = [placed[n] for n in sorted(range(len(wanted)), key=lambda n: wanted[n])]
    assert all(b - a >= 10 - 1e-6 for a, b in itertools.pairwise(ordered))
    assert max(placed) <= 100 + 1e-6


def test_a_scale_maps_its_ends_and_clamps_beyond():
    scale = Scale(1, 1000, 0, 300, log=True)
    assert [round(scale.at(v)) for v in (0.5, 1, 10, 1000, 5000)] == [0, 0, 100, 300, 300]
    assert spanning([0, 0], 0, 10, log=True).log is True
