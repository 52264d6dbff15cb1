"""The list of questions, in the order of the walk, and the one place that checks an answer."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from engine.consultation import (
    Actor,
    Boundary,
    DeviceClass,
    DownloadCarrier,
    Framework,
    Intelligence,
    LoadShape,
    NetworkTrust,
    OfflineNeed,
    Purpose,
    Sensitivity,
    Skills,
    TaskKind,
    Waiting,
    Workload,
)
from engine.errors import InvalidInput, UnknownId
from engine.messages import Quantity, msg
from engine.questions.types import Kind, Question, Step
from engine.units import (
    BYTES,
    COUNT,
    DAYS,
    MONTHS,
    RATIO,
    SECONDS,
    TERA,
    TOKENS,
    USD,
    USERS,
)


def _choice(path: str, step: Step, group: str, values: type[enum.StrEnum], **more: Any) -> Question:
    return Question(path, Kind.CHOICE, step, group, choices=tuple(str(v) for v in values), **more)


def _flag(path: str, step: Step, group: str, **more: Any) -> Question:
    return Question(path, Kind.FLAG, step, group, choices=("yes", "no"), **more)


def _number(path: str, step: Step, group: str, unit: str, low: float, high: float, **more: Any) -> Question:
    return Question(path, Kind.NUMBER, step, group, unit=unit, minimum=low, maximum=high, **more)


def _share(path: str, step: Step, group: str, **more: Any) -> Question:
    return Question(path, Kind.SHARE, step, group, unit=RATIO, minimum=0.0, maximum=1.0, **more)


def _id(path: str, step: Step, group: str, table: str, **more: Any) -> Question:
    return Question(path, Kind.CATALOGUE, step, group, table=table, **more)


def _online(workload: Workload) -> bool:
    return workload.profile.waiting is not Waiting.BATCH


def _batch(workload: Workload) -> bool:
    return workload.profile.waiting is Waiting.BATCH


def _machine_acts(workload: Workload) -> bool:
    return workload.immediacy.actor is not Actor.PERSON


_C, _R, _U, _H = Step.CUSTOMER, Step.READINESS, Step.RULES, Step.HARDWARE
_M, _S, _K, _P = Step.MEMORY, Step.SPEED, Step.CAPACITY, Step.COST

QUESTIONS: Final[tuple[Question, ...]] = (
    # the customer and the work
    _choice("profile.task", _C, "work", TaskKind, headline=True),
    _choice("profile.waiting", _C, "waiting", Waiting, headline=True),
    _choice("profile.device_class", _C, "work", DeviceClass),
    Question("profile.language", Kind.CHOICE, _C, "work", choices=("ko", "en", "ja", "zh", "mixed")),
    # serving readiness: the five gaps, then what keeps a service alive
    *(
        _flag(f"readiness.{n}", _R, "gaps", headline=True)
        for n in ("endpoint", "loading", "scaling", "conversion", "health")
    ),
    *(_flag(f"readiness.{n}", _R, "serving") for n in ("batching", "load_balancer", "versioning")),
    *(
        _flag(f"readiness.{n}", _R, "monitoring")
        for n in ("monitors_latency", "monitors_errors", "monitors_utilisation", "monitors_quality")
    ),
    _share("readiness.canary_share", _R, "rollout"),
    _number("readiness.detection_minutes", _R, "rollout", "min", 0, 43_200),
    _number("readiness.rollback_minutes", _R, "rollout", "min", 0, 43_200),
    _number("readiness.load_minutes", _R, "rollout", "min", 0, 1_440),
    # rule 1
    _choice("immediacy.actor", _U, "immediacy", Actor, headline=True, asked_if=_online),
    _choice("immediacy.network_trust", _U, "immediacy", NetworkTrust, headline=True),
    _number("immediacy.latency_budget_s", _U, "immediacy", SECONDS, 0, 86_400, above_minimum=True, asked_if=_online),
    _number("immediacy.round_trip_s", _U, "immediacy", SECONDS, 0, 60, above_minimum=True, asked_if=_online),
    _number("immediacy.speed_m_per_s", _U, "immediacy", "m/s", 0, 12_000, asked_if=_machine_acts),
    _number("immediacy.outage_s", _U, "immediacy", SECONDS, 0, 2_592_000),
    # rule 2
    _choice("data.boundary", _U, "data", Boundary, headline=True),
    _choice("data.sensitivity", _U, "data", Sensitivity),
    _flag("data.sealed_cloud_accepted", _U, "data"),
    Question("data.regulations", Kind.LIST, _U, "data", table="regulation"),
    # rule 3
    _choice("intelligence.hardness", _U, "intelligence", Intelligence, headline=True),
    _share("intelligence.hard_share", _U, "intelligence"),
    # rule 4
    _number("scale.users", _U, "scale", USERS, 1, 1e10, headline=True, integer=True),
    _number("scale.requests_per_user_day", _U, "scale", "1/day", 0, 1e5, above_minimum=True),
    _share("scale.eligible_device_share", _U, "scale"),
    _flag("scale.shared_state", _U, "scale"),
    _flag("scale.compute_paid_by_user", _U, "scale"),
    # rule 5
    _number("updates.update_interval_days", _U, "updates", DAYS, 0, 3_650, above_minimum=True, headline=True),
    _number("updates.download_limit_bytes", _U, "updates", BYTES, 0, TERA, above_minimum=True),
    _choice("updates.carrier", _U, "updates", DownloadCarrier),
    # rule 6
    _choice("offline.need", _U, "offline", OfflineNeed, headline=True),
    _flag("offline.closed_network", _U, "offline"),
    # besides the six
    _flag("circumstances.contract_accepts_cloud", _U, "circumstances"),
    _flag("circumstances.audit_needed", _U, "circumstances"),
    _flag("circumstances.hardware_owned", _U, "circumstances"),
    _choice("circumstances.skills", _U, "circumstances", Skills),
    _choice("circumstances.load_shape", _U, "circumstances", LoadShape),
    _number("circumstances.data_gravity_bytes", _U, "circumstances", BYTES, 0, 1e18),
    _number("circumstances.procurement_months", _U, "circumstances", MONTHS, 0, 60),
    # hardware questions
    _choice("hardware.purpose", _H, "purpose", Purpose, headline=True),
    _flag("hardware.token_speed_felt", _H, "speed", headline=True, asked_if=_online),
    _flag("hardware.model_fixed", _H, "flexibility", headline=True),
    _flag("hardware.constant_latency", _H, "speed", asked_if=_online),
    _flag("hardware.long_context", _H, "speed"),
    _number("hardware.matrix_size", _H, "flexibility", COUNT, 1, 1e6, integer=True),
    _choice("hardware.framework", _H, "software", Framework),
    _flag("hardware.vendor_lock_accepted", _H, "software"),
    _flag("hardware.google_cloud", _H, "software"),
    Question("hardware.owned", Kind.LIST, _H, "machines", table="device"),
    # memory
    _id("serving.model", _M, "model", "model"),
    _id("serving.weight_format", _M, "model", "weight_format"),
    _id("serving.engine", _M, "model", "engine"),
    _id("serving.kv_format", _M, "model", "kv_format"),
    _number("serving.context_tokens", _M, "model", TOKENS, 1, 100_000_000, integer=True),
    _number("serving.concurrency", _M, "model", COUNT, 1, 1e6, integer=True),
    _id("serving.device", _M, "device", "device"),
    _number("serving.device_count", _M, "device", COUNT, 1, 100_000, integer=True),
    _number("serving.tensor_parallel", _M, "device", COUNT, 1, 1_024, integer=True),
    _id("serving.target_device", _M, "on_device", "target"),
    _id("serving.target_model", _M, "on_device", "model"),
    # speed
    _number("demand.prompt_tokens", _S, "lengths", TOKENS, 1, 100_000_000),
    _number("demand.prompt_tokens_p95", _S, "lengths", TOKENS, 1, 100_000_000),
    _number("demand.output_tokens", _S, "lengths", TOKENS, 1, 10_000_000),
    _number("demand.output_tokens_p95", _S, "lengths", TOKENS, 1, 10_000_000),
    _share("demand.cached_prefix_share", _S, "lengths"),
    _number("serving.speculative_acceptance", _S, "lengths", TOKENS, 1, 16),
    # capacity
    _number("demand.active_hours_per_day", _K, "demand", "h", 0, 24, above_minimum=True, asked_if=_online),
    _number("demand.peak_factor", _K, "demand", COUNT, 1, 1_000, asked_if=_online),
    _number("demand.peak_requests_per_s", _K, "demand", "request/s", 0, 1e8, above_minimum=True, asked_if=_online),
    _number("demand.growth_per_year", _K, "demand", RATIO, -1, 100),
    _number("demand.batch_items", _K, "demand", COUNT, 1, 1e12, integer=True, asked_if=_batch),
    _number("demand.batch_window_hours", _K, "demand", "h", 0, 8_760, above_minimum=True, asked_if=_batch),
    _number("demand.batch_runs_per_month", _K, "demand", COUNT, 0, 10_000, above_minimum=True, asked_if=_batch),
    _number("targets.time_to_first_token_s", _K, "targets", SECONDS, 0, 86_400, above_minimum=True, asked_if=_online),
    _number("targets.time_per_output_token_s", _K, "targets", SECONDS, 0, 600, above_minimum=True, asked_if=_online),
    _number("targets.end_to_end_s", _K, "targets", SECONDS, 0, 86_400, above_minimum=True, asked_if=_online),
    Question(
        "targets.percentile", Kind.SHARE, _K, "targets", unit=RATIO, minimum=0.5, maximum=0.9999, asked_if=_online
    ),
    _number("targets.availability_spares", _K, "targets", COUNT, 0, 10, integer=True),
    # cost
    _number("budget.horizon_years", _P, "horizon", "year", 0, 10, above_minimum=True),
    _id("budget.api_model", _P, "cloud", "api_model"),
    _id("budget.gpu_instance", _P, "cloud", "gpu_instance"),
    _share("budget.api_batch_discount", _P, "cloud"),
    _share("budget.utilisation", _P, "cloud"),
    _number("budget.server_price_usd", _P, "on_premise", USD, 0, 1e9, above_minimum=True),
    _number("budget.depreciation_years", _P, "on_premise", "year", 0, 20, above_minimum=True),
    _id("budget.electricity_tariff", _P, "on_premise", "tariff"),
    _number("budget.electricity_usd_per_kwh", _P, "on_premise", "USD/kWh", 0, 10, above_minimum=True),
    _number("budget.power_usage_effectiveness", _P, "on_premise", RATIO, 1, 5),
    _number("budget.staff_fte", _P, "on_premise", COUNT, 0, 1_000),
    _number("budget.staff_usd_per_year", _P, "on_premise", USD, 0, 1e7),
    _number("budget.on_device_engineering_usd", _P, "on_device", USD, 0, 1e9),
    _number("budget.test_usd_per_device_class", _P, "on_device", USD, 0, 1e8),
    _number("budget.device_classes_tested", _P, "on_device", COUNT, 0, 1_000, integer=True),
)


@cache
def _by_path() -> dict[str, Question]:
    return {q.path: q for q in QUESTIONS}


def question(path: str) -> Question:
    """The question at `path`. Raises UnknownId with the nearest three paths."""
    try:
        return _by_path()[path]
    except KeyError:
        raise UnknownId("question", path, _by_path()) from None


def questions_of(step: Step, workload: Workload) -> tuple[Question, ...]:
    """What a step asks of this workload: questions that its answers make pointless are left out."""
    return tuple(q for q in QUESTIONS if q.step is step and q.asked_if(workload))


def validate(path: str, value: Any, known_ids: Iterable[str] | None = None) -> None:
    """Refuse a wrong answer with one sentence. None (not known) is always allowed.

    `known_ids` are the catalogue ids an answer of kind CATALOGUE may name. Raises InvalidInput or UnknownId.
    """
    asked = question(path)
    if value is None:
        return
    if asked.kind is Kind.CHOICE and str(value) not in asked.choices:
        raise InvalidInput(msg("error.not_a_choice", field=asked.title, choices=", ".join(asked.choices)))
    if asked.kind is Kind.FLAG and not isinstance(value, bool):
        raise InvalidInput(msg("error.not_yes_or_no", field=asked.title))
    if asked.kind in (Kind.NUMBER, Kind.SHARE):
        _validate_number(asked, value)
    if asked.kind is Kind.CATALOGUE and known_ids is not None and value not in set(known_ids):
        raise UnknownId(asked.table, str(value), known_ids)


def _validate_number(asked: Question, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidInput(msg("error.not_a_number", field=asked.title))
    if asked.integer and value != int(value):
        raise InvalidInput(msg("error.not_whole", field=asked.title))
    low, high = asked.minimum, asked.maximum
    if low is not None and (value < low or (asked.above_minimum and value == low)):
        key = "error.must_exceed" if asked.above_minimum else "error.too_small"
        raise InvalidInput(msg(key, field=asked.title, limit=Quantity(low, asked.unit)))
    if high is not None and value > high:
        raise InvalidInput(msg("error.too_large", field=asked.title, limit=Quantity(high, asked.unit)))
