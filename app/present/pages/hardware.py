"""Hardware: kinds of chip ranked for this work, with fit, speed, power, price, and what to check before promising one."""

from __future__ import annotations

from app.present import make
from app.present.cells import number, said
from app.present.scene import Scene, whole
from app.present.views import Block, Bullet, Bullets, Callout, Cell, Page, Rank, Ranking, Table, Tone
from engine.advice.results import ChipOption
from engine.questions import Step


def page(scene: Scene) -> Page:
    t, chips = scene.t, scene.assessed.chips
    eyebrow = t(Step.HARDWARE.label)
    if not chips:
        empty = Callout(t.text("present.hardware.gap"), Tone.WARN, t.text("present.gap"))
        return Page("hardware", eyebrow, t.text("present.hardware.unknown"), "", (empty,))
    best = best_of(chips)
    blocks: list[Block] = [ranking(scene), comparison(scene)]
    if best is not None:
        blocks += [reasons(best, scene), checks(best, scene)]
    title = (
        t.text("present.hardware.none") if best is None else t.text("present.hardware.title", chip=name(best, scene))
    )
    return Page("hardware", eyebrow, title, t.text("present.hardware.lead"), tuple(blocks))


def best_of(chips: tuple[ChipOption, ...]) -> ChipOption | None:
    return next((c for c in chips if not c.excluded), None)


def name(option: ChipOption, scene: Scene) -> str:
    """The machines of an option, or its family where no device was named."""
    device = scene.catalogue.devices.get(option.device or "")
    if device is None:
        return scene.t.text(f"chip.{option.family}")
    return make.machine(device, whole(option.count) or 1, scene.t)


def ranking(scene: Scene) -> Ranking:
    t = scene.t
    ranks, place = [], 0
    for option in scene.assessed.chips:
        place += not option.excluded
        family = t.text(f"chip.{option.family}")
        text = t.text("present.rank.excluded") if option.excluded else str(place)
        ranks.append(
            Rank(
                label=family,
                score=0.0 if option.excluded else option.score,
                text=t.text("present.rank.first") if text == "1" else text,
                excluded=option.excluded,
                chosen=option is best_of(scene.assessed.chips),
                reason=t(option.reasons[0]) if option.reasons else "",
            )
        )
    return Ranking(t.text("present.hardware.ranking"), tuple(ranks))


def comparison(scene: Scene) -> Table:
    """Cost a token, speed a user and power side by side."""
    t = scene.t
    best = best_of(scene.assessed.chips)
    rows = tuple(
        (
            Cell(name(o, scene), Tone.MUTED if o.excluded else Tone.PLAIN, o is best, o.excluded),
            said(*fit_word(o, scene)),
            number(o.decode_tokens_per_s, t),
            number(o.throughput_tokens_per_s, t),
            number(o.power_w, t),
            number(o.usd_per_month, t, empty=t.text("present.cost.no_price")),
            number(o.usd_per_mtok, t),
        )
        for o in scene.assessed.chips
    )
    names = ("machine", "fits", "speed", "throughput", "power", "cost", "per_mtok")
    return Table(
        tuple(t.text(f"present.column.{n}") for n in names),
        rows,
        t.text("present.hardware.comparison"),
        frozenset(range(2, 7)),
    )


def fit_word(option: ChipOption, scene: Scene) -> tuple[str, Tone]:
    if option.fits is None:
        return scene.t.text("present.fits.unknown"), Tone.MUTED
    key, tone = ("yes", Tone.GOOD) if option.fits else ("no", Tone.BAD)
    return scene.t.text(f"present.fits.{key}"), tone


def reasons(option: ChipOption, scene: Scene) -> Bullets:
    t = scene.t
    title = t.text("present.hardware.reasons", chip=name(option, scene))
    return Bullets(title, tuple(Bullet(t(r)) for r in option.reasons))


def checks(option: ChipOption, scene: Scene) -> Bullets:
    t = scene.t
    items = tuple(Bullet(t(c)) for c in option.checks)
    return Bullets(t.text("present.hardware.checks"), items, ordered=True, empty=t.text("present.hardware.no_checks"))
