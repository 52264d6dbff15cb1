"""Find anything from anywhere (Ctrl+K): pages, questions, the customer's thirteen questions, terms, commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.present import design
from app.ui.context import Ui
from app.ui.found import Found
from app.ui.theme import pad
from app.ui.widgets.fields import TextField
from app.ui.widgets.text import Text, surface

SHOWN = 60


class _Model(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.shown: list[Found] = []

    def fill(self, shown: list[Found]) -> None:
        self.beginResetModel()
        self.shown = shown
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.shown)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        found = self.shown[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return found.title
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return f"{found.kind}. {found.detail}"
        return None


class _Line(QStyledItemDelegate):
    """Title, a detail under it, the kind at the right."""

    def __init__(self, ui: Ui, parent: QObject) -> None:
        super().__init__(parent)
        self._ui = ui

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        model = index.model()
        detail = isinstance(model, _Model) and bool(model.shown[index.row()].detail)
        return QSize(10, self._ui.theme.px(52 if detail else 36))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        model, theme = index.model(), self._ui.theme
        if not isinstance(model, _Model):
            return
        found = model.shown[index.row()]
        rect: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("accent_soft"))
            painter.drawRoundedRect(rect.adjusted(0, 1, 0, -1), theme.px(8), theme.px(8))
        box = rect.adjusted(theme.px(12), theme.px(6), -theme.px(12), -theme.px(6))
        small = theme.font(design.SMALL)
        kind_width = QFontMetrics(small).horizontalAdvance(found.kind) + theme.px(12)
        painter.setFont(small)
        painter.setPen(theme.colour("ink3"))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop), found.kind)
        font = theme.font(design.BODY)
        painter.setFont(font)
        painter.setPen(theme.colour("ink1"))
        room = box.width() - kind_width
        title = QFontMetrics(font).elidedText(found.title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop), title)
        if found.detail:
            painter.setFont(small)
            painter.setPen(theme.colour("ink2"))
            detail = QFontMetrics(small).elidedText(found.detail, Qt.TextElideMode.ElideRight, box.width())
            painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom), detail)
        painter.restore()


class Finder(QWidget):
    """Lies over the window; Escape, a click beside it or a choice closes it."""

    closed = Signal()

    def __init__(self, ui: Ui, parent: QWidget, everything: Callable[[], list[Found]]) -> None:
        super().__init__(parent)
        self._ui = ui
        self._host = parent
        self._everything = everything
        self._all: list[Found] = []
        self._back: QWidget | None = None
        self.setObjectName("finder")
        self._frame = surface("overlay", self)
        column = QVBoxLayout(self._frame)
        pad(ui.theme, column, (12, 12, 12, 12), 8)
        self.search = TextField(ui, "finder-search", "ui.finder.placeholder")
        self.search.textChanged.connect(self._searched)
        self.search.installEventFilter(self)
        self.list = QListView()
        self.list.setObjectName("finder-list")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.model = _Model(self.list)
        self.list.setModel(self.model)
        self.list.setItemDelegate(_Line(ui, self.list))
        self.list.clicked.connect(self._chosen)
        self.nothing = Text(ui, style=design.NOTE, ink="ink3", key="ui.finder.nothing", wrap=True)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        column.addWidget(self.nothing)
        self.hide()

    def open(self) -> None:
        """Show it empty, over everything, with the focus in its line."""
        self._back = self.window().focusWidget()
        self.search.setAccessibleName(self._ui.t.text("ui.finder.placeholder"))
        self.list.setAccessibleName(self._ui.t.text("ui.finder.results"))
        self._all = self._everything()
        self.search.setText("")
        self._searched("")
        self.place()
        self.show()
        self.raise_()
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_finder(self) -> None:
        self.hide()
        if self._back is not None:
            self._back.setFocus(Qt.FocusReason.OtherFocusReason)
        self._back = None
        self.closed.emit()

    def place(self) -> None:
        parent, theme = self._host, self._ui.theme
        self.setGeometry(parent.rect())
        width = min(theme.px(660), parent.width() - theme.px(48))
        rows = sum(self.list.sizeHintForRow(row) for row in range(min(len(self.model.shown), 12)))
        room = min(theme.px(520), parent.height() - theme.px(120))
        height = min(room, rows + theme.px(92)) if rows else theme.px(120)
        self._frame.setGeometry((parent.width() - width) // 2, theme.px(72), width, height)

    def _searched(self, text: str) -> None:
        parts = text.casefold().split()
        scored = [(score, i, f) for i, f in enumerate(self._all) if (score := f.score(parts)) is not None]
        self.model.fill([f for _, _, f in sorted(scored, key=lambda s: s[:2])][:SHOWN])
        there = bool(self.model.shown)
        self.list.setVisible(there)
        self.nothing.setVisible(not there)
        if there:
            self.list.setCurrentIndex(self.model.index(0))
        self.place()

    def _chosen(self, index: QModelIndex) -> None:
        if index.isValid():
            found = self.model.shown[index.row()]
            self.close_finder()
            found.act()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.search and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._key(Qt.Key(event.key()))
        return super().eventFilter(watched, event)

    def _key(self, key: Qt.Key) -> bool:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}
        if key in steps and self.model.shown:
            row = min(max(self.list.currentIndex().row() + steps[key], 0), len(self.model.shown) - 1)
            self.list.setCurrentIndex(self.model.index(row))
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._chosen(self.list.currentIndex())
            return True
        if key == Qt.Key.Key_Escape:
            self.close_finder()
            return True
        return False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self._frame.geometry().contains(event.position().toPoint()):
            self.close_finder()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        veil = self._ui.theme.colour("sunken" if self._ui.theme.scheme == "dark" else "ink1")
        veil.setAlpha(170 if self._ui.theme.scheme == "dark" else 70)
        painter.fillRect(self.rect(), veil)
