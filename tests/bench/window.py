"""Time to a painted window, ours against a bare one of the same library, each in a process of its own."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Final

from tests.bench.measure import ROOT, Figure

WATCH: Final = """
import time
from PySide6.QtCore import QEvent, QObject, QTimer

class Watch(QObject):
    done = False
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and not self.done:
            self.done = True
            QTimer.singleShot(0, self.painted)
        return False
    def painted(self):
        print("painted", time.time(), flush=True)
        self.after()
    def after(self):
        pass
"""
BARE: Final = (
    WATCH
    + """
import sys
from PySide6.QtWidgets import QApplication, QMainWindow
application = QApplication(sys.argv)
window = QMainWindow()
watch = Watch()
watch.after = application.quit
window.installEventFilter(watch)
window.resize(1440, 900)
window.show()
application.exec()
"""
)
OURS: Final = (
    WATCH
    + """
import sys
from app.ui import start
watch = Watch()
def listed():
    print("usable", time.time(), flush=True)
    QTimer.singleShot(0, start.QApplication.instance().quit)
class Watched(start.Frame):
    def __init__(self):
        super().__init__()
        self.installEventFilter(watch)
    def take(self, content):
        super().take(content)
        drawn = Watch()
        drawn.painted = lambda: print("drawn", time.time(), flush=True)
        content.installEventFilter(drawn)
        self.drawn = drawn
        content.page.entries.modelReset.connect(lambda: QTimer.singleShot(0, listed))
start.Frame = Watched
sys.exit(start.main(sys.argv))
"""
)


def moments(program: str, home: str) -> dict[str, float]:
    """Word -> seconds after the start of the process."""
    environment = {
        **os.environ,
        "WAYPOST_HOME": home,
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONPYCACHEPREFIX": f"{home}/pyc",
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a user's second start finds its bytecode
    begin = time.time()
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith(("painted", "drawn", "usable"))]
    if not lines:
        raise RuntimeError(done.stderr[-600:])
    return {word: float(at) - begin for word, at in lines}


ANSWERED: Final = """
import statistics, time
from app.host.paths import SAMPLES
from app.host.settings import Settings
from app.store.files import open_any
from app.session.tasks import Tasks
from app.ui.build import build, read_catalogue
from app.ui.start import make_application

application = make_application(["waypost"])
window = build(Settings(language="ko", theme="light"), Tasks())
session = window.ui.session
session.set_catalogue(read_catalogue(None))
session.open(open_any(SAMPLES / "chat-and-nightly.waypost"))
window.ui.speak()
window.resize(1440, 900)
window.go("rules.data")
window.show()
said = []
session.assessed.connect(lambda answer: said.append(time.perf_counter()))

def settle(count):
    until = time.monotonic() + 10
    while len(said) < count and time.monotonic() < until:
        application.processEvents()
    application.processEvents()

settle(1)
cards = window.page.cards["data.boundary"].group.all_cards
shown, followed = [], []
for turn in range(60):
    card, before = cards[turn % len(cards)], len(said)
    begun = time.perf_counter()
    card.click()
    window.page.cards["data.boundary"].repaint()
    shown.append(time.perf_counter() - begun)
    settle(before + 1)
    followed.append(time.perf_counter() - begun)
window.ui.session.tasks.close()
print("shown", statistics.median(shown[10:]))
print("followed", statistics.median(followed[10:]))
"""
"""A choice on a page of three workloads' session: until its card is painted, until verdict and page have followed."""


def answer_moments() -> dict[str, float]:
    """Word -> seconds."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "WAYPOST_HOME": home, "QT_QPA_PLATFORM": "offscreen"}
        done = subprocess.run(
            [sys.executable, "-c", ANSWERED],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    return {word: float(value) for word, value in (line.split() for line in done.stdout.splitlines())}


def window_figures() -> Iterator[Figure]:
    """Ratio of our first paint (frame, then words) to a bare window's, and the time until the history is listed.

    The two are started in turn, so that what else the machine does hits both alike; ratios are medians over the pairs.
    """
    with tempfile.TemporaryDirectory() as home:
        moments(OURS, home), moments(BARE, home)
        pairs = [(moments(BARE, home)["painted"], moments(OURS, home)) for _ in range(9)]
    bare = statistics.median(b for b, _ in pairs)
    seconds = {word: statistics.median(o[word] for _, o in pairs) for word in ("painted", "drawn", "usable")}
    ratio = {word: statistics.median(o[word] / b for b, o in pairs) for word in ("painted", "drawn")}
    note = f"{seconds['painted']:.2f} s against {bare:.2f} s"
    yield Figure("window frame painted, ratio to a bare one", ratio["painted"], "x", 2.0, note=note)
    note = f"{seconds['drawn']:.2f} s"
    yield Figure("window with its words painted, ratio to a bare one", ratio["drawn"], "x", note=note)
    yield Figure("window usable, history listed", seconds["usable"], "s", 1.5)
    answered = answer_moments()
    yield Figure("a choice until its card is painted", answered["shown"] * 1e3, "ms", 16.0)
    yield Figure("a choice until verdict and page have followed", answered["followed"] * 1e3, "ms")
