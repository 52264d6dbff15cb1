"""Workloads and a deployment whose bills can be worked out by hand."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from engine.assumptions import Ledger
from engine.capacity.plan import Speed, capacity
from engine.catalogue import Catalogue, load_catalogue
from engine.consultation import (
    Budget,
    Circumstances,
    Demand,
    LoadShape,
    Profile,
    Targets,
    UserScale,
    Waiting,
    Workload,
)
from engine.cost.compare import cost
from engine.deployment import Deployment
from engine.estimate import exact
from engine.units import BYTES

TODAY = date(2026, 12, 1)
DAYS = 365 / 12

CHAT = Workload(
    id="w",
    scale=UserScale(users=10_000, requests_per_user_day=10, eligible_device_share=1.0),
    circumstances=Circumstances(load_shape=LoadShape.STEADY),
    demand=Demand(
        active_hours_per_day=10, peak_factor=2, growth_per_year=0, prompt_tokens=1000, prompt_tokens_p95=1000,
        output_tokens=200, output_tokens_p95=200, cached_prefix_share=0.2,
    ),
    targets=Targets(time_to_first_token_s=1.0, time_per_output_token_s=0.05, percentile=0.95, availability_spares=1),
    budget=Budget(horizon_years=3, api_model="openai-gpt-6-sol", gpu_instance="aws-p5en.48xlarge-ap-northeast-2"),
)  # fmt: skip
"""100,000 requests a day, 3,041,667 a month, all prompts 1,000 tokens and all answers 200."""
REQUESTS = 100_000 * DAYS

NIGHTLY = Workload(
    id="n",
    profile=Profile(waiting=Waiting.BATCH),
    demand=Demand(
        growth_per_year=0, prompt_tokens=1000, prompt_tokens_p95=1000, output_tokens=200, output_tokens_p95=200,
        cached_prefix_share=0, batch_items=1_000_000, batch_window_hours=8, batch_runs_per_month=10,
    ),
    budget=Budget(horizon_years=3, api_model="openai-gpt-6-sol", api_batch_discount=0.5),
)  # fmt: skip


def speed_at(held):
    """First token after 50 ms + 2 ms a request held, then 8 ms + 0.1 ms a token."""
    held = np.asarray(held, dtype=float)
    first, per_token = 0.05 + 0.002 * held, 0.008 + 0.0001 * held
    return first, per_token, held * 200 / (first + 199 * per_token)


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue(Path(__file__).resolve().parents[3] / "assets" / "catalogue")


@pytest.fixture(scope="session")
def deployment(catalogue) -> Deployment:
    return Deployment(
        catalogue.model("llama-3.1-8b"),
        catalogue.weight_format("fp16"),
        catalogue.device("nvidia-h200-sxm"),
        catalogue.engine("vllm"),
    )


@pytest.fixture(scope="session")
def priced(catalogue, deployment):
    """(capacity, cost) of a workload on the deployment."""

    def made(workload=CHAT, changes=None, ledger=None, band=(0.9, 1.1), **more):
        if changes:
            workload = evolve(workload, **changes)
        ledger = ledger or Ledger()
        plan = capacity(workload, deployment, Speed(speed_at, 128, band), exact(16e9, BYTES), catalogue, ledger)
        return plan, cost(workload, plan, deployment, catalogue, ledger, TODAY, **more)

    return made


def lines(option) -> dict[str, float]:
    """Value of each line by the last part of its key."""
    return {line.label.key.rsplit(".", 1)[-1]: line.amount.value for line in option.lines}
