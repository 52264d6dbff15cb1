"""Figures of the capacity and cost rooms."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from datetime import date
from typing import Final

import numpy as np
from attrs import evolve

from app.host.paths import CATALOGUE
from engine.assumptions import Ledger
from engine.capacity.plan import Speed, capacity
from engine.catalogue import load_catalogue
from engine.consultation import UserScale, Workload
from engine.cost.compare import cost
from engine.cost.montecarlo import DRAWS, simulate
from engine.cost.results import CostResult
from engine.deployment import Deployment
from engine.estimate import exact
from engine.inputs import FloatArray
from engine.units import BYTES
from tests.bench.measure import Figure, percentile, seconds_of

TODAY: Final = date(2026, 12, 1)
TIMES: Final = 40


def _speed(held: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    first, per_token = 0.05 + 0.002 * held, 0.008 + 0.0001 * held
    return first, per_token, held * 300 / (first + 299 * per_token)


def money_figures() -> Iterator[Figure]:
    """A workload nobody saw before: replicas, bills, what a page reads of them, and ten thousand draws."""
    catalogue = load_catalogue(CATALOGUE)
    deployment = Deployment(
        catalogue.model("llama-3.1-8b"),
        catalogue.weight_format("fp16"),
        catalogue.device("nvidia-h100-sxm"),
        catalogue.engine("vllm"),
    )
    weights = exact(16e9, BYTES)
    users = iter(range(1_000, 1_000_000))

    def asked() -> Workload:
        return evolve(Workload(id="bench"), scale=UserScale(users=float(next(users))))

    def planned() -> CostResult:
        ledger = Ledger()
        workload = asked()
        plan = capacity(workload, deployment, Speed(_speed, 128), weights, catalogue, ledger)
        return cost(workload, plan, deployment, catalogue, ledger, TODAY)

    def read_whole() -> None:
        result = planned()
        assert result.curve is not None
        _ = result.curve.usd, len(result.variants), [len(o.lines) for o in result.options]

    planned()
    for name, action in (("capacity and cost", planned), ("capacity and cost, every detail read", read_whole)):
        taken = seconds_of(action, TIMES)
        p99 = f"p99 {1e3 * percentile(taken, 0.99):.1f} ms"
        yield Figure(name, 1e3 * statistics.median(taken), "ms", note=p99)
    model = planned().model
    assert model is not None
    drawn = seconds_of(lambda: simulate(model, np.random.default_rng(1)), 5)
    yield Figure(f"Monte Carlo of {DRAWS:,} draws", 1e3 * statistics.median(drawn), "ms", 200.0)
