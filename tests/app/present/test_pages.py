"""Every page of every sample in both languages: complete words, findings for titles, gaps said as gaps."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from app.present.pages import PAGES, build, verdict
from app.present.translator import LANGUAGES, texts
from app.present.views import (
    Bullets,
    Callout,
    Heatmap,
    LineChart,
    Page,
    RangeChart,
    Ranking,
    StackedBars,
    Table,
    as_table,
)
from engine.advice.concepts import CONCEPTS
from engine.advice.results import VerdictKind
from engine.assess import assess
from engine.estimate import Trace
from engine.probe.documents import to_dict
from tests.app import handmade
from tests.app.present.test_samples import NAMES

LEFTOVER = re.compile(r"\[[a-z_]+\.[\w.\-]+\]|\{\w+\}|\bNone\b(?! of)|\bnan\b")


@pytest.fixture(scope="module")
def book():
    return handmade.catalogue()


@pytest.fixture(scope="module", params=[f"{name}-{by}" for name in NAMES for by in ("hand", "engine")])
def whole(request, book):
    """Every sample, with results made by hand (every field filled) and with what the engine answers."""
    name, _, by = request.param.rpartition("-")
    if by == "hand":
        return handmade.assessment(name, book)
    return assess(handmade.sample(name), book, handmade.TODAY)


def texts_in(value: Any) -> Iterator[str]:
    """Every string of a view, however deep; traces are data, not words."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Trace):
        return
    elif isinstance(value, tuple | list | frozenset):
        for item in value:
            yield from texts_in(item)
    elif attrs.has(type(value)):
        for field in attrs.fields(type(value)):
            if field.name not in ("key", "path", "page"):
                yield from texts_in(getattr(value, field.name))


def pages(whole, language, book) -> Iterator[Page]:
    for assessed in whole.workloads:
        scene = handmade.scene(whole, language, book, assessed.workload.id)
        for key in PAGES:
            yield build(key, scene)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_shows_a_key_or_an_empty_field(whole, language, book):
    for page in pages(whole, language, book):
        assert [t for t in texts_in(page) if LEFTOVER.search(t)] == [], page.key


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_shows_a_key_when_nothing_is_known(whole, language, book):
    for page in pages(handmade.without_answers(whole), language, book):
        assert [t for t in texts_in(page) if LEFTOVER.search(t)] == [], page.key
        assert page.title


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_title_is_a_finding_and_never_the_name_of_the_page(whole, language, book):
    for page in pages(whole, language, book):
        assert page.title != page.eyebrow
        assert len(page.title) <= 130, page.title


def test_a_page_is_the_same_every_time(whole, book):
    for key in PAGES:
        scene = handmade.scene(whole, "ko", book)
        assert build(key, scene) == build(key, scene)


def test_every_page_has_something_to_show(whole, book):
    assert [p.key for p in pages(whole, "ko", book) if not p.blocks and p.key != "probe"] == []


def test_every_chart_says_its_sentence_and_gives_itself_as_a_table(whole, book):
    for page in pages(whole, "ko", book):
        for block in page.blocks:
            if isinstance(block, StackedBars | LineChart | RangeChart | Heatmap):
                assert block.sentence
                assert as_table(block).rows
            if isinstance(block, Ranking):
                assert as_table(block).rows


def test_rows_are_as_wide_as_their_headers(whole, book):
    for page in pages(whole, "ko", book):
        for block in page.blocks:
            if isinstance(block, Table):
                assert {len(row) for row in block.rows} <= {len(block.headers)}, (page.key, block.title)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_verdict_holds_the_four_headline_figures(whole, language, book):
    panel = verdict(handmade.scene(whole, language, book))
    assert panel.figures.items[0].key == "memory"
    if whole.workloads[0].speed is not None:
        assert [f.key for f in panel.figures.items][:3] == ["memory", "speed", "ttft"]
    assert [t for t in texts_in(panel) if LEFTOVER.search(t)] == []


def test_the_ceiling_reads_as_a_quotient_with_its_numbers(book):
    panel = verdict(handmade.scene(handmade.assessment("bank-documents", book), "ko", book))
    speed = next(f for f in panel.figures.items if f.key == "speed")
    assert speed.value == "38 토큰/초"
    assert speed.formula == "천장 49.1 토큰/초 (864 GB/s ÷ 17.6 GB)"
    assert speed.band == "31–44"
    assert speed.basis == "보정"


def test_a_gap_is_said_with_what_to_do(book):
    bare = handmade.without_answers(handmade.assessment("bank-documents", book))
    for key in ("memory", "speed", "capacity", "cost"):
        page = build(key, handmade.scene(bare, "en", book))
        callout = page.blocks[0]
        assert isinstance(callout, Callout)
        assert callout.text


def test_a_conflict_shows_the_requirements_and_the_way_out(book):
    broken = handmade.in_conflict(handmade.assessment("bank-documents", book))
    scene = handmade.scene(broken, "en", book)
    page = build("proposal", scene)
    assert page.title == "The requirements contradict each other"
    assert isinstance(page.blocks[0], Bullets)
    assert len(page.blocks[0].items) == 2
    assert verdict(scene).stability == scene.t.value(VerdictKind.CONFLICT)


def test_a_missing_price_is_no_price_and_never_nought(book):
    page = build("cost", handmade.scene(handmade.assessment("bank-documents", book), "en", book))
    options = next(b for b in page.blocks if isinstance(b, Table) and b.title == "Options")
    device = next(row for row in options.rows if row[0].text == "On-device")
    assert device[2].text == "No price"
    asked = next(b for b in page.blocks if isinstance(b, Bullets) and b.title == "Missing prices")
    assert len(asked.items) == 1


def test_the_crossover_is_marked_on_the_curve(book):
    page = build("cost", handmade.scene(handmade.assessment("bank-documents", book), "en", book))
    chart = next(b for b in page.blocks if isinstance(b, LineChart))
    assert [m.x for m in chart.marks] == [1639]
    assert chart.marks[0].y == pytest.approx(5_080 * 1358.19)


def test_a_fit_that_is_only_tight_is_not_called_a_fit(book):
    whole = handmade.assessment("bank-documents", book)
    fit = attrs.evolve(whole.workloads[0].fit, fits=False, tight=True)
    changed = attrs.evolve(whole, workloads=(attrs.evolve(whole.workloads[0], fit=fit), *whole.workloads[1:]))
    assert build("memory", handmade.scene(changed, "en", book)).title.startswith("Tight on 2 × L40S")


def test_the_heat_map_marks_the_customers_own_point_and_grows_monotonically(book):
    page = build("memory", handmade.scene(handmade.assessment("bank-documents", book), "en", book))
    heat = next(b for b in page.blocks if isinstance(b, Heatmap))
    assert sum(cell.chosen for row in heat.cells for cell in row) == 1
    order = {"1 card": 1, "2 cards": 2, "4 cards": 4, "8 cards": 8, "–": 16}
    grid = [[order[cell.text] for cell in row] for row in heat.cells]
    assert all(a <= b for row in grid for a, b in itertools.pairwise(row))
    assert all(a <= b for low, high in itertools.pairwise(grid) for a, b in zip(low, high, strict=True))


def test_private_notes_never_become_words(whole, book):
    private = [n.text for n in whole.consultation.notes if n.audience == "private"]
    shown = " ".join(t for page in pages(whole, "ko", book) for t in texts_in(page))
    assert private
    assert [text for text in private if text in shown] == []


def test_a_probe_run_shows_what_was_measured_and_what_was_left_out(book):
    whole = handmade.assessment("bank-documents", book, probe=to_dict(handmade.probe_run()))
    page = build("probe", handmade.scene(whole, "en", book))
    assert page.title == "RTX 4070 Laptop reads memory at 233 GB/s: 91 % of its data sheet"
    table = next(b for b in page.blocks if isinstance(b, Table) and b.title == "Readings")
    assert [row[2].text for row in table.rows] == ["233 GB/s", "12.4 GB/s"]
    assert [row[3].text for row in table.rows] == ["228–236", "12.1–12.6"]
    left_out = next(b for b in page.blocks if isinstance(b, Bullets) and b.title == "Left out")
    assert len(left_out.items) == 1


def test_a_probe_run_that_cannot_be_read_is_no_probe_run(book):
    whole = handmade.assessment("bank-documents", book, probe={"format": "something else"})
    assert build("probe", handmade.scene(whole, "en", book)).title == "Nothing has been measured here yet"


def test_scenarios_mark_only_what_differs(book):
    page = build("scenarios", handmade.scene(handmade.assessment("chat-and-nightly", book), "en", book))
    table = page.blocks[0]
    assert isinstance(table, Table)
    users = next(row for row in table.rows if row[0].text == "Users")
    assert [c.strong for c in users] == [False, False, False, True]


def test_concept_cards_are_all_shown_once_and_all_words_have_a_card(book):
    page = build("concepts", handmade.scene(handmade.assessment("bank-documents", book), "ko", book))
    shown = [item.text for block in page.blocks if isinstance(block, Bullets) for item in block.items]
    assert len(shown) == len(set(shown)) == len(CONCEPTS)
    keys = {k.split(".")[1] for k in texts("ko") if k.startswith("concept.")}
    assert keys == {card.id for card in CONCEPTS}


def test_thirteen_questions_have_thirteen_answers_that_lead_somewhere(whole, book):
    page = build("thirteen", handmade.scene(whole, "en", book))
    items = page.blocks[0].items
    assert len(items) == 13
    assert all(item.detail and item.page for item in items)
    assert {item.page for item in items} <= set(PAGES)
