"""What the capacity room answers."""

from __future__ import annotations

from attrs import frozen

from engine.estimate import Estimate
from engine.messages import Message


@frozen
class DemandResult:
    """The load a workload makes."""

    requests_per_s_mean: Estimate
    """Over the active hours."""
    requests_per_s_peak: Estimate
    requests_per_month: Estimate
    input_tokens_per_month: Estimate
    output_tokens_per_month: Estimate
    concurrency_peak: Estimate | None
    """In flight at the peak, by Little's law; None until a speed is known."""


@frozen
class LoadPoint:
    """One replica at one batch size: the batching curve."""

    concurrency: int
    requests_per_s: float
    throughput_tokens_per_s: float
    time_to_first_token_s: float
    time_per_output_token_s: float
    end_to_end_s: float


@frozen
class CapacityResult:
    """Replicas of one deployment that keep the promise at the peak."""

    demand: DemandResult
    batch_size: Estimate
    """Sequences a replica serves at once while it keeps the promise."""
    requests_per_s_per_replica: Estimate
    replicas: Estimate
    spares: int
    devices: Estimate
    utilisation: Estimate
    """Of the replicas at the mean load; what idles costs too."""
    queue_wait_s: Estimate
    percentile: float
    meets_targets: bool
    load_time_s: Estimate
    """From start to first answer of one replica: image, weights, compilation, graphs, warm-up."""
    power_w: Estimate | None
    rack_units: Estimate | None
    curve: tuple[LoadPoint, ...] = ()
    notes: tuple[Message, ...] = ()
