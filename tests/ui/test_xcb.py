"""The real window system: start on an X server, answer, write a proposal, close; exit status and log clean."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

SMOKE = """
import sys
from pathlib import Path
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from app.host.paths import SAMPLES
from app.ui import build, start

out = Path(sys.argv[1])


class Smoke(build.Starter):
    def begin(self):
        super().begin()
        self.steps = [self.open, self.answer, self.look, self.paper, self.wait_for_paper]
        self.timer = QTimer(self)
        self.timer.timeout.connect(self.step)
        self.timer.start(100)

    def step(self):
        if not self.steps:
            self._window.window().close()
        elif self.steps[0]():
            self.steps.pop(0)

    def open(self):
        ready = self._ui.store is not None and self._ui.session.catalogue is not None
        if ready:
            self._window.commands.open_path(SAMPLES / "bank-documents.waypost")
        return ready

    def answer(self):
        if self._ui.session.assessed_workload is None:
            return False
        for key, digit in (("rules.data", "3"), ("rules.data", "2"), ("rules.offline", "1"), ("work", "2")):
            self._window.go(key)
            QTest.keyClick(self._window, digit)
        return True

    def look(self):
        for key in ("memory", "cost", "catalogue", "ask", "history"):
            self._window.go(key)
            self._window.grab()
        self._window.finder.open()
        self._window.finder.close_finder()
        self._window.go("memory")
        self._window.page.forms[0].rows["serving.model"].editor.open()
        self._window.page.forms[0].rows["serving.model"].editor.pick_list.hide()
        return self._ui.session.assessed_workload is not None

    def paper(self):
        self._window.go("proposal")
        self._window.page.save_to(out)
        return True

    def wait_for_paper(self):
        return out.exists() and not self._window.page.waiting.isVisible()


build.Starter = Smoke
raise SystemExit(start.main(["waypost"]))
"""


@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="xvfb is not installed here")
def test_on_a_real_x_server(own_home, tmp_path):
    out = tmp_path / "proposal.pdf"
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb"}
    done = subprocess.run(
        ["xvfb-run", "-a", "-s", "-screen 0 1440x900x24", sys.executable, "-c", SMOKE, str(out)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert out.read_bytes().startswith(b"%PDF-")
    noise = [line for line in done.stderr.splitlines() if line.strip() and "libEGL" not in line and "MESA" not in line]
    assert noise == []
    log = own_home / "logs" / "waypost.log"
    assert not log.exists() or log.read_text(encoding="utf-8") == ""
