"""The history's list: what the store found, one card a consultation."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.present import design
from app.ui.context import Ui

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

    def rowCount(self, parent: Index | None = None) -> int:
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


class Row(QStyledItemDelegate):
    """Title and customer at the left, workloads under them, time and state at the right."""

    def __init__(self, ui: Ui, parent: QObject) -> None:
        super().__init__(parent)
        self._ui = ui

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
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
            key = "ui.history.version_count" if entry.version_count == 1 else "ui.history.versions"
            parts.append(t.text(key, count=entry.version_count))
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

    wanted = Signal()
    unwanted = Signal()

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self.setObjectName("history-list")
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setStyleSheet("QListView { background: transparent; }")
        self.entries = Entries(ui, self)
        self.setModel(self.entries)
        self.setItemDelegate(Row(ui, self))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.wanted.emit()
        elif event.key() == Qt.Key.Key_Delete:
            self.unwanted.emit()
        else:
            super().keyPressEvent(event)

    def chosen(self) -> HistoryEntry | None:
        """The entry the keyboard is on."""
        index, entries = self.currentIndex(), self.entries.entries
        return entries[index.row()] if index.isValid() and index.row() < len(entries) else None
