"""What is read before the first paint, and what is not."""

from __future__ import annotations

import subprocess
import sys

PAINT = """
import sys
from app.host.settings import Settings
from app.session.tasks import Tasks
from app.ui.build import build
from app.ui.start import make_application
application = make_application(["waypost"])
window = build(Settings(language="ko", theme="light"), Tasks())
window.go("history")
window.show()
window.grab()
print("\\n".join(sys.modules))
window.ui.session.tasks.close()
"""


def test_the_first_paint_reads_no_heavy_module(own_home):
    done = subprocess.run([sys.executable, "-c", PAINT], capture_output=True, text=True, check=True, timeout=120)
    read = {name.split(".")[0] for name in done.stdout.split()}
    assert "PySide6" in read
    assert read & {"sqlalchemy", "alembic", "pyqtgraph", "torch", "numpy", "reportlab", "pypdf", "pypdfium2"} == set()


def test_the_module_opens_and_closes(own_home):
    script = "from PySide6.QtCore import QTimer\nfrom app.ui import build\nshown = build.Starter.begin\n"
    script += "def begin(self):\n    shown(self)\n    QTimer.singleShot(1500, self._window.window().close)\n"
    script += "build.Starter.begin = begin\nimport app.__main__\nraise SystemExit(app.__main__.main())\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert (own_home / "history.db").exists()
