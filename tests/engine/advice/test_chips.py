"""Which chip, and why: what rules a family out, what puts it first, and that the numbers stand beside it."""

from __future__ import annotations

from datetime import date

import attrs
import pytest

from engine.advice import chip_flips, chip_rules
from engine.advice.chip_machines import families_owned
from engine.advice.chip_rules import FAMILIES, ChipCircumstances
from engine.advice.results import Placement
from engine.assess import assess
from engine.consultation import (
    Consultation,
    DeviceClass,
    Framework,
    HardwareNeeds,
    OwnedDevices,
    Purpose,
    Serving,
    Waiting,
    Workload,
)

CLOUD = ChipCircumstances(Placement.CLOUD_GPU, False, DeviceClass.PC, small=False, rare=False)
TABLE = (
    # needs, around (changes to CLOUD), first family, families ruled out
    (HardwareNeeds(), {}, "gpu", "phone"),
    (HardwareNeeds(purpose=Purpose.TRAINING), {}, "gpu", "lpu phone"),
    (HardwareNeeds(purpose=Purpose.BOTH, framework=Framework.JAX, google_cloud=True), {}, "tpu", "lpu phone"),
    (HardwareNeeds(token_speed_felt=True, model_fixed=True, constant_latency=True), {}, "lpu", "phone"),
    (HardwareNeeds(token_speed_felt=True, model_fixed=False), {}, "gpu", "phone"),
    (HardwareNeeds(token_speed_felt=True, model_fixed=True, long_context=True), {}, "gpu", "phone"),
    (HardwareNeeds(token_speed_felt=True, model_fixed=True), {"batch": True}, "gpu", "phone"),
    (HardwareNeeds(token_speed_felt=True, vendor_lock_accepted=False), {}, "gpu", "phone"),
    (HardwareNeeds(google_cloud=False, framework=Framework.JAX), {}, "gpu", "tpu phone"),
    (HardwareNeeds(google_cloud=True, framework=Framework.JAX, matrix_size=4096), {}, "tpu", "phone"),
    (HardwareNeeds(google_cloud=True, framework=Framework.JAX, matrix_size=32), {}, "gpu", "phone"),
    (HardwareNeeds(framework=Framework.PYTORCH, google_cloud=True), {}, "gpu", "phone"),
    (HardwareNeeds(), {"small": True, "rare": True}, "cpu", "phone"),
    (HardwareNeeds(token_speed_felt=False), {"small": True, "rare": True}, "cpu", "phone"),
    (HardwareNeeds(), {"small": True, "rare": False}, "gpu", "phone"),
    (HardwareNeeds(), {"placement": Placement.ON_PREMISE}, "gpu", "tpu phone"),
    (HardwareNeeds(), {"placement": Placement.ON_DEVICE, "device_class": DeviceClass.PHONE, "small": True}, "phone",
     "gpu tpu lpu"),
    (HardwareNeeds(), {"placement": Placement.ON_DEVICE, "device_class": DeviceClass.CAMERA, "small": True}, "npu",
     "gpu tpu lpu phone"),
    (HardwareNeeds(), {"owned": frozenset({"cpu"}), "small": True, "rare": False}, "gpu", "phone"),
    (HardwareNeeds(), {"owned": frozenset({"npu"})}, "gpu", "phone"),
)  # fmt: skip


@pytest.mark.parametrize(("needs", "changes", "first", "out"), TABLE)
def test_the_hardware_questions(needs, changes, first, out):
    ballot = chip_rules.weigh(needs, attrs.evolve(CLOUD, **changes))
    assert ballot.excluded == set(out.split())
    assert ballot.leader() == first


def test_nothing_left_is_nothing_chosen():
    ballot = chip_rules.FamilyBallot()
    ballot.exclude(" ".join(FAMILIES), "advice.chip.cannot_train")
    assert ballot.leader() is None


def test_score_and_explanation_weigh_the_same():
    needs = HardwareNeeds(token_speed_felt=True, model_fixed=True, framework=Framework.PYTORCH)
    quick, full = (chip_rules.weigh(needs, CLOUD, explain=e) for e in (False, True))
    assert quick.weights == full.weights
    assert not any(quick.reasons.values())
    assert all(full.checks.values())


def test_a_chip_flip_puts_another_family_first():
    workload = Workload("w", hardware=HardwareNeeds(token_speed_felt=True, model_fixed=True, constant_latency=True))
    now = chip_rules.weigh(workload.hardware, CLOUD).leader()
    found = chip_flips.find(workload, CLOUD)
    assert found
    for flip in found:
        changed = attrs.evolve(workload.hardware, **{flip.path.partition(".")[2]: flip.after})
        assert chip_rules.weigh(changed, CLOUD).leader() == flip.chip != now


def judged(catalogue, **parts):
    consultation = Consultation("c", workloads=(Workload("w", **parts),))
    return assess(consultation, catalogue, date(2026, 12, 1)).workloads[0]


def test_the_options_carry_fit_power_price_and_count(catalogue):
    serving = Serving(model="llama-3.3-70b", weight_format="fp8", device="nvidia-h100-sxm", device_count=2)
    options = {o.family: o for o in judged(catalogue, serving=serving).chips}
    assert set(options) == set(FAMILIES)
    gpu, lpu, tpu = options["gpu"], options["lpu"], options["tpu"]
    assert (gpu.device, gpu.count.value, gpu.fits) == ("nvidia-h100-sxm", 2, True)
    assert gpu.power_w.value == 1400
    assert gpu.usd_per_month.low <= gpu.usd_per_month.value <= gpu.usd_per_month.high
    assert lpu.count.low == 307, "70.55 GB over 230 MB"
    assert lpu.count.low < lpu.count.value < lpu.count.high
    assert tpu.device.startswith("google-tpu")
    assert tpu.fits
    assert any(m.key == "advice.chip.array_utilisation" for m in tpu.reasons)
    assert all(o.checks for o in options.values())


def test_the_ranking_is_sorted_and_the_excluded_come_last(catalogue):
    options = judged(catalogue, hardware=HardwareNeeds(purpose=Purpose.TRAINING)).chips
    assert [o.excluded for o in options] == sorted(o.excluded for o in options)
    scores = [o.score for o in options if not o.excluded]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 1.0
    assert all(o.score == 0.0 and o.device is None for o in options if o.excluded)


def test_owned_machines_come_before_the_list(catalogue):
    hardware = HardwareNeeds(owned=(OwnedDevices("nvidia-a40", 2),))
    made = judged(catalogue, hardware=hardware, serving=Serving(model="qwen3-14b"))
    assert families_owned(made.workload, catalogue) == {"gpu"}
    assert made.deployment.device.id == "nvidia-a40"
    assert next(o for o in made.chips if o.family == "gpu").device == "nvidia-a40"


def test_a_model_that_fits_no_phone_puts_the_phone_behind(catalogue):
    from engine.consultation import OfflineNeed, OfflineUse, Profile

    made = judged(
        catalogue,
        profile=Profile(waiting=Waiting.ONLINE, device_class=DeviceClass.PHONE),
        offline=OfflineUse(OfflineNeed.FULL),
        serving=Serving(target_device="phone-old", target_model="qwen3-8b"),
    )
    phone = next(o for o in made.chips if o.family == "phone")
    assert phone.device == "phone-old"
    assert phone.fits is False
