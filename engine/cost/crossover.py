"""Where two ways to pay cost the same: in users, in requests, in utilisation, in months."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.cost.kinds import CostKind
from engine.cost.model import Bill, CostModel, Point, widened
from engine.cost.results import Crossover
from engine.estimate import Basis, Estimate, Trace
from engine.inputs import FloatArray, band
from engine.messages import msg
from engine.units import COUNT, HOURS_PER_MONTH, MONTHS, RATIO, SECONDS_PER_HOUR, USERS

USERS_GRID: Final[FloatArray] = np.logspace(0, 9, 37)
"""One to a thousand million users, four points a decade."""
_STEPS: Final = 17
_LAST_MONTH: Final = 240.0
_NOTHING_USD: Final = 1e-6
_NEVER_BUSY_ENOUGH: Final = 1e6

Pair = tuple[CostKind, CostKind]

PAIRS: Final[tuple[Pair, ...]] = (
    (CostKind.API, CostKind.ON_DEVICE),
    (CostKind.API, CostKind.RENTED_GPU),
    (CostKind.API, CostKind.ON_PREMISE),
    (CostKind.RENTED_GPU, CostKind.ON_PREMISE),
    (CostKind.RENTED_GPU, CostKind.ON_DEVICE),
    (CostKind.API, CostKind.HYBRID),
)
MONTHS_OF: Final[tuple[Pair, ...]] = (
    (CostKind.RENTED_GPU, CostKind.ON_PREMISE),
    (CostKind.API, CostKind.ON_PREMISE),
    (CostKind.API, CostKind.ON_DEVICE),
)


def in_users(
    model: CostModel, grid: Mapping[CostKind, FloatArray], pairs: tuple[Pair, ...] = PAIRS
) -> tuple[Crossover, ...]:
    """The crossovers of those pairs that are priced, each in users and in requests a month.

    `grid`: cost of an answered request on `USERS_GRID`, shape (rows of the inputs, users). The last change of sign counts: beyond
    it the other stays cheaper. Each row is refined inside its own interval; the band follows from the rows.
    """
    priced = [pair for pair in pairs if all(kind in grid for kind in pair)]
    crossing = [p for p in priced if _signs(grid, p)[0] != _signs(grid, p)[1]]
    found = dict(zip(crossing, _refined(model, grid, crossing), strict=True)) if crossing else {}
    per_user = float(model.demand.load(model.inputs.centre()).requests_per_month) / model.inputs["scale.users"].value
    out: list[Crossover] = []
    for pair in priced:
        first = _signs(grid, pair)[0]
        below, above = pair if first <= 0 else pair[::-1]
        if pair in found:
            out += _said(below, above, found[pair], per_user)
        else:
            never = msg("cost.crossover.never", kind=below, other=above)
            out.append(Crossover(below, above, "users", None, never))
    return tuple(out)


def _signs(grid: Mapping[CostKind, FloatArray], pair: Pair) -> tuple[float, float]:
    """Sign of the first option's cost less the second's, at both ends of the grid."""
    one, other = grid[pair[0]][0], grid[pair[1]][0]
    return float(np.sign(one[0] - other[0])), float(np.sign(one[-1] - other[-1]))


def _said(below: CostKind, above: CostKind, rows: FloatArray, requests_per_user: float) -> list[Crossover]:
    value, low, high = (_three_figures(float(x)) for x in band(rows))
    trace = Trace("cost.trace.crossover", "users at which both cost the same", ())
    at = Estimate(value, low, high, USERS, Basis.ASSUMED, trace)
    asked = at.scaled(requests_per_user, COUNT)
    return [
        Crossover(below, above, "users", at, msg("cost.crossover.users", below=below, above=above, at=at)),
        Crossover(below, above, "requests", asked, msg("cost.crossover.requests", below=below, above=above, at=asked)),
    ]


def _three_figures(value: float) -> float:
    """As fine as the search is."""
    return float(f"{value:.3g}")


def _refined(model: CostModel, grid: Mapping[CostKind, FloatArray], pairs: list[Pair]) -> list[FloatArray]:
    """The crossing of each pair, row by row: a finer grid in the row's interval, then straight on the logarithm.

    All pairs are evaluated at once, their grids side by side along the last axis.
    """
    share = np.linspace(0, 1, _STEPS)
    users = []
    for one, other in pairs:
        low, high = (np.log(b)[:, None] for b in _brackets(grid[one] - grid[other]))
        users.append(np.exp(low + (high - low) * share))
    values = model.inputs.rows()
    values["scale.users"] = np.asarray(model.inputs["scale.users"].value)
    joined = np.concatenate(users, axis=1)
    point = model.point(widened(values), joined)
    kinds = {kind for pair in pairs for kind in pair}
    each = {kind: np.broadcast_to(model.bill(kind, point).per_request, joined.shape) for kind in kinds}
    found = []
    for n, (one, other) in enumerate(pairs):
        part = slice(n * _STEPS, (n + 1) * _STEPS)
        found.append(_root(users[n], each[one][:, part] - each[other][:, part]))
    return found


def _brackets(difference: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Per row, the users between which the centre's sign at the small end is seen for the last time; the ends where never."""
    index = _last(difference, np.sign(difference[:1, :1]))
    top = USERS_GRID.size - 1
    return USERS_GRID[index], USERS_GRID[np.minimum(index + 1, top)]


def _last(difference: FloatArray, sign: FloatArray) -> npt.NDArray[np.intp]:
    """Per row, the last place that has the sign; 0 where none has."""
    same = np.sign(difference) == sign
    out: npt.NDArray[np.intp] = np.where(
        same.any(axis=1), difference.shape[1] - 1 - np.argmax(same[:, ::-1], axis=1), 0
    )
    return out


def _root(users: FloatArray, difference: FloatArray) -> FloatArray:
    i = np.minimum(_last(difference, np.sign(difference[:, :1])), users.shape[1] - 2)
    rows = np.arange(users.shape[0])
    left, right = difference[rows, i], difference[rows, i + 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.clip(np.where(left != right, left / (left - right), 0.0), 0.0, 1.0)
    out: FloatArray = np.exp(np.log(users[rows, i]) * (1 - share) + np.log(users[rows, i + 1]) * share)
    return out


def in_utilisation(model: CostModel, own: CostKind, point: Point, bills: Mapping[CostKind, Bill]) -> Crossover | None:
    """How busy the replicas of `own` must be to cost what the API costs for the same requests."""
    if model.fleet is None or CostKind.API not in bills or own not in bills:
        return None
    room = point.replicas * model.fleet.rate_per_replica / point.work * HOURS_PER_MONTH * SECONDS_PER_HOUR
    paid = np.maximum(bills[CostKind.API].per_request * room, _NOTHING_USD)
    needed = np.atleast_1d(np.minimum(bills[own].monthly / paid, _NEVER_BUSY_ENOUGH))
    value, low, high = (float(x) for x in band(needed))
    if value > 1:
        message = msg("cost.crossover.utilisation_never", own=own)
        return Crossover(CostKind.API, own, "utilisation", None, message)
    trace = Trace("cost.trace.utilisation", "cost of a month / (API price of a request * requests at full load)", ())
    at = Estimate(value, low, max(min(high, 1.0), value), RATIO, Basis.ASSUMED, trace)
    return Crossover(CostKind.API, own, "utilisation", at, msg("cost.crossover.utilisation", own=own, at=at))


def in_months(
    model: CostModel, renting: CostKind, buying: CostKind, point: Point, bills: Mapping[CostKind, Bill]
) -> Crossover | None:
    """After how many months what was bought has paid for itself in cash, at today's load and for the same answers."""
    if renting not in bills or buying not in bills:
        return None
    r, b = bills[renting], bills[buying]
    scale = model.options[buying].served(point) / model.options[renting].served(point)
    ahead = np.maximum(b.upfront - r.upfront * scale, 0.0)
    saved = r.running * scale - b.running
    with np.errstate(divide="ignore", invalid="ignore"):
        months = np.atleast_1d(np.where(saved > 0, ahead / saved, np.inf))
    if months[0] > _LAST_MONTH:
        message = msg("cost.crossover.months_never", renting=renting, buying=buying)
        return Crossover(renting, buying, "months", None, message)
    value, low, high = (float(x) for x in band(np.minimum(months, _LAST_MONTH)))
    trace = Trace("cost.trace.months", "(upfront - upfront of the other) / (running of the other - running)", ())
    at = Estimate(value, low, max(min(high, _LAST_MONTH), value), MONTHS, Basis.ASSUMED, trace)
    message = msg("cost.crossover.months", renting=renting, buying=buying, at=at)
    return Crossover(renting, buying, "months", at, message)


def all_of(
    model: CostModel, grid: Mapping[CostKind, FloatArray], point: Point, bills: Mapping[CostKind, Bill]
) -> tuple[Crossover, ...]:
    """Every crossover of the priced options: users and requests first, then utilisation, then months.

    `point` and `bills`: the options at the inputs' rows.
    """
    more = [in_utilisation(model, own, point, bills) for own in (CostKind.RENTED_GPU, CostKind.ON_PREMISE)]
    more += [in_months(model, *pair, point, bills) for pair in MONTHS_OF]
    return (*in_users(model, grid), *(c for c in more if c is not None))
