"""What every widget is given: the session, the words, the theme, and the few things it may ask of the window."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import attrs
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.host.settings import Settings
from app.present.tones import Tone
from app.present.translator import Translator
from app.session import Session
from app.session.tasks import Cancelled
from app.ui.theme import Theme, rescale
from engine.errors import WaypostError
from engine.messages import Message

if TYPE_CHECKING:
    from app.present.scene import Rooms, Scene
    from app.present.views import Page
    from app.store.interface import Store
    from engine.results import Assessment


class Ui(QObject):
    """One a window. `t` always speaks the language on show."""

    words_changed = Signal()
    go = Signal(str)
    """Show the page of that key; "question:<path>" shows the page that asks it."""
    toast = Signal(str, object, str, object)
    """Text, tone, label of an action ("" for none), the action."""
    settings_changed = Signal(object)
    store_changed = Signal()

    def __init__(self, session: Session, theme: Theme, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.theme = theme
        self.settings = settings
        self.customer_view = False
        self.store: Store | None = None
        self.last_of_step: dict[str, str] = {}
        """Step -> its page seen last: the rail leads back there."""
        self.today: Callable[[], date] = _today
        self.rooms: Rooms | None = None
        self._held: tuple[Assessment, Translator] | None = None
        self._views: dict[tuple[str, str], Page] = {}
        self.t = self._translator()

    @property
    def language(self) -> str:
        """The language on show."""
        chosen = self.settings.language
        return system_language() if chosen == "system" else chosen

    def set(self, **values: Any) -> None:
        """Change settings; words and theme follow at once."""
        before, self.settings = self.settings, attrs.evolve(self.settings, **values)
        self.settings_changed.emit(self.settings)
        if before.theme != self.settings.theme:
            self.theme.set_choice(self.settings.theme)
        if before.scale != self.settings.scale:
            self.theme.set_scale(self.settings.scale)
        if before.language != self.settings.language:
            self.speak()

    def speak(self) -> None:
        """Make the words anew: language, currency or catalogue changed."""
        self.t = self._translator()
        self.words_changed.emit()

    def error(self, error: BaseException | Message) -> None:
        """One sentence in a toast; what was stopped by hand needs none."""
        if isinstance(error, Cancelled):
            return
        message = error.message if isinstance(error, WaypostError) else error
        text = self.t(message) if isinstance(message, Message) else self.t.text("ui.error.unexpected", what=str(error))
        self.say(text, Tone.BAD)

    def say(self, text: str, tone: Tone = Tone.PLAIN, action: str = "", act: object = None) -> None:
        self.toast.emit(text, tone, action, act)

    def retranslate(self, root: QWidget) -> None:
        """Every widget under `root` that holds fixed words says them again."""
        for widget in root.findChildren(QWidget):
            speak = getattr(widget, "retranslate", None)
            if speak is not None:
                speak()

    def resize(self, root: QWidget) -> None:
        """Every remembered length and font under `root` in the current scale."""
        rescale(self.theme, root)
        for widget in root.findChildren(QWidget):
            refont = getattr(widget, "refont", None)
            if refont is not None:
                refont()

    def views_of(self, scene: Scene) -> dict[tuple[str, str], Page]:
        """Pages already made of this answer in these words: one is asked for more than once while it is drawn."""
        held = (scene.assessment, scene.t)
        if self._held is None or any(a is not b for a, b in zip(self._held, held, strict=True)):
            self._held, self._views = held, {}
        return self._views

    def scene(self) -> Scene | None:
        """What the pages of app.present read, for the workload on show; None while nothing was computed."""
        session = self.session
        assessed, catalogue = session.assessed_workload, session.catalogue
        if assessed is None or catalogue is None or session.assessment is None:
            return None
        from app.present.scene import Scene  # numpy stays out of the start

        return Scene(session.assessment, session.workload_id, self.t, catalogue, self.today(), self.rooms)

    def _translator(self) -> Translator:
        catalogue = self.session.catalogue
        if catalogue is None:
            # no rate of exchange is known yet: money would be shown in the currency it is kept in
            return Translator(self.language, currency="USD")
        from app.present.scene import speaker  # after the first paint

        return speaker(self.language, self.session.consultation, catalogue)


def system_language() -> str:
    """Korean unless the system clearly speaks English."""
    spoken = next((os.environ[n] for n in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(n)), "")
    return "en" if spoken.lower().startswith("en") else "ko"


def _today() -> date:
    """The day at the desk."""
    return datetime.now(UTC).astimezone().date()
