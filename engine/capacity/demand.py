"""Users, requests and tokens: the load a workload makes, by the hour and by the month."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from engine.assumptions import Ledger, answer
from engine.capacity import lengths
from engine.capacity.assumed import BATCH_RUNS, P95_OVER_MEAN, PLANNING, Fallbacks, assumed, fallbacks, shape_of
from engine.consultation import LoadShape, Waiting, Workload
from engine.estimate import Estimate, Trace, exact
from engine.inputs import Inputs, Known, Values
from engine.messages import Message, msg
from engine.questions import question
from engine.units import COUNT, DAYS_PER_MONTH, HOURS_PER_MONTH, REQUESTS_PER_S, SECONDS_PER_HOUR, TOKENS, USERS

FloatArray = npt.NDArray[np.float64]

USERS_PATH: Final = "scale.users"
ONLINE: Final = (
    USERS_PATH,
    "scale.requests_per_user_day",
    "demand.active_hours_per_day",
    "demand.active_days_per_month",
    "demand.peak_factor",
)
BATCH: Final = ("demand.batch_items", "demand.batch_window_hours", "demand.batch_runs_per_month")
LENGTHS: Final = ("demand.prompt_tokens", "demand.output_tokens", "demand.cached_prefix_share")

_LEAST_HOURS: Final = 1 / 60
"""A day's requests, or a batch's, take at least a minute to come in."""
_MIDDLE_OF_THE_DAY: Final = 13.5
"""Hours of use are laid around half past one in the afternoon, local time."""


@cache
def label_of(path: str) -> Message:
    """The question's title, or the capacity room's own words for what no question asks."""
    if path == "demand.active_days_per_month":
        return msg("capacity.input.active_days")
    return question(path).short


@frozen
class Load:
    """The load of one month, arrays of one shape."""

    requests_per_month: FloatArray
    mean_per_s: FloatArray
    """Over the hours of use (batch: over the window)."""
    peak_per_s: FloatArray
    input_tokens_per_month: FloatArray
    output_tokens_per_month: FloatArray

    @property
    def mean_over_all_hours_per_s(self) -> FloatArray:
        """Spread over all 730 hours: what a machine that is always on sees."""
        return self.requests_per_month / (HOURS_PER_MONTH * SECONDS_PER_HOUR)


@frozen
class DemandResult:
    """The load a workload makes."""

    requests_per_s_mean: Estimate
    """Over the active hours."""
    requests_per_s_peak: Estimate
    requests_per_month: Estimate
    input_tokens_per_month: Estimate
    output_tokens_per_month: Estimate
    concurrency_peak: Estimate | None
    """In flight at the peak, by Little's law; None until a speed is known."""


@frozen
class Demand:
    """The demand of one workload as inputs with bands; said or assumed."""

    inputs: Inputs
    batch: bool
    growth_per_year: Estimate
    prompt_sigma: float
    """Shape of the lognormal prompt lengths."""
    output_sigma: float
    shape: LoadShape

    def load(self, values: Values, users: FloatArray | float | None = None) -> Load:
        """The load for values of the inputs (`Inputs.centre`, `.rows` or `.draws`), optionally for other user numbers.

        More users scale what was said in other words (a peak in requests per second, the items of a batch) in proportion.
        """
        scale = 1.0 if users is None else np.asarray(users) / self.inputs["scale.users"].value
        if self.batch:
            items = values["demand.batch_items"] * scale
            month = items * values["demand.batch_runs_per_month"]
            mean = peak = items / (np.maximum(values["demand.batch_window_hours"], _LEAST_HOURS) * SECONDS_PER_HOUR)
        else:
            month, mean, peak = self._online(values, scale)
        return Load(
            month,
            mean,
            peak,
            month * values["demand.prompt_tokens"],
            month * values["demand.output_tokens"],
        )

    def _online(self, values: Values, scale: FloatArray | float) -> tuple[FloatArray, FloatArray, FloatArray]:
        day = values["scale.users"] * values["scale.requests_per_user_day"] * scale
        month = day * values["demand.active_days_per_month"]
        mean = day / (np.maximum(values["demand.active_hours_per_day"], _LEAST_HOURS) * SECONDS_PER_HOUR)
        if "demand.peak_requests_per_s" in values:
            return month, mean, values["demand.peak_requests_per_s"] * scale
        return month, mean, mean * values["demand.peak_factor"]

    def result(self, concurrency_peak: Estimate | None) -> DemandResult:
        """The demand as figures with their bands and traces."""
        load, inputs = self.load(self.inputs.rows()), self.inputs
        month, mean, peak = self._formulas()

        def named(unit: str, name: str, formula: str) -> tuple[str, Trace]:
            return unit, inputs.trace(f"capacity.trace.{name}", formula)

        figures = inputs.spreads(
            (
                load.mean_per_s,
                load.peak_per_s,
                load.requests_per_month,
                load.input_tokens_per_month,
                load.output_tokens_per_month,
            ),
            (
                named(REQUESTS_PER_S, "mean_rate", mean),
                named(REQUESTS_PER_S, "peak_rate", peak),
                named(COUNT, "requests_month", month),
                named(TOKENS, "input_tokens", f"{month} * prompt_tokens"),
                named(TOKENS, "output_tokens", f"{month} * output_tokens"),
            ),
        )
        mean_rate, peak_rate, requests, read, written = figures
        return DemandResult(mean_rate, peak_rate, requests, read, written, concurrency_peak)

    def _formulas(self) -> tuple[str, str, str]:
        """Requests per month, mean and peak rate, over the names of the inputs."""
        if self.batch:
            rate = "batch_items / (batch_window_hours * 3600)"
            return "batch_items * batch_runs_per_month", rate, rate
        day = "users * requests_per_user_day"
        mean = f"{day} / (active_hours_per_day * 3600)"
        said = "demand.peak_requests_per_s" in self.inputs
        return f"{day} * active_days_per_month", mean, "peak_requests_per_s" if said else f"{mean} * peak_factor"

    def profile(self, values: Values) -> FloatArray:
        """Load of each hour of a day in use over the mean of that day's 24 hours, shape (24,); its mean is 1."""
        hours = float(np.ravel(values["demand.active_hours_per_day"])[0]) if not self.batch else 24.0
        peak = float(np.ravel(values["demand.peak_factor"])[0]) if not self.batch else 1.0
        return day_profile(hours, peak)


def demand_of(workload: Workload, ledger: Ledger) -> Demand:
    """What the customer said about the load, completed by assumed figures that the ledger lists."""
    batch = workload.profile.waiting is Waiting.BATCH
    table = fallbacks(workload)

    def known(path: str) -> Known:
        fallback, why = table[path]
        if path == "demand.active_days_per_month":
            return Known(path, label_of(path), ledger.assume(path, fallback, label_of(path), None, why))
        return Known(path, label_of(path), ledger.value(workload, path, fallback, label_of(path), None, why))

    if batch:
        _items_from_users(workload, table)
        inputs = Inputs.of(known(path) for path in BATCH)
        inputs = inputs.joined([Known(USERS_PATH, label_of(USERS_PATH), exact(workload.scale.users or 1.0, USERS))])
    else:
        rest = [known(path) for path in ONLINE if path != USERS_PATH]
        inputs = Inputs.of([*rest, *_said_peak(workload)])
        _users_from_peak(inputs, table)
        inputs = inputs.joined([known(USERS_PATH)])
    inputs = inputs.joined(known(path) for path in LENGTHS)
    return Demand(
        inputs=inputs,
        batch=batch,
        growth_per_year=known("demand.growth_per_year").estimate,
        prompt_sigma=_sigma(workload, "demand.prompt_tokens", inputs, ledger),
        output_sigma=_sigma(workload, "demand.output_tokens", inputs, ledger),
        shape=shape_of(workload),
    )


def _said_peak(workload: Workload) -> list[Known]:
    """A said or measured peak wins over what users x requests give."""
    peak = workload.demand.peak_requests_per_s
    path = "demand.peak_requests_per_s"
    return [] if peak is None else [Known(path, label_of(path), exact(peak, REQUESTS_PER_S))]


def _users_from_peak(inputs: Inputs, table: Fallbacks) -> None:
    """Where only the peak was said, the users follow from it."""
    if "demand.peak_requests_per_s" not in inputs:
        return
    busy_s = inputs["demand.active_hours_per_day"].value * SECONDS_PER_HOUR
    mean = inputs["demand.peak_requests_per_s"].value / inputs["demand.peak_factor"].value
    users = max(mean * busy_s / inputs["scale.requests_per_user_day"].value, 1.0)
    table[USERS_PATH] = ((users, users / 2, users * 2), USERS, msg("capacity.why.from_peak"))


def _items_from_users(workload: Workload, table: Fallbacks) -> None:
    """Where a batch has users but no items, it works off what they ask for between two runs."""
    users, runs = workload.scale.users, workload.demand.batch_runs_per_month
    if users is None:
        return
    per_day = workload.scale.requests_per_user_day or table["scale.requests_per_user_day"][0].value
    items = max(users * per_day * DAYS_PER_MONTH / (runs or BATCH_RUNS[0]), 1.0)
    table["demand.batch_items"] = ((items, items / 2, items * 2), COUNT, msg("capacity.why.from_users"))


def _sigma(workload: Workload, path: str, inputs: Inputs, ledger: Ledger) -> float:
    said = answer(workload, f"{path}_p95")
    if said is None:
        ratio = ledger.assume(
            f"{path}_p95_over_mean",
            assumed(P95_OVER_MEAN, COUNT),
            msg("capacity.input.p95_over_mean", length=question(path).short),
            None,
            PLANNING,
        ).value
    else:
        ratio = said / inputs[path].value
    return float(lengths.sigma_of(ratio))


def day_profile(active_hours: float, peak_factor: float) -> FloatArray:
    """Load of each hour of the day over the day's mean; mean 1. Its busiest active hour is `peak_factor` times the mean
    active hour (as far as so few hours allow), its others share the rest evenly.

    Purpose: what the electricity of each hour costs, how much of a peak-hour price applies, what is left for batches.
    """
    hours = np.arange(24) + 0.5
    distance = np.abs(hours - _MIDDLE_OF_THE_DAY)
    within = np.clip(active_hours / 2 + 0.5 - distance, 0.0, 1.0)
    if within.sum() <= 0:
        within[13] = 1.0
    busiest = int(np.argmin(distance))
    share = np.zeros(24)
    total = within.sum()
    share[busiest] = min(peak_factor * within[busiest] / total, 1.0)
    others = within.copy()
    others[busiest] = 0.0
    if others.sum() > 0:
        share += (1 - share[busiest]) * others / others.sum()
    out: FloatArray = share / share.sum() * 24
    return out


__all__ = ["Demand", "Load", "day_profile", "demand_of", "label_of"]
