"""The sweep says what one deployment says, and costs what the price list says."""

import json
import math

import numpy as np
import pytest

from engine.deployment import Deployment
from engine.memory.inverse import verdict
from engine.speed.keys import SERVERS
from engine.speed.speed import speed
from engine.sweep import SweepQuestion, lowest_prices, sweep


@pytest.fixture(scope="module")
def swept(catalogue):
    question = SweepQuestion(catalogue.model("llama-3.1-8b"), context_tokens=4096.0, concurrency=4.0)
    return sweep(question, catalogue)


def test_agrees_with_one_deployment(catalogue, swept) -> None:
    rng = np.random.default_rng(3)
    for place in rng.choice(len(swept), 60, replace=False):
        count, engine = int(swept.count[place]), str(swept.engine[place])
        split = engine in SERVERS
        d = Deployment(
            swept.question.model,
            catalogue.weight_format(str(swept.weight_format[place])),
            catalogue.device(str(swept.device[place])),
            catalogue.engine(engine),
            device_count=count,
            tensor_parallel=count if split else 1,
            pipeline_parallel=1 if split else count,
            context_tokens=4096,
            concurrency=4,
        )
        one = speed(d)
        assert swept.decode_tokens_per_s[place] == pytest.approx(one.decode_tokens_per_s.value, rel=1e-6)
        assert swept.ceiling_tokens_per_s[place] == pytest.approx(one.ceiling_tokens_per_s.value, rel=1e-6)
        assert swept.time_per_output_token_s[place] == pytest.approx(one.time_per_output_token_s.value, rel=0.02)


def test_what_is_kept_fits(catalogue, swept) -> None:
    for place in np.random.default_rng(5).choice(len(swept), 40, replace=False):
        count, engine = int(swept.count[place]), str(swept.engine[place])
        split = engine in SERVERS
        d = Deployment(
            swept.question.model,
            catalogue.weight_format(str(swept.weight_format[place])),
            catalogue.device(str(swept.device[place])),
            catalogue.engine(engine),
            device_count=count,
            tensor_parallel=count if split else 1,
            pipeline_parallel=1 if split else count,
            context_tokens=4096,
            concurrency=4,
        )
        assert verdict(d)[0], (d.device.id, d.weight_format.id, d.engine.id, count)


def test_cost_is_price_over_tokens(catalogue, swept) -> None:
    prices = lowest_prices(catalogue)
    place = int(np.argmin(np.nan_to_num(swept.usd_per_mtok, nan=np.inf)))
    hourly = prices[str(swept.device[place])] * swept.count[place]
    assert swept.usd_per_hour[place] == pytest.approx(hourly)
    expected = hourly / (swept.throughput_tokens_per_s[place] * 3600) * 1e6
    assert swept.usd_per_mtok[place] == pytest.approx(expected)


def test_no_price_is_no_price(catalogue, swept) -> None:
    unpriced = np.array([d not in lowest_prices(catalogue) for d in swept.device.tolist()])
    assert unpriced.any()
    assert np.isnan(swept.usd_per_hour[unpriced]).all()


def test_rows_are_json_cheapest_first(swept) -> None:
    rows = list(swept.rows(20))
    costs = [r["usd_per_mtok"] for r in rows]
    assert costs == sorted(costs)
    assert json.loads(json.dumps(rows)) == rows
    last = list(swept.rows())[-1]
    assert last["usd_per_mtok"] is None or math.isfinite(last["usd_per_mtok"])


def test_a_larger_model_fits_on_less(catalogue, swept) -> None:
    large = sweep(SweepQuestion(catalogue.model("llama-3.1-405b"), context_tokens=4096.0, concurrency=4.0), catalogue)
    assert 0 < len(large) < len(swept)
    assert "nvidia-rtx-4060" not in set(large.device.tolist())
