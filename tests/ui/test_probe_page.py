"""The probe's page: what Start says, what a run shows, what is kept."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.store import open_store
from engine.messages import msg
from engine.probe.protocol import Measured, Started
from engine.probe.results import Outcome, OutcomeCode, ProbeRun, Reading, Status


def run_of(readings=(), code=OutcomeCode.NO_DEVICE):
    return ProbeRun("2026-12-01T01:02:03Z", 1.0, True, Outcome(code, msg("ui.probe.no_gpu")), readings=tuple(readings))


READ = Reading("read", Status.OK, 3.0e12, "B/s", 2.9e12, 3.1e12, 7, 0.01, "events", 1e9, "64 MiB")


@pytest.fixture
def page(make_window, bank, own_home):
    store = open_store(folder=own_home)
    window = make_window(bank, store=store)
    window.go("probe")
    yield window.page
    store.close()


def fake(readings):
    def runner(_options, tell, _cancel):
        for reading in readings:
            tell(Started(reading.item, 1.0))
            tell(Measured(reading))
        return run_of(readings)

    return runner


def test_a_run_is_shown_and_kept(page, qtbot):
    page.runner = fake([READ])
    qtbot.mouseClick(page.card.start, Qt.MouseButton.LeftButton)
    assert not page.running
    assert page.ui.session.consultation.probe["format"] == "waypost-probe"
    assert page.card.start.isVisible()
    kept = page.ui.store.probes.recent()
    assert len(kept) == 1
    assert page.before.isVisible()


def test_a_run_can_be_undone(page, qtbot):
    page.runner = fake([READ])
    page.start()
    page.ui.session.undo()
    assert page.ui.session.consultation.probe is None


def test_a_run_that_breaks_says_so(page):
    def broken(_options, _tell, _cancel):
        raise OSError(5, "Input/output error")

    page.runner = broken
    page.start()
    assert not page.running
    assert page.window().toast.isVisible()
    assert page.card.start.isVisible()


def test_the_plan_follows_the_mode(page, qtbot):
    whole = next(s for s in page.card.modes.segments if s.choice.value == "whole")
    quick = next(s for s in page.card.modes.segments if s.choice.value == "quick")
    qtbot.mouseClick(quick, Qt.MouseButton.LeftButton)
    short = page.card.plan.plain
    qtbot.mouseClick(whole, Qt.MouseButton.LeftButton)
    assert page.card.plan.plain != short
    assert page.card.options.quick is False


def test_stop_reaches_the_run(make_window, bank, qtbot):
    from app.session.tasks import Tasks

    seen = []

    def waiting(_options, tell, cancel):
        tell(Started("read", 1.0))
        seen.append(cancel.wait(10))
        return run_of()

    window = make_window(bank, tasks=Tasks())
    qtbot.waitUntil(lambda: window.ui.session.assessment is not None, timeout=10_000)
    window.go("probe")
    page = window.page
    page.runner = waiting
    page.start()
    qtbot.waitUntil(lambda: bool(page.card.doing.plain))
    qtbot.mouseClick(page.card.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not page.running)
    assert seen == [True]
