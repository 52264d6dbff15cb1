"""What can be shown: plain values in one language, drawn by the window (app.ui) and by the PDF (app.report) alike.

A page is a finding, a lead and blocks. A block never holds a widget, a colour or a size: only words, numbers already formatted,
raw numbers for drawing, and a tone. Every chart carries one sentence and can give itself as a table.
"""

from __future__ import annotations

from attrs import frozen

from app.present.tones import Tone as Tone  # noqa: PLC0414  (blocks and their tones are read together)
from engine.estimate import Trace


@frozen
class FigureView:
    """One number as the look page asks: large value, how it came about under it, band and basis at the right."""

    key: str
    label: str
    value: str
    """With its unit: "31.4 GiB"."""
    formula: str = ""
    """Short, with numbers: "864 GB/s ÷ 17.6 GB"."""
    band: str = ""
    basis: str = ""
    """Word of the basis; `basis_tone` its tint."""
    basis_tone: Tone = Tone.PLAIN
    trace: Trace | None = None
    """Opens to the whole derivation."""
    exact: str = ""
    """Every digit, for the tooltip: "₩6,899,605/월" behind "690만 원/월"."""


@frozen
class Figures:
    items: tuple[FigureView, ...]
    title: str = ""


@frozen
class Cell:
    text: str
    tone: Tone = Tone.PLAIN
    strong: bool = False
    struck: bool = False
    indent: int = 0
    """Levels further in: a step of a derivation."""


@frozen
class Table:
    """`numeric` columns are right-aligned and tabular."""

    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    numeric: frozenset[int] = frozenset()
    empty: str = ""
    """Said instead of an empty table, with what to do."""


@frozen
class Segment:
    label: str
    value: float
    series: int
    """0..3: the same thing has the same series everywhere (0 weights, 1 KV cache, 2 runtime; 0 cloud, 1 own ...)."""


@frozen
class StackedBar:
    label: str
    segments: tuple[Segment, ...]
    capacity: float | None
    """Length of the trough the bar lies in; a mark is drawn where the bar passes it."""
    verdict: str
    """Written at the bar's end: "13.6 GiB to spare", "7.4 GiB short"."""
    tone: Tone = Tone.PLAIN
    chosen: bool = False


@frozen
class StackedBars:
    title: str
    sentence: str
    unit: str
    bars: tuple[StackedBar, ...]
    legend: tuple[tuple[str, int], ...]
    """Label (with its value) and series."""


@frozen
class Line:
    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    series: int
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    dashed: bool = False
    """A limit rather than an expectation: the ceiling."""


@frozen
class Mark:
    """A point worth reading: the crossover, the chosen batch."""

    x: float
    y: float
    label: str


@frozen
class LineChart:
    title: str
    sentence: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    marks: tuple[Mark, ...] = ()
    log_x: bool = False
    log_y: bool = False
    x_text: tuple[tuple[float, str], ...] = ()
    """Ticks with their words, so that the axis speaks the page's language."""
    y_text: tuple[tuple[float, str], ...] = ()


@frozen
class Range:
    """One row of a range chart: low..high with the value marked (tornado, measured against data sheet)."""

    label: str
    low: float
    high: float
    value: float | None
    text: str
    tone: Tone = Tone.PLAIN


@frozen
class RangeChart:
    title: str
    sentence: str
    unit: str
    ranges: tuple[Range, ...]
    baseline: float | None = None
    baseline_label: str = ""
    """What the baseline is, with its value: "Ceiling 49.1 tokens/s"."""


@frozen
class HeatCell:
    text: str
    tone: Tone
    chosen: bool = False


@frozen
class Heatmap:
    """Two questions against each other: context by users -> how many devices."""

    title: str
    sentence: str
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    cells: tuple[tuple[HeatCell, ...], ...]


@frozen
class Rank:
    label: str
    score: float
    text: str
    excluded: bool = False
    chosen: bool = False
    reason: str = ""


@frozen
class Ranking:
    title: str
    ranks: tuple[Rank, ...]


@frozen
class Bullet:
    text: str
    detail: str = ""
    tone: Tone = Tone.PLAIN
    tag: str = ""
    """A word in a tint before or after: "blocking", "2026-04"."""
    path: str = ""
    """The question it belongs to, so that a click goes there."""
    page: str = ""
    """The page that shows the numbers behind it."""


@frozen
class Bullets:
    title: str
    items: tuple[Bullet, ...]
    ordered: bool = False
    empty: str = ""


@frozen
class Callout:
    """A sentence in a tint: what just changed, what must be known."""

    text: str
    tone: Tone
    title: str = ""


@frozen
class TraceNode:
    """A derivation as a tree, already in words."""

    label: str
    value: str
    formula: str = ""
    source: str = ""
    basis: str = ""
    children: tuple[TraceNode, ...] = ()


Block = Figures | Table | StackedBars | LineChart | RangeChart | Heatmap | Ranking | Bullets | Callout


@frozen
class Page:
    """A page: the title is the finding, the eyebrow its name."""

    key: str
    eyebrow: str
    title: str
    lead: str = ""
    blocks: tuple[Block, ...] = ()


@frozen
class Verdict:
    """The panel that stays in sight."""

    eyebrow: str
    title: str
    stability: str
    stability_tone: Tone
    answered: str
    ranking: Ranking
    changed: Callout | None
    figures: Figures
    next_title: str
    next_question: str
    next_detail: str
    next_path: str


def as_table(chart: StackedBars | LineChart | RangeChart | Heatmap | Ranking) -> Table:
    """The equivalent table of a chart, for screen readers, the clipboard and the export."""
    table: Table = _TABLES[type(chart)](chart)  # type: ignore[operator]
    return table


def _bars(chart: StackedBars) -> Table:
    names = [label for label, _ in chart.legend]
    rows = tuple(
        (Cell(b.label), *(Cell(f"{s.value:,.2f}") for s in b.segments), Cell(b.verdict, b.tone)) for b in chart.bars
    )
    return Table(("", *names, ""), rows, chart.title, frozenset(range(1, len(names) + 1)))


def _lines(chart: LineChart) -> Table:
    xs = sorted({x for line in chart.lines for x in line.x})
    known = [dict(zip(line.x, line.y, strict=True)) for line in chart.lines]
    rows = tuple((Cell(f"{x:,.6g}"), *(Cell(f"{k[x]:,.6g}" if x in k else "") for k in known)) for x in xs)
    return Table(
        (chart.x_label, *(line.label for line in chart.lines)), rows, chart.title, frozenset(range(len(known) + 1))
    )


def _ranges(chart: RangeChart) -> Table:
    rows = tuple(
        (Cell(r.label), Cell(f"{r.low:,.4g}"), Cell(f"{r.high:,.4g}"), Cell(r.text, r.tone)) for r in chart.ranges
    )
    return Table(("", "<", ">", chart.unit), rows, chart.title, frozenset({1, 2}))


def _heat(chart: Heatmap) -> Table:
    rows = tuple(
        (Cell(label, strong=True), *(Cell(c.text, c.tone, c.chosen) for c in line))
        for label, line in zip(chart.row_labels, chart.cells, strict=True)
    )
    return Table(("", *chart.column_labels), rows, chart.title)


def _ranking(chart: Ranking) -> Table:
    rows = tuple((Cell(r.label, strong=r.chosen, struck=r.excluded), Cell(r.text), Cell(r.reason)) for r in chart.ranks)
    return Table(("", "", ""), rows, chart.title)


_TABLES = {StackedBars: _bars, LineChart: _lines, RangeChart: _ranges, Heatmap: _heat, Ranking: _ranking}
