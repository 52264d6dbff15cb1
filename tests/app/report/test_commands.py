"""The commands a proposal prints give the very numbers it shows."""

from __future__ import annotations

import json
import shlex

import pytest

from app.cli.__main__ import main
from app.report.method import command
from engine.assess import assess
from tests.app import handmade
from tests.app.report.conftest import book


@pytest.mark.parametrize("name", ["bank-documents", "chat-and-nightly"])
def test_waypost_fit_as_printed_gives_the_memory_as_printed(name, capsys):
    for assessed in assess(handmade.sample(name), book(), handmade.TODAY).workloads:
        assert assessed.deployment is not None
        assert assessed.fit is not None
        words = shlex.split(command("fit", assessed.deployment))
        assert words[0] == "waypost"
        assert main(words[1:]) == 0
        answer = json.loads(capsys.readouterr().out)
        for part in ("weights_bytes", "kv_cache_bytes", "runtime_bytes", "total_bytes", "device_memory_bytes"):
            assert answer[part]["value"] == pytest.approx(getattr(assessed.fit, part).value), (
                assessed.workload.id,
                part,
            )
        assert answer["fits"] is assessed.fit.fits


@pytest.mark.parametrize("name", ["bank-documents", "chat-and-nightly"])
def test_waypost_speed_as_printed_gives_the_speed_as_printed(name, capsys):
    for assessed in assess(handmade.sample(name), book(), handmade.TODAY).workloads:
        assert assessed.deployment is not None
        assert assessed.speed is not None
        assert main(shlex.split(command("speed", assessed.deployment))[1:]) == 0
        answer = json.loads(capsys.readouterr().out)
        for part in ("ceiling_tokens_per_s", "decode_tokens_per_s", "throughput_tokens_per_s", "time_to_first_token_s"):
            assert answer[part]["value"] == pytest.approx(getattr(assessed.speed, part).value), (
                assessed.workload.id,
                part,
            )
