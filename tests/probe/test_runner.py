"""Whatever a child does, the parent comes back with a sentence, the results so far and no orphan."""

from __future__ import annotations

import os
import sys
import threading
import time

import psutil
import pytest

from engine.probe import process, runner
from engine.probe.items import Child
from engine.probe.protocol import Hello, Measured, Started
from engine.probe.results import Ending, OutcomeCode
from engine.probe.runner import ProbeOptions, run

ROUNDS = int(os.environ.get("WAYPOST_PROBE_ROUNDS", "10"))
"""100 in the benchmark (34 s)."""
DEVICE_ONLY = ProbeOptions(quick=True, children=(Child.DEVICE,), silence_s=0.4)


@pytest.fixture
def scripted(monkeypatch):
    """Children that misbehave; the ids of the processes that were started."""
    started: list[int] = []

    def use(kind: str) -> list[int]:
        command = [sys.executable, "-m", "tests.probe.scripted_child", kind]
        monkeypatch.setattr(runner, "child_command", lambda *_a, **_k: command)
        return started

    original = process.ChildProcess.__init__

    def remember(self, *args):
        original(self, *args)
        started.append(self.pid)

    monkeypatch.setattr(process.ChildProcess, "__init__", remember)
    return use


def no_orphan(pids: list[int]) -> bool:
    return not any(psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE for pid in pids)


@pytest.mark.parametrize(
    ("kind", "ending", "code"),
    [
        ("well", Ending.DONE, OutcomeCode.MEASURED),
        ("garbage", Ending.DONE, OutcomeCode.MEASURED),
        ("noisy_errors", Ending.DONE, OutcomeCode.MEASURED),
        ("silent", Ending.SILENT, OutcomeCode.PARTLY),
        ("stubborn", Ending.SILENT, OutcomeCode.PARTLY),
        ("crash", Ending.CRASHED, OutcomeCode.PARTLY),
        ("exit", Ending.CRASHED, OutcomeCode.PARTLY),
        ("lost", Ending.DONE, OutcomeCode.PARTLY),
    ],
)
def test_every_ending_is_a_sentence_and_keeps_the_results(scripted, kind, ending, code):
    pids = scripted(kind)
    found = run(DEVICE_ONLY)
    assert found.value("read") == 4.0e11
    assert found.outcome.code is code
    (report,) = found.children
    assert report.ending is ending
    if ending is not Ending.DONE:
        assert report.item == "copy"
        assert report.message is not None
        assert report.message.key == f"probe.child.{ending.value}"
    assert no_orphan(pids)


def test_the_total_limit_ends_a_child_that_keeps_talking(scripted, monkeypatch):
    pids = scripted("chatter")
    monkeypatch.setattr(runner, "_GRACE_S", {Child.DEVICE: 0.2})
    found = run(ProbeOptions(quick=True, children=(Child.DEVICE,), deadline_s=1.0))
    assert found.children[0].ending is Ending.TIMED_OUT
    assert no_orphan(pids)


def test_cancel_acts_at_once(scripted):
    pids = scripted("silent")
    cancel = threading.Event()
    heard = []

    def on_event(event):
        heard.append(event)
        if isinstance(event, Started) and event.item == "copy":
            cancel.set()

    begin = time.monotonic()
    found = run(ProbeOptions(quick=True, children=(Child.DEVICE, Child.HOST), silence_s=30), on_event, cancel)
    assert time.monotonic() - begin < 5
    assert [c.ending for c in found.children] == [Ending.CANCELLED, Ending.CANCELLED]
    assert found.value("read") == 4.0e11
    assert any(isinstance(e, Hello) for e in heard)
    assert any(isinstance(e, Measured) for e in heard)
    assert no_orphan(pids)


def test_a_child_that_cannot_be_started_is_a_sentence(monkeypatch):
    monkeypatch.setattr(runner, "child_command", lambda *_a, **_k: ["/no/such/interpreter"])
    found = run(DEVICE_ONLY)
    assert found.children[0].ending is Ending.NOT_STARTED
    assert found.outcome.code is OutcomeCode.NOT_INSTALLED


def test_a_child_that_cannot_be_reaped_is_given_up_and_no_second_run_is_started(scripted, monkeypatch):
    pids = scripted("silent")
    with monkeypatch.context() as patch:
        patch.setattr(process.ChildProcess, "_end", lambda _self, _forced: None)
        patch.setattr(process, "TERMINATE_S", 0.05)
        patch.setattr(process, "REAP_S", 0.05)
        first = run(DEVICE_ONLY)
    assert first.outcome.code is OutcomeCode.ABANDONED
    assert first.value("read") == 4.0e11
    second = run(DEVICE_ONLY)
    assert second.outcome.code is OutcomeCode.ABANDONED
    assert second.children == ()
    for pid in pids:
        psutil.Process(pid).kill()
    for child in list(runner._abandoned):
        child.wait(5)
    assert run(DEVICE_ONLY).children != ()


def test_the_rest_runs_without_what_ended_the_child(scripted):
    scripted("crash")
    found = run(DEVICE_ONLY)
    again = runner.rest_of(DEVICE_ONLY, found)
    assert {"read", "copy"} <= again.skip


def test_torch_measures_the_device_that_was_measured_before():
    options = ProbeOptions()
    assert "--device" not in runner.child_command(Child.TORCH, options, False, 5.0)
    command = runner.child_command(Child.TORCH, options, False, 5.0, "abc", avoid_cuda=True)
    assert command[command.index("--device") + 1] == "abc"
    assert "--avoid-cuda" in command
    asked = runner.child_command(Child.TORCH, ProbeOptions(device="xyz"), False, 5.0, "abc")
    assert asked[asked.index("--device") + 1] == "xyz"


def test_a_frozen_executable_is_its_own_child(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    command = runner.child_command(Child.HOST, ProbeOptions(), True, 5.0)
    assert command[:3] == [sys.executable, "--waypost-child", "host"]
    started = []
    monkeypatch.setattr(runner.runpy, "run_module", lambda name, **_k: started.append((name, list(sys.argv))))
    monkeypatch.setattr(sys, "argv", ["waypost"])
    assert runner.run_as_child(command[1:])
    assert started[0][0] == "kernels.child_host"
    assert "--quick" in started[0][1]
    assert not runner.run_as_child(["report", "file"])


def test_the_plan_names_time_and_items_before_anything_is_touched(scripted):
    pids = scripted("well")
    quick, whole = runner.plan(ProbeOptions(quick=True)), runner.plan(ProbeOptions(quick=False))
    assert quick.items < whole.items
    assert quick.seconds < whole.seconds <= 25
    assert pids == []


def test_many_rounds_leave_the_parent_whole_and_no_orphan(scripted):
    before = threading.active_count()
    pids: list[int] = []
    for number in range(ROUNDS):
        kind = ("silent", "crash", "stubborn", "exit", "lost")[number % 5]
        pids = scripted(kind)
        assert run(DEVICE_ONLY).value("read") == 4.0e11
    assert len(pids) == ROUNDS
    assert no_orphan(pids)
    assert threading.active_count() <= before + 4


@pytest.mark.parametrize("kind", ["silent", "crash"])
def test_a_few_rounds_leave_no_thread_behind(scripted, kind):
    before = threading.active_count()
    for _ in range(3):
        scripted(kind)
        run(DEVICE_ONLY)
    deadline = time.monotonic() + 3
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert threading.active_count() <= before
