"""Bullets, callouts and rankings."""

from __future__ import annotations

from app.present.views import Bullet, Bullets, Callout, Rank, Ranking, Tone
from app.report import fonts, theme
from app.report.flow.base import Block, chip_width
from app.report.text import paragraph

MARK = 16.0


class BulletItem(Block):
    """One point: its number or dot, an optional tag, the words and a quieter second line."""

    def __init__(self, item: Bullet, number: int | None) -> None:
        super().__init__()
        self.item, self.number = item, number
        self.spaceAfter = 5.0

    def measure(self, room: float) -> float:
        style = theme.styles()
        self.tag = chip_width(self.item.tag) + 6 if self.item.tag else 0.0
        self.room = room - MARK
        self.text = paragraph(self.item.text, style.strong if self.item.detail else style.body)
        self.high = float(self.text.wrap(self.room - self.tag, 1e6)[1])
        self.detail = paragraph(self.item.detail, style.note) if self.item.detail else None
        below = float(self.detail.wrap(self.room, 1e6)[1]) + 1 if self.detail else 0.0
        return self.high + below

    def draw(self) -> None:
        base = self.tall - fonts.ascent(fonts.REGULAR, theme.BODY)
        if self.number is None:
            ink = theme.ink_and_tint(self.item.tone)[0] if self.item.tone is not Tone.PLAIN else theme.colour("ink3")
            self.canvas.setFillColor(ink)
            self.canvas.circle(3.2, base + theme.BODY * 0.34, 1.7, stroke=0, fill=1)
        else:
            self.words(0, base, str(self.number), font=fonts.SEMIBOLD, size=theme.BODY, ink=theme.colour("accent"))
        self.place(self.text, MARK, self.tall, self.room - self.tag)
        if self.item.tag:
            tone = self.item.tone if self.item.tone is not Tone.PLAIN else Tone.MUTED
            self.chip(self.wide, base + 0.6, self.item.tag, tone, align="right")
        if self.detail is not None:
            self.place(self.detail, MARK, self.tall - self.high - 1, self.room)


def bullet_items(block: Bullets) -> list[BulletItem]:
    """Each point apart, so that a long list may run over the page."""
    made = [BulletItem(item, n if block.ordered else None) for n, item in enumerate(block.items, start=1)]
    if made:
        made[-1].spaceAfter = theme.GAP
    return made


class CalloutBox(Block):
    """A sentence in a tint."""

    PAD = 9.0

    def __init__(self, block: Callout) -> None:
        super().__init__()
        self.block = block

    def measure(self, room: float) -> float:
        style = theme.styles()
        inner = room - 2 * self.PAD
        self.title = paragraph(self.block.title, style.note_strong) if self.block.title else None
        self.text = paragraph(self.block.text, style.note)
        tall = float(self.text.wrap(inner, 1e6)[1])
        if self.title is not None:
            tall += float(self.title.wrap(inner, 1e6)[1]) + 1
        return tall + 2 * self.PAD - 4

    def draw(self) -> None:
        _, tint = theme.ink_and_tint(self.block.tone)
        self.box(0, 0, self.wide, self.tall, tint, theme.RADIUS)
        top, inner = self.tall - self.PAD + 2, self.wide - 2 * self.PAD
        if self.title is not None:
            top -= self.place(self.title, self.PAD, top, inner) + 1
        self.place(self.text, self.PAD, top, inner)


class RankRow(Block):
    """One candidate: name, length of its claim, place, and why."""

    NAME, BAR, PLACE = 118.0, 92.0, 34.0

    def __init__(self, rank: Rank) -> None:
        super().__init__()
        self.rank = rank
        self.spaceAfter = 3.0

    def measure(self, room: float) -> float:
        style = theme.styles()
        self.reason_x = self.NAME + self.BAR + self.PLACE + 18
        self.reason = paragraph(self.rank.reason, style.note) if self.rank.reason else None
        self.name = paragraph(self.rank.label, style.note_strong if self.rank.chosen else style.note)
        tall = float(self.name.wrap(self.NAME - 6, 1e6)[1])
        if self.reason is not None:
            tall = max(tall, float(self.reason.wrap(room - self.reason_x, 1e6)[1]))
        return max(tall, 15.0) + 3

    def draw(self) -> None:
        rank, base = self.rank, self.tall - 1 - fonts.ascent(fonts.REGULAR, theme.NOTE)
        ink = theme.colour("ink3" if rank.excluded else "ink1")
        font = fonts.SEMIBOLD if rank.chosen else fonts.REGULAR
        wide = self.words(0, base, rank.label, font=font, ink=ink, room=self.NAME - 6)
        if rank.excluded:
            self.line(0, base + 2.8, wide, base + 2.8, ink, 0.7)
        self.box(self.NAME, base + 0.4, self.BAR, 5, theme.colour("sunken"), 2.5)
        if not rank.excluded and rank.score > 0:
            length = max(5.2, self.BAR * min(1.0, rank.score))
            self.box(self.NAME, base + 0.4, length, 5, theme.series(0 if rank.chosen else 2), 2.5)
        edge = self.NAME + self.BAR + self.PLACE
        self.words(edge, base, rank.text, font=font, ink=ink, align="right")
        if self.reason is not None:
            self.place(self.reason, self.reason_x, self.tall - 1, self.wide - self.reason_x)


def rank_rows(block: Ranking) -> list[RankRow]:
    made = [RankRow(rank) for rank in block.ranks]
    if made:
        made[-1].spaceAfter = theme.GAP
    return made
