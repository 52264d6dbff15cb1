"""A table as high as its rows: it scrolls with the page, Tab leaves it, Ctrl+C copies what is selected."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QSizePolicy, QTableView, QVBoxLayout, QWidget

from app.present import design
from app.present.views import Cell, Table, Tone
from app.ui.context import Ui
from app.ui.widgets.text import Text, keep_words, plain

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

    def rowCount(self, parent: Index | None = None) -> int:  # noqa: N802
        return 0 if parent is not None and parent.isValid() else len(self.table.rows)

    def columnCount(self, parent: Index | None = None) -> int:  # noqa: N802
        return 0 if parent is not None and parent.isValid() else len(self.table.headers)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: N802
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.table.headers[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._align(section)
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
            return self._align(index.column())
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._ui.theme.colour("ink1") if cell.tone is Tone.PLAIN else self._ui.theme.tone(cell.tone)[0]
        if role == Qt.ItemDataRole.FontRole:
            return self._font(cell, index.column())
        return None

    def _align(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column in self.table.numeric else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter

    def _font(self, cell: Cell, column: int) -> QFont:
        style = design.NOTE_STRONG if cell.strong else design.NOTE
        font = self._ui.theme.font(style)
        if column in self.table.numeric:
            font.setFeature(QFont.Tag("tnum"), 1)
        font.setStrikeOut(cell.struck)
        return font


class _Grid(QTableView):
    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self.rows = Rows(ui, self)
        self.setModel(self.rows)
        self.setObjectName("table")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(True)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionsClickable(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def fit(self) -> None:
        """Columns by content, the widest takes the rest; rows by their wrapped text."""
        header = self.horizontalHeader()
        header.setFont(self._ui.theme.font(design.SMALL))
        columns = self.rows.columnCount()
        if not columns or self.width() < 50:
            return
        room = self.viewport().width() or self.width()
        wanted = [self._wanted(column) for column in range(columns)]
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for column, width in enumerate(shared(wanted, room)):
            header.resizeSection(column, width)
        self.resizeRowsToContents()
        self.setFixedHeight(header.sizeHint().height() + sum(map(self.rowHeight, range(self.rows.rowCount()))) + 2)

    def _wanted(self, column: int) -> int:
        """Pixels the longest text of a column takes on one line."""
        theme, table = self._ui.theme, self.rows.table
        normal, strong = (QFontMetrics(theme.font(style)) for style in (design.NOTE, design.NOTE_STRONG))
        widest = QFontMetrics(theme.font(design.SMALL)).horizontalAdvance(table.headers[column])
        for row in table.rows:
            if column < len(row):
                cell = row[column]
                widest = max(widest, (strong if cell.strong else normal).horizontalAdvance(cell.text))
        return widest + theme.px(28)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
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
    """Widths that sum to `room`: too narrow, the widest columns give; too wide, the widest takes what is left."""
    widths = list(wanted)
    spare = room - sum(widths)
    if spare >= 0:
        widths[widths.index(max(widths))] += spare
        return widths
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

    def sizeHint(self) -> QSize:  # noqa: N802
        return super().sizeHint()
