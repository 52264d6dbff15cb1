"""What the last answer changed: only true differences, the answer itself first."""

from __future__ import annotations

import attrs
import pytest

from app.present.changes import what_changed
from app.present.traces import as_lines, tree
from app.present.views import Tone
from engine import edits
from engine.advice.results import Placement
from engine.consultation import Change
from tests.app import handmade


@pytest.fixture(scope="module")
def book():
    return handmade.catalogue()


@pytest.fixture(scope="module")
def whole(book):
    return handmade.assessment("bank-documents", book)


def after(whole, change, **parts):
    """The assessment with one answer changed and parts of the first workload's result replaced."""
    consultation = edits.apply(whole.consultation, change)
    first = attrs.evolve(whole.workloads[0], workload=consultation.workloads[0], **parts)
    return attrs.evolve(whole, consultation=consultation, workloads=(first, *whole.workloads[1:]))


def test_nothing_changed_says_nothing(whole, book):
    assert what_changed(whole, handmade.scene(whole, "ko", book)) is None


def test_an_answer_that_moves_nothing_says_so(whole, book):
    new = after(whole, Change("immediacy.outage_s", 60.0, "loan-files"))
    callout = what_changed(whole, handmade.scene(new, "en", book), "immediacy.outage_s")
    assert callout.text == "Outage: Open → 60 s. Recommendation and figures stay."
    assert callout.tone is Tone.PLAIN


def test_exclusions_the_verdict_and_figures_are_told(whole, book):
    old = whole.workloads[0]
    ranked = tuple(
        attrs.evolve(r, excluded=r.placement in (Placement.ON_PREMISE, Placement.CLOUD_API))
        for r in old.placement.ranked
    )
    placement = attrs.evolve(old.placement, ranked=ranked, chosen=Placement.CLOUD_GPU)
    new = after(whole, Change("data.boundary", "none", "loan-files"), placement=placement)
    text = what_changed(whole, handmade.scene(new, "ko", book), "data.boundary").text
    assert text.startswith("데이터 경계: 조직 안까지만 → 제한 없음.")
    assert "제외됨: 온프레미스." in text
    assert "다시 후보: 클라우드 GPU 임대." in text
    assert "권고 변경: 온프레미스 → 클라우드 GPU 임대." in text


def test_a_figure_is_told_in_its_unit_and_only_when_it_moved(whole, book):
    old = whole.workloads[0]
    fit = attrs.evolve(old.fit, total_bytes=old.fit.total_bytes.scaled(1.5))
    new = after(whole, Change("serving.context_tokens", 32_768, "loan-files"), fit=fit)
    text = what_changed(whole, handmade.scene(new, "en", book)).text
    assert "Memory per device" in text
    assert "GiB →" in text
    assert "Monthly cost" not in text


def test_another_workload_says_nothing_here(whole, book):
    new = after(whole, Change("immediacy.outage_s", 60.0, "loan-files"))
    assert what_changed(whole, handmade.scene(new, "en", book, "night-sorting")) is None


def test_a_derivation_is_a_tree_with_sources_and_dates(whole, book):
    scene = handmade.scene(whole, "en", book)
    node = tree("Ceiling", whole.workloads[0].speed.ceiling_tokens_per_s, scene.t)
    assert node.value == "49.1 tokens/s"
    assert [c.value for c in node.children] == ["864 GB/s", "16.4 GiB"]
    assert node.children[0].source == "NVIDIA data sheet, 2024-01"
    assert node.children[1].children == ()
    assert node.children[1].formula == "params × bits ÷ 8"
    assert as_lines(node)[0].startswith("Ceiling: 49.1 tokens/s = ")
