"""One application, real windows, nothing left behind."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QApplication

from app.host.paths import SAMPLES
from app.host.settings import Settings
from app.session.tasks import InlineTasks
from app.store.files import open_any
from app.ui.build import build, read_catalogue
from app.ui.start import make_application


@pytest.fixture(scope="session")
def qapp_cls():
    return QApplication


@pytest.fixture(scope="session")
def styled(qapp):
    make_application([])
    return qapp


@pytest.fixture(scope="session")
def catalogue():
    return read_catalogue(None)


@pytest.fixture(scope="session")
def bank():
    return open_any(SAMPLES / "bank-documents.waypost")


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch) -> Path:
    """Nothing of the user's is read or written."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("WAYPOST_HOME", str(home))
    return home


@pytest.fixture
def make_window(styled, catalogue, qtbot):
    """Windows that are closed and gone at the end."""
    made = []

    def make(consultation=None, settings=None, tasks=None, store=None):
        window = build(settings or Settings(language="ko", theme="light"), tasks or InlineTasks())
        made.append(window)
        window.ui.session.set_catalogue(catalogue)
        window.ui.speak()
        if store is not None:
            window.ui.store = store
            window.ui.session.keep_drafts(store.drafts.save)
        if consultation is not None:
            window.ui.session.open(consultation)
        window.resize(1440, 900)
        window.show()
        qtbot.waitExposed(window)
        return window

    yield make
    for window in made:
        window.close()
        window.ui.session.tasks.close()
        window.deleteLater()
    made.clear()


@pytest.fixture
def window(make_window, bank):
    return make_window(bank)


@pytest.fixture(autouse=True)
def nothing_left(request):
    """No thread, running timer or top-level widget outlives its test."""
    threads = set(threading.enumerate())
    yield
    if "styled" not in request.fixturenames and "qapp" not in request.fixturenames:
        return
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
    stray = [t.name for t in threading.enumerate() if t not in threads and t.is_alive() and "waypost" in t.name]
    assert stray == []
    widgets = [type(w).__name__ for w in QApplication.topLevelWidgets()]
    assert widgets == []
    application = QApplication.instance()
    timers = [t for t in application.findChildren(QTimer) if t.isActive()]
    assert timers == []
