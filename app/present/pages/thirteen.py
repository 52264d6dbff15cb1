"""The thirteen questions customers ask, each answered with the open session's own numbers."""

from __future__ import annotations

from app.present import make
from app.present.scene import Scene
from app.present.views import Bullet, Bullets, Page
from engine.flow import PageId
from engine.questions import Step
from engine.thirteen import Answer, answers

MOST_FIGURES = 4
"""Figures told after an answer; all of them stand on the page it leads to."""


def page(scene: Scene) -> Page:
    t = scene.t
    items = tuple(
        Bullet(t(answer.question), told(answer, scene), page=page_key(answer.page))
        for answer in answers(scene.assessed)
    )
    return Page(
        key="thirteen",
        eyebrow=t.text("present.ask"),
        title=t.text("present.ask.title", name=scene.workload.name or scene.consultation.title),
        lead=t.text("present.ask.lead"),
        blocks=(Bullets("", items, ordered=True),),
    )


def told(answer: Answer, scene: Scene) -> str:
    """The sentences of an answer and then its figures, as one would say it across a table."""
    t = scene.t
    said = make.sentences(t(sentence) for sentence in answer.sentences)
    numbers = " · ".join(f"{t.text(key)} {t.figure(e)}" for key, e in answer.figures[:MOST_FIGURES])
    return f"{said} {numbers}" if numbers else said


def page_key(at: PageId) -> str:
    """The key of the page that shows the numbers: one of `PAGES`."""
    return f"rules.{at.group}" if at.step is Step.RULES else at.step.value
