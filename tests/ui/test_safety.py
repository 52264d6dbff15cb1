"""What nobody foresaw is one line in the window; a bad end is said at the next start and opens nothing by itself."""

from __future__ import annotations

import sys
import threading

import pytest

from app import crash
from app.store.database import open_database
from app.store.running import Run
from app.ui.safety import Safety


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
