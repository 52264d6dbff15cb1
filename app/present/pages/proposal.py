"""The proposal on one page: the recommendation, why, what would change it, what to do, what is still open."""

from __future__ import annotations

from attrs import evolve

from app.present import dates
from app.present.answers import answer_text, label
from app.present.cells import said
from app.present.pages import ledger, rules
from app.present.pages.panel import headline, headline_figures, ranking, stability, unanswered
from app.present.pages.readiness import work_list
from app.present.scene import Scene
from app.present.views import Block, Bullet, Bullets, Callout, Cell, Figures, Page, Table, Tone
from engine.advice.results import Flip
from engine.messages import Quantity
from engine.questions import Step

FLIPS = 8
OPEN = 8


def page(scene: Scene) -> Page:
    t = scene.t
    blocks: list[Block] = [
        *conflict(scene),
        *contradictions(scene),
        Figures(headline_figures(scene)),
        ranking(scene),
        rules.summary(scene),
    ]
    blocks += [*hybrid(scene), *stages(scene), flips(scene), work_list(scene), open_questions(scene), review(scene)]
    if scene.assessed.assumptions:
        top = ledger.table(scene, 10)
        blocks.append(evolve(top, title=t.text("present.ledger.largest")))
    return Page(
        "proposal", t(Step.PROPOSAL.label), headline(scene), t(scene.assessed.placement.headline), tuple(blocks)
    )


def conflict(scene: Scene) -> tuple[Block, ...]:
    """Requirements that contradict each other and the cheapest way out."""
    t, found = scene.t, scene.assessed.placement.conflict
    if found is None:
        return ()
    items = tuple(Bullet(t(message), tone=Tone.BAD, tag=t.value(rule)) for rule, message in found.requirements)
    way = Callout(t(found.way_out), Tone.WARN, t.text("present.conflict.way_out"))
    return (Bullets(t.text("present.conflict"), items), way)


def contradictions(scene: Scene) -> tuple[Block, ...]:
    """Answers that do not go together, each leading to the question to ask again."""
    t, found = scene.t, scene.assessed.contradictions
    if not found:
        return ()
    items = tuple(Bullet(t(c.message), tone=Tone.WARN, path=c.paths[0]) for c in found)
    return (Bullets(t.text("present.contradictions"), items),)


def hybrid(scene: Scene) -> tuple[Block, ...]:
    """A hybrid designed: what stays, what goes, how much, what happens with no network."""
    t, design = scene.t, scene.assessed.placement.hybrid
    if design is None:
        return ()
    rows = (
        ("stays", t(design.stays)),
        ("goes", t(design.goes)),
        ("share", t.text("present.hybrid.share_is", share=design.routing_share)),
        ("offline", t(design.without_network)),
        ("privacy", t(design.privacy)),
    )
    cells = tuple((said(t.text(f"present.hybrid.{key}"), strong=True), said(text)) for key, text in rows)
    return (Table(("", ""), cells, t.text("present.hybrid")),)


def stages(scene: Scene) -> tuple[Block, ...]:
    """Where each stage of the workload runs."""
    t, found = scene.t, scene.assessed.placement.stages
    if not found:
        return ()
    rows = tuple(
        (
            said(stage.name, strong=True),
            said(t.value(stage.placement) if stage.placement else t.text("present.verdict.conflict")),
            said(t(stage.reason)),
        )
        for stage in found
    )
    headers = tuple(t.text(f"present.column.{n}") for n in ("stage", "placement", "reason"))
    return (Table(headers, rows, t.text("present.stages")),)


def flips(scene: Scene) -> Table:
    """What would change the verdict, the nearest first."""
    t = scene.t
    nearest = sorted(scene.assessed.flips, key=lambda f: f.distance)[:FLIPS]
    rows = tuple(
        (
            said(label(f.path, t), strong=True),
            Cell(flip_value(f, f.before, scene)),
            Cell(flip_value(f, f.after, scene)),
            said(flip_verdict(f, scene), _flip_tone(f)),
        )
        for f in nearest
    )
    headers = tuple(t.text(f"present.column.{n}") for n in ("answer", "now", "then", "verdict"))
    return Table(headers, rows, t.text("present.flips"), empty=t.text("present.flips.none"))


def _flip_tone(flip: Flip) -> Tone:
    return Tone.BAD if flip.placement is None else Tone.PLAIN


def flip_verdict(flip: Flip, scene: Scene) -> str:
    """The verdict after the change, with the kind of chip where that is what turns."""
    if flip.placement is None:
        return scene.t.text("present.verdict.conflict")
    where = scene.t.value(flip.placement)
    return f"{where}, {scene.t.text(f'chip.{flip.chip}')}" if flip.chip else where


def flip_value(flip: Flip, value: object, scene: Scene) -> str:
    """A flip's value: an answer of a question, or a figure in the flip's own unit."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and flip.unit:
        return scene.t.figure(Quantity(float(value), flip.unit))  # type: ignore[arg-type]
    return answer_text(flip.path, value, scene.t)


def open_questions(scene: Scene) -> Bullets:
    """What nobody answered yet, the question that can move the verdict most at the top."""
    t = scene.t
    first = scene.assessed.next_question.path if scene.assessed.next_question else ""
    ordered = sorted(unanswered(scene.workload), key=lambda q: q.path != first)
    items = tuple(
        Bullet(
            t(q.title),
            t(q.unknown),
            Tone.ACCENT if q.path == first else Tone.PLAIN,
            t.text("present.next") if q.path == first else "",
            q.path,
        )
        for q in ordered[:OPEN]
    )
    return Bullets(t.text("present.open"), items, empty=t.text("present.open.none"))


def review(scene: Scene) -> Bullets:
    """When to look again, and what would reopen the decision before that."""
    t, found = scene.t, scene.assessed.placement.review
    months = scene.today.month - 1 + found.months
    day = min(scene.today.day, 28)
    when = scene.today.replace(year=scene.today.year + months // 12, month=months % 12 + 1, day=day)
    title = t.text("present.review", date=dates.spoken(when, t.language))
    return Bullets(title, tuple(Bullet(t(m)) for m in found.reopeners), empty=t.text("present.review.none"))


def recommendation(scene: Scene) -> str:
    """The recommendation in one sentence, with how steady it is."""
    text, _ = stability(scene.assessed.placement, scene)
    return f"{headline(scene)} · {text}"
