"""New versions: who a bad one reaches, how fast a fix spreads, what the download costs in users."""

from __future__ import annotations

from typing import Final

from app.present import make
from app.present.scene import Scene
from app.present.traces import input_name
from app.present.views import Block, Bullets, Figures, FigureView, Line, LineChart
from engine.capacity.results import RolloutResult

MOST_CURVES: Final = 4
DAYS: Final = (1, 3, 7, 14, 30, 60, 120)


def result(scene: Scene) -> RolloutResult | None:
    capacity = scene.assessed.capacity
    return capacity.rollout if capacity else None


def exposure(scene: Scene) -> tuple[Figures, ...]:
    """Requests and people a bad version reaches before it is taken back, and how soon it could be noticed."""
    t, found, ready = scene.t, result(scene), scene.assessed.readiness
    if found is not None:
        named = (
            ("requests_hit", found.exposure.requests),
            ("people_hit", found.exposure.people),
            ("without_canary", found.exposure.without_canary),
            ("minutes_to_notice", found.minutes_to_notice),
            ("least_canary", found.least_canary_share),
        )
        views = tuple(make.figure(k, t.text(f"present.figure.{k}"), e, t) for k, e in named if e is not None)
    elif ready is not None:
        views = tuple(make.figure(key, input_name(key, t), e, t) for key, e in ready.exposure)
    else:
        views = ()
    return (Figures(views, t.text("present.readiness.exposure")),) if views else ()


def reach(scene: Scene) -> LineChart | None:
    """How an update spreads: the cloud at once, devices over weeks. Examples are dashed, measurements are not."""
    t, found = scene.t, result(scene)
    if found is None or len(found.reach) < 2:
        return None
    lines = tuple(
        Line(t(curve.label), curve.days, tuple(100 * s for s in curve.share), place, dashed=curve.illustrative)
        for place, curve in enumerate(found.reach[:MOST_CURVES])
        if len(curve.days) > 1
    )
    last = max((line.x[-1] for line in lines), default=0.0)
    return LineChart(
        t.text("present.rollout.reach"),
        t.text("present.rollout.reach.sentence"),
        t.text("present.axis.days"),
        t.text("present.axis.reached"),
        lines,
        x_text=tuple((float(d), str(d)) for d in DAYS if d <= last),
        y_text=tuple((float(share), f"{share} %") for share in (0, 25, 50, 75, 100)),
    )


def download(scene: Scene) -> tuple[Block, ...]:
    """What fetching the model asks of the people who fetch it."""
    t, found = scene.t, result(scene)
    if found is None or found.download is None:
        return ()
    wanted = found.download
    views: list[FigureView] = [
        make.figure("download", t.text("present.figure.download"), wanted.seconds, t),
    ]
    if wanted.installs_lost is not None:
        views.append(make.figure("installs_lost", t.text("present.figure.installs_lost"), wanted.installs_lost, t))
    blocks: list[Block] = [Figures(tuple(views), t.text("present.rollout.download"))]
    if wanted.notes:
        blocks.append(Bullets("", make.bullets_of(wanted.notes, t)))
    return tuple(blocks)
