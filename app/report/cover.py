"""The first two pages: whose proposal it is with the recommendation at once, then contents and how to read a number."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen
from reportlab.platypus import Flowable

from app.present import dates
from app.present.pages.customer import lead, workload_name
from app.present.pages.panel import headline, headline_figures, stability
from app.present.scene import Scene
from app.present.views import Bullet, Bullets, FigureView, Tone
from app.report import fonts, theme
from app.report.flow import flow
from app.report.flow.base import Block, Heading
from app.report.paper import FORM_WIDTH
from app.report.text import balanced, paragraph, shortened

NAME, TITLE = 60, 120
"""Characters the cover gives a name and a title; all of it stands in the attachment."""


@frozen
class Entry:
    """A line of the contents."""

    key: str
    text: str
    level: int


class Cover(Block):
    """Wordmark, customer, title, and a card a workload with its recommendation."""

    def __init__(self, scenes: Sequence[Scene]) -> None:
        super().__init__()
        self.scenes = scenes
        self.t = scenes[0].t

    def measure(self, _room: float) -> float:
        return float(theme.CONTENT_HEIGHT - 8)

    def draw(self) -> None:
        top = self.tall
        self._wordmark(top)
        style, scene = theme.styles(), self.scenes[0]
        y = top - 150
        y -= self.place(paragraph(self.t.text("report.kind"), style.eyebrow), 0, y, self.wide) + 8
        name = scene.consultation.customer.name or scene.consultation.title or self.t.text("report.untitled")
        y -= self.place(balanced(shortened(name, NAME), style.cover, self.wide), 0, y, self.wide) + 6
        if scene.consultation.title and scene.consultation.title != name:
            title = shortened(scene.consultation.title, TITLE)
            y -= self.place(balanced(title, style.cover_sub, self.wide), 0, y, self.wide)
        about = lead(scene).removeprefix(name).strip(" ·")
        if about:
            y -= self.place(paragraph(shortened(about, TITLE), style.note), 0, y - 4, self.wide) + 4
        self._cards(y - 34)
        self._foot()

    def _wordmark(self, top: float) -> None:
        ink = theme.colour("accent")
        self.canvas.setStrokeColor(ink)
        self.canvas.setLineWidth(2.2)
        self.canvas.line(3, top - 22, 3, top - 2)
        path = self.canvas.beginPath()
        for n, (x, y) in enumerate(((3, -2), (17, -2), (21, -6.5), (17, -11), (3, -11))):
            (path.moveTo if n == 0 else path.lineTo)(x, top + y)
        path.close()
        self.canvas.setFillColor(ink)
        self.canvas.drawPath(path, stroke=0, fill=1)
        self.words(30, top - 12, "Waypost", font=fonts.BOLD, size=15, ink=theme.colour("ink1"))

    def _cards(self, top: float) -> None:
        """One card a workload as long as there is room; the rest are counted."""
        shown, floor = 0, 70.0
        for scene in self.scenes:
            card = CoverCard(scene)
            _, tall = card.wrap(self.wide, 1e6)
            if top - tall < floor:
                break
            card.drawOn(self.canvas, 0, top - tall)
            top -= tall + theme.GAP
            shown += 1
        left = len(self.scenes) - shown
        if left:
            self.words(0, top - 8, self.t.counted("report.more_workloads", count=left))

    def _foot(self) -> None:
        scene = self.scenes[0]
        contact = scene.consultation.customer.contact
        day = dates.spoken(scene.today, self.t.language)
        lines = [day, self.t.text("report.catalogue", version=scene.assessment.catalogue_version)]
        if contact:
            lines.insert(0, self.t.text("report.for_contact", contact=contact))
        for n, text in enumerate(reversed(lines)):
            self.words(0, 4 + n * 13, text, size=theme.NOTE, ink=theme.colour("ink3"), room=self.wide)


class CoverCard(Block):
    """A workload: its name, the recommendation large, how steady it is, the headline numbers in one row."""

    PAD = 14.0

    def __init__(self, scene: Scene) -> None:
        super().__init__()
        self.scene = scene

    def measure(self, room: float) -> float:
        style, scene = theme.styles(), self.scene
        inner = room - 2 * self.PAD
        self.name = paragraph(shortened(workload_name(scene), NAME), style.note)
        self.verdict = balanced(headline(scene), style.title, inner - 100)
        self.sentence = paragraph(scene.t(scene.assessed.placement.headline), style.note)
        self.figures = [f for f in headline_figures(scene) if f.band or f.basis][:4]
        heights = [
            self.name.wrap(inner, 1e6)[1] + 3,
            self.verdict.wrap(inner - 100, 1e6)[1] + 3,
            self.sentence.wrap(inner, 1e6)[1],
            34.0 if self.figures else 0.0,
        ]
        return float(sum(heights) + 2 * self.PAD - 4)

    def draw(self) -> None:
        self.box(0, 0, self.wide, self.tall, theme.colour("ground"), 9)
        inner, top = self.wide - 2 * self.PAD, self.tall - self.PAD + 2
        text, tone = stability(self.scene.assessed.placement, self.scene)
        top -= self.place(self.name, self.PAD, top, inner) + 3
        self.chip(self.wide - self.PAD, top - 14, text, tone, align="right")
        top -= self.place(self.verdict, self.PAD, top, inner - 100) + 3
        self.place(self.sentence, self.PAD, top, inner)
        if self.figures:
            step = inner / len(self.figures)
            for n, figure in enumerate(self.figures):
                self._figure(self.PAD + n * step, figure, step - 8)

    def _figure(self, x: float, figure: FigureView, room: float) -> None:
        self.words(x, self.PAD + 14, figure.label, size=theme.SMALL, ink=theme.colour("ink3"), room=room)
        self.words(x, self.PAD, figure.value, font=fonts.SEMIBOLD, size=11, ink=theme.colour("ink1"), room=room)


class ContentsLine(Block):
    """A section with its page number, which is known only when the document is done."""

    def __init__(self, entry: Entry) -> None:
        super().__init__()
        self.entry = entry
        self.spaceAfter = 0.0

    def measure(self, _room: float) -> float:
        return 19.0 if self.entry.level == 0 else 15.5

    def draw(self) -> None:
        top = self.entry.level == 0
        indent = 0.0 if top else 12.0
        font, ink = (fonts.SEMIBOLD, "ink1") if top else (fonts.REGULAR, "ink2")
        size = theme.BODY if top else theme.NOTE + 0.4
        end = self.wide - FORM_WIDTH - 8
        self.words(indent, 4.5, self.entry.text, font=font, size=size, ink=theme.colour(ink), room=end - indent)
        self.canvas.saveState()
        self.canvas.translate(self.wide - FORM_WIDTH, 1.5)
        self.canvas.doForm(f"page-{self.entry.key}")
        self.canvas.restoreState()
        self.line(0, 0, self.wide, 0)
        self.canvas.linkRect("", self.entry.key, (0, 0, self.wide, self.tall), relative=1, thickness=0)


def contents(entries: Sequence[Entry], scene: Scene) -> list[Flowable]:
    """Contents and the four words that stand beside every number."""
    t = scene.t
    story: list[Flowable] = [balanced(t.text("report.contents"), theme.styles().title, theme.CONTENT_WIDTH)]
    story[0].spaceAfter = theme.GAP
    story += [ContentsLine(entry) for entry in entries]
    story[-1].spaceAfter = theme.GAP * 2
    story.append(Heading(t.text("report.reading")))
    tones = {"measured": Tone.GOOD, "calibrated": Tone.ACCENT, "datasheet": Tone.MUTED, "assumed": Tone.WARN}
    items = tuple(
        Bullet(t.text(f"report.reading.{basis}"), tone=tone, tag=t.text(f"basis.{basis}"))
        for basis, tone in tones.items()
    )
    story += flow(Bullets("", items))
    return story
