"""Assessments made by hand: every result type filled, figures that can be checked by eye, no room of the engine needed."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
from attrs import evolve

from app.host.paths import CATALOGUE, SAMPLES
from app.present.scene import Rooms, Scene, scene_of
from engine import documents, edits
from engine.advice.results import (
    ChipOption,
    Conflict,
    Effect,
    Flip,
    HybridDesign,
    NextQuestion,
    Placement,
    PlacementVerdict,
    RankedPlacement,
    Review,
    Rule,
    RuleFinding,
    StageVerdict,
    VerdictKind,
    WorkItem,
)
from engine.assumptions import Assumption
from engine.capacity.demand import DemandResult
from engine.capacity.results import (
    CapacityResult,
    Download,
    Exposure,
    ParallelOption,
    Reach,
    RolloutResult,
    Topology,
)
from engine.capacity.service import LoadPoint
from engine.catalogue import Catalogue, load_catalogue
from engine.consultation import Consultation, Waiting, Workload
from engine.cost.kinds import CostKind
from engine.cost.results import CostCurve, CostLine, CostOption, CostResult, Crossover, Sensitivity
from engine.deployment import Deployment
from engine.estimate import Basis, Estimate, Input, Source, Trace, banded, exact
from engine.memory.results import FitResult, Remedy
from engine.messages import Message, msg
from engine.probe.results import DeviceFacts, Outcome, OutcomeCode, ProbeRun, Reading, Status
from engine.results import Assessment, WorkloadAssessment
from engine.speed.results import SpeedResult
from engine.units import BYTES, COUNT, GIB, RATIO, SECONDS, TOKENS, TOKENS_PER_S, USD, USD_PER_MONTH

TODAY = date(2026, 12, 1)
LEAVE = {Placement.CLOUD_API, Placement.CLOUD_GPU}


def words(key: str = "question.data.boundary.organisation.hint") -> Message:
    """Some sentence that exists in both languages."""
    return msg(key)


def sample(name: str) -> Consultation:
    return documents.from_json((SAMPLES / f"{name}.waypost").read_text(encoding="utf-8"))


def catalogue() -> Catalogue:
    return load_catalogue(CATALOGUE)


def gib(value: float, basis: Basis = Basis.CALIBRATED, spread: float = 0.04) -> Estimate:
    return banded(value * GIB, spread, spread, BYTES, basis)


def rate(value: float, trace: Trace | None = None) -> Estimate:
    return banded(value, 0.18, 0.15, TOKENS_PER_S, Basis.CALIBRATED, trace)


def ceiling_trace() -> Trace:
    source = Source("NVIDIA data sheet", "2024-01")
    return Trace(
        "speed.ceiling",
        "bandwidth / bytes_per_token",
        (
            Input("bandwidth", 864e9, "B/s", Basis.DATASHEET, source),
            Input("bytes_per_token", 17.6e9, "B", Basis.DATASHEET, None, Trace("weights", "params * bits / 8")),
        ),
        "handbook 12.5.1",
    )


def deployment_of(workload: Workload, book: Catalogue) -> Deployment:
    serving = workload.serving
    phone = serving.target_device is not None
    return Deployment(
        model=book.model(serving.model or "qwen3-8b"),
        weight_format=book.weight_format(serving.weight_format or "fp8"),
        device=book.device("qualcomm-snapdragon-8-elite" if phone else serving.device or "nvidia-l40s"),
        engine=book.engine(serving.engine or "vllm"),
        device_count=serving.device_count or 1,
        tensor_parallel=serving.tensor_parallel or 1,
        context_tokens=serving.context_tokens or 8192,
        concurrency=serving.concurrency or 4,
        prompt_tokens=workload.demand.prompt_tokens or 1024,
        output_tokens=workload.demand.output_tokens or 256,
    )


def fit_of(d: Deployment) -> FitResult:
    """Shaped like the real thing: weights split over the devices, cache growing with context and people."""
    weights = d.model.params_total * d.weight_format.bits_per_weight / 8 / GIB / d.device_count
    cache = d.context_tokens * d.concurrency * 131_072 / GIB / d.device_count
    room = (d.device.memory.value if d.device.memory else 24e9) * 0.93 / GIB
    total = weights + cache + 2.7
    return FitResult(
        weights_bytes=gib(weights, Basis.DATASHEET, 0.0),
        kv_cache_bytes=gib(cache, Basis.DATASHEET, 0.0),
        runtime_bytes=gib(2.7, spread=0.2),
        total_bytes=gib(total, spread=0.02),
        device_memory_bytes=gib(room, Basis.DATASHEET, 0.0),
        fits=total * 1.02 < room,
        tight=total < room <= total * 1.02,
        max_context_tokens=exact(99_328, TOKENS),
        max_concurrency=exact(3, COUNT),
        valid_tensor_parallel=(1, 2, 4, 8),
        remedies=(Remedy(words("question.serving.kv_format.why")),),
        notes=(words("question.serving.engine.background"),),
    )


def speed_of(d: Deployment) -> SpeedResult:
    first = 0.12 + d.prompt_tokens / 4_000
    return SpeedResult(
        ceiling_tokens_per_s=exact(49.1, TOKENS_PER_S, trace=ceiling_trace()),
        decode_tokens_per_s=rate(38.3),
        throughput_tokens_per_s=rate(420.0),
        prefill_tokens_per_s=rate(4_100.0),
        prefill_ceiling_tokens_per_s=exact(9_000.0, TOKENS_PER_S),
        time_to_first_token_s=banded(first, 0.2, 0.4, SECONDS, Basis.CALIBRATED),
        time_per_output_token_s=banded(0.0261, 0.13, 0.22, SECONDS, Basis.CALIBRATED),
        unloaded=True,
        bound_by=words("question.serving.kv_format.why"),
        notes=(words("question.demand.prompt_tokens.background"),),
    )


def capacity_of() -> CapacityResult:
    points = tuple(
        LoadPoint(n, 0.2 * n**0.8, 38 * n**0.8, 0.4 + 0.05 * n, 0.026 * n**0.2, 8 + 0.6 * n)
        for n in (1, 2, 4, 8, 16, 32, 64)
    )
    demand = DemandResult(
        requests_per_s_mean=banded(0.37, 0.1, 0.1, "request/s", Basis.ASSUMED),
        requests_per_s_peak=banded(0.93, 0.2, 0.3, "request/s", Basis.ASSUMED),
        requests_per_month=exact(252_000, COUNT, Basis.ASSUMED),
        input_tokens_per_month=exact(756e6, TOKENS, Basis.ASSUMED),
        output_tokens_per_month=exact(106e6, TOKENS, Basis.ASSUMED),
        concurrency_peak=banded(9.3, 0.2, 0.3, COUNT, Basis.ASSUMED),
    )
    return CapacityResult(
        demand=demand,
        batch_size=exact(16, COUNT, Basis.CALIBRATED),
        requests_per_s_per_replica=banded(1.6, 0.2, 0.2, "request/s", Basis.CALIBRATED),
        replicas=exact(2, COUNT, Basis.CALIBRATED),
        spares=1,
        devices=exact(4, COUNT, Basis.CALIBRATED),
        utilisation=banded(0.31, 0.2, 0.2, RATIO, Basis.CALIBRATED),
        queue_wait_s=banded(0.08, 0.5, 1.0, SECONDS, Basis.CALIBRATED),
        percentile=0.95,
        meets_targets=True,
        load_time_s=banded(210.0, 0.3, 0.6, SECONDS, Basis.ASSUMED),
        power_w=banded(1_750.0, 0.1, 0.1, "W", Basis.DATASHEET),
        rack_units=exact(4, COUNT, Basis.ASSUMED),
        curve=points,
        notes=(words("question.readiness.load_minutes.why"),),
        load_parts=(
            (words("question.serving.engine.short"), banded(90.0, 0.3, 0.6, SECONDS, Basis.ASSUMED)),
            (words("question.serving.weight_format.short"), banded(120.0, 0.3, 0.6, SECONDS, Basis.ASSUMED)),
        ),
        topologies=tuple(
            Topology(words(f"question.targets.{key}.short"), n, 2 * n, 875.0 * n, 2.0 * n, sites)
            for key, n, sites in (("percentile", 1, 1), ("availability_spares", 2, 1), ("end_to_end_s", 4, 2))
        ),
        devices_per_replica=2,
        parallel=tuple(ParallelOption(n, 4 // n, 4, n > 1, points[2]) for n in (1, 2, 4)),
        idle_by_hour=tuple(2.0 if hour < 8 or hour > 18 else 0.7 for hour in range(24)),
        rollout=rollout_of(),
    )


def rollout_of() -> RolloutResult:
    source = Source("neurons.dk", "2015-10")
    days, share = (0.0, 3.0, 14.0, 60.0), (0.0, 0.3, 0.7, 0.85)
    return RolloutResult(
        canary_share=exact(0.05, RATIO),
        exposure=Exposure(exact(310, COUNT), exact(40, "user"), exact(6_200, COUNT), 40.0),
        minutes_to_notice=banded(25, 0.2, 0.4, SECONDS, Basis.ASSUMED).scaled(60.0),
        least_canary_share=exact(0.02, RATIO),
        reach=(
            Reach("cloud", words("placement.cloud_api"), False, source, days, (1.0, 1.0, 1.0, 1.0), 0.0, 0.0),
            Reach("example", words("placement.on_device"), True, source, days, share, 9.0, 40.0),
        ),
        download=Download(banded(420, 0.5, 2.0, SECONDS, Basis.ASSUMED), True, exact(0.12, RATIO), (words(),)),
    )


def money(value: float, unit: str = USD_PER_MONTH) -> Estimate:
    return banded(value, 0.16, 0.22, unit, Basis.ASSUMED)


def cost_of() -> CostResult:
    users = np.geomspace(10, 1e6, 60)
    rows = np.vstack([users * 3.1, np.full_like(users, 4_100.0), np.full_like(users, 5_080.0), 9_000 + users * 0])
    lines = (
        CostLine(words("question.budget.server_price_usd.short"), money(58_000, USD), upfront=True),
        CostLine(words("question.budget.staff_fte.short"), money(2_916)),
        CostLine(words("question.budget.electricity_tariff.short"), money(431)),
    )
    labels = {
        CostKind.API: "cost_kind.api",
        CostKind.RENTED_GPU: "cost_kind.rented_gpu",
        CostKind.ON_PREMISE: "cost_kind.on_premise",
        CostKind.ON_DEVICE: "cost_kind.on_device",
    }
    options = tuple(
        CostOption(
            kind=kind,
            label=msg(label),
            lines=lines if kind is CostKind.ON_PREMISE else (),
            upfront_usd=money(58_000, USD) if kind is CostKind.ON_PREMISE else None,
            per_month_usd=None if kind is CostKind.ON_DEVICE else money(float(row[30])),
            per_request_usd=money(0.0201, "USD/request"),
            per_mtok_usd=money(47.8, "USD/Mtoken"),
            missing=(words("question.budget.on_device_engineering_usd"),) if kind is CostKind.ON_DEVICE else (),
            warnings=(words("question.budget.gpu_instance.background"),) if kind is CostKind.RENTED_GPU else (),
            user_battery_joules=exact(31.0, "J") if kind is CostKind.ON_DEVICE else None,
            yearly_usd=tuple(money(float(row[30]) * 12 * year, USD) for year in range(1, 6)),
        )
        for (kind, label), row in zip(labels.items(), rows, strict=True)
    )
    crossing = Crossover(
        CostKind.API,
        CostKind.ON_PREMISE,
        "users",
        banded(1_639, 0.2, 0.3, "user", Basis.ASSUMED),
        words("question.scale.users.why"),
    )
    return CostResult(
        options=options,
        curve=CostCurve(users, tuple(labels), rows, rows * 0.85, rows * 1.2),
        crossovers=(crossing,),
        sensitivities=tuple(
            Sensitivity(path, words(f"question.{path}.short"), 5_080 - width, 5_080 + width)
            for path, width in (("scale.users", 1_900.0), ("budget.staff_fte", 1_400.0), ("demand.peak_factor", 600.0))
        ),
        usd_to_krw=exact(1358.19, COUNT, Basis.DATASHEET),
        cheapest=CostKind.RENTED_GPU,
        variants=(evolve(options[1], label=words("question.budget.gpu_instance.short")),),
        explained=CostKind.ON_PREMISE,
    )


def placement_of(workload: Workload) -> PlacementVerdict:
    phone = workload.serving.target_device is not None
    chosen = Placement.ON_DEVICE if phone else Placement.ON_PREMISE
    order = [chosen, *(p for p in Placement if p is not chosen)]
    ranked = tuple(
        RankedPlacement(p, 0.0 if p in LEAVE else 1.0 - 0.1 * n, p in LEAVE, ((Rule.DATA, words()),))
        for n, p in enumerate(sorted(order, key=lambda p: p in LEAVE))
    )
    findings = tuple(
        RuleFinding(
            rule,
            rule is not Rule.CIRCUMSTANCES,
            words("question.data.boundary.organisation"),
            tuple(
                Effect(p, 0.6 if p is chosen else -0.3, p in LEAVE and rule is Rule.DATA, words()) for p in Placement
            ),
            (("round_trip", exact(0.034, SECONDS, Basis.MEASURED)),) if rule is Rule.IMMEDIACY else (),
        )
        for rule in Rule
    )
    hybrid = HybridDesign(
        words("question.offline.need.basics.hint"),
        words("question.intelligence.hardness.frontier.hint"),
        banded(0.15, 0.3, 0.3, RATIO, Basis.ASSUMED),
        words("question.offline.need.full.hint"),
        words("question.data.boundary.device.hint"),
    )
    return PlacementVerdict(
        kind=VerdictKind.CLEAR,
        chosen=chosen,
        batch=workload.profile.waiting is Waiting.BATCH,
        headline=words(),
        ranked=ranked,
        rules=findings,
        conflict=None,
        hybrid=hybrid if phone else None,
        stages=tuple(StageVerdict(s.id, s.name, chosen, words()) for s in workload.stages),
        review=Review(12, (words("question.updates.update_interval_days.why"),)),
        stability=exact(0.86, RATIO, Basis.CALIBRATED),
        answered=41,
        asked=52,
    )


def chips_of() -> tuple[ChipOption, ...]:
    rows = (("gpu", "nvidia-l40s", 2, False), ("gpu", "nvidia-h100-sxm", 1, False), ("lpu", "groq-lpu-v1", 161, True))
    return tuple(
        ChipOption(
            family=family,
            device=device,
            count=exact(count, COUNT),
            score=1.0 - 0.2 * n,
            excluded=out,
            fits=not out,
            decode_tokens_per_s=rate(38.3 + 20 * n),
            throughput_tokens_per_s=rate(420.0),
            power_w=exact(700.0, "W"),
            usd_per_month=None if out else money(5_080.0 + 1000 * n),
            usd_per_mtok=money(47.8, "USD/Mtoken"),
            reasons=(words("question.hardware.model_fixed.why"),),
            checks=(words("question.hardware.owned.background"),),
        )
        for n, (family, device, count, out) in enumerate(rows)
    )


def assessed(workload: Workload, book: Catalogue) -> WorkloadAssessment:
    deployment = deployment_of(workload, book)
    return WorkloadAssessment(
        workload=workload,
        placement=placement_of(workload),
        chips=chips_of(),
        deployment=deployment,
        fit=fit_of(deployment),
        speed=speed_of(deployment),
        capacity=capacity_of(),
        cost=cost_of(),
        flips=(
            Flip("data.boundary", "organisation", "country", "", Placement.SEALED_CLOUD, None, words(), 0.2),
            Flip("scale.users", 800.0, 140.0, "user", Placement.CLOUD_GPU, None, words(), 0.5),
            Flip("offline.closed_network", True, False, "", None, None, words(), 0.7),
        ),
        next_question=NextQuestion("data.sealed_cloud_accepted", 0.4, words("question.data.sealed_cloud_accepted.why")),
        work_list=(
            WorkItem(1, words("question.readiness.scaling.short"), words(), "readiness.scaling", True),
            WorkItem(2, words("question.readiness.monitors_quality.short"), words(), "readiness.versioning", False),
        ),
        assumptions=(
            Assumption(
                "demand.peak_factor",
                words("question.demand.peak_factor.short"),
                banded(2.5, 0.4, 0.6, COUNT, Basis.ASSUMED),
                Basis.ASSUMED,
                Source("Waypost load shapes", "2026-12"),
                0.24,
            ),
            Assumption("serving.engine", words("question.serving.engine.short"), "vllm", Basis.ASSUMED, None, 0.02),
        ),
    )


def assessment(name: str = "bank-documents", book: Catalogue | None = None, **changes: Any) -> Assessment:
    """A whole assessment of a sample, scenarios included. `changes` replace fields of the consultation."""
    book = book or catalogue()
    consultation = evolve(sample(name), **changes)
    scenarios = tuple(
        (s.id, tuple(assessed(w, book) for w in edits.apply_all(consultation, s.changes).workloads))
        for s in consultation.scenarios
    )
    workloads = tuple(assessed(w, book) for w in consultation.workloads)
    return Assessment(consultation, book.version, workloads, scenarios)


def without_answers(whole: Assessment) -> Assessment:
    """The same consultation when nothing could be computed: every room a gap."""
    bare = tuple(
        evolve(
            w,
            chips=(),
            deployment=None,
            fit=None,
            speed=None,
            capacity=None,
            cost=None,
            flips=(),
            next_question=None,
            work_list=(),
            assumptions=(),
            placement=evolve(
                w.placement, kind=VerdictKind.OPEN, chosen=None, hybrid=None, stability=None, ranked=(), rules=()
            ),
            gaps=tuple(
                (room, words("question.serving.model.unknown")) for room in ("fit", "speed", "capacity", "cost")
            ),
        )
        for w in whole.workloads
    )
    return evolve(whole, workloads=bare, scenarios=())


def in_conflict(whole: Assessment) -> Assessment:
    """The same consultation with everything ruled out."""
    found = Conflict(
        ((Rule.DATA, words()), (Rule.OFFLINE, words("question.offline.need.full"))), words(), "offline.need", "basics"
    )
    broken = tuple(
        evolve(
            w,
            placement=evolve(
                w.placement,
                kind=VerdictKind.CONFLICT,
                chosen=None,
                conflict=found,
                ranked=tuple(evolve(r, excluded=True, score=0.0) for r in w.placement.ranked),
            ),
        )
        for w in whole.workloads
    )
    return evolve(whole, workloads=broken)


ROOMS = Rooms(fit=fit_of, speed=speed_of, holds=lambda d: fit_of(d).fits)


def scene(whole: Assessment, language: str = "ko", book: Catalogue | None = None, workload: str | None = None) -> Scene:
    return scene_of(whole, workload, language, book or catalogue(), TODAY, ROOMS)


def probe_run() -> ProbeRun:
    """A run on a laptop's GPU: three readings, one left out."""
    return ProbeRun(
        started="2026-11-30T08:15:00Z",
        seconds=41.0,
        quick=True,
        outcome=Outcome(OutcomeCode.MEASURED, words("present.probe.readings")),
        devices=(DeviceFacts("a1b2", "RTX 4070 Laptop", "cuda", "8.9"),),
        device="a1b2",
        readings=(
            Reading("read", Status.OK, 233e9, "B/s", 228e9, 236e9, 9, 0.01, "events", 268e6, "256 MiB"),
            Reading("h2d.pinned", Status.OK, 12.4e9, "B/s", 12.1e9, 12.6e9, 9, 0.01, "events", 67e6, "64 MiB"),
            Reading("gemv.bf16", Status.SKIPPED, reason=words("present.probe.how")),
        ),
        versions={"driver": "570.86", "kernels": "1"},
    )
