"""What nobody foresaw is one line in the window; a bad end is said at the next start and opens nothing by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.host import crash
from app.store.database import open_database
from app.store.running import Run
from app.ui.safety import Safety, Termination


@pytest.fixture
def hooks():
    kept = sys.excepthook, threading.excepthook
    yield
    sys.excepthook, threading.excepthook = kept


@pytest.fixture
def said(make_window, hooks, own_home):
    window = make_window(store=open_database(None, own_home))
    lines = []
    window.ui.toast.connect(lambda text, _tone, action, act: lines.append((text, action, act)))
    safety = Safety(window.ui, window)
    yield window, safety, lines
    safety.end()
    window.ui.store.close()


def test_a_thread_that_dies_is_said_in_the_window(said, qtbot):
    _window, _safety, lines = said

    def die() -> None:
        raise RuntimeError("새솔은행")

    thread = threading.Thread(target=die)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: len(lines) == 1)
    text = lines[0][0]
    assert "RuntimeError" in text
    assert "새솔" not in text
    assert str(crash.log_path()) in text


def test_a_clean_start_says_nothing(said):
    _window, safety, lines = said
    safety.begin()
    assert lines == []


def test_a_bad_end_is_said_and_what_was_open_is_offered(said, bank):
    window, safety, lines = said
    window.ui.store.drafts.save(bank)
    before = Run()
    before.opened(bank.id)
    before._lock.release()  # as the system does for a process that was killed
    safety.begin()
    ((text, action, act),) = lines
    assert text
    assert action
    assert window.ui.session.consultation.id == ""
    act()
    assert window.ui.session.consultation == bank


def test_a_consultation_that_is_gone_is_a_sentence(said):
    window, safety, lines = said
    before = Run()
    before.opened("gone")
    before._lock.release()
    safety.begin()
    lines[0][2]()
    assert len(lines) == 2
    assert window.ui.session.consultation.id == ""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_shutdown_of_the_machine_is_a_clean_end(own_home, number):
    program = (
        "import sys; from app.ui import build, start; before = build.Starter._have_store\n"
        "def have(self, store): before(self, store); print('up', flush=True)\n"
        "build.Starter._have_store = have; sys.exit(start.main(sys.argv))"
    )
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    child = subprocess.Popen(
        [sys.executable, "-c", program], cwd=Path(__file__).parents[2], env=environment, stdout=subprocess.PIPE
    )
    assert child.stdout.readline() == b"up\n"
    child.send_signal(number)
    assert child.wait(timeout=60) == 0
    child.stdout.close()
    after = Run()
    assert after.unclean == ()
    after.end()


def test_signals_are_given_back(qapp):
    before = signal.getsignal(signal.SIGTERM)
    termination = Termination(lambda: None)
    assert signal.getsignal(signal.SIGTERM) is not before
    termination.release()
    assert signal.getsignal(signal.SIGTERM) is before
