"""What the capacity room answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from attrs import field, frozen

from engine.capacity.demand import Demand, DemandResult
from engine.capacity.service import LoadPoint
from engine.capacity.sizing import Sizing
from engine.estimate import Estimate, Source
from engine.messages import Message

INTERNAL: Final[dict[str, Any]] = {"internal": True}
"""Marks what other rooms compute with and no reader wants to see: left out of JSON."""


@frozen
class Topology:
    """Replicas that still keep the promise when something is lost."""

    name: Message
    replicas: int
    devices: int
    power_w: float | None
    """Of the machines at full load, without cooling."""
    rack_units: float | None
    sites: int = 1
    """Sites the replicas, power and rack units spread over evenly."""


@frozen
class ParallelOption:
    """One way to split the devices into replicas."""

    devices_per_replica: int
    replicas: int
    devices: int
    meets_targets: bool
    at_peak: LoadPoint
    """One replica with the sequences it holds at the peak."""


@frozen
class Exposure:
    """What a faulty version does before it is taken back."""

    requests: Estimate
    people: Estimate
    without_canary: Estimate
    """Requests the same fault would hit if the version went to everyone at once."""
    minutes: float
    """From its start to the last answer it gives."""


@frozen
class Reach:
    """One curve of how an update spreads, read where it matters."""

    id: str
    label: Message
    illustrative: bool
    """True: an example, not a measurement."""
    source: Source
    days: tuple[float, ...]
    share: tuple[float, ...]
    """Share of the installed base on the new version after those days: the curve to draw."""
    days_to_half: float | None
    days_to_most: float | None
    """To 80 %; None where it never gets there."""


@frozen
class Download:
    """What a model of some size asks of the people who fetch it."""

    seconds: Estimate
    asks_before_cellular: bool
    installs_lost: Estimate | None
    """Share of installs lost to the size. None: nothing is known at this size."""
    notes: tuple[Message, ...]


@frozen
class RolloutResult:
    """New versions: who a bad one reaches, how fast a fix spreads, what the download costs in users."""

    canary_share: Estimate
    exposure: Exposure
    minutes_to_notice: Estimate | None
    """Until the canary has served enough to tell three failures in a hundred from one by more than chance."""
    least_canary_share: Estimate | None
    """Smallest share that shows the same within the detection time; None where even everyone is too few."""
    reach: tuple[Reach, ...]
    """The cloud first, then the illustrative curve, then the measured ones."""
    download: Download | None
    """None where nothing is downloaded."""
    notes: tuple[Message, ...] = ()


@frozen
class CapacityResult:
    """Replicas of one deployment that keep the promise at the peak."""

    demand: DemandResult
    batch_size: Estimate
    """Sequences a replica serves at once while it keeps the promise."""
    requests_per_s_per_replica: Estimate
    """Of a replica that holds `batch_size` sequences all the time."""
    replicas: Estimate
    """For the load, without the spares."""
    spares: int
    devices: Estimate
    """Spares included."""
    utilisation: Estimate
    """Of all replicas over all 730 hours of a month; what idles costs too."""
    queue_wait_s: Estimate
    """At `percentile`, at the peak."""
    percentile: float
    meets_targets: bool
    load_time_s: Estimate
    """From start to first answer of one replica: image, weights, compilation, graphs, warm-up."""
    power_w: Estimate | None
    """Machines with their spares at full load, without cooling."""
    rack_units: Estimate | None
    curve: Sequence[LoadPoint] = ()
    notes: tuple[Message, ...] = ()
    load_parts: tuple[tuple[Message, Estimate], ...] = ()
    """Named parts of `load_time_s`, in order."""
    topologies: Sequence[Topology] = ()
    """No spare, N+1, N+2, loss of one of two and of one of three zones."""
    at_peak: LoadPoint | None = None
    """One replica at the peak: the sequences it holds then, by Little's law, and how fast it is with them."""
    concurrency_per_replica: Estimate | None = None
    idle_hours_per_month: Estimate | None = None
    """Replica hours that the load leaves free in a month."""
    devices_per_replica: int = 1
    sizing: Sizing | None = field(default=None, eq=False, repr=False, metadata=INTERNAL)
    """The sizing behind `replicas`, for other loads: the cost curve, growth, the sweep."""
    demand_inputs: Demand | None = field(default=None, eq=False, repr=False, metadata=INTERNAL)
    """The demand as inputs with bands, for whoever computes further with it."""
    parallel: Sequence[ParallelOption] = ()
    """The same load on other splits of the devices (data against tensor parallel), fewest devices first."""
    idle_by_hour: Sequence[float] = ()
    """Replica hours left free in each local hour of a day in use, 24 values: room for work nobody waits for."""
    busy_replica_hours_per_run: float | None = None
    """Batch: hours one run would keep one replica fully busy."""
    rollout: RolloutResult | None = None
    """What a faulty version does and how long a fix takes."""
    speed_band: tuple[float, float] = (1.0, 1.0)
    """Low and high end of the speed behind `requests_per_s_per_replica`, over its value."""
