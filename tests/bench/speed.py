"""Rates of the speed room: one deployment, a chart, a table of rows, the sweep."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator

import attrs

from app.host.paths import CATALOGUE
from engine.catalogue import load_catalogue
from engine.deployment import Deployment
from engine.memory.fit import fit
from engine.predict import predict
from engine.speed.speed import load_curve, speed
from engine.sweep import SweepQuestion, sweep
from tests.bench.measure import Figure, seconds_of


def speed_figures() -> Iterator[Figure]:
    """Each figure with questions that nothing has seen before."""
    catalogue = load_catalogue(CATALOGUE)
    served = Deployment(
        catalogue.model("llama-3.3-70b"),
        catalogue.weight_format("fp8"),
        catalogue.device("nvidia-h100-sxm"),
        catalogue.engine("vllm"),
        device_count=2,
        tensor_parallel=2,
        concurrency=16,
    )
    lengths = itertools.count(500)

    def both() -> None:
        asked = attrs.evolve(served, prompt_tokens=float(next(lengths)), context_tokens=8000 + next(lengths))
        fit(asked)
        speed(asked)

    both()
    yield Figure("fit and speed of one deployment, median", 1e3 * statistics.median(seconds_of(both, 100)), "ms", 1.0)
    yield Figure("load curve of 500 points", 1e3 * min(seconds_of(lambda: load_curve(served, range(1, 501)), 10)), "ms")
    row = {
        "row_id": "r", "kind": "tpot", "model": "llama-3.1-8b", "format": "bf16", "device": "nvidia-h100-sxm",
        "engine": "vllm", "prompt_tokens": "1024", "output_tokens": "256", "concurrency": "16",
    }  # fmt: skip
    rows = [{**row, "prompt_tokens": str(500 + n)} for n in range(5000)]
    yield Figure("predict 5,000 rows", min(seconds_of(lambda: predict(rows, catalogue), 2)), "s", 5.0)
    question = SweepQuestion(catalogue.model("llama-3.1-8b"))
    users = itertools.count(1)

    def swept() -> int:
        return sweep(attrs.evolve(question, concurrency=float(next(users))), catalogue).configurations

    count = swept()
    each = statistics.median(seconds_of(swept, 10))
    yield Figure("sweep of the catalogue, one core", count / each, "configurations/s", 1e6, at_least=True)
