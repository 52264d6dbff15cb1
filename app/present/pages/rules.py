"""The six rules and the circumstances: what each rules out, what it favours, with its numbers and regulations."""

from __future__ import annotations

from app.present import dates, make
from app.present.cells import said
from app.present.scene import Scene
from app.present.traces import input_name
from app.present.views import Block, Bullet, Bullets, Callout, Cell, Figures, Page, Table, Tone
from engine.advice.results import Effect, Rule, RuleFinding
from engine.messages import Name

SLIGHT = 0.15
"""A weight under this is neither for nor against."""


def page(scene: Scene, rule: Rule) -> Page:
    """One rule. Unanswered, its title is the question it asks."""
    t = scene.t
    finding = finding_of(scene, rule)
    title = t(finding.headline) if finding and finding.answered else t.text(f"present.rule.open.{rule.value}")
    blocks: list[Block] = []
    if finding:
        blocks += _figures(scene, finding)
        blocks.append(effects(scene, finding))
    if rule is Rule.DATA:
        blocks += [regulations(scene), orientation(scene)]
    return Page(
        key=f"rules.{rule.value}",
        eyebrow=t.text(f"group.rules.{rule.value}"),
        title=title,
        lead=t.text(f"group.rules.{rule.value}.lead"),
        blocks=tuple(blocks),
    )


def finding_of(scene: Scene, rule: Rule) -> RuleFinding | None:
    for finding in scene.assessed.placement.rules:
        if finding.rule is rule:
            return finding
    return None


def _figures(scene: Scene, finding: RuleFinding) -> list[Block]:
    views = tuple(make.figure(key, input_name(key, scene.t), e, scene.t) for key, e in finding.figures)
    return [Figures(views, scene.t.text("present.rule.figures"))] if views else []


def effects(scene: Scene, finding: RuleFinding) -> Table:
    """What the rule does to each placement, the excluded first, then for, then against."""
    t = scene.t
    ordered = sorted(finding.effects, key=lambda e: (not e.excluded, -abs(e.weight)))
    rows = tuple(
        (Cell(t.value(e.placement), strong=True, struck=e.excluded), said(*effect_word(e, scene)), said(t(e.reason)))
        for e in ordered
    )
    headers = tuple(t.text(f"present.column.{n}") for n in ("placement", "effect", "reason"))
    return Table(headers, rows, t.text("present.rule.effects"), empty=t.text("present.rule.no_effect"))


def effect_word(effect: Effect, scene: Scene) -> tuple[str, Tone]:
    if effect.excluded:
        return scene.t.text("present.effect.excluded"), Tone.BAD
    if abs(effect.weight) < SLIGHT:
        return scene.t.text("present.effect.neutral"), Tone.MUTED
    key, tone = ("for", Tone.GOOD) if effect.weight > 0 else ("against", Tone.WARN)
    return scene.t.text(f"present.effect.{key}"), tone


def summary(scene: Scene) -> Table:
    """All rules at once: the sentence of each and what it excludes."""
    t = scene.t
    rows = []
    for finding in scene.assessed.placement.rules:
        out = [t.value(e.placement) for e in finding.effects if e.excluded]
        best = [t.value(e.placement) for e in finding.effects if not e.excluded and e.weight >= SLIGHT]
        answer = t(finding.headline) if finding.answered else t.text("question.not_known.short")
        rows.append(
            (
                said(t.value(finding.rule), strong=True),
                said(answer, Tone.PLAIN if finding.answered else Tone.WARN),
                said(", ".join(best) or "–", Tone.GOOD if best else Tone.MUTED),
                said(", ".join(out) or "–", Tone.BAD if out else Tone.MUTED),
            )
        )
    headers = tuple(t.text(f"present.column.{n}") for n in ("rule", "finding", "favours", "excludes"))
    return Table(headers, tuple(rows), t.text("present.rules.summary"))


def regulations(scene: Scene) -> Bullets:
    """The regulations the customer named, each with what it says about leaving device, organisation and country."""
    t = scene.t
    items = []
    for item in scene.workload.data.regulations:
        row = scene.catalogue.regulations.get(item)
        if row is None:
            continue
        items.append(
            Bullet(
                t.value(Name("regulation", item)),
                _may_leave(scene, (row.leave_device, row.leave_organisation, row.leave_country)),
                Tone.PLAIN if row.source.verified else Tone.WARN,
                t.text("present.as_of", date=dates.as_of(row.source.as_of, t.language)),
                "data.regulations",
            )
        )
    return Bullets(t.text("present.regulations"), tuple(items), empty=t.text("present.regulations.none"))


def _may_leave(scene: Scene, answers: tuple[str, str, str]) -> str:
    t = scene.t
    parts = []
    for border, answer in zip(("device", "organisation", "country"), answers, strict=True):
        key = f"present.leave.{answer.replace('/', '').replace(' ', '_')}"
        word = t.text(key) if t.has(key) else answer
        parts.append(t.text(f"present.border.{border}", answer=word))
    return " · ".join(parts)


def orientation(scene: Scene) -> Callout:
    """Regulations are for orientation: said wherever they are named."""
    return Callout(scene.t.text("present.regulations.orientation"), Tone.PLAIN)
