"""What is taken where nobody answered: planning figures by the kind of task and the shape of the load.

None of them is a measurement. Each is used through the ledger, with its band, and listed in the proposal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import frozen

from engine.consultation import Intelligence, LoadShape, TaskKind, Waiting, Workload
from engine.estimate import Basis, Estimate
from engine.messages import Message, msg
from engine.units import COUNT, RATIO, SECONDS, TOKENS, USERS

PER_DAY: Final = COUNT
Triple = tuple[float, float, float]
"""value, low, high"""


@frozen
class Task:
    """Typical figures of one kind of task."""

    requests_per_user_day: Triple
    prompt_tokens: Triple
    output_tokens: Triple


TASKS: Final[Mapping[TaskKind, Task]] = {
    TaskKind.CHAT: Task((10, 3, 30), (1200, 400, 4000), (300, 150, 600)),
    TaskKind.DOCUMENTS: Task((5, 2, 15), (6000, 2000, 20000), (400, 200, 1000)),
    TaskKind.TRANSLATION: Task((20, 5, 60), (400, 100, 1500), (400, 100, 1500)),
    TaskKind.SPEECH: Task((20, 5, 60), (300, 100, 1000), (100, 40, 250)),
    TaskKind.VISION: Task((20, 5, 100), (1200, 500, 3000), (100, 30, 300)),
    TaskKind.LABELLING: Task((1, 0.2, 5), (800, 300, 3000), (30, 5, 150)),
    TaskKind.CODE: Task((40, 10, 120), (4000, 1500, 12000), (400, 150, 1200)),
    TaskKind.AGENT: Task((5, 2, 20), (12000, 4000, 50000), (1500, 500, 5000)),
    TaskKind.SCORING: Task((20, 5, 100), (500, 100, 2000), (10, 2, 50)),
    TaskKind.CONTROL: Task((500, 100, 5000), (300, 100, 1000), (30, 10, 100)),
    TaskKind.OTHER: Task((10, 2, 40), (1000, 300, 5000), (300, 100, 1000)),
}

ACTIVE_HOURS: Final[Mapping[LoadShape, Triple]] = {
    LoadShape.STEADY: (24, 20, 24),
    LoadShape.OFFICE_HOURS: (9, 8, 11),
    LoadShape.SPIKY: (14, 8, 20),
    LoadShape.RARE: (8, 2, 12),
}
ACTIVE_DAYS: Final[Mapping[LoadShape, Triple]] = {
    LoadShape.STEADY: (365 / 12, 365 / 12, 365 / 12),
    LoadShape.OFFICE_HOURS: (21, 20, 23),
    LoadShape.SPIKY: (365 / 12, 26, 365 / 12),
    LoadShape.RARE: (365 / 12, 20, 365 / 12),
}
PEAK_FACTOR: Final[Mapping[LoadShape, Triple]] = {
    LoadShape.STEADY: (1.5, 1.2, 2.0),
    LoadShape.OFFICE_HOURS: (2.0, 1.5, 3.0),
    LoadShape.SPIKY: (5.0, 3.0, 10.0),
    LoadShape.RARE: (3.0, 2.0, 6.0),
}
HARD_SHARE: Final[Mapping[Intelligence, Triple]] = {
    Intelligence.NARROW: (0.05, 0.0, 0.15),
    Intelligence.MEDIUM: (0.2, 0.1, 0.4),
    Intelligence.FRONTIER: (0.6, 0.4, 0.9),
}
P95_OVER_MEAN: Final[Triple] = (2.5, 1.5, 3.5)
USERS_UNSAID: Final[Triple] = (1000, 100, 10_000)
CACHED_SHARE: Final[Triple] = (0.2, 0.0, 0.5)
GROWTH: Final[Triple] = (0.0, 0.0, 0.3)
BATCH_ITEMS: Final[Triple] = (100_000, 10_000, 1_000_000)
BATCH_WINDOW_HOURS: Final[Triple] = (8, 6, 12)
BATCH_RUNS: Final[Triple] = (365 / 12, 20, 365 / 12)
FIRST_TOKEN_S: Final[Triple] = (2.0, 1.0, 4.0)
PER_TOKEN_S: Final[Triple] = (0.1, 0.05, 0.2)
PERCENTILE: Final = 0.95
UTILISATION_CAP: Final[Triple] = (0.85, 0.75, 0.9)

TYPICAL_TASK: Final = msg("capacity.why.task")
TYPICAL_SHAPE: Final = msg("capacity.why.load_shape")
PLANNING: Final = msg("capacity.why.planning")


def assumed(triple: Triple, unit: str) -> Estimate:
    """A planning figure with its band."""
    return Estimate(*triple, unit, Basis.ASSUMED)


def task_of(workload: Workload) -> Task:
    return TASKS[workload.profile.task or TaskKind.OTHER]


def shape_of(workload: Workload) -> LoadShape:
    """The said shape; people at work otherwise, and around the clock where a machine or a batch asks."""
    if workload.circumstances.load_shape is not None:
        return workload.circumstances.load_shape
    return LoadShape.STEADY if workload.profile.waiting is Waiting.BATCH else LoadShape.OFFICE_HOURS


Row = tuple[Triple, str, Message]
"""Figure, unit, why."""


class Fallbacks:
    """Path -> (figure, why) for every demand answer, fitted to the workload's task and load shape; made when asked for."""

    def __init__(self, rows: dict[str, Row]) -> None:
        self._rows = rows

    def __getitem__(self, path: str) -> tuple[Estimate, Message]:
        triple, unit, why = self._rows[path]
        return assumed(triple, unit), why

    def __setitem__(self, path: str, row: Row) -> None:
        self._rows[path] = row


def fallbacks(workload: Workload) -> Fallbacks:
    """The planning figures for this workload."""
    task, shape = task_of(workload), shape_of(workload)
    hardness = workload.intelligence.hardness or Intelligence.MEDIUM
    table: dict[str, Row] = {
        "scale.users": (USERS_UNSAID, USERS, PLANNING),
        "scale.requests_per_user_day": (task.requests_per_user_day, PER_DAY, TYPICAL_TASK),
        "demand.active_hours_per_day": (ACTIVE_HOURS[shape], COUNT, TYPICAL_SHAPE),
        "demand.active_days_per_month": (ACTIVE_DAYS[shape], COUNT, TYPICAL_SHAPE),
        "demand.peak_factor": (PEAK_FACTOR[shape], COUNT, TYPICAL_SHAPE),
        "demand.growth_per_year": (GROWTH, RATIO, PLANNING),
        "demand.prompt_tokens": (task.prompt_tokens, TOKENS, TYPICAL_TASK),
        "demand.output_tokens": (task.output_tokens, TOKENS, TYPICAL_TASK),
        "demand.cached_prefix_share": (CACHED_SHARE, RATIO, PLANNING),
        "demand.batch_items": (BATCH_ITEMS, COUNT, PLANNING),
        "demand.batch_window_hours": (BATCH_WINDOW_HOURS, COUNT, PLANNING),
        "demand.batch_runs_per_month": (BATCH_RUNS, COUNT, PLANNING),
        "intelligence.hard_share": (HARD_SHARE[hardness], RATIO, PLANNING),
        "targets.time_to_first_token_s": (FIRST_TOKEN_S, SECONDS, PLANNING),
        "targets.time_per_output_token_s": (PER_TOKEN_S, SECONDS, PLANNING),
    }
    return Fallbacks(table)
