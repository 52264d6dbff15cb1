"""The probe's figures on this machine: how long each child takes, how much it costs to kill one, what the pack weighs."""

from __future__ import annotations

import statistics
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import psutil

from engine.probe import runner
from engine.probe.items import Child
from engine.probe.runner import ProbeOptions, run
from kernels import sources
from tests.bench.measure import Figure, seconds_of

ROUNDS = 100


def probe_figures() -> Iterator[Figure]:
    """Pack, a whole and a quick run, a hundred misbehaving children, a cancel."""
    yield Figure("kernel pack", sources.PACK.stat().st_size / 1000, "kB", 600)
    for quick in (True, False):
        found = run(ProbeOptions(quick=quick))
        word = "quick" if quick else "whole"
        yield Figure(f"probe, {word}", found.seconds, "s", 6.0 if quick else 20.0, note=found.outcome.code.value)
        for child in found.children:
            yield Figure(f"probe, {word}, child {child.child}", child.seconds, "s", note=child.ending.value)
    yield from _rounds()
    yield Figure("probe, cancel acts after, median", 1e3 * statistics.median(seconds_of(_cancelled, 5)), "ms", 2000)


def _rounds() -> Iterator[Figure]:
    """Children that fall silent, crash, ignore the first signal, leave, lose their context: the parent lives on, none is left."""
    options = ProbeOptions(quick=True, children=(Child.DEVICE,), silence_s=0.4)
    before, kept = threading.active_count(), 0
    for number in range(ROUNDS):
        kind = ("silent", "crash", "stubborn", "exit", "lost")[number % 5]
        command = [sys.executable, "-m", "tests.probe.scripted_child", kind]
        with mock.patch.object(runner, "child_command", return_value=command):
            kept += run(options).value("read") is not None
    orphans = sum(
        "tests.probe.scripted_child" in " ".join(p.info["cmdline"] or ()) for p in psutil.process_iter(["cmdline"])
    )
    yield Figure("rounds of hang, crash and kill with results kept", kept, "", ROUNDS, at_least=True)
    yield Figure("processes left behind", orphans, "", 0)
    yield Figure("threads left behind", threading.active_count() - before, "", 2)


def _cancelled() -> None:
    cancel = threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "hang.py"
        script.write_text("import time; time.sleep(60)")
        command = [sys.executable, str(script)]
        threading.Timer(0.2, cancel.set).start()
        with mock.patch.object(runner, "child_command", return_value=command):
            run(ProbeOptions(quick=True, children=(Child.DEVICE,)), cancel=cancel)
