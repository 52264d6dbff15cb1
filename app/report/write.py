"""One call: an assessment into a PDF file."""

from __future__ import annotations

import io
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from attrs import evolve, frozen
from reportlab.platypus import Flowable, KeepTogether, NextPageTemplate, PageBreak, Spacer

from app.host import atomic
from app.present import dates
from app.present.scene import Rooms, Scene, scene_of
from app.present.views import Page
from app.report import theme
from app.report.cover import Cover, Entry, contents
from app.report.errors import report_error
from app.report.fitting import fit_to_sheet
from app.report.flow import flow_all
from app.report.paper import Imprint, Mark, Paper
from app.report.sections import Section, sections
from app.report.text import balanced, paragraph, shortened
from engine.assess import deepen
from engine.catalogue import Catalogue
from engine.consultation import Audience, Consultation
from engine.documents import ATTACHMENT_NAME, to_json
from engine.results import Assessment

EYEBROW, TITLE = 90, 240
"""Characters the paper gives an eyebrow and a title."""


@frozen
class Report:
    """What was written."""

    path: Path
    pages: int
    size_bytes: int


def for_customer(consultation: Consultation) -> Consultation:
    """The document as the customer may have it: private notes left out."""
    return evolve(consultation, notes=tuple(n for n in consultation.notes if n.audience is Audience.CUSTOMER))


def write(
    assessment: Assessment,
    path: Path,
    language: str,
    today: date,
    catalogue: Catalogue,
    rooms: Rooms | None = None,
) -> Report:
    """Write the proposal, whole or not at all. The same input on the same day gives the same bytes.

    `language` "ko" or "en"; `rooms` None lets the charts ask the engine for other machines. Raises ReportError with one sentence.
    """
    data, pages = render(assessment, language, today, catalogue, rooms)
    try:
        atomic.write_bytes(path, data)
    except OSError as error:
        raise report_error(error, path) from error
    return Report(path, pages, len(data))


def render(
    assessment: Assessment, language: str, today: date, catalogue: Catalogue, rooms: Rooms | None = None
) -> tuple[bytes, int]:
    """The proposal as bytes, and how many pages it has."""
    meant = _firm(evolve(assessment, consultation=for_customer(assessment.consultation)), catalogue)
    scenes = tuple(scene_of(meant, w.workload.id, language, catalogue, today, rooms) for w in assessment.workloads)
    target = io.BytesIO()
    found = tuple(evolve(section, key=f"s{n}") for n, section in enumerate(sections(scenes)))
    paper = Paper(target, imprint(scenes[0]))
    entries = tuple(Entry(s.key, _name(s), s.level) for s in found)
    pages = paper.print(_story(scenes, found, entries), (e.key for e in entries))
    return target.getvalue(), pages


def _firm(assessment: Assessment, catalogue: Catalogue) -> Assessment:
    """The assessment with the stability of each verdict, worked out here where nobody did so before."""
    known = all(w.placement.stability is not None or w.placement.chosen is None for w in assessment.workloads)
    return assessment if known else deepen(assessment, catalogue)


def imprint(scene: Scene) -> Imprint:
    t, consultation = scene.t, scene.consultation
    name = consultation.customer.name
    title = " · ".join(p for p in (name, consultation.title) if p) or t.text("report.untitled")
    day = dates.spoken(scene.today, t.language)
    version = t.text("report.catalogue", version=scene.assessment.catalogue_version)
    return Imprint(
        title=title,
        author="Waypost",
        subject=t.text("report.kind"),
        language=t.language,
        footer=title,
        stamp=f"{day}   ·   {version}",
        today=scene.today,
        attachment_name=ATTACHMENT_NAME,
        attachment=to_json(consultation).encode("utf-8"),
        attachment_note=t.text("report.attached"),
    )


def _name(section: Section) -> str:
    """The section's name for contents and bookmarks: a chapter by its workload, the others by their eyebrow."""
    return section.name or section.page.eyebrow or section.page.title


def _story(scenes: tuple[Scene, ...], found: tuple[Section, ...], entries: Iterable[Entry]) -> list[Flowable]:
    story: list[Flowable] = [Mark("cover", scenes[0].t.text("report.kind"), 0), Cover(scenes)]
    story += [NextPageTemplate("page"), PageBreak(), *contents(tuple(entries), scenes[0])]
    for section in found:
        parts = fit_to_sheet([Mark(section.key, _name(section), section.level), *_page(section.page)])
        story += [PageBreak(), *parts] if section.fresh else [Spacer(0, theme.GAP), KeepTogether(parts)]
    return story


def _page(page: Page) -> list[Flowable]:
    """Eyebrow, the finding as a title, the lead, then the blocks."""
    style = theme.styles()
    story: list[Flowable] = []
    if page.eyebrow:
        story.append(_kept(paragraph(shortened(page.eyebrow, EYEBROW), style.eyebrow), 3))
    story.append(
        _kept(balanced(shortened(page.title, TITLE), style.title, theme.CONTENT_WIDTH), 4 if page.lead else theme.GAP)
    )
    if page.lead:
        story.append(_kept(paragraph(page.lead, style.lead), theme.GAP))
    return [*story, *flow_all(page.blocks)]


def _kept(made: Flowable, after: float) -> Flowable:
    made.keepWithNext = 1
    made.spaceAfter = after
    return made
