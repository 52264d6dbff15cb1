"""Real decisions judged: one row of a case file becomes a workload, and the same placement code speaks.

The column `chosen` is never read. Cells named in `inferred_fields` were filled in afterwards by whoever wrote the file: they count
as guesses, which weigh but never rule out. A cell that cannot be read leaves its question open and is named among the reasons: one
strange word must not cost a file of a hundred cases its verdicts.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from attrs import frozen

from engine.advice.answers import answers_of
from engine.advice.facts import facts_of
from engine.advice.meaning import ORDER
from engine.advice.placement import judge
from engine.advice.results import Placement, PlacementVerdict
from engine.advice.rules import Context
from engine.catalogue.catalogue import Catalogue
from engine.consultation import (
    Boundary,
    DataBoundary,
    DeviceClass,
    Immediacy,
    Intelligence,
    NeededIntelligence,
    NetworkTrust,
    OfflineNeed,
    OfflineUse,
    Origin,
    Profile,
    Sensitivity,
    UpdateFrequency,
    UserScale,
    Waiting,
    Workload,
)
from engine.messages import Message, msg
from engine.units import MILLI

E = TypeVar("E", bound=enum.StrEnum)
T = TypeVar("T")

NOTHING: Final = frozenset({"-", "?", "n/a", "na", "unknown", "unclear", "nan", "null"})
"""Ways of writing that nobody knows."""

PATHS: Final[Mapping[str, str]] = {
    "online_or_batch": "profile.waiting",
    "device_class": "profile.device_class",
    "latency_need_ms": "immediacy.latency_budget_s",
    "network_trust": "immediacy.network_trust",
    "data_sensitivity": "data.sensitivity",
    "data_boundary": "data.boundary",
    "intelligence": "intelligence.hardness",
    "hard_share_pct": "intelligence.hard_share",
    "users": "scale.users",
    "requests_per_user_day": "scale.requests_per_user_day",
    "update_cadence_days": "updates.update_interval_days",
    "offline": "offline.need",
}
"""Column of a case file -> the question it answers. `model_params_b` and `chip_if_known` say what was built: not asked."""

NETWORK: Final = {"yes": NetworkTrust.RELIABLE, "weak": NetworkTrust.PATCHY, "none": NetworkTrust.NONE}
OTHER_DEVICES: Final = {
    "tablet": DeviceClass.PHONE,
    "laptop": DeviceClass.PC,
    "desktop": DeviceClass.PC,
    "workstation": DeviceClass.PC,
    "browser": DeviceClass.PC,
    "glasses": DeviceClass.WEARABLE,
    "hearing-aid": DeviceClass.WEARABLE,
    "watch": DeviceClass.WEARABLE,
    "earbuds": DeviceClass.WEARABLE,
    "headset": DeviceClass.WEARABLE,
    "drone": DeviceClass.ROBOT,
    "truck": DeviceClass.CAR,
    "ship": DeviceClass.VESSEL,
    "aircraft": DeviceClass.VESSEL,
    "satellite": DeviceClass.VESSEL,
    "tv": DeviceClass.SPEAKER,
    "doorbell": DeviceClass.CAMERA,
}
"""Words of a case file for things the questionnaire knows by another name; anything else is a machine."""

WORDS: Final[Mapping[Placement, str]] = {
    Placement.CLOUD_API: "cloud-api",
    Placement.CLOUD_GPU: "cloud-gpu",
    Placement.SEALED_CLOUD: "cloud-sealed",
    Placement.ON_DEVICE: "on-device",
    Placement.ON_PREMISE: "on-premise",
    Placement.DEVICE_CLOUD: "hybrid-device-cloud",
    Placement.ON_PREMISE_CLOUD: "hybrid-onprem-cloud",
    Placement.DEVICE_ON_PREMISE: "hybrid-device-onprem",
}
BATCH_WORDS: Final[Mapping[Placement, str]] = {
    Placement.CLOUD_API: "cloud-batch",
    Placement.CLOUD_GPU: "cloud-batch",
    Placement.ON_PREMISE: "onprem-batch",
}
"""What nobody waits for is served in batches; the words for that exist for the cloud and the own servers."""


@frozen
class CaseVerdict:
    """One judged row. `why` holds the reasons for the verdict, strongest first."""

    case_id: str
    verdict: str
    alternatives: tuple[str, ...]
    why: tuple[Message, ...]
    detail: PlacementVerdict
    unread: tuple[Message, ...] = ()
    """Cells that hold no such answer: judged as if nobody had said."""


def judge_cases(rows: Iterable[Mapping[str, str]], catalogue: Catalogue) -> tuple[CaseVerdict, ...]:
    """Judge every row of a case file; `unread` of each names the cells that could not be used."""
    context = Context(facts_of(catalogue), catalogue.regulations)
    return tuple(judge_case(row, context) for row in rows)


def judge_case(row: Mapping[str, str], context: Context) -> CaseVerdict:
    """Judge one row: its answers, the placement verdict, and the leader where the verdict is a conflict or open."""
    workload, origins, unread = workload_of(row)
    answers = answers_of(workload, origins)
    verdict = judge(answers, context)
    standing = [r for r in verdict.ranked if not r.excluded]
    chosen = verdict.chosen or (standing[0].placement if standing else _least_excluded(verdict))
    others = tuple(word_for(r.placement, answers.batch) for r in standing if r.placement is not chosen)
    reasons = next(r.reasons for r in verdict.ranked if r.placement is chosen)
    distinct = tuple(dict.fromkeys(word for word in others if word != word_for(chosen, answers.batch)))
    why = (verdict.headline, *(message for _rule, message in reasons), *unread)
    return CaseVerdict(row.get("case_id", ""), word_for(chosen, answers.batch), distinct[:3], why, verdict, unread)


def _least_excluded(verdict: PlacementVerdict) -> Placement:
    """In a conflict: the placement the fewest rules rule out, the first of them in the usual order."""
    return min(verdict.ranked, key=lambda r: (len(r.reasons), ORDER.index(r.placement))).placement


def word_for(placement: Placement, batch: bool) -> str:
    """The case file's word for a placement."""
    return BATCH_WORDS.get(placement, WORDS[placement]) if batch else WORDS[placement]


def workload_of(row: Mapping[str, str]) -> tuple[Workload, dict[str, Origin], tuple[Message, ...]]:
    """The workload a row describes, which of its answers are guesses, and what could not be read."""
    cell = _Cells(row)
    workload = Workload(
        id=row.get("case_id", "") or "case",
        name=row.get("workload", ""),
        profile=Profile(waiting=cell.choice("online_or_batch", Waiting), device_class=cell.device()),
        immediacy=Immediacy(
            latency_budget_s=cell.number("latency_need_ms", MILLI),
            network_trust=cell.named("network_trust", NETWORK),
        ),
        data=DataBoundary(
            boundary=cell.choice("data_boundary", Boundary), sensitivity=cell.choice("data_sensitivity", Sensitivity)
        ),
        intelligence=NeededIntelligence(
            hardness=cell.choice("intelligence", Intelligence), hard_share=cell.number("hard_share_pct", 0.01, most=1.0)
        ),
        scale=UserScale(users=cell.number("users"), requests_per_user_day=cell.number("requests_per_user_day")),
        updates=UpdateFrequency(update_interval_days=cell.number("update_cadence_days")),
        offline=OfflineUse(need=cell.choice("offline", OfflineNeed)),
    )
    inferred = {name.strip() for name in (row.get("inferred_fields") or "").split(";")}
    return workload, {path: Origin.GUESSED for column, path in PATHS.items() if column in inferred}, tuple(cell.unread)


class _Cells:
    """The cells of one row. Empty, or holding no such answer, means nobody said; the latter is noted in `unread`."""

    def __init__(self, row: Mapping[str, str]) -> None:
        self._row = row
        self.unread: list[Message] = []

    def text(self, column: str) -> str:
        word = (self._row.get(column) or "").strip().lower()
        return "" if word in NOTHING else word

    def choice(self, column: str, kind: type[E]) -> E | None:
        return self.named(column, {str(member): member for member in kind})

    def named(self, column: str, words: Mapping[str, T]) -> T | None:
        word = self.text(column)
        if word and word not in words:
            self._note(column, word)
        return words.get(word)

    def number(self, column: str, factor: float = 1.0, most: float = math.inf) -> float | None:
        word = self.text(column)
        if not word:
            return None
        try:
            value = float(word.replace(",", "")) * factor
        except ValueError:
            value = math.nan
        if math.isfinite(value) and 0 <= value <= most:
            return value
        self._note(column, word)
        return None

    def device(self) -> DeviceClass | None:
        word = self.text("device_class")
        if not word:
            return None
        known = {str(d): d for d in DeviceClass}
        return known.get(word) or OTHER_DEVICES.get(word, DeviceClass.MACHINE)

    def _note(self, column: str, found: str) -> None:
        self.unread.append(msg("advice.case.unread", column=column, found=found))
