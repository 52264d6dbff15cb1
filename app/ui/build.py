"""The window's parts put together, and what follows them off its thread: catalogue, engine, history, and last pyqtgraph."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

from app.host.settings import Settings, save_settings
from app.session import Session
from app.session.tasks import Tasks
from app.ui.context import Ui
from app.ui.safety import Safety
from app.ui.shell.window import Window
from app.ui.theme import Theme, load_fonts

if TYPE_CHECKING:
    from app.store.interface import Store
    from engine.catalogue import Catalogue

log = logging.getLogger("waypost.start")


def build(settings: Settings, tasks: Tasks) -> Window:
    """Everything wired, nothing read yet. The window is not shown."""
    load_fonts()
    theme = Theme(settings.theme, settings.scale)
    theme.apply()
    session = Session(tasks)
    ui = Ui(session, theme, settings)
    window = Window(ui)
    for owned in (theme, session, ui, tasks):
        owned.setParent(window)
    return window


def read_catalogue(_cancel: object) -> Catalogue:
    """The catalogue with the user's rows; the engine's modules are read on the way, so that the first answer is quick."""
    import engine.assess
    from app.store.own_catalogue import catalogue

    assert engine.assess
    return catalogue()


class Starter(QObject):
    """What follows the first paint."""

    def __init__(self, window: Window, safety: Safety) -> None:
        super().__init__(window)
        self._window = window
        self._ui = window.ui
        self._safety = safety

    def begin(self) -> None:
        """The history first: it is what the window shows. Reading both at once would slow each."""
        self._ui.session.tasks.run(self._read_store, self._have_store, self._no_store, serial=True)

    def _read_catalogue(self) -> None:
        self._ui.session.tasks.run(read_catalogue, self._have_catalogue, self._failed, channel="catalogue")

    def _read_store(self, _cancel: object) -> Store:
        from app.store import open_store  # SQLAlchemy

        return open_store(self._ui.settings.database_url)

    def _have_catalogue(self, catalogue: Catalogue) -> None:
        self._ui.session.set_catalogue(catalogue)
        self._ui.speak()
        self._window.status.refresh()
        self._ui.session.tasks.run(_warm_up, self._warm, channel="warm")

    def _warm(self, _nothing: object) -> None:
        log.debug("charts are ready")

    def _have_store(self, store: Store) -> None:
        ui = self._ui
        ui.store = store
        ui.session.keep_drafts(store.drafts.save)
        ui.store_changed.emit()
        self._safety.begin()
        QTimer.singleShot(0, self._read_catalogue)
        ui.session.tasks.run(_purge(store), self._warm, self._failed, serial=True)

    def _no_store(self, error: BaseException) -> None:
        self._ui.session.keep_drafts(None)
        self._failed(error)
        self._read_catalogue()

    def _failed(self, error: BaseException) -> None:
        log.error("start", exc_info=error)
        self._ui.error(error)


def _purge(store: Store) -> Any:
    return lambda _cancel: store.history.purge()


def _warm_up(_cancel: object) -> None:
    """Read the charts' library before a page asks for it."""
    import pyqtgraph

    assert pyqtgraph


def keep_settings(settings: Settings) -> None:
    """Write what was chosen; a folder that cannot be written is a line in the log, not a box in a meeting."""
    try:
        save_settings(settings)
    except OSError as error:
        log.warning("settings not written: %s", error.strerror)
