"""Answers that do not go together, each with the answer most worth asking about again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from attrs import frozen

from engine.advice.rules.scale import requests_per_month
from engine.consultation import (
    Boundary,
    DeviceClass,
    Intelligence,
    LoadShape,
    NetworkTrust,
    OfflineNeed,
    Sensitivity,
    Waiting,
    Workload,
)
from engine.messages import Message, msg


@frozen
class Contradiction:
    """Two answers against each other. `paths`: the questions, the one to ask again first."""

    message: Message
    paths: tuple[str, ...]


def _batch_with_budget(w: Workload) -> bool:
    return w.profile.waiting is Waiting.BATCH and (w.immediacy.latency_budget_s or 1e9) < 60.0


def _narrow_but_hard(w: Workload) -> bool:
    return w.intelligence.hardness is Intelligence.NARROW and (w.intelligence.hard_share or 0.0) >= 0.5


def _frontier_but_easy(w: Workload) -> bool:
    return w.intelligence.hardness is Intelligence.FRONTIER and w.intelligence.hard_share == 0.0


def _no_network_no_offline(w: Workload) -> bool:
    return w.immediacy.network_trust is NetworkTrust.NONE and w.offline.need is OfflineNeed.NO


def _secret_without_boundary(w: Workload) -> bool:
    return w.data.sensitivity is Sensitivity.SECRET and w.data.boundary is Boundary.NONE


def _device_boundary_without_device(w: Workload) -> bool:
    return w.data.boundary is Boundary.DEVICE and w.profile.device_class is DeviceClass.SERVER


def _device_alone_with_shared_state(w: Workload) -> bool:
    return bool(w.scale.shared_state) and w.data.boundary is Boundary.DEVICE


def _closed_but_reliable(w: Workload) -> bool:
    return bool(w.offline.closed_network) and w.data.boundary is Boundary.NONE


def _contract_against_boundary(w: Workload) -> bool:
    return w.circumstances.contract_accepts_cloud is False and bool(w.data.sealed_cloud_accepted)


def _fixed_but_changing(w: Workload) -> bool:
    return bool(w.hardware.model_fixed) and (w.updates.update_interval_days or 1e9) <= 31.0


def _owned_but_not(w: Workload) -> bool:
    return w.circumstances.hardware_owned is False and bool(w.hardware.owned)


def _rare_but_many(w: Workload) -> bool:
    asked = requests_per_month(w.scale)
    return w.circumstances.load_shape is LoadShape.RARE and (asked or 0.0) > 1e6


def _output_longer_than_context(w: Workload) -> bool:
    context = w.serving.context_tokens
    asked = (w.demand.prompt_tokens or 0.0) + (w.demand.output_tokens or 0.0)
    return context is not None and asked > context


CHECKS: Final[tuple[tuple[str, Callable[[Workload], bool], tuple[str, ...]], ...]] = (
    ("batch_with_budget", _batch_with_budget, ("profile.waiting", "immediacy.latency_budget_s")),
    ("narrow_but_hard", _narrow_but_hard, ("intelligence.hardness", "intelligence.hard_share")),
    ("frontier_but_easy", _frontier_but_easy, ("intelligence.hardness", "intelligence.hard_share")),
    ("no_network_no_offline", _no_network_no_offline, ("offline.need", "immediacy.network_trust")),
    ("secret_without_boundary", _secret_without_boundary, ("data.boundary", "data.sensitivity")),
    ("device_boundary_without_device", _device_boundary_without_device, ("profile.device_class", "data.boundary")),
    ("device_with_shared_state", _device_alone_with_shared_state, ("scale.shared_state", "data.boundary")),
    ("closed_without_boundary", _closed_but_reliable, ("data.boundary", "offline.closed_network")),
    (
        "contract_against_sealed",
        _contract_against_boundary,
        ("circumstances.contract_accepts_cloud", "data.sealed_cloud_accepted"),
    ),
    ("fixed_but_changing", _fixed_but_changing, ("hardware.model_fixed", "updates.update_interval_days")),
    ("owned_but_not", _owned_but_not, ("circumstances.hardware_owned", "hardware.owned")),
    ("rare_but_many", _rare_but_many, ("circumstances.load_shape", "scale.requests_per_user_day")),
    ("longer_than_context", _output_longer_than_context, ("serving.context_tokens", "demand.prompt_tokens")),
)


def contradictions(workload: Workload) -> tuple[Contradiction, ...]:
    """Every pair of answers that cannot both be meant."""
    return tuple(
        Contradiction(msg(f"advice.contradiction.{name}"), paths) for name, found, paths in CHECKS if found(workload)
    )
