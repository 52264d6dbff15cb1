"""A table as high as its rows: it scrolls with the page, Tab leaves it, Ctrl+C copies what is selected."""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.present import design
from app.present.views import Cell, Table, Tone
from app.ui.context import Ui
from app.ui.widgets.text import Text, keep_words, plain

SIDE: Final = 8
ABOVE: Final = 7
"""Margins of a cell in design units."""
Index = QModelIndex | QPersistentModelIndex


class Rows(QAbstractTableModel):
    """A view's table as Qt reads it."""

    def __init__(self, ui: Ui, parent: QObject) -> None:
        super().__init__(parent)
        self._ui = ui
        self.table = Table((), ())

    def show(self, table: Table) -> None:
        self.beginResetModel()
        self.table = table
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.table.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.table.headers)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.table.headers[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.align(section)
        return None

    def cell(self, index: Index) -> Cell:
        row = self.table.rows[index.row()]
        return row[index.column()] if index.column() < len(row) else Cell("")

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        cell = self.cell(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return keep_words(cell.text)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return cell.text
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.align(index.column())
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._ui.theme.colour("ink1") if cell.tone is Tone.PLAIN else self._ui.theme.tone(cell.tone)[0]
        if role == Qt.ItemDataRole.FontRole:
            return self.font(cell, index.column())
        return None

    def align(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column in self.table.numeric else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter

    def font(self, cell: Cell, column: int) -> QFont:
        style = design.NOTE_STRONG if cell.strong else design.NOTE
        font = self._ui.theme.font(style)
        if column in self.table.numeric:
            font.setFeature(QFont.Tag("tnum"), 1)
        font.setStrikeOut(cell.struck)
        return font


class _Cells(QStyledItemDelegate):
    """Draws a cell with the same margins its size was computed with: wrapped, never cut."""

    def __init__(self, ui: Ui, parent: QObject) -> None:
        super().__init__(parent)
        self._ui = ui

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = self._ui.theme
        rect: QRect = option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.colour("accent_soft"))
        painter.setPen(theme.colour("line"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.setFont(index.data(Qt.ItemDataRole.FontRole))
        painter.setPen(index.data(Qt.ItemDataRole.ForegroundRole))
        side, above = theme.px(SIDE), theme.px(ABOVE)
        align = index.data(Qt.ItemDataRole.TextAlignmentRole)
        flags = int(align) | int(Qt.TextFlag.TextWordWrap)
        painter.drawText(rect.adjusted(side, above, -side, -above), flags, index.data())
        painter.restore()


class _Heads(QHeaderView):
    """Column heads in small type, wrapped where the column is narrow."""

    def __init__(self, ui: Ui, rows: Rows, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._ui = ui
        self._rows = rows
        self._high = 20
        self.setSectionsClickable(False)
        self.setHighlightSections(False)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        theme = self._ui.theme
        painter.save()
        painter.setPen(theme.colour("line"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.setFont(theme.font(design.SMALL))
        painter.setPen(theme.colour("ink3"))
        side = theme.px(SIDE)
        align = self._rows.align(section) & Qt.AlignmentFlag.AlignHorizontal_Mask | Qt.AlignmentFlag.AlignBottom
        box = rect.adjusted(side, 0, -side, -theme.px(ABOVE))
        painter.drawText(box, int(align) | int(Qt.TextFlag.TextWordWrap), keep_words(self._rows.table.headers[section]))
        painter.restore()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._high)

    def fit(self) -> None:
        """As high as the head that wraps most."""
        theme = self._ui.theme
        metrics = QFontMetrics(theme.font(design.SMALL))
        highest = 0
        for section, text in enumerate(self._rows.table.headers):
            room = QRect(0, 0, max(1, self.sectionSize(section) - 2 * theme.px(SIDE)), 1000)
            highest = max(highest, metrics.boundingRect(room, int(Qt.TextFlag.TextWordWrap), keep_words(text)).height())
        self._high = highest + 2 * theme.px(ABOVE)
        self.setFixedHeight(self._high)


class _Grid(QTableView):
    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self.rows = Rows(ui, self)
        self.setModel(self.rows)
        self.setItemDelegate(_Cells(ui, self))
        self.setObjectName("table")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(True)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.heads = _Heads(ui, self.rows, self)
        self.setHorizontalHeader(self.heads)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def fit(self) -> None:
        """Columns by content, the widest takes the rest; rows by their wrapped text."""
        header = self.heads
        columns = self.rows.columnCount()
        if not columns or self.width() < 50:
            return
        room = self.viewport().width() or self.width()
        wanted = [self._wanted(column) for column in range(columns)]
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for column, width in enumerate(shared(wanted, room)):
            header.resizeSection(column, width)
        header.fit()
        for row in range(self.rows.rowCount()):
            self.setRowHeight(row, self._height_of(row))
        heads = header.height() if any(self.rows.table.headers) else 0
        self.setFixedHeight(heads + sum(map(self.rowHeight, range(self.rows.rowCount()))) + 2)

    def _wanted(self, column: int) -> int:
        """Pixels the longest text of a column takes on one line."""
        theme, table = self._ui.theme, self.rows.table
        small = QFontMetrics(theme.font(design.SMALL))
        widest = max((small.horizontalAdvance(word) for word in table.headers[column].split()), default=0)
        for row in table.rows:
            if column < len(row):
                cell = row[column]
                widest = max(widest, QFontMetrics(self.rows.font(cell, column)).horizontalAdvance(cell.text))
        return widest + 2 * theme.px(SIDE) + 2

    def _height_of(self, row: int) -> int:
        """Pixels the highest wrapped cell of a row takes."""
        theme, table = self._ui.theme, self.rows.table
        side, highest = 2 * theme.px(SIDE), 0
        for column, cell in enumerate(table.rows[row][: len(table.headers)]):
            metrics = QFontMetrics(self.rows.font(cell, column))
            room = QRect(0, 0, max(1, self.columnWidth(column) - side), 100_000)
            words = metrics.boundingRect(room, int(Qt.TextFlag.TextWordWrap), keep_words(cell.text) or " ")
            highest = max(highest, words.height())
        return highest + 2 * theme.px(ABOVE) + 1

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selected_text())
            return
        super().keyPressEvent(event)

    def selected_text(self) -> str:
        """Selected rows (or all) with tabs between, for a spreadsheet."""
        chosen = sorted({i.row() for i in self.selectedIndexes()}) or list(range(self.rows.rowCount()))
        table = self.rows.table
        lines = ["\t".join(table.headers)]
        lines += ["\t".join(plain(cell.text) for cell in table.rows[row]) for row in chosen]
        return "\n".join(lines)


def shared(wanted: list[int], room: int) -> list[int]:
    """Widths that sum to `room`: too narrow, the widest columns give; too wide, all share what is left."""
    widths = list(wanted)
    spare = room - sum(widths)
    if spare >= 0:
        each, rest = divmod(spare, len(widths))
        return [width + each + (index < rest) for index, width in enumerate(widths)]
    while spare < 0:
        widest = max(widths)
        second = max((w for w in widths if w < widest), default=0)
        at = [i for i, w in enumerate(widths) if w == widest]
        cut = min(max(1, widest - max(second, 40)), -(spare // len(at)) or 1)
        if widest <= 40:
            break
        for i in at:
            widths[i] -= cut
        spare = room - sum(widths)
    if spare > 0:
        widths[widths.index(max(widths))] += spare
    return widths


class TableView(QWidget):
    """The grid, or its hint where it is empty."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.grid = _Grid(ui)
        self.empty = Text(ui, "", design.NOTE, "ink3", wrap=True)
        column.addWidget(self.grid)
        column.addWidget(self.empty)

    def show_block(self, table: Table) -> None:
        self.grid.setAccessibleName(
            table.title or " ".join(h for h in table.headers if h) or self._ui.t.text("ui.table")
        )
        self.grid.horizontalHeader().setVisible(any(table.headers))
        self.grid.rows.show(table)
        self.grid.setVisible(bool(table.rows))
        self.empty.say(table.empty)
        self.empty.setVisible(not table.rows and bool(table.empty))
        self.grid.fit()

    def refont(self) -> None:
        self.grid.fit()

    def sizeHint(self) -> QSize:
        return super().sizeHint()
