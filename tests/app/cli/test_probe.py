"""`waypost probe`: exit code 0 and an outcome with its reason, with a GPU or without."""

from __future__ import annotations

import pytest

from app.store import open_store
from engine.messages import msg
from engine.probe import runner
from engine.probe.documents import from_dict
from engine.probe.results import Outcome, OutcomeCode, ProbeRun, Reading, Status

RUN = ProbeRun(
    "2026-08-22T09:00:00Z",
    4.5,
    quick=True,
    outcome=Outcome(OutcomeCode.NO_DEVICE, msg("probe.outcome.no_device"), msg("probe.advice.no_device")),
    readings=(
        Reading("cpu.read", Status.OK, 20e9, "B/s", 19e9, 21e9, n=5),
        Reading("cpu.copy", Status.FAILED, reason=msg("probe.reason.no_memory")),
    ),
)


@pytest.fixture
def asked(monkeypatch):
    """The options the runner was given; it answers at once."""
    seen = []

    def run(options, tell):
        seen.append(options)
        tell(runner.ChildStarted(runner.Child.HOST))
        return RUN

    monkeypatch.setattr(runner, "run", run)
    return seen


def test_json_is_the_probes_own_document_with_its_reason(waypost, asked):
    ran = waypost("probe", "--quick", "--json", "--lang", "en")
    assert (ran.code, ran.err) == (0, "")
    document = ran.json
    text = document["outcome"].pop("text")
    assert text
    assert "[" not in text
    assert from_dict(document) == RUN
    assert asked[0].quick is True


@pytest.mark.parametrize(("words", "quick"), [((), None), (("--quick",), True), (("--full",), False)])
def test_the_pace_is_said_or_left_to_the_power_source(waypost, asked, words, quick):
    assert waypost("probe", *words, "--json").code == 0
    assert asked[0].quick is quick


@pytest.mark.parametrize("language", ["ko", "en"])
def test_people_get_the_page(waypost, asked, language):
    ran = waypost("probe", "--lang", language)
    assert ran.code == 0
    assert "20 GB/s" in ran.out
    assert "[probe." not in ran.out + ran.err
    assert "[present." not in ran.out
    assert "[cli." not in ran.err


def test_keep_puts_the_run_into_the_history(waypost, asked, home):
    assert waypost("probe", "--json").code == 0
    assert not (home / "history.db").exists()
    assert waypost("probe", "--keep", "--json").code == 0
    store = open_store(folder=home)
    (kept,) = store.probes.recent()
    store.close()
    assert from_dict(kept.result) == RUN
    assert kept.machine == "CPU"


def test_the_paces_exclude_each_other(waypost):
    assert "--quick" in waypost("probe", "--quick", "--full").refused()


def test_this_machine_really(waypost):
    ran = waypost("probe", "--quick", "--json")
    assert ran.code == 0
    measured = from_dict({**ran.json, "outcome": {k: v for k, v in ran.json["outcome"].items() if k != "text"}})
    assert measured.outcome.code in OutcomeCode
    assert measured.reading("cpu.read").status in Status
