"""The numbers of a workload: every room asked, refusals as gaps, kept only for what the rooms really read."""

from __future__ import annotations

from datetime import date

import attrs
import pytest

from app.host.paths import ASSETS
from engine import reckon as room
from engine import rooms
from engine.advice.deploying import COUNTS, SERVER_DEVICES
from engine.advice.results import Placement
from engine.assess import assess
from engine.assumptions import Ledger
from engine.consultation import (
    Boundary,
    Circumstances,
    Consultation,
    Immediacy,
    LoadShape,
    NetworkTrust,
    OfflineNeed,
    OfflineUse,
    Readiness,
    Sensitivity,
    Serving,
    Skills,
    UserScale,
    Workload,
)
from engine.cost.kinds import CostKind
from engine.documents import from_json
from engine.reckon import Surroundings, reckon, what_rooms_read
from tests.engine.advice.describe import workload

TODAY = date(2026, 12, 1)
SAMPLES = [
    w
    for path in sorted((ASSETS / "samples").glob("*.waypost"))
    for w in from_json(path.read_text(encoding="utf-8")).workloads
]


@pytest.fixture
def around(catalogue):
    return Surroundings(catalogue, TODAY, "KR")


def judged(catalogue, made):
    return assess(Consultation("c", workloads=(made,)), catalogue, TODAY).workloads[0]


def unread(w: Workload) -> Workload:
    """The workload with everything changed that no room reads."""
    return attrs.evolve(
        w,
        name="another name",
        offline=OfflineUse(OfflineNeed.BASICS, True),
        stages=(),
        immediacy=attrs.evolve(w.immediacy, network_trust=NetworkTrust.PATCHY, speed_m_per_s=3.0, outage_s=9.0),
        data=attrs.evolve(w.data, sensitivity=Sensitivity.SECRET, sealed_cloud_accepted=True, regulations=()),
        circumstances=Circumstances(True, True, True, Skills.TEAM, w.circumstances.load_shape, 1e15, 9.0),
        hardware=attrs.evolve(w.hardware, matrix_size=77.0, model_fixed=True, google_cloud=True),
        readiness=attrs.evolve(w.readiness, endpoint=False, health=True, monitors_quality=False),
    )


@pytest.mark.parametrize("made", SAMPLES, ids=lambda w: w.id)
def test_the_rooms_read_only_what_the_key_holds(made, around):
    """If this fails a room has begun to read another answer: add it to `what_rooms_read`."""
    other = unread(made)
    assert what_rooms_read(made) == what_rooms_read(other)
    results = []
    for w in (made, other):
        ledger = Ledger()
        results.append((room._reckon(w, Placement.ON_PREMISE, around, ledger), ledger.entries))
    (first, entries), (second, others) = results
    assert first.capacity == second.capacity
    assert first.cost.options == second.cost.options
    assert first.cost.sensitivities == second.cost.sensitivities
    assert first.gaps == second.gaps
    assert entries == others


@pytest.mark.parametrize(
    "changed",
    [
        {"scale": UserScale(5.0)},
        {"immediacy": Immediacy(latency_budget_s=0.4)},
        {"serving": Serving(model="qwen3-8b")},
        {"readiness": Readiness(load_minutes=9.0)},
        {"circumstances": Circumstances(load_shape=LoadShape.RARE)},
    ],
)
def test_what_a_room_reads_changes_the_key(changed):
    assert what_rooms_read(attrs.evolve(SAMPLES[0], **changed)) != what_rooms_read(SAMPLES[0])


def test_the_ledger_is_the_same_from_memory(around):
    first, again = Ledger(), Ledger()
    reckon(SAMPLES[0], Placement.ON_PREMISE, around, first)
    reckon(SAMPLES[0], Placement.ON_PREMISE, around, again)
    assert first.entries == again.entries != ()


def test_all_rooms_answer_the_bank(catalogue):
    made = judged(catalogue, SAMPLES[0])
    assert made.gaps == ()
    assert made.fit.fits
    assert made.speed.decode_tokens_per_s.value < made.speed.ceiling_tokens_per_s.value
    assert made.capacity.replicas.value >= 1
    assert made.cost.cheapest is not None
    assert max(entry.impact for entry in made.assumptions) > 0


def test_on_the_device_there_are_no_replicas_but_there_is_a_price(catalogue):
    made = judged(catalogue, workload(**{"class": "phone"}, offline="full", hardness="narrow", users=1e6, requests=5))
    assert made.placement.chosen is Placement.ON_DEVICE
    assert made.deployment.device.id == "phone-mid"
    assert made.capacity is None
    assert [name for name, _ in made.gaps] == ["capacity"]
    priced = {o.kind for o in made.cost.options if o.per_month_usd is not None}
    assert {CostKind.ON_DEVICE, CostKind.API, CostKind.RENTED_GPU} <= priced


def test_a_refusal_is_a_gap_and_the_rest_stands(catalogue):
    unknown = attrs.evolve(SAMPLES[0], serving=Serving(model="no-such-model"))
    made = judged(catalogue, unknown)
    assert made.deployment is None
    assert {name for name, _ in made.gaps} >= {"fit", "speed", "capacity"}
    assert made.placement.chosen is Placement.ON_PREMISE
    assert made.chips
    forbidden = attrs.evolve(SAMPLES[0].serving, device_count=3, tensor_parallel=3)
    made = judged(catalogue, attrs.evolve(SAMPLES[0], serving=forbidden))
    assert made.fit is None
    assert dict(made.gaps)["fit"].key.startswith("memory.")
    assert made.cost is not None


def test_what_fits_nobody_serves_nobody(catalogue):
    tiny = Serving(model="llama-3.3-70b", weight_format="fp8", device="nvidia-l4", device_count=1)
    made = judged(catalogue, attrs.evolve(SAMPLES[0], serving=tiny))
    assert made.fit is not None
    assert not made.fit.fits
    assert made.capacity is None
    assert "capacity" in dict(made.gaps)


def test_the_choice_of_waypost_is_in_the_ledger(catalogue):
    made = judged(catalogue, workload(trust="reliable", hardness="medium", boundary="organisation"))
    listed = {entry.path for entry in made.assumptions}
    assert {"serving.model", "serving.device", "serving.weight_format", "serving.engine"} <= listed
    assert made.deployment.device.id in SERVER_DEVICES
    assert made.fit.fits


def test_the_smallest_machine_of_the_list_is_chosen(catalogue):
    made = judged(catalogue, workload(trust="reliable", hardness="medium", boundary="organisation")).deployment
    chosen = made.device_count * made.device.driver_memory.value
    for name in SERVER_DEVICES:
        device = catalogue.device(name)
        for count in COUNTS:
            size = count * (device.driver_memory or device.memory).value
            if size < chosen:
                weaker = attrs.evolve(made, device=device, device_count=count, tensor_parallel=count)
                assert not rooms.holds(weaker)


def test_the_crossover_speaks_in_rule_four(catalogue):
    base = {"class": "phone", "actor": "person", "trust": "patchy", "boundary": "none", "hardness": "narrow"}
    few = judged(catalogue, workload(**base, users=2_000, requests=2))
    many = judged(catalogue, workload(**base, users=5e8, requests=40))

    def headline(made):
        return next(r.headline.key for r in made.placement.rules if r.rule.value == "scale")

    assert headline(few) == "advice.scale.headline.below"
    assert headline(many) == "advice.scale.headline.above"


def test_a_named_target_is_reckoned_with_where_the_device_takes_part(catalogue):
    made = judged(catalogue, SAMPLES[-1])
    assert made.workload.id == "voice-translator"
    assert made.deployment.device.id == made.workload.serving.target_device
    assert made.workload.data.boundary is Boundary.DEVICE


def test_context_and_users_at_once_flip_the_fit(catalogue):
    from engine import rooms

    made = judged(catalogue, SAMPLES[0])
    found = {f.path: f for f in made.flips if f.path.startswith("serving.")}
    assert set(found) == {"serving.context_tokens", "serving.concurrency"}
    for path, flip in found.items():
        name = path.partition(".")[2]
        assert not rooms.holds(attrs.evolve(made.deployment, **{name: flip.after}))
        assert rooms.holds(attrs.evolve(made.deployment, **{name: flip.after - 1}))


def test_what_does_not_fit_is_told_what_would(catalogue):
    from engine import rooms

    crowded = attrs.evolve(SAMPLES[0].serving, concurrency=64)
    made = judged(catalogue, attrs.evolve(SAMPLES[0], serving=crowded))
    assert not made.fit.fits
    flip = next(f for f in made.flips if f.path == "serving.concurrency")
    assert flip.after < 64
    assert rooms.holds(attrs.evolve(made.deployment, concurrency=flip.after))


def test_the_cheaper_cloud_is_weighed(catalogue):
    chat = next(w for w in SAMPLES if w.id == "shop-chat")
    made = judged(catalogue, chat)
    said = [e for rule in made.placement.rules for e in rule.effects if e.reason.key == "advice.scale.cheaper_cloud"]
    bills = {o.kind: o.per_month_usd for o in made.cost.options}
    cheaper = (
        Placement.CLOUD_API if bills[CostKind.API].value < bills[CostKind.RENTED_GPU].value else Placement.CLOUD_GPU
    )
    assert [e.placement for e in said] == [cheaper]
    assert made.placement.chosen is cheaper
