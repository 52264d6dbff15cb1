"""The history: every consultation by its last change, with search, and the trash from which all comes back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QHBoxLayout

from app.host.paths import SAMPLES
from app.present import design
from app.present.tones import Tone
from app.session import Changed, parts
from app.ui.context import Ui
from app.ui.pages.base import Page
from app.ui.pages.history_list import EntryList, when
from app.ui.theme import fix, pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.choice import Choice
from app.ui.widgets.fields import TextField
from app.ui.widgets.picker import Item, Picker
from app.ui.widgets.segments import Segments
from app.ui.widgets.text import Text
from engine.consultation import Consultation

if TYPE_CHECKING:
    from app.store.interface import HistoryEntry, VersionEntry


class HistoryPage(Page):
    column_width = design.WIDE_COLUMN_WIDTH

    def __init__(self, ui: Ui, key: str) -> None:
        super().__init__(ui, key)
        self._trash = False
        self._kept: tuple[VersionEntry, ...] = ()
        top = QHBoxLayout()
        pad(ui.theme, top, (0, 0, 0, 0), 8)
        self.search = TextField(ui, "history-search", "ui.history.search")
        self.search.setProperty("search", "true")
        self.search.typed.connect(self._searched)
        self.new = Button(ui, "ui.command.new", name="history-new", kind="primary")
        self.new.clicked.connect(self._new)
        self.open_file = Button(ui, "ui.command.open", name="history-open-file", icon="upload")
        self.samples = Picker(ui, "history-samples", self._samples)
        fix(ui.theme, self.samples, width=170)
        self.samples.chosen.connect(self._open_sample)
        for part in (self.new, self.open_file, self.samples):
            top.addWidget(part)
        top.insertWidget(0, self.search, 1)
        self.column.addLayout(top)
        self.list = EntryList(ui)
        self.entries = self.list.entries
        self.list.wanted.connect(self.open_chosen)
        self.list.unwanted.connect(self.delete_chosen)
        self.list.doubleClicked.connect(self._opened_index)
        self.list.selectionModel().currentChanged.connect(self._moved)
        self.hint = Text(ui, "", design.BODY, "ink2", wrap=True)
        self.column.addWidget(self.hint)
        self.column.addWidget(self.list, 1)
        self.column.addLayout(self._make_actions())
        ui.store_changed.connect(self.load)
        self.retranslate()

    def _make_actions(self) -> QHBoxLayout:
        ui = self.ui
        row = QHBoxLayout()
        pad(ui.theme, row, (0, 0, 0, 0), 8)
        self.open_button = Button(ui, "ui.history.open", name="history-open")
        self.open_button.clicked.connect(self.open_chosen)
        self.copy_button = Button(ui, "ui.history.copy", name="history-copy", icon="copy")
        self.copy_button.clicked.connect(self._copy_chosen)
        self.delete_button = Button(ui, "ui.history.delete", name="history-delete", icon="trash")
        self.delete_button.clicked.connect(self.delete_chosen)
        self.restore_button = Button(ui, "ui.history.restore", name="history-restore", icon="undo")
        self.restore_button.clicked.connect(self._restore_chosen)
        self.versions = Picker(ui, "history-versions", self._version_items)
        fix(ui.theme, self.versions, width=150)
        self.versions.chosen.connect(self._open_version)
        self.which = Segments(ui, "history-which", self._which_choices())
        self.which.chosen.connect(self._turn)
        for part in (self.open_button, self.copy_button, self.delete_button, self.restore_button, self.versions):
            row.addWidget(part)
        row.addStretch(1)
        row.addWidget(self.which)
        return row

    def _which_choices(self) -> list[Choice]:
        t = self.ui.t
        return [Choice("history", t.text("ui.history.kept")), Choice("trash", t.text("ui.history.trash"))]

    def retranslate(self) -> None:
        t = self.ui.t
        self.which.say(self._which_choices())
        self.which.show_value("trash" if self._trash else "history")
        self.search.setAccessibleName(t.text("ui.history.search"))
        self.list.setAccessibleName(t.text("ui.stop.history"))
        self.samples.setAccessibleName(t.text("ui.history.samples"))
        self.samples.show_value(None, "", t.text("ui.history.samples"))
        self.versions.setAccessibleName(t.text("ui.history.open_version"))
        self.versions.show_value(None, "", t.text("ui.history.open_version"))
        self.list.viewport().update()

    def _samples(self) -> list[Item]:
        return [Item(str(p), self.ui.t.text(f"ui.sample.{p.stem}")) for p in sorted(SAMPLES.glob("*.waypost"))]

    # showing

    def shown(self) -> None:
        self.load()

    def refresh(self, changed: Changed | None = None) -> None:
        self._show_head()
        self.list.viewport().update()

    def load(self) -> None:
        """Ask the store again, off the window's thread."""
        store, text, trash = self.ui.store, self.search.text(), self._trash
        if store is None:
            self._show_head()
            return

        def look(_cancel: object) -> tuple[HistoryEntry, ...]:
            return store.history.trash() if trash else store.history.search(text)

        self.ui.session.tasks.run(look, self._found, self.ui.error, channel="history", serial=True)

    def _found(self, entries: tuple[HistoryEntry, ...]) -> None:
        chosen = self.list.chosen()
        self.entries.fill(entries)
        at = next((i for i, e in enumerate(entries) if chosen is not None and e.id == chosen.id), 0)
        if entries:
            self.list.setCurrentIndex(self.entries.index(at))
        self._show_head()

    def _show_head(self) -> None:
        t, count = self.ui.t, len(self.entries.entries)
        eyebrow = t.text("ui.stop.history")
        if self.ui.store is None:
            self.say_head(eyebrow, t.text("ui.history.no_store"), t.text("ui.history.no_store.lead"))
        elif self._trash:
            self.say_head(eyebrow, t.text("ui.history.trash.title", count=count), t.text("ui.history.trash.lead"))
        elif count or self.search.text():
            self.say_head(eyebrow, t.text("ui.history.title", count=count), t.text("ui.history.lead"))
        else:
            self.say_head(eyebrow, t.text("ui.history.first"), t.text("ui.history.first.lead"))
        self.hint.say(t.text("ui.history.nothing") if not count and self.search.text() else "")
        self.hint.setVisible(bool(self.hint.text()))
        self.list.setVisible(bool(count))
        for button in (self.open_button, self.copy_button, self.delete_button):
            button.setVisible(not self._trash)
            button.setEnabled(bool(count))
        self.restore_button.setVisible(self._trash)
        self.restore_button.setEnabled(bool(count))

    def _searched(self, _text: str) -> None:
        self.load()

    def _turn(self, which: str) -> None:
        self._trash = which == "trash"
        self.which.show_value(which)
        self.load()

    # versions

    def _moved(self, _now: QModelIndex, _before: QModelIndex) -> None:
        """Another consultation is chosen: its versions are looked up."""
        self._kept = ()
        self.versions.setEnabled(False)
        entry, store = self.list.chosen(), self.ui.store
        if entry is not None and store is not None and entry.version_count:
            self.ui.session.tasks.run(
                lambda _c: store.versions.of(entry.id),
                self._have_versions,
                self.ui.error,
                channel="versions",
                serial=True,
            )

    def _have_versions(self, kept: tuple[VersionEntry, ...]) -> None:
        self._kept = kept
        self.versions.setEnabled(bool(kept) and not self._trash)

    def _version_items(self) -> list[Item]:
        t = self.ui.t
        return [
            Item(
                kept.number,
                t.text("ui.history.version", number=kept.number),
                f"{when(self.ui, kept.created_at)} · {t.text(f'ui.reason.{kept.reason.value}')}",
            )
            for kept in self._kept
        ]

    def _open_version(self, number: object) -> None:
        """As a consultation of its own: a version itself never changes."""
        entry, store = self.list.chosen(), self.ui.store
        if entry is None or store is None:
            return
        title = self.ui.t.text("ui.history.version_title", title=entry.title, number=number)

        def copy(_cancel: object) -> Consultation:
            made = parts.copy_of(store.versions.get(entry.id, int(str(number))).consultation, title)
            store.drafts.save(made)
            return made

        self.ui.session.flush()
        self.ui.session.tasks.run(copy, self._copied, self.ui.error, serial=True)

    # acts

    def _new(self) -> None:
        self.ui.session.open(parts.new_consultation(self.ui.settings.currency), dirty=True)
        self.ui.go.emit("customer")

    def _opened_index(self, _index: QModelIndex) -> None:
        self.open_chosen()

    def open_chosen(self) -> None:
        entry, store = self.list.chosen(), self.ui.store
        if entry is None or store is None or self._trash:
            return
        if entry.id == self.ui.session.consultation.id:
            self.ui.go.emit("customer")
            return
        self.ui.session.flush()
        self.ui.session.tasks.run(lambda _c: store.drafts.load(entry.id), self._loaded, self.ui.error, serial=True)

    def _loaded(self, consultation: Consultation) -> None:
        self.ui.session.open(consultation)
        self.ui.go.emit("customer")

    def _copy_chosen(self) -> None:
        entry, store = self.list.chosen(), self.ui.store
        if entry is None or store is None:
            return
        title = self.ui.t.text("ui.copy_of", name=entry.title or self.ui.t.text("ui.untitled"))

        def copy(_cancel: object) -> Consultation:
            made = parts.copy_of(store.drafts.load(entry.id), title)
            store.drafts.save(made)
            return made

        self.ui.session.tasks.run(copy, self._copied, self.ui.error, serial=True)

    def _copied(self, consultation: Consultation) -> None:
        self.ui.session.open(consultation)
        self.load()
        self.ui.go.emit("customer")

    def delete_chosen(self) -> None:
        entry, store = self.list.chosen(), self.ui.store
        if entry is None or store is None or self._trash:
            return
        if entry.id == self.ui.session.consultation.id:
            self.ui.session.close()
        self.ui.session.tasks.run(lambda _c: _delete(store, entry), self._deleted, self.ui.error, serial=True)

    def _deleted(self, entry: HistoryEntry) -> None:
        t = self.ui.t
        self._last_deleted = entry
        name = entry.title or t.text("ui.untitled")
        self.ui.say(t.text("ui.history.deleted", name=name), Tone.PLAIN, t.text("ui.top.undo"), self._restore_last)
        self.load()

    def _restore_last(self) -> None:
        self._restore(self._last_deleted)

    def _restore_chosen(self) -> None:
        entry = self.list.chosen()
        if entry is not None and self._trash:
            self._restore(entry)

    def _restore(self, entry: HistoryEntry) -> None:
        store = self.ui.store
        if store is not None:
            self.ui.session.tasks.run(
                lambda _c: store.history.restore(entry.id), self._restored, self.ui.error, serial=True
            )

    def _restored(self, _nothing: object) -> None:
        self.load()

    def _open_sample(self, path: object) -> None:
        from app.ui import files

        store, language = self.ui.store, self.ui.language
        version = self.ui.session.catalogue.version if self.ui.session.catalogue else ""

        def read(_cancel: object) -> Consultation:
            return files.read_into(store, Path(str(path)), language, version)

        self.ui.session.flush()
        self.ui.session.tasks.run(read, self._loaded, self.ui.error, serial=True)


def _delete(store: Any, entry: HistoryEntry) -> HistoryEntry:
    store.history.delete(entry.id)
    return entry
