"""One out of many: a field that opens a list with a search line. The wheel over it changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from attrs import frozen
from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QFrame, QListView, QSizePolicy, QVBoxLayout

from app.present import design
from app.ui.context import Ui
from app.ui.icons import paint_icon
from app.ui.theme import pad
from app.ui.widgets.fields import TextField
from app.ui.widgets.text import surface

SEARCH_FROM: Final = 8
"""Lists longer than this get a search line."""
SHOWN: Final = 200


@frozen
class Item:
    """One line of a list. `value` None is the open end."""

    value: object
    title: str
    detail: str = ""
    words: str = ""
    """Further words it is found by."""

    def found_by(self, parts: Sequence[str]) -> bool:
        text = f"{self.title} {self.detail} {self.words} {self.value or ''}".casefold()
        return all(part in text for part in parts)


class Items(QAbstractListModel):
    """The items a search leaves."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._all: Sequence[Item] = ()
        self.shown: list[Item] = []

    def fill(self, items: Sequence[Item], text: str = "") -> None:
        self._all = items
        self.search(text)

    def search(self, text: str) -> None:
        parts = text.casefold().split()
        self.beginResetModel()
        self.shown = [item for item in self._all if item.found_by(parts)][:SHOWN]
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.shown)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        item = self.shown[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{item.title}   {item.detail}" if item.detail else item.title
        return item.detail if role == Qt.ItemDataRole.ToolTipRole else None


class PickList(QFrame):
    """The opened list."""

    picked = Signal(object)

    def __init__(self, ui: Ui, parent: QAbstractButton) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._ui = ui
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setObjectName("pick-list")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        frame = surface("overlay")
        outer.addWidget(frame)
        column = QVBoxLayout(frame)
        pad(ui.theme, column, (8, 8, 8, 8), 6)
        self.search = TextField(ui, "pick-search", "ui.pick.search")
        self.search.setAccessibleName(ui.t.text("ui.pick.search"))
        self.search.textChanged.connect(self._searched)
        self.search.installEventFilter(self)
        self.list = QListView()
        self.list.setObjectName("pick-items")
        self.list.setAccessibleName(ui.t.text("ui.pick.items"))
        self.list.setUniformItemSizes(True)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.items = Items(self.list)
        self.list.setModel(self.items)
        self.list.clicked.connect(self._clicked)
        self.list.activated.connect(self._clicked)
        column.addWidget(self.search)
        column.addWidget(self.list)

    def open_at(self, field: QAbstractButton, items: Sequence[Item], current: object) -> None:
        theme = self._ui.theme
        self.search.setVisible(len(items) > SEARCH_FROM)
        self.search.setText("")
        self.items.fill(items)
        self.list.setFont(theme.font(design.BODY))
        at = next((i for i, item in enumerate(items) if item.value == current), 0)
        self.list.setCurrentIndex(self.items.index(min(at, max(0, len(self.items.shown) - 1))))
        lines = min(len(items), 9)
        row = QFontMetrics(self.list.font()).height() + theme.px(14)
        height = lines * row + theme.px(24) + (theme.px(46) if len(items) > SEARCH_FROM else 0)
        self.resize(max(field.width(), theme.px(320 if len(items) > SEARCH_FROM else 200)), height)
        self.move(self._place(field, height))
        self.show()
        (self.search if len(items) > SEARCH_FROM else self.list).setFocus()

    def _place(self, field: QAbstractButton, height: int) -> QPoint:
        """Below the field, above it where the screen ends."""
        below = field.mapToGlobal(QPoint(0, field.height() + 2))
        room = field.screen().availableGeometry()
        left = min(below.x(), room.right() - self.width())
        if below.y() + height > room.bottom():
            return QPoint(max(left, room.left()), max(room.top(), field.mapToGlobal(QPoint(0, 0)).y() - height - 2))
        return QPoint(max(left, room.left()), below.y())

    def _searched(self, text: str) -> None:
        self.items.search(text)
        if self.items.shown:
            self.list.setCurrentIndex(self.items.index(0))

    def _clicked(self, index: QModelIndex) -> None:
        if index.isValid():
            item = self.items.shown[index.row()]
            self.hide()
            self.picked.emit(item.value)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows and Enter in the search line move in the list."""
        if watched is self.search and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                step = 1 if event.key() == Qt.Key.Key_Down else -1
                row = min(max(self.list.currentIndex().row() + step, 0), len(self.items.shown) - 1)
                self.list.setCurrentIndex(self.items.index(row))
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._clicked(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)


class Picker(QAbstractButton):
    """A closed list that shows the value. `items` are asked for when it opens, so that a long catalogue costs nothing before."""

    chosen = Signal(object)

    def __init__(self, ui: Ui, name: str, items: Callable[[], Sequence[Item]]) -> None:
        super().__init__()
        self._ui = ui
        self._items = items
        self._value: object = None
        self._placeholder = ""
        self._list: PickList | None = None
        self.setObjectName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.open)

    def show_value(self, value: object, text: str, placeholder: str = "") -> None:
        self._value, self._placeholder = value, placeholder
        self.setText(text)
        self.setAccessibleDescription(text or placeholder)
        self.update()

    @property
    def pick_list(self) -> PickList | None:
        return self._list

    def open(self) -> None:
        """Show the list under the field."""
        if self._list is None:
            self._list = PickList(self._ui, self)
            self._list.picked.connect(self.chosen)
        self._list.open_at(self, self._items(), self._value)

    def refont(self) -> None:
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        theme = self._ui.theme
        metrics = QFontMetrics(theme.font(design.BODY))
        words = metrics.horizontalAdvance(self.text() or self._placeholder)
        return QSize(min(words, theme.px(300)) + theme.px(40), metrics.height() + theme.px(16))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._ui.theme.px(90), self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down and not event.modifiers():
            self.open()
            return
        super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._ui.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = "accent" if self.hasFocus() else "line_strong" if self.underMouse() else "line"
        painter.setPen(QPen(theme.colour(edge), 2 if self.hasFocus() else 1))
        painter.setBrush(theme.colour("ground"))
        radius = theme.px(design.RADIUS_FIELD)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), radius, radius)
        font = theme.font(design.BODY)
        painter.setFont(font)
        painter.setPen(theme.colour("ink1" if self.text() else "ink3"))
        room = self.width() - theme.px(38)
        shown = QFontMetrics(font).elidedText(self.text() or self._placeholder, Qt.TextElideMode.ElideRight, room)
        painter.drawText(
            QRectF(theme.px(11), 0, room, self.height()),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            shown,
        )
        size = theme.px(13)
        paint_icon(
            painter,
            "chevron-down",
            theme.colour("ink3"),
            QRectF(self.width() - size - theme.px(10), (self.height() - size) / 2, size, size),
        )
