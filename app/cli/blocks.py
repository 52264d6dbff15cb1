"""A page of `app.present` as text: the same words and numbers as the window and the PDF."""

from __future__ import annotations

from app.cli.context import Context
from app.present.views import (
    Block,
    Bullets,
    Callout,
    Figures,
    FigureView,
    Page,
    Table,
    Verdict,
    as_table,
)


def print_page(page: Page, context: Context) -> None:
    """Title, lead, then every block; a chart as its sentence and its table."""
    context.say(f"{page.eyebrow}: {page.title}")
    if page.lead:
        context.say(page.lead)
    for block in page.blocks:
        if not isinstance(block, Figures) or block.items:
            context.say()
            print_block(block, context)


def print_block(block: Block, context: Context) -> None:
    """One block."""
    if isinstance(block, Callout):
        context.say(": ".join(filter(None, (block.title, block.text))))
    elif isinstance(block, Figures):
        _title(block.title, context)
        context.table([figure_row(item) for item in block.items])
    elif isinstance(block, Bullets):
        _bullets(block, context)
    elif isinstance(block, Table):
        _table(block, context)
    else:
        sentence = getattr(block, "sentence", "")
        if sentence:
            context.say(sentence)
        _table(as_table(block), context)


def print_verdict(verdict: Verdict, context: Context) -> None:
    """The panel: the recommendation, the ranking, the headline numbers, what to ask next."""
    context.say(f"{verdict.eyebrow}: {verdict.title}")
    context.say(" · ".join(filter(None, (verdict.stability, verdict.answered))))
    context.say()
    print_block(verdict.ranking, context)
    if verdict.figures.items:
        context.say()
        print_block(verdict.figures, context)
    if verdict.next_question:
        context.say()
        context.say(": ".join(filter(None, (verdict.next_title, verdict.next_question))))
        if verdict.next_detail:
            context.say(verdict.next_detail)


def figure_row(item: FigureView) -> tuple[str, str, str]:
    """Label, value, then band and basis."""
    return item.label, item.value, " ".join(filter(None, (item.band, item.basis)))


def _title(title: str, context: Context) -> None:
    if title:
        context.say(title)


def _bullets(block: Bullets, context: Context) -> None:
    _title(block.title, context)
    if not block.items and block.empty:
        context.say(block.empty)
    for n, item in enumerate(block.items, 1):
        mark = f"{n}." if block.ordered else "-"
        tag = f"[{item.tag}] " if item.tag else ""
        detail = f" ({item.detail})" if item.detail else ""
        context.say(f"{mark} {tag}{item.text}{detail}")


def _table(block: Table, context: Context) -> None:
    _title(block.title, context)
    if not block.rows:
        if block.empty:
            context.say(block.empty)
        return
    headers = block.headers if any(block.headers) else ()
    context.table([[cell.text for cell in row] for row in block.rows], headers)
