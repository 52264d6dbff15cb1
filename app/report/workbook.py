"""The numbers as a workbook: every table and chart of the pages, and each headline figure with its formula and inputs.

Numbers are numbers (not texts), so that a customer can go on computing; bands stand in columns of their own.
"""

from __future__ import annotations

import io
import re
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import xlsxwriter
from attrs import evolve

from app.host import atomic
from app.present.changes import headline
from app.present.design import LIGHT
from app.present.make import machine_of
from app.present.pages import capacity, cost, hardware, ledger, memory, proposal, scenarios
from app.present.pages.customer import overview, workload_name
from app.present.scene import Rooms, Scene, scene_of
from app.present.traces import as_lines, tree
from app.present.views import Block, Heatmap, LineChart, RangeChart, Ranking, StackedBars, Table, as_table
from app.report.errors import report_error
from app.report.write import for_customer
from engine.catalogue import Catalogue
from engine.estimate import Estimate
from engine.results import Assessment

FIGURES: Final = ("memory", "speed", "ttft", "throughput", "replicas", "devices", "cost", "stability")
_FORBIDDEN: Final = re.compile(r"[\[\]:*?/\\']")
_NAME: Final = 31
CHARTS: Final = (StackedBars, LineChart, RangeChart, Heatmap, Ranking)


def write_workbook(
    assessment: Assessment,
    path: Path,
    language: str,
    today: date,
    catalogue: Catalogue,
    rooms: Rooms | None = None,
) -> Path:
    """Write the workbook, whole or not at all. Raises ReportError with one sentence."""
    data = workbook_bytes(assessment, language, today, catalogue, rooms)
    try:
        atomic.write_bytes(path, data)
    except OSError as error:
        raise report_error(error, path) from error
    return path


def workbook_bytes(
    assessment: Assessment, language: str, today: date, catalogue: Catalogue, rooms: Rooms | None = None
) -> bytes:
    """The workbook as bytes; the same input on the same day gives the same bytes."""
    meant = evolve(assessment, consultation=for_customer(assessment.consultation))
    scenes = [scene_of(meant, w.workload.id, language, catalogue, today, rooms) for w in assessment.workloads]
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    book.set_properties(
        {
            "title": meant.consultation.title,
            "author": "Waypost",
            "created": datetime(today.year, today.month, today.day, tzinfo=UTC).replace(tzinfo=None),
        }
    )
    book.set_calc_mode("auto")
    sheets = Sheets(book)
    _overview(sheets, scenes)
    for scene in scenes:
        _workload(sheets, scene)
    book.close()
    return target.getvalue()


class Sheets:
    """Sheets with names that are allowed and not used twice, and the formats they share."""

    def __init__(self, book: Any) -> None:
        self.book = book
        self.used: set[str] = set()
        font = {"font_name": "Pretendard", "font_size": 10, "valign": "top"}
        self.plain = book.add_format(font)
        self.strong = book.add_format({**font, "bold": True})
        self.title = book.add_format({**font, "bold": True, "font_size": 13})
        self.head = book.add_format({**font, "font_color": LIGHT.ink3, "bottom": 1, "bottom_color": LIGHT.line_strong})
        self.number = book.add_format({**font, "num_format": "#,##0.####"})
        self.note = book.add_format({**font, "font_color": LIGHT.ink3})

    def add(self, name: str) -> Sheet:
        wanted = _FORBIDDEN.sub(" ", name).strip()[:_NAME] or "Waypost"
        unique, n = wanted, 2
        while unique.lower() in self.used:
            unique, n = f"{wanted[: _NAME - 4]} ({n})", n + 1
        self.used.add(unique.lower())
        return Sheet(self, self.book.add_worksheet(unique))


class Sheet:
    """One worksheet filled from the top down."""

    def __init__(self, sheets: Sheets, sheet: Any) -> None:
        self.sheets, self.sheet, self.row = sheets, sheet, 0
        self.sheet.set_column(0, 0, 30, sheets.plain)
        self.sheet.set_column(1, 12, 18, sheets.plain)

    def say(self, text: str, form: Any = None) -> None:
        self.sheet.write_string(self.row, 0, text, form or self.sheets.plain)
        self.row += 1

    def gap(self) -> None:
        self.row += 1

    def table(self, block: Table) -> None:
        """A table of the pages, word for word."""
        if block.title:
            self.say(block.title, self.sheets.title)
        if not block.rows:
            self.say(block.empty, self.sheets.note)
            self.gap()
            return
        for column, text in enumerate(block.headers):
            self.sheet.write_string(self.row, column, text, self.sheets.head)
        for row in block.rows:
            self.row += 1
            for column, cell in enumerate(row):
                form = self.sheets.strong if cell.strong else self.sheets.plain
                self.sheet.write_string(self.row, column, cell.text, form)
        self.row += 2

    def figures(self, named: list[tuple[str, Estimate]], scene: Scene) -> None:
        """Value, band and unit as numbers, then basis and the derivation as a note."""
        t = scene.t
        heads = ("figure", "value", "low", "high", "unit", "basis", "how")
        for column, name in enumerate(heads):
            self.sheet.write_string(self.row, column, t.text(f"report.book.{name}"), self.sheets.head)
        for label, estimate in named:
            self.row += 1
            rate = t.in_currency(1.0) if estimate.unit.startswith("USD") else 1.0
            unit = estimate.unit.replace("USD", t.currency, 1) if rate != 1.0 else estimate.unit
            self.sheet.write_string(self.row, 0, label, self.sheets.strong)
            for column, value in enumerate((estimate.value, estimate.low, estimate.high), start=1):
                self.sheet.write_number(self.row, column, value * rate, self.sheets.number)
            self.sheet.write_string(self.row, 4, unit, self.sheets.plain)
            self.sheet.write_string(self.row, 5, t.basis(estimate), self.sheets.plain)
            lines = as_lines(tree(label, estimate, t))
            self.sheet.write_string(self.row, 6, lines[0], self.sheets.note)
            if len(lines) > 1:
                self.sheet.write_comment(self.row, 6, "\n".join(lines)[:30_000], {"x_scale": 4, "y_scale": 3})
        self.row += 2


def _overview(sheets: Sheets, scenes: list[Scene]) -> None:
    scene = scenes[0]
    sheet = sheets.add(scene.t.text("report.book.overview"))
    sheet.say(scene.consultation.customer.name or scene.consultation.title, sheets.title)
    sheet.say(
        f"{scene.today.isoformat()} · {scene.t.text('report.catalogue', version=scene.assessment.catalogue_version)}"
    )
    sheet.gap()
    sheet.table(overview(scene))


def _workload(sheets: Sheets, scene: Scene) -> None:
    t, assessed = scene.t, scene.assessed
    sheet = sheets.add(workload_name(scene))
    if assessed.deployment is not None:
        sheet.say(machine_of(assessed.deployment, t), sheets.title)
    named = [(t.text(f"present.figure.{key}"), headline(assessed, key)) for key in FIGURES]
    sheet.figures([(label, estimate) for label, estimate in named if estimate is not None], scene)
    for page in (memory.page, hardware.page, capacity.page, cost.page, scenarios.page, ledger.page):
        for block in page(scene).blocks:
            _block(sheet, block)
    sheet.table(proposal.flips(scene))


def _block(sheet: Sheet, block: Block) -> None:
    """Tables as they are, charts as their equivalent tables; the rest is words and stays in the proposal."""
    if isinstance(block, Table):
        sheet.table(block)
    elif isinstance(block, CHARTS):
        sheet.table(as_table(block))
