"""The document of one consultation: frozen values, no behaviour beyond reading itself.

None always means "nobody said". An unanswered question never becomes a default in silence: the rooms that need a value
take it from `engine.assumptions` and list it in the ledger. Where an answer came from (said by the customer, measured
here, a preset) is kept beside the document in `origins`, keyed by the path of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from engine.consultation.choices import (
    Actor,
    Audience,
    Boundary,
    DeviceClass,
    DownloadCarrier,
    Framework,
    Intelligence,
    Link,
    LoadShape,
    NetworkTrust,
    OfflineNeed,
    Origin,
    Purpose,
    Sensitivity,
    Skills,
    TaskKind,
    Waiting,
)
from engine.frozen import frozen_map

SCHEMA_VERSION = 1


@frozen
class Profile:
    """What the workload is."""

    task: TaskKind | None = None
    waiting: Waiting | None = None
    language: str | None = None
    """BCP 47 tag of most of the text; sets tokens per character."""
    device_class: DeviceClass | None = None


@frozen
class Readiness:
    """Serving readiness: the five gaps between a model file and a service, then what keeps it alive."""

    endpoint: bool | None = None
    loading: bool | None = None
    scaling: bool | None = None
    conversion: bool | None = None
    health: bool | None = None
    batching: bool | None = None
    load_balancer: bool | None = None
    monitors_latency: bool | None = None
    monitors_errors: bool | None = None
    monitors_utilisation: bool | None = None
    monitors_quality: bool | None = None
    versioning: bool | None = None
    canary_share: float | None = None
    detection_minutes: float | None = None
    rollback_minutes: float | None = None
    load_minutes: float | None = None


@frozen
class Immediacy:
    """Rule 1."""

    latency_budget_s: float | None = None
    actor: Actor | None = None
    network_trust: NetworkTrust | None = None
    round_trip_s: float | None = None
    speed_m_per_s: float | None = None
    outage_s: float | None = None


@frozen
class DataBoundary:
    """Rule 2."""

    boundary: Boundary | None = None
    sensitivity: Sensitivity | None = None
    sealed_cloud_accepted: bool | None = None
    regulations: tuple[str, ...] = ()
    """Ids of assets/catalogue/regulations.csv the customer named."""


@frozen
class NeededIntelligence:
    """Rule 3."""

    hardness: Intelligence | None = None
    hard_share: float | None = None
    """Share of requests a small model cannot do."""


@frozen
class UserScale:
    """Rule 4."""

    users: float | None = None
    requests_per_user_day: float | None = None
    eligible_device_share: float | None = None
    """Share of the users' devices that can run the model."""
    shared_state: bool | None = None
    """The decision needs what others did (fraud, games, abuse)."""
    compute_paid_by_user: bool | None = None


@frozen
class UpdateFrequency:
    """Rule 5."""

    update_interval_days: float | None = None
    download_limit_bytes: float | None = None
    carrier: DownloadCarrier | None = None


@frozen
class OfflineUse:
    """Rule 6."""

    need: OfflineNeed | None = None
    closed_network: bool | None = None


@frozen
class Circumstances:
    """What competent people weighed besides the six rules."""

    contract_accepts_cloud: bool | None = None
    audit_needed: bool | None = None
    hardware_owned: bool | None = None
    skills: Skills | None = None
    load_shape: LoadShape | None = None
    data_gravity_bytes: float | None = None
    procurement_months: float | None = None


@frozen
class Demand:
    """How much, when, how long. Lengths are means unless they say p95."""

    active_hours_per_day: float | None = None
    peak_factor: float | None = None
    """Busiest hour over the mean active hour."""
    peak_requests_per_s: float | None = None
    """Said or measured; wins over what users x requests give."""
    growth_per_year: float | None = None
    prompt_tokens: float | None = None
    prompt_tokens_p95: float | None = None
    output_tokens: float | None = None
    output_tokens_p95: float | None = None
    cached_prefix_share: float | None = None
    batch_items: float | None = None
    """Items of one batch run."""
    batch_window_hours: float | None = None
    batch_runs_per_month: float | None = None


@frozen
class Targets:
    """What the customer promises its users, at `percentile`."""

    time_to_first_token_s: float | None = None
    time_per_output_token_s: float | None = None
    end_to_end_s: float | None = None
    percentile: float | None = None
    availability_spares: int | None = None
    """0 none, 1 N+1, 2 N+2."""


@frozen
class OwnedDevices:
    device: str
    count: int
    link: Link | None = None


@frozen
class HardwareNeeds:
    """The hardware questions."""

    purpose: Purpose | None = None
    token_speed_felt: bool | None = None
    model_fixed: bool | None = None
    matrix_size: float | None = None
    """Typical rows of the products; small or irregular work suits no systolic array."""
    framework: Framework | None = None
    vendor_lock_accepted: bool | None = None
    google_cloud: bool | None = None
    constant_latency: bool | None = None
    long_context: bool | None = None
    owned: tuple[OwnedDevices, ...] = ()


@frozen
class Serving:
    """Model and machine under discussion. None: let Waypost choose and say so."""

    model: str | None = None
    weight_format: str | None = None
    kv_format: str | None = None
    engine: str | None = None
    context_tokens: int | None = None
    concurrency: int | None = None
    device: str | None = None
    device_count: int | None = None
    tensor_parallel: int | None = None
    speculative_acceptance: float | None = None
    target_device: str | None = None
    """The on-device target: an id of device_classes.csv or of devices.csv."""
    target_model: str | None = None
    """The small model considered for the device."""


@frozen
class Budget:
    """What the money questions need. USD inside; the customer may think in KRW."""

    horizon_years: float | None = None
    api_model: str | None = None
    gpu_instance: str | None = None
    electricity_tariff: str | None = None
    electricity_usd_per_kwh: float | None = None
    power_usage_effectiveness: float | None = None
    server_price_usd: float | None = None
    staff_fte: float | None = None
    staff_usd_per_year: float | None = None
    depreciation_years: float | None = None
    on_device_engineering_usd: float | None = None
    test_usd_per_device_class: float | None = None
    device_classes_tested: int | None = None
    utilisation: float | None = None
    api_batch_discount: float | None = None


@frozen
class Stage:
    """A part of a workload that may run elsewhere: what differs from the workload is answered here, the rest inherits."""

    id: str
    name: str
    answers: Mapping[str, Any] = field(factory=dict, converter=frozen_map, hash=False)
    """Path of a rule answer -> value, for instance {"offline.need": "full"}."""


@frozen
class Workload:
    """One thing the customer wants an AI to do, judged alone."""

    id: str
    name: str = ""
    profile: Profile = Profile()
    readiness: Readiness = Readiness()
    immediacy: Immediacy = Immediacy()
    data: DataBoundary = DataBoundary()
    intelligence: NeededIntelligence = NeededIntelligence()
    scale: UserScale = UserScale()
    updates: UpdateFrequency = UpdateFrequency()
    offline: OfflineUse = OfflineUse()
    circumstances: Circumstances = Circumstances()
    demand: Demand = Demand()
    targets: Targets = Targets()
    hardware: HardwareNeeds = HardwareNeeds()
    serving: Serving = Serving()
    budget: Budget = Budget()
    stages: tuple[Stage, ...] = ()


@frozen
class Customer:
    name: str = ""
    sector: str | None = None
    country: str | None = None
    contact: str = ""


@frozen
class Note:
    id: str
    text: str
    audience: Audience = Audience.PRIVATE
    step: str = ""
    workload: str | None = None


@frozen
class Change:
    """One answer changed: `path` inside the workload `workload` (or inside the consultation when that is None)."""

    path: str
    value: Any
    workload: str | None = None


@frozen
class Scenario:
    """A variation of the consultation: the base with a few answers changed, so that differences mark themselves."""

    id: str
    name: str
    changes: tuple[Change, ...] = ()


@frozen
class Consultation:
    """Everything one consultation holds."""

    id: str
    title: str = ""
    customer: Customer = Customer()
    currency: str = "KRW"
    workloads: tuple[Workload, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    notes: tuple[Note, ...] = ()
    origins: Mapping[str, Origin] = field(factory=dict, converter=frozen_map, hash=False)
    """"<workload id>/<path>" -> origin, only where it is not SAID."""
    probe: Mapping[str, Any] | None = None
    """The last probe run taken into this consultation, as its own versioned JSON object."""
    schema_version: int = SCHEMA_VERSION

    def workload(self, workload_id: str) -> Workload:
        """The workload of that id. Raises KeyError."""
        for workload in self.workloads:
            if workload.id == workload_id:
                return workload
        raise KeyError(workload_id)

    def origin(self, workload_id: str, path: str) -> Origin:
        return self.origins.get(f"{workload_id}/{path}", Origin.SAID)
