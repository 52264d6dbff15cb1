"""The history: every consultation by its last change, with search, and the trash from which all comes back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QHBoxLayout, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app import documents
from app.paths import SAMPLES
from app.present import design
from app.present.tones import Tone
from app.session import Changed
from app.ui.context import Ui
from app.ui.pages.base import Page
from app.ui.theme import fix, pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.choice import Choice
from app.ui.widgets.fields import TextField
from app.ui.widgets.picker import Item, Picker
from app.ui.widgets.segments import Segments
from app.ui.widgets.text import Text
from engine.consultation import Consultation

if TYPE_CHECKING:
    from app.store.interface import HistoryEntry

Index = QModelIndex | QPersistentModelIndex


class Entries(QAbstractListModel):
    """What the store found."""

    def __init__(self, ui: Ui, parent: QObject) -> None:
        super().__init__(parent)
        self._ui = ui
        self.entries: tuple[HistoryEntry, ...] = ()

    def fill(self, entries: tuple[HistoryEntry, ...]) -> None:
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:  # noqa: N802
        return 0 if parent is not None and parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entries[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return entry.title or entry.customer or self._ui.t.text("ui.untitled")
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return f"{entry.customer}, {', '.join(entry.workloads)}, {when(self._ui, entry.changed_at)}"
        return None


def when(ui: Ui, at: datetime) -> str:
    """A moment as a person says it: today with the hour, else the day."""
    local = at.replace(tzinfo=at.tzinfo or UTC).astimezone()
    days = (ui.today() - local.date()).days
    clock = f"{local:%H:%M}"
    if days == 0:
        return ui.t.text("ui.time.today", clock=clock)
    if days == 1:
        return ui.t.text("ui.time.yesterday", clock=clock)
    return f"{local:%Y-%m-%d}"


class _Row(QStyledItemDelegate):
    """Title and customer at the left, workloads under them, time and state at the right."""

    def __init__(self, ui: Ui, parent: QObject) -> None:
        super().__init__(parent)
        self._ui = ui

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:  # noqa: N802
        return QSize(100, self._ui.theme.px(64))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model, theme, t = index.model(), self._ui.theme, self._ui.t
        if not isinstance(model, Entries):
            return
        entry = model.entries[index.row()]
        rect: QRect = option.rect
        state = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        here = entry.id == self._ui.session.consultation.id
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.setPen(QPen(theme.colour("accent" if chosen else "line"), 1.5 if chosen else 1))
        painter.setBrush(theme.colour("surface"))
        radius = theme.px(design.RADIUS_CARD)
        painter.drawRoundedRect(QRectF(rect).adjusted(1, 3, -1, -3), radius, radius)
        box = rect.adjusted(theme.px(16), theme.px(11), -theme.px(16), -theme.px(11))
        time = when(self._ui, entry.deleted_at or entry.changed_at)
        facts = self._facts(entry, here)
        side = max(_wide(theme.font(design.SMALL), time), _wide(theme.font(design.SMALL), facts)) + theme.px(12)
        words = QRect(box.left(), box.top(), box.width() - side, box.height())
        title = entry.title or t.text("ui.untitled")
        _line(painter, words, title, theme.font(design.SUBHEADING), theme.colour("ink1"), top=True)
        below = " · ".join(filter(None, (entry.customer, ", ".join(filter(None, entry.workloads)))))
        _line(painter, words, below, theme.font(design.NOTE), theme.colour("ink2"), top=False)
        _line(painter, box, time, theme.font(design.SMALL), theme.colour("ink2"), top=True, right=True)
        ink = theme.colour("accent" if here else "warn" if entry.unsaved else "ink3")
        _line(painter, box, facts, theme.font(design.SMALL), ink, top=False, right=True)
        painter.restore()

    def _facts(self, entry: HistoryEntry, here: bool) -> str:
        t = self._ui.t
        parts = [t.text("ui.history.open_now")] if here else []
        if entry.version_count:
            parts.append(t.text("ui.history.versions", count=entry.version_count))
        if entry.unsaved and not here:
            parts.append(t.text("ui.history.draft"))
        return " · ".join(parts)


def _wide(font: Any, text: str) -> int:
    return QFontMetrics(font).horizontalAdvance(text)


def _line(painter: QPainter, box: QRect, text: str, font: Any, ink: Any, *, top: bool, right: bool = False) -> None:
    painter.setFont(font)
    painter.setPen(ink)
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    across = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    down = Qt.AlignmentFlag.AlignTop if top else Qt.AlignmentFlag.AlignBottom
    painter.drawText(box, int(across | down), shown)


class EntryList(QListView):
    """Enter opens, Delete puts into the trash."""

    def __init__(self, page: HistoryPage) -> None:
        super().__init__()
        self._page = page

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._page.open_chosen()
        elif event.key() == Qt.Key.Key_Delete:
            self._page.delete_chosen()
        else:
            super().keyPressEvent(event)


class HistoryPage(Page):
    def __init__(self, ui: Ui, key: str) -> None:
        super().__init__(ui, key)
        self._trash = False
        self._count = 0
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
        self.list = EntryList(self)
        self.list.setObjectName("history-list")
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setStyleSheet("QListView { background: transparent; }")
        self.entries = Entries(ui, self.list)
        self.list.setModel(self.entries)
        self.list.setItemDelegate(_Row(ui, self.list))
        self.list.doubleClicked.connect(self._opened_index)
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
        self.which = Segments(ui, "history-which", self._which_choices())
        self.which.chosen.connect(self._turn)
        for part in (self.open_button, self.copy_button, self.delete_button, self.restore_button):
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
        chosen = self._chosen()
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

    # acts

    def _chosen(self) -> HistoryEntry | None:
        index = self.list.currentIndex()
        entries = self.entries.entries
        return entries[index.row()] if index.isValid() and index.row() < len(entries) else None

    def _new(self) -> None:
        self.ui.session.open(documents.new_consultation(self.ui.settings.currency), dirty=True)
        self.ui.go.emit("customer")

    def _opened_index(self, _index: QModelIndex) -> None:
        self.open_chosen()

    def open_chosen(self) -> None:
        entry, store = self._chosen(), self.ui.store
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
        entry, store = self._chosen(), self.ui.store
        if entry is None or store is None:
            return
        title = self.ui.t.text("ui.copy_of", name=entry.title or self.ui.t.text("ui.untitled"))

        def copy(_cancel: object) -> Consultation:
            made = documents.copy_of(store.drafts.load(entry.id), title)
            store.drafts.save(made)
            return made

        self.ui.session.tasks.run(copy, self._copied, self.ui.error, serial=True)

    def _copied(self, consultation: Consultation) -> None:
        self.ui.session.open(consultation)
        self.load()
        self.ui.go.emit("customer")

    def delete_chosen(self) -> None:
        entry, store = self._chosen(), self.ui.store
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
        entry = self._chosen()
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
        from app.ui import files  # noqa: PLC0415

        store, language = self.ui.store, self.ui.language
        version = self.ui.session.catalogue.version if self.ui.session.catalogue else ""

        def read(_cancel: object) -> Consultation:
            return files.read_into(store, Path(str(path)), language, version)

        self.ui.session.flush()
        self.ui.session.tasks.run(read, self._loaded, self.ui.error, serial=True)


def _delete(store: Any, entry: HistoryEntry) -> HistoryEntry:
    store.history.delete(entry.id)
    return entry
