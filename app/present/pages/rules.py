"""The six rules and the circumstances: what each rules out, what it favours, with its numbers and regulations."""

from __future__ import annotations

from attrs import frozen

from app.present import dates, make
from app.present.cells import said
from app.present.pages import rollout
from app.present.scene import Scene
from app.present.traces import input_name
from app.present.views import Block, Bullet, Bullets, Callout, Cell, Figures, Page, Table, Tone
from engine.advice.results import Placement, Rule, RuleFinding
from engine.messages import Message, Name

SLIGHT = 0.15
"""A weight under this is neither for nor against."""
REASONS = 2
"""Reasons told for one placement; the rest would only repeat."""
MOST_NAMED = 3
"""Favoured placements named in the summary, the strongest first."""


def page(scene: Scene, rule: Rule) -> Page:
    """One rule. Unanswered, its title is the question it asks."""
    t = scene.t
    finding = finding_of(scene, rule)
    title = (
        short_headline(finding, scene) if finding and finding.answered else t.text(f"present.rule.open.{rule.value}")
    )
    blocks: list[Block] = []
    if finding:
        blocks += _figures(scene, finding)
        blocks.append(effects(scene, finding))
    if rule is Rule.UPDATES:
        chart = rollout.reach(scene)
        blocks += [*([chart] if chart else []), *rollout.download(scene)]
    if rule is Rule.DATA:
        blocks += [regulations(scene), orientation(scene)]
    return Page(
        key=f"rules.{rule.value}",
        eyebrow=t.text(f"group.rules.{rule.value}"),
        title=title,
        lead=t.text(f"group.rules.{rule.value}.lead"),
        blocks=tuple(blocks),
    )


def short_headline(finding: RuleFinding, scene: Scene) -> str:
    """The rule's sentence; the regulations it may name stand in a list of their own."""
    key = finding.headline.key.removesuffix(".named")
    return scene.t(Message(key, finding.headline.params))


def finding_of(scene: Scene, rule: Rule) -> RuleFinding | None:
    for finding in scene.assessed.placement.rules:
        if finding.rule is rule:
            return finding
    return None


def _figures(scene: Scene, finding: RuleFinding) -> list[Block]:
    views = tuple(make.figure(key, input_name(key, scene.t), e, scene.t) for key, e in finding.figures)
    return [Figures(views, scene.t.text("present.rule.figures"))] if views else []


@frozen
class Net:
    """All effects of one rule on one placement, taken together."""

    placement: Placement
    excluded: bool
    weight: float
    reasons: tuple[Message, ...]
    """The weightiest first; only the exclusions where it is excluded."""


def net_effects(finding: RuleFinding) -> tuple[Net, ...]:
    """One entry a placement: the excluded first, then the favoured, then what the rule speaks against."""
    nets = []
    for placement in dict.fromkeys(e.placement for e in finding.effects):
        own = [e for e in finding.effects if e.placement is placement]
        telling = [e for e in own if e.excluded] or sorted(own, key=lambda e: -abs(e.weight))
        reasons = tuple(dict.fromkeys(e.reason for e in telling))
        nets.append(Net(placement, any(e.excluded for e in own), sum(e.weight for e in own), reasons))
    return tuple(sorted(nets, key=lambda n: (not n.excluded, -n.weight)))


def effects(scene: Scene, finding: RuleFinding) -> Table:
    """What the rule does to each placement and why."""
    t = scene.t
    rows = tuple(
        (
            Cell(t.value(net.placement), strong=True, struck=net.excluded),
            said(*effect_word(net, scene)),
            said(make.sentences([t(r) for r in net.reasons[:REASONS]])),
        )
        for net in net_effects(finding)
    )
    headers = tuple(t.text(f"present.column.{n}") for n in ("placement", "effect", "reason"))
    return Table(headers, rows, t.text("present.rule.effects"), empty=t.text("present.rule.no_effect"))


def effect_word(net: Net, scene: Scene) -> tuple[str, Tone]:
    if net.excluded:
        return scene.t.text("present.effect.excluded"), Tone.BAD
    if abs(net.weight) < SLIGHT:
        return scene.t.text("present.effect.neutral"), Tone.MUTED
    key, tone = ("for", Tone.GOOD) if net.weight > 0 else ("against", Tone.WARN)
    return scene.t.text(f"present.effect.{key}"), tone


def summary(scene: Scene) -> Table:
    """All rules at once: the sentence of each, what it favours and what it excludes."""
    t = scene.t
    rows = []
    for finding in scene.assessed.placement.rules:
        nets = net_effects(finding)
        out = [t.value(n.placement) for n in nets if n.excluded]
        best = [t.value(n.placement) for n in nets if not n.excluded and n.weight >= SLIGHT]
        answer = short_headline(finding, scene) if finding.answered else t.text("question.not_known.short")
        rows.append(
            (
                said(t.value(finding.rule), strong=True),
                said(answer, Tone.PLAIN if finding.answered else Tone.WARN),
                said(", ".join(best[:MOST_NAMED]) or "–", Tone.GOOD if best else Tone.MUTED),
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
