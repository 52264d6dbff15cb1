"""The hardware questions: what each answer says about each kind of chip. No numbers of a device in here, so that asking again is
cheap.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

from engine.advice.ballot import DECISIVE, FIRM, LEAN, SLIGHT, STRONG
from engine.advice.meaning import SITES, Site
from engine.advice.results import Placement
from engine.consultation import DeviceClass, Framework, HardwareNeeds, Purpose, Waiting, Workload
from engine.messages import Message, msg

FAMILIES: Final = ("gpu", "cpu", "tpu", "lpu", "npu", "phone")
SMALL_MATRIX: Final = 128.0
LARGE_MATRIX: Final = 1024.0
SMALL_MODEL_BYTES: Final = 6e9
"""Weights at 460 GB/s of a server processor: some 75 reads a second at best, so a person still gets a reading speed."""
RARE_PER_S: Final = 1.0
"""Peak load one processor answers one request after the other."""


@frozen
class ChipCircumstances:
    """What the chip questions depend on besides their own answers."""

    placement: Placement | None
    batch: bool
    device_class: DeviceClass | None
    small: bool | None
    """The model is small enough for a processor (a few GB)."""
    rare: bool | None
    """Requests are rare: less than one a second at the peak."""
    owned: frozenset[str] = frozenset()
    """Families of the machines already there."""


class FamilyBallot:
    """Weights, exclusions, and, when it explains, reasons and checks of the six families."""

    def __init__(self, explain: bool = True) -> None:
        self._explain = explain
        self.weights = dict.fromkeys(FAMILIES, 0.0)
        self.excluded: set[str] = set()
        self.reasons: dict[str, list[tuple[float, Message]]] = {family: [] for family in FAMILIES}
        self.checks: dict[str, list[Message]] = {family: [] for family in FAMILIES}

    def weigh(self, families: str, weight: float, key: str) -> None:
        for family in families.split():
            self.weights[family] += weight
            if self._explain:
                self.reasons[family].append((weight, msg(key)))

    def exclude(self, families: str, key: str) -> None:
        for family in families.split():
            self.excluded.add(family)
            if self._explain:
                self.reasons[family].append((-DECISIVE, msg(key)))

    def check(self, families: str, key: str) -> None:
        for family in families.split():
            self.checks[family].append(msg(key))

    def leader(self) -> str | None:
        standing = [f for f in FAMILIES if f not in self.excluded]
        return max(standing, key=lambda f: (self.weights[f], -FAMILIES.index(f))) if standing else None


def weigh(needs: HardwareNeeds, around: ChipCircumstances, explain: bool = True) -> FamilyBallot:
    """Every hardware question asked of every family."""
    ballot = FamilyBallot(explain)
    _place(around, ballot)
    _purpose(needs, ballot)
    _speed(needs, around, ballot)
    _flexibility(needs, ballot)
    _matrices(needs, ballot)
    _software(needs, ballot)
    _size(around, ballot)
    for family in around.owned:
        ballot.weigh(family, STRONG, "advice.chip.owned")
    if explain:
        _checks(ballot)
    return ballot


def _place(around: ChipCircumstances, ballot: FamilyBallot) -> None:
    """Where it runs limits what it may run on: nobody installs a rack in a phone, or sells a TPU into a building."""
    sites = SITES[around.placement] if around.placement else frozenset()
    ballot.weigh("gpu", LEAN, "advice.chip.gpu_takes_almost_anything")
    held = around.device_class
    if sites == {Site.DEVICE}:
        ballot.exclude("tpu lpu", "advice.chip.not_in_a_device")
        handset = held in (DeviceClass.PHONE, DeviceClass.WEARABLE, None)
        ballot.weigh("phone" if handset else "npu", STRONG, "advice.chip.in_the_device")
        if held not in (
            DeviceClass.PC,
            DeviceClass.MACHINE,
            DeviceClass.ROBOT,
            DeviceClass.CAR,
            DeviceClass.VESSEL,
            None,
        ):
            ballot.exclude("gpu", "advice.chip.no_gpu_in_there")
    elif Site.DEVICE in sites:
        ballot.weigh("phone", FIRM, "advice.chip.near_part")
    elif sites:
        ballot.exclude("phone", "advice.chip.not_on_a_phone")
    if sites == {Site.PREMISE}:
        ballot.exclude("tpu", "advice.chip.tpu_only_rented")
    if held not in (DeviceClass.PHONE, DeviceClass.WEARABLE, None):
        ballot.exclude("phone", "advice.chip.no_phone_here")


def _purpose(needs: HardwareNeeds, ballot: FamilyBallot) -> None:
    if needs.purpose in (Purpose.TRAINING, Purpose.BOTH):
        ballot.exclude("lpu phone", "advice.chip.cannot_train")
        ballot.weigh("cpu npu", -STRONG, "advice.chip.trains_slowly")
        ballot.weigh("gpu tpu", LEAN, "advice.chip.trains")


def _speed(needs: HardwareNeeds, around: ChipCircumstances, ballot: FamilyBallot) -> None:
    if around.batch:
        ballot.weigh("gpu", LEAN, "advice.chip.large_batches_are_cheap")
        ballot.weigh("lpu", -STRONG, "advice.chip.speed_nobody_feels")
        return
    if needs.token_speed_felt:
        ballot.weigh("lpu", STRONG, "advice.chip.weights_beside_the_arithmetic")
        ballot.weigh("cpu", -LEAN, "advice.chip.slow_tokens")
    elif needs.token_speed_felt is False:
        ballot.weigh("lpu", -FIRM, "advice.chip.speed_nobody_feels")
    if needs.constant_latency:
        ballot.weigh("lpu", FIRM, "advice.chip.time_known_beforehand")
        ballot.weigh("gpu cpu", -SLIGHT, "advice.chip.time_varies")
    if needs.long_context:
        ballot.weigh("lpu", -FIRM, "advice.chip.cache_on_chip")
        ballot.weigh("gpu", SLIGHT, "advice.chip.room_for_cache")


def _flexibility(needs: HardwareNeeds, ballot: FamilyBallot) -> None:
    if needs.model_fixed:
        ballot.weigh("lpu", SLIGHT, "advice.chip.plan_made_once")
    elif needs.model_fixed is False:
        ballot.weigh("lpu", -STRONG, "advice.chip.plan_made_again")
        ballot.weigh("tpu npu", -SLIGHT, "advice.chip.compiled_again")
        ballot.weigh("gpu", SLIGHT, "advice.chip.any_model_at_once")


def _matrices(needs: HardwareNeeds, ballot: FamilyBallot) -> None:
    size = needs.matrix_size
    if size is None:
        return
    if size < SMALL_MATRIX:
        ballot.weigh("tpu", -STRONG, "advice.chip.array_mostly_padding")
        ballot.weigh("gpu", -SLIGHT, "advice.chip.copy_costs_more")
        ballot.weigh("cpu", LEAN, "advice.chip.no_copy_needed")
    elif size >= LARGE_MATRIX:
        ballot.weigh("tpu", LEAN, "advice.chip.array_full")


def _software(needs: HardwareNeeds, ballot: FamilyBallot) -> None:
    if needs.framework is Framework.JAX:
        ballot.weigh("tpu", LEAN, "advice.chip.framework_at_home")
    elif needs.framework is Framework.TENSORFLOW:
        ballot.weigh("tpu", SLIGHT, "advice.chip.framework_at_home")
    elif needs.framework is Framework.PYTORCH:
        ballot.weigh("gpu", SLIGHT, "advice.chip.framework_at_home")
        ballot.weigh("tpu npu lpu", -SLIGHT, "advice.chip.framework_ported")
    elif needs.framework is Framework.LLAMA_CPP:
        ballot.weigh("cpu", SLIGHT, "advice.chip.framework_at_home")
        ballot.weigh("tpu lpu", -STRONG, "advice.chip.framework_missing")
    if needs.vendor_lock_accepted is False:
        ballot.weigh("tpu lpu", -STRONG, "advice.chip.one_vendor")
        ballot.weigh("npu", -LEAN, "advice.chip.one_vendor")
    if needs.google_cloud is False:
        ballot.exclude("tpu", "advice.chip.no_google_cloud")
    elif needs.google_cloud:
        ballot.weigh("tpu", SLIGHT, "advice.chip.google_cloud_there")


def _size(around: ChipCircumstances, ballot: FamilyBallot) -> None:
    if around.small and around.rare:
        ballot.weigh("cpu", STRONG, "advice.chip.small_and_rare")
    elif around.small is False or around.rare is False:
        ballot.weigh("cpu", -STRONG, "advice.chip.too_large_or_too_many")
    if around.small is False:
        ballot.weigh("npu phone", -LEAN, "advice.chip.small_memory")


def _checks(ballot: FamilyBallot) -> None:
    ballot.check("gpu", "advice.chip.check.driver_memory")
    ballot.check("gpu", "advice.chip.check.links")
    ballot.check("tpu", "advice.chip.check.google_region")
    ballot.check("tpu", "advice.chip.check.host_feed")
    ballot.check("lpu", "advice.chip.check.format_decides_chips")
    ballot.check("lpu", "advice.chip.check.cache_pressure")
    ballot.check("cpu", "advice.chip.check.measure_peak")
    ballot.check("npu", "advice.chip.check.software_stack")
    ballot.check("phone", "advice.chip.check.granted_memory")
    ballot.check("phone", "advice.chip.check.heat")


def circumstances(
    workload: Workload,
    placement: Placement | None,
    model_bytes: float | None,
    peak_per_s: float | None,
    owned: frozenset[str],
) -> ChipCircumstances:
    """What stands around the chip questions, from the rest of the assessment."""
    return ChipCircumstances(
        placement=placement,
        batch=workload.profile.waiting is Waiting.BATCH,
        device_class=workload.profile.device_class,
        small=None if model_bytes is None else model_bytes <= SMALL_MODEL_BYTES,
        rare=None if peak_per_s is None else peak_per_s < RARE_PER_S,
        owned=owned,
    )
