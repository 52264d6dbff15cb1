"""What may be done from anywhere, once: menus, shortcuts and the finder all read it from here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from app.present.tones import Tone
from app.session import parts
from app.ui import files
from app.ui.context import Ui
from app.ui.found import Found
from app.ui.walk import PAGES, stop_of
from engine.consultation import Change, Consultation, Origin
from engine.questions import QUESTIONS

if TYPE_CHECKING:
    from app.store.interface import Reason

SCALES: Final = (1.0, 1.25, 1.5, 1.75, 2.0)
THEMES: Final = ("system", "light", "dark")
CURRENCIES: Final = ("KRW", "USD")


class Commands(QObject):
    """Every command of the window."""

    def __init__(self, ui: Ui, window: QWidget) -> None:
        super().__init__(window)
        self._ui = ui
        self._window = window
        self._taken = ""

    # the consultation

    def new(self) -> None:
        """An empty consultation on the table; the one before stays in the history."""
        self._ui.session.open(parts.new_consultation(self._ui.settings.currency), dirty=True)
        self._ui.go.emit("customer")

    def open_file(self) -> None:
        t = self._ui.t
        name, _ = QFileDialog.getOpenFileName(
            self._window, t.text("ui.file.open"), self._folder(), f"{t.text('ui.file.kinds')} (*.waypost *.pdf)"
        )
        if name:
            self.open_path(Path(name))

    def open_path(self, path: Path) -> None:
        """Read a file or a proposal of ours, off the window's thread, into the history and on the table."""
        ui = self._ui
        language, store = ui.language, ui.store
        version = ui.session.catalogue.version if ui.session.catalogue else ""
        self._remember(path)
        ui.session.flush()
        ui.session.tasks.run(
            lambda _cancel: files.read_into(store, path, language, version), self._opened, ui.error, serial=True
        )

    def _opened(self, consultation: Consultation) -> None:
        self._ui.session.open(consultation)
        self._ui.store_changed.emit()
        self._ui.go.emit("customer")

    def export_file(self) -> None:
        ui, t = self._ui, self._ui.t
        if not ui.session.is_open:
            return
        name, _ = QFileDialog.getSaveFileName(
            self._window,
            t.text("ui.file.export"),
            str(Path(self._folder()) / files.file_name(ui.session.consultation, ".waypost")),
            f"{t.text('ui.file.kinds')} (*.waypost)",
        )
        if name:
            self.export_path(Path(name))

    def export_path(self, path: Path) -> None:
        ui, document = self._ui, self._ui.session.consultation
        self._remember(path)
        ui.session.tasks.run(lambda _cancel: files.export_to(path, document), self._exported, ui.error, serial=True)

    def _exported(self, path: Path) -> None:
        self._ui.say(self._ui.t.text("ui.file.exported", path=str(path)), Tone.GOOD)

    def save_version(self) -> None:
        """Keep what stands there as a version that never changes."""
        from app.store.interface import Reason

        self.keep_version(Reason.SAVED, self._version_kept)

    def keep_version(self, reason: Reason, done: Callable[[Any], None]) -> None:
        ui = self._ui
        store, document, assessment = ui.store, ui.session.consultation, ui.session.assessment
        if store is None or not ui.session.is_open:
            ui.say(ui.t.text("ui.status.save.no_store"), Tone.WARN)
            return
        language = ui.language
        version = ui.session.catalogue.version if ui.session.catalogue else ""
        ui.session.flush()
        ui.session.tasks.run(
            lambda _cancel: files.keep_version(store, document, assessment, reason, language, version),
            done,
            ui.error,
            serial=True,
        )

    def _version_kept(self, number: int) -> None:
        self._ui.store_changed.emit()
        self._ui.say(self._ui.t.text("ui.version.kept", number=number), Tone.GOOD)

    def import_model(self) -> None:
        """A model from its own files: config.json, safetensors or GGUF."""
        t = self._ui.t
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            t.text("ui.command.import"),
            self._folder(),
            f"{t.text('ui.file.models')} (*.json *.safetensors *.gguf)",
        )
        if name:
            self.take_model(Path(name))

    def take_model(self, path: Path) -> None:
        """Read the headers, never the weights, and keep the model among the user's rows."""
        self._remember(path)
        self._ui.session.tasks.run(
            lambda _cancel: files.import_model(path), self._model_taken, self._ui.error, serial=True
        )

    def _model_taken(self, taken: files.TakenModel) -> None:
        ui = self._ui
        self._taken = taken.model_id
        ui.session.set_catalogue(taken.catalogue)
        ui.speak()
        use = ui.t.text("ui.import.use") if ui.session.is_open else ""
        ui.say(ui.t.text("ui.import.done", name=taken.name), Tone.GOOD, use, self._use_taken)

    def _use_taken(self) -> None:
        self._ui.session.answer("serving.model", self._taken, None, Origin.IMPORTED)
        self._ui.go.emit("memory")

    def _folder(self) -> str:
        return self._ui.settings.last_folder or str(Path.home())

    def _remember(self, path: Path) -> None:
        self._ui.set(last_folder=str(path.parent))

    # looks

    def set_theme(self, theme: str) -> None:
        self._ui.set(theme=theme)

    def set_language(self, language: str) -> None:
        self._ui.set(language=language)

    def set_currency(self, currency: str) -> None:
        """Money in another currency, for this consultation and for new ones."""
        self._ui.set(currency=currency)
        if self._ui.session.is_open:
            self._ui.session.apply(Change("currency", currency))

    def set_scale(self, scale: float) -> None:
        self._ui.set(scale=min(max(scale, SCALES[0]), SCALES[-1]))

    def larger(self) -> None:
        self.set_scale(next((s for s in SCALES if s > self._ui.settings.scale + 0.01), SCALES[-1]))

    def smaller(self) -> None:
        self.set_scale(next((s for s in reversed(SCALES) if s < self._ui.settings.scale - 0.01), SCALES[0]))

    def normal_size(self) -> None:
        self.set_scale(1.0)

    def open_options(self, anchor: QWidget) -> None:
        """The menu behind "options"."""
        ui, t = self._ui, self._ui.t
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setObjectName("options-menu")
        there = ui.session.is_open
        for key, act, enabled in (
            ("ui.command.new", self.new, True),
            ("ui.command.open", self.open_file, True),
            ("ui.command.save", self.save_version, there),
            ("ui.command.export", self.export_file, there),
            ("ui.command.import", self.import_model, True),
        ):
            action = menu.addAction(t.text(key))
            action.setEnabled(enabled)
            action.triggered.connect(act)
        menu.addSeparator()
        self._add_choices(
            menu, "ui.option.theme", {v: t.text(f"ui.theme.{v}") for v in THEMES}, ui.settings.theme, self.set_theme
        )
        self._add_choices(menu, "ui.option.size", {s: f"{s:.0%}" for s in SCALES}, ui.settings.scale, self.set_scale)
        currency = ui.session.consultation.currency if there else ui.settings.currency
        self._add_choices(
            menu, "ui.option.currency", {c: t.text(f"ui.currency.{c}") for c in CURRENCIES}, currency, self.set_currency
        )
        menu.popup(anchor.mapToGlobal(QPoint(0, anchor.height() + 2)))

    def _add_choices(
        self, menu: QMenu, title: str, choices: dict[Any, str], current: Any, act: Callable[[Any], None]
    ) -> None:
        sub = menu.addMenu(self._ui.t.text(title))
        for value, text in choices.items():
            action = QAction(text, sub)
            action.setCheckable(True)
            action.setChecked(value == current)
            action.triggered.connect(partial(_ignoring, act, value))
            sub.addAction(action)

    # the finder

    def everything(self) -> list[Found]:
        """All that can be found, best kinds first."""
        return [*self._pages(), *self._questions(), *self._asked(), *self._commands()]

    def _pages(self) -> list[Found]:
        t = self._ui.t
        there = self._ui.session.is_open
        return [
            Found(t.text("ui.finder.page"), t.text(f"ui.stop.{key}"), partial(self._ui.go.emit, key), words=key)
            for key in PAGES
            if there or stop_of(key) is None
        ]

    def _questions(self) -> list[Found]:
        t, workload = self._ui.t, self._ui.session.workload
        if workload is None:
            return []
        return [
            Found(
                t.text("ui.finder.question"),
                t(q.title),
                partial(self._ui.go.emit, f"question:{q.path}"),
                t(q.why),
                t(q.short),
            )
            for q in QUESTIONS
            if q.asked_if(workload)
        ]

    def _asked(self) -> list[Found]:
        """The customer's thirteen questions and the terms, as the page of questions has them."""
        from app.ui.pages.ask import found_of  # the page reads present; the finder opens later

        return found_of(self._ui)

    def _commands(self) -> list[Found]:
        t, ui = self._ui.t, self._ui
        table: list[tuple[str, Callable[[], object]]] = [
            ("ui.command.new", self.new),
            ("ui.command.open", self.open_file),
            ("ui.command.save", self.save_version),
            ("ui.command.export", self.export_file),
            ("ui.command.import", self.import_model),
            ("ui.command.undo", ui.session.undo),
            ("ui.command.redo", ui.session.redo),
            ("ui.command.korean", partial(self.set_language, "ko")),
            ("ui.command.english", partial(self.set_language, "en")),
            ("ui.command.light", partial(self.set_theme, "light")),
            ("ui.command.dark", partial(self.set_theme, "dark")),
            ("ui.command.larger", self.larger),
            ("ui.command.smaller", self.smaller),
            ("ui.command.won", partial(self.set_currency, "KRW")),
            ("ui.command.dollar", partial(self.set_currency, "USD")),
        ]
        return [Found(t.text("ui.finder.command"), t.text(key), _quiet(act)) for key, act in table]


def _quiet(act: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        act()

    return run


def _ignoring(act: Callable[[Any], None], value: Any, _checked: bool = False) -> None:
    """A menu action says whether it is checked; nobody here wants to know."""
    act(value)
