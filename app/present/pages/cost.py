"""Cost: every way to pay over the users, where they cross, what moves the bill, and which prices are missing."""

from __future__ import annotations

from typing import Final

from app.present import dates, make
from app.present.cells import number, said
from app.present.numbers import axis_amount
from app.present.pages.speed import axis_number
from app.present.paying import SERIES, option_of
from app.present.scene import FX_ROW, Scene
from app.present.views import (
    Block,
    Bullet,
    Bullets,
    Callout,
    Cell,
    Figures,
    FigureView,
    Line,
    LineChart,
    Mark,
    Page,
    Range,
    RangeChart,
    Table,
    Tone,
)
from engine.cost.kinds import CostKind
from engine.cost.results import CostOption, Crossover
from engine.questions import Step

MOST_BARS: Final = 8
MOST_CROSSINGS: Final = 6
MOST_MARKS: Final = 2


def page(scene: Scene) -> Page:
    t, cost = scene.t, scene.assessed.cost
    eyebrow = t(Step.COST.label)
    if cost is None:
        return Page("cost", eyebrow, t.text("present.cost.unknown"), "", (make.gap(scene, "cost"),))
    blocks: list[Block] = [Figures(figures(scene)), options(scene)]
    blocks += [c for c in (curve(scene), tornado(scene)) if c is not None]
    years = over_years(scene)
    blocks += [*crossovers(scene), *([years] if years else []), *bill(scene), *variants(scene)]
    blocks += [*missing(scene), *warnings(scene), *rate_note(scene)]
    return Page("cost", eyebrow, title(scene), lead(scene), tuple(blocks))


def title(scene: Scene) -> str:
    """What the recommendation costs a month, or that a price is missing."""
    t = scene.t
    option = option_of(scene.assessed)
    if option is None:
        return t.text("present.cost.no_option")
    if option.per_month_usd is None:
        return t.text("present.cost.title.missing", option=t(option.label))
    return t.text("present.cost.title", option=t(option.label), amount=option.per_month_usd)


def lead(scene: Scene) -> str:
    t, cost = scene.t, scene.assessed.cost
    assert cost is not None
    if cost.cheapest is None:
        return t.text("present.cost.lead.none")
    chosen = option_of(scene.assessed)
    if chosen is not None and chosen.kind is cost.cheapest:
        return t.text("present.cost.lead.cheapest")
    return t.text("present.cost.lead.dearer", kind=cost.cheapest)


def figures(scene: Scene) -> tuple[FigureView, ...]:
    t, option = scene.t, option_of(scene.assessed)
    if option is None:
        return ()
    named = (
        ("cost", option.per_month_usd),
        ("upfront", option.upfront_usd),
        ("per_request", option.per_request_usd),
        ("per_mtok", option.per_mtok_usd),
        ("battery", option.user_battery_joules),
    )
    return tuple(make.figure(k, t.text(f"present.figure.{k}"), e, t) for k, e in named if e is not None or k == "cost")


def options(scene: Scene) -> Table:
    """Every way to pay side by side; a missing price stands as missing."""
    t, cost = scene.t, scene.assessed.cost
    assert cost is not None
    chosen = option_of(scene.assessed)
    asked = t.text("present.cost.no_price")
    rows = tuple(
        (
            said(t(option.label), strong=option is chosen),
            number(option.upfront_usd, t),
            number(option.per_month_usd, t, strong=option is chosen, empty=asked),
            number(option.per_request_usd, t),
            number(option.per_mtok_usd, t),
            _band(option, scene),
        )
        for option in cost.options
    )
    headers = ("option", "upfront", "cost", "per_request", "per_mtok", "band")
    return Table(
        tuple(t.text(f"present.column.{h}") for h in headers),
        rows,
        t.text("present.cost.options"),
        frozenset(range(1, 6)),
        t.text("present.cost.options.none"),
    )


def _band(option: CostOption, scene: Scene) -> Cell:
    estimate = option.per_month_usd
    return Cell(scene.t.band(estimate) or "–" if estimate else "–", Tone.MUTED)


def curve(scene: Scene) -> LineChart | None:
    """Monthly cost against users on log axes, the crossovers marked and the customer's own number too."""
    t, cost = scene.t, scene.assessed.cost
    if cost is None or cost.curve is None:
        return None
    drawn = cost.curve
    users = tuple(float(u) for u in drawn.users)
    money = [tuple(t.in_currency(float(v)) for v in row) for row in drawn.usd]
    low = [tuple(t.in_currency(float(v)) for v in row) for row in drawn.usd_low]
    high = [tuple(t.in_currency(float(v)) for v in row) for row in drawn.usd_high]
    lines = tuple(
        Line(t.value(kind), users, money[n], SERIES[kind], low[n], high[n], dashed=kind is CostKind.HYBRID)
        for n, kind in enumerate(drawn.kinds)
    )
    marks = tuple(m for m in (_mark(c, drawn.kinds, users, money, scene) for c in _told(scene)) if m)[:MOST_MARKS]
    top = max((max(row) for row in money), default=1.0)
    return LineChart(
        t.text("present.cost.curve"),
        curve_sentence(scene),
        t.text("present.axis.users"),
        t.text("present.axis.money", currency=t.currency),
        lines,
        marks,
        log_x=True,
        log_y=True,
        x_text=tuple((u, axis_number(u, "user", scene)) for u in _decades(users[0], users[-1])),
        y_text=tuple((v, axis_amount(v, t.currency, t.language)) for v in _decades(max(top / 1e5, 1.0), top)),
    )


def _told(scene: Scene) -> list[Crossover]:
    """Crossovers in the order they are told: those of the recommendation first, then those that happen at all."""
    cost, option = scene.assessed.cost, option_of(scene.assessed)
    own = option.kind if option else None
    found = cost.crossovers if cost else ()
    return sorted(found, key=lambda c: (c.at is None, own not in (c.cheaper_below, c.cheaper_above)))


def curve_sentence(scene: Scene) -> str:
    cost, t = scene.assessed.cost, scene.t
    assert cost is not None
    met = [t(c.message) for c in _told(scene) if c.axis == "users" and c.at is not None]
    return make.sentences(met[:2]) or t.text("present.cost.curve.no_crossing")


def _decades(low: float, high: float) -> tuple[float, ...]:
    """Powers of ten from low to high."""
    value, out = 1.0, []
    while value <= high:
        if value >= low:
            out.append(value)
        value *= 10
    return tuple(out)


def _mark(
    crossover: Crossover,
    kinds: tuple[CostKind, ...],
    users: tuple[float, ...],
    money: list[tuple[float, ...]],
    scene: Scene,
) -> Mark | None:
    """The crossover as a point on the curve; None where they never meet or the axis is another."""
    if crossover.axis != "users" or crossover.at is None or crossover.cheaper_above not in kinds:
        return None
    row = money[kinds.index(crossover.cheaper_above)]
    at = crossover.at.value
    if not users[0] <= at <= users[-1]:
        return None
    place = max(n for n, u in enumerate(users) if u <= at)
    after = min(place + 1, len(users) - 1)
    share = 0.0 if users[after] == users[place] else (at - users[place]) / (users[after] - users[place])
    return Mark(at, row[place] + share * (row[after] - row[place]), scene.t.figure(crossover.at))


def tornado(scene: Scene) -> RangeChart | None:
    """How far each input moves the monthly cost, the widest first."""
    t, cost = scene.t, scene.assessed.cost
    if cost is None or not cost.sensitivities:
        return None
    widest = sorted(cost.sensitivities, key=lambda s: s.low_usd - s.high_usd)[:MOST_BARS]
    ranges = tuple(
        Range(
            t(s.label),
            t.in_currency(min(s.low_usd, s.high_usd)),
            t.in_currency(max(s.low_usd, s.high_usd)),
            None,
            f"{make.quantity(s.low_usd, 'USD', t)} – {make.quantity(s.high_usd, 'USD', t)}",
        )
        for s in widest
    )
    option = cost.option(cost.explained) if cost.explained else option_of(scene.assessed)
    base = option.per_month_usd if option else None
    return RangeChart(
        t.text("present.cost.tornado"),
        t.text("present.cost.tornado.sentence", name=t(widest[0].label)),
        t.currency,
        ranges,
        None if base is None else t.in_currency(base.value),
        "" if base is None else t.text("present.legend", name=t.text("present.figure.cost"), value=base),
    )


def crossovers(scene: Scene) -> tuple[Bullets, ...]:
    """Crossovers in words (users, requests, utilisation, months): those that happen first, then the recommendation's."""
    t, cost = scene.t, scene.assessed.cost
    if cost is None or not cost.crossovers:
        return ()
    items = tuple(
        Bullet(t(c.message), tag=t.text(f"present.axis.{c.axis}") if t.has(f"present.axis.{c.axis}") else c.axis)
        for c in _told(scene)[:MOST_CROSSINGS]
    )
    return (Bullets(t.text("present.cost.crossovers"), items),)


def bill(scene: Scene) -> tuple[Table, ...]:
    """The recommended option line by line, what is paid once apart from what is paid each month."""
    t, option = scene.t, option_of(scene.assessed)
    if option is None or not option.lines:
        return ()
    ordered = sorted(option.lines, key=lambda line: (not line.upfront, -line.amount.value))
    rows = tuple(
        (
            said(t(line.label)),
            said(t.text("present.cost.once" if line.upfront else "present.cost.monthly"), Tone.MUTED),
            number(line.amount, t),
            Cell(t.band(line.amount) or "–", Tone.MUTED),
            Cell(t.basis(line.amount), make.BASIS_TONE[line.amount.basis]),
        )
        for line in ordered
    )
    headers = tuple(t.text(f"present.column.{h}") for h in ("line", "when", "amount", "band", "basis"))
    return (Table(headers, rows, t.text("present.cost.bill", option=t(option.label)), frozenset({2, 3})),)


def over_years(scene: Scene) -> LineChart | None:
    """Cash paid in all by the end of each year, with the growth of the load: when owning pays for itself."""
    t, cost = scene.t, scene.assessed.cost
    assert cost is not None
    priced = [o for o in cost.options if len(o.yearly_usd) > 1]
    if not priced:
        return None
    lines = tuple(
        Line(
            t.value(o.kind),
            tuple(float(year) for year in range(len(o.yearly_usd) + 1)),
            (_upfront(o, scene), *(t.in_currency(e.value) for e in o.yearly_usd)),
            SERIES[o.kind],
            (_upfront(o, scene), *(t.in_currency(e.low) for e in o.yearly_usd)),
            (_upfront(o, scene), *(t.in_currency(e.high) for e in o.yearly_usd)),
            dashed=o.kind is CostKind.HYBRID,
        )
        for o in priced
    )
    top = max(max(line.y) for line in lines)
    steps = [_rounded(top * share) for share in (0.25, 0.5, 0.75, 1.0)]
    return LineChart(
        t.text("present.cost.years"),
        t.text("present.cost.years.sentence"),
        t.text("present.axis.years"),
        t.text("present.axis.paid", currency=t.currency),
        lines,
        x_text=tuple((x, str(int(x))) for x in lines[0].x),
        y_text=tuple((v, axis_amount(v, t.currency, t.language)) for v in steps),
    )


def _upfront(option: CostOption, scene: Scene) -> float:
    return scene.t.in_currency(option.upfront_usd.value) if option.upfront_usd else 0.0


def _rounded(value: float) -> float:
    """Two significant figures."""
    return float(f"{value:.2g}")


def variants(scene: Scene) -> tuple[Table, ...]:
    """Other ways to pay inside a kind: spot, reserved, in the hours of use only, colocated."""
    t, cost = scene.t, scene.assessed.cost
    assert cost is not None
    if not cost.variants:
        return ()
    rows = tuple(
        (
            said(t(o.label)),
            said(t.value(o.kind), Tone.MUTED),
            number(o.per_month_usd, t, empty=t.text("present.cost.no_price")),
            number(o.per_request_usd, t),
            _band(o, scene),
        )
        for o in cost.variants
    )
    headers = tuple(t.text(f"present.column.{h}") for h in ("option", "kind", "cost", "per_request", "band"))
    return (Table(headers, rows, t.text("present.cost.variants"), frozenset({2, 3, 4})),)


def missing(scene: Scene) -> tuple[Bullets, ...]:
    """Prices nobody gave: asked for, never invented."""
    t, cost = scene.t, scene.assessed.cost
    assert cost is not None
    items = tuple(
        Bullet(t(message), t(option.label), Tone.WARN, t.text("present.cost.ask"))
        for option in cost.options
        for message in option.missing
    )
    return (Bullets(t.text("present.cost.missing"), items),) if items else ()


def warnings(scene: Scene) -> tuple[Bullets, ...]:
    """Old, unverified or converted prices."""
    t, cost = scene.t, scene.assessed.cost
    assert cost is not None
    speakers: dict[str, list[str]] = {}
    for option in cost.options:
        for message in option.warnings:
            speakers.setdefault(t(message), []).append(t.value(option.kind))
    items = tuple(Bullet(text, ", ".join(dict.fromkeys(kinds)), Tone.WARN) for text, kinds in speakers.items())
    return (Bullets(t.text("present.cost.warnings"), items),) if items else ()


def rate_note(scene: Scene) -> tuple[Callout, ...]:
    """The rate of exchange with its date and age, where amounts were converted."""
    if scene.t.currency == "USD":
        return ()
    t, cost = scene.t, scene.assessed.cost
    assert cost is not None
    row = scene.catalogue.operating_costs.get(FX_ROW)
    date = row.source.as_of if row else ""
    old = bool(date) and dates.stale(date, scene.today)
    rate = make.quantity(round(cost.usd_to_krw.value, 2), "1", t)
    key = "present.cost.rate.old" if old else "present.cost.rate"
    text = t.text(key, rate=rate, date=dates.as_of(date, t.language))
    return (Callout(text, Tone.WARN if old else Tone.PLAIN),)
