"""How figures read: right unit, right digits, nothing lost where a ceiling is meant."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.present import dates, numbers
from app.present.names import in_language
from app.present.translator import Translator
from engine.estimate import Basis, Estimate, banded, exact
from engine.messages import Quantity
from engine.units import (
    BYTES,
    COUNT,
    GIB,
    RATIO,
    SECONDS,
    TOKENS,
    TOKENS_PER_S,
    USD,
    USD_PER_MONTH,
    USD_PER_MTOK,
    USERS,
)

KRW = 1358.19


def ko(figure):
    return Translator("ko", usd_rate=KRW).figure(figure)


def en(figure):
    return Translator("en", usd_rate=KRW).figure(figure)


@pytest.mark.parametrize(
    ("value", "korean", "english"),
    [
        (8_192, "8,192 토큰", "8,192 tokens"),
        (32_000, "3.2만 토큰", "32,000 tokens"),
        (32_768, "32,768 토큰", "32,768 tokens"),
        (99_328, "99,328 토큰", "99,328 tokens"),
        (128_000, "12.8만 토큰", "128,000 tokens"),
        (131_072, "131,072 토큰", "131,072 tokens"),
        (1_000_000, "100만 토큰", "1,000,000 tokens"),
        (1, "1 토큰", "1 token"),
    ],
)
def test_token_counts_are_never_rounded(value, korean, english):
    assert ko(Quantity(value, TOKENS)) == korean
    assert en(Quantity(value, TOKENS)) == english


def test_a_token_ceiling_stays_whole_even_inside_a_wide_band():
    assert ko(Estimate(99_328, 80_000, 110_000, TOKENS, Basis.CALIBRATED)) == "99,328 토큰"


@given(st.integers(1, 10**9))
def test_a_korean_token_count_reads_back_to_the_same_number(value):
    text = ko(Quantity(value, TOKENS)).removesuffix("토큰").strip().replace(",", "")
    read = float(text.removesuffix("만")) * (10_000 if text.endswith("만") else 1)
    assert round(read) == value


@pytest.mark.parametrize(
    ("usd", "korean", "english"),
    [
        (5_080, "690만 원/월", "₩6.90M/month"),
        (91_298, "1.24억 원/월", "₩124M/month"),
        (1.5, "2,037원/월", "₩2,037/month"),
        (0, "0원/월", "₩0/month"),
    ],
)
def test_won_reads_in_man_and_eok_for_a_korean_reader(usd, korean, english):
    assert ko(Quantity(usd, USD_PER_MONTH)) == korean
    assert en(Quantity(usd, USD_PER_MONTH)) == english


def test_the_exact_won_stay_available():
    assert Translator("ko", usd_rate=KRW).exact(Quantity(5_080, USD_PER_MONTH)) == "₩6,899,605/월"
    assert Translator("en", currency="USD").exact(Quantity(5_080.4, USD_PER_MONTH)) == "$5,080.40/month"


@pytest.mark.parametrize(
    ("usd", "shown"),
    [(0.0123, "$0.0123"), (2.5, "$2.50"), (5_080, "$5,080"), (1_240_000, "$1.24M"), (2_100_000_000, "$2.10B")],
)
def test_dollars(usd, shown):
    assert Translator("en", currency="USD").figure(Quantity(usd, USD)) == shown


def test_a_price_per_million_tokens_keeps_its_unit():
    assert ko(Quantity(0.5, USD_PER_MTOK)) == "679원/백만 토큰"
    assert Translator("ko", currency="USD").figure(Quantity(0.5, USD_PER_MTOK)) == "$0.50/백만 토큰"


@pytest.mark.parametrize(
    ("figure", "text", "band"),
    [
        (Estimate(38.27, 31, 44, TOKENS_PER_S, Basis.CALIBRATED), "38 토큰/초", "31–44"),
        (banded(31.4 * GIB, 0.03, 0.03, BYTES, Basis.CALIBRATED), "31.4 GiB", "30.5–32.3"),
        (Estimate(0.9, 0.7, 1.3, SECONDS, Basis.CALIBRATED), "0.9초", "0.7–1.3"),
        (Estimate(1234, 800, 1700, TOKENS_PER_S, Basis.CALIBRATED), "1,230 토큰/초", "800–1,700"),
        (exact(0.86, RATIO), "86 %", ""),
    ],
)
def test_digits_are_no_finer_than_the_band(figure, text, band):
    assert ko(figure) == text
    assert Translator("ko").band(figure) == band


def test_a_big_count_with_a_wide_band_reads_in_words():
    figure = Estimate(16_733_200_531, 7e9, 40e9, COUNT, Basis.ASSUMED)
    assert ko(figure) == "170억"
    assert Translator("ko").band(figure) == "70–400억"
    assert en(figure) == "17 billion"


def test_the_band_of_money_speaks_the_unit_of_its_value():
    figure = Estimate(5_080, 4_300, 6_200, USD_PER_MONTH, Basis.ASSUMED)
    speaker = Translator("ko", usd_rate=KRW)
    assert speaker.figure(figure) == "690만 원/월"
    assert speaker.band(figure) == "584–842만"


@pytest.mark.parametrize(
    ("value", "korean"), [(0, "0명"), (800, "800명"), (1_200_000, "120만 명"), (1_234_567, "1,234,567명")]
)
def test_people_are_counted_with_their_counter(value, korean):
    assert ko(Quantity(value, USERS)) == korean


@pytest.mark.parametrize(
    ("seconds", "korean", "english"),
    [
        (0.034, "34 ms", "34 ms"),
        (0.9, "0.9초", "0.9 s"),
        (2, "2초", "2 s"),
        (7200, "2시간", "2 h"),
        (5400, "90분", "90 min"),
    ],
)
def test_durations(seconds, korean, english):
    assert ko(Quantity(seconds, SECONDS)) == korean
    assert en(Quantity(seconds, SECONDS)) == english


@given(st.floats(1e-9, 1e15), st.sampled_from(("ko", "en")))
def test_no_positive_figure_is_ever_printed_as_zero(value, language):
    text = Translator(language, currency="USD").figure(Quantity(value, USD))
    assert any(digit in text for digit in "123456789")


@given(st.floats(1.0, 1e12), st.floats(0.01, 0.9))
def test_a_printed_figure_lies_inside_its_band_or_on_its_edge(value, spread):
    figure = banded(value, spread, spread, TOKENS_PER_S, Basis.CALIBRATED)
    seen = numbers.no_finer_than_band(figure, numbers.shown(figure.value, figure.unit, "en"), "en")
    assert figure.low <= seen.value <= figure.high


def test_dates_and_ages():
    today = date(2026, 12, 1)
    assert dates.spoken(today, "ko") == "2026년 12월 1일"
    assert dates.spoken(today, "en") == "1 December 2026"
    assert dates.as_of("2026-10", "ko") == "2026년 10월"
    assert dates.as_of("2026-10-10", "ko") == "2026-10-10"
    assert dates.months_old("2026-10-10", today) == 2
    assert dates.months_old("2025-Q3", today) == 16
    assert dates.stale("2026-10", today) is False
    assert dates.stale("2023-05-16 (frozen since)", today) is True
    assert dates.stale("unknown", today) is True


def test_a_bilingual_name_is_said_in_one_language():
    name = "개인정보 보호법 제28조의8 (Personal Information Protection Act, Art. 28-8, overseas transfer)"
    assert in_language(name, "ko") == "개인정보 보호법 제28조의8"
    assert in_language(name, "en").startswith("Personal Information Protection Act")
    assert in_language("DORA (Regulation 2022/2554)", "ko") == "DORA (Regulation 2022/2554)"
    japanese = "個人情報の保護に関する法律 第28条 (Act on the Protection of Personal Information, Art. 28)"
    assert in_language(japanese, "ko") == "Act on the Protection of Personal Information, Art. 28"
