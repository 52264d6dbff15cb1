"""From a process to a window on screen: the frame first, then the product inside it, then the data.

Nothing of the product is read before the frame is painted; nothing heavy (numpy, SQLAlchemy, pyqtgraph) before the window is.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.ui.frame import Frame


def make_application(arguments: Sequence[str]) -> QApplication:
    """The application with Fusion, under the product's name."""
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        application = QApplication(list(arguments))
    application.setStyle("fusion")
    application.setApplicationName("Waypost")
    application.setDesktopFileName("waypost")
    return application


def main(arguments: Sequence[str] | None = None) -> int:
    """Open the window and run until it is closed. The exit status."""
    application = make_application(sys.argv[:1] if arguments is None else arguments)
    frame = Frame()
    frame.show_at_once(application)
    return _run(application, frame)


def _run(application: QApplication, frame: Frame) -> int:
    from app.host import crash  # all of this is read with the frame on screen
    from app.host.settings import load_settings
    from app.session.tasks import Tasks
    from app.ui import build
    from app.ui.safety import Safety, Termination

    crash.open_log()
    loaded = load_settings()
    window = build.build(loaded.settings, Tasks())
    window.ui.settings_changed.connect(build.keep_settings)
    window.go("history")
    frame.take(window)
    window.show()
    safety, termination = Safety(window.ui, window), Termination(application.quit, window)
    starter = build.Starter(window, safety)
    QTimer.singleShot(0, starter.begin)
    if loaded.notice is not None:
        window.ui.error(loaded.notice)
    status = application.exec()
    termination.release()
    frame.keep_size()
    window.ui.session.flush()
    window.ui.session.tasks.close()
    if window.ui.store is not None:
        window.ui.store.close()
    safety.end()
    return status
