"""The customer and the work: every workload of the consultation at a glance."""

from __future__ import annotations

from attrs import evolve

from app.present.answers import answer_text
from app.present.cells import number, said
from app.present.pages.panel import headline, stability
from app.present.paying import monthly_cost
from app.present.scene import Scene
from app.present.views import Bullet, Bullets, Page, Table, Tone
from engine.consultation import Audience, Waiting
from engine.questions import Step


def page(scene: Scene) -> Page:
    t = scene.t
    workloads = scene.assessment.workloads
    batch = sum(w.workload.profile.waiting is Waiting.BATCH for w in workloads)
    key = "present.customer.mixed" if 0 < batch < len(workloads) else "present.customer.all"
    title = t.counted(key, count=len(workloads), batch=batch, online=len(workloads) - batch)
    return Page(
        key="customer",
        eyebrow=t(Step.CUSTOMER.label),
        title=title,
        lead=lead(scene),
        blocks=(overview(scene), *notes(scene)),
    )


def lead(scene: Scene) -> str:
    """Customer, sector and country in one line, whatever of them is known."""
    t, customer = scene.t, scene.consultation.customer
    parts = [customer.name]
    for kind, value in (("sector", customer.sector), ("country", customer.country)):
        if value:
            key = f"{kind}.{value.lower()}"
            parts.append(t.text(key) if t.has(key) else value)
    return " · ".join(p for p in parts if p)


def overview(scene: Scene) -> Table:
    """One row a workload: what it is, who waits, where it should run, what that costs."""
    t = scene.t
    rows = []
    for assessed in scene.assessment.workloads:
        own = evolve(scene, workload_id=assessed.workload.id)
        profile = assessed.workload.profile
        steady, tone = stability(assessed.placement, own)
        rows.append(
            (
                said(workload_name(own), strong=assessed.workload.id == scene.workload_id),
                said(answer_text("profile.task", profile.task, t)),
                said(answer_text("profile.waiting", profile.waiting, t)),
                said(headline(own), strong=True),
                said(steady, tone),
                number(monthly_cost(assessed), t, empty=t.text("present.cost.no_price")),
            )
        )
    headers = ("workload", "task", "waiting", "verdict", "stability", "cost")
    return Table(
        tuple(t.text(f"present.column.{name}") for name in headers),
        tuple(rows),
        t.text("present.customer.workloads"),
        frozenset({5}),
        t.text("present.customer.none"),
    )


def workload_name(scene: Scene) -> str:
    """The workload's name; a nameless one is called by its place."""
    name = scene.workload.name
    if name:
        return name
    ids = [w.workload.id for w in scene.assessment.workloads]
    return scene.t.text("present.workload.nameless", number=ids.index(scene.workload_id) + 1)


def notes(scene: Scene) -> tuple[Bullets, ...]:
    """Notes meant for the customer. Private ones never pass through here."""
    meant = [n for n in scene.consultation.notes if n.audience is Audience.CUSTOMER]
    own = [n for n in meant if n.workload in (None, scene.workload_id)]
    if not own:
        return ()
    items = tuple(Bullet(note.text, tone=Tone.PLAIN) for note in own)
    return (Bullets(scene.t.text("present.notes"), items),)
