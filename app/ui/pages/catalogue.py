"""The catalogue: every row with its figures, sources and dates, and the user's own rows on top."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHBoxLayout, QHeaderView, QTableView, QVBoxLayout, QWidget

from app.present import browse, design
from app.present.tones import Tone
from app.session import Changed
from app.ui.context import Ui
from app.ui.pages.base import Page
from app.ui.pages.own_row import OwnRowEditor
from app.ui.theme import fix, pad
from app.ui.widgets.fields import TextField
from app.ui.widgets.picker import Item, Picker
from app.ui.widgets.text import Chip, Text, surface

Index = QModelIndex | QPersistentModelIndex
LIST_HEIGHT: Final = 330
SAMPLED: Final = 60
"""Rows whose texts set the columns' widths."""


class RowModel(QAbstractTableModel):
    """The rows of one table that a search leaves."""

    def __init__(self, ui: Ui, parent: QObject) -> None:
        super().__init__(parent)
        self._ui = ui
        self.table = "devices"
        self.ids: list[str] = []
        self._cells: dict[str, list[str]] = {}
        self._rows: Mapping[str, Any] = {}

    def fill(self, table: str, text: str) -> None:
        catalogue = self._ui.session.catalogue
        parts = text.casefold().split()
        self.beginResetModel()
        self.table = table
        rows = browse.rows_of(catalogue, table) if catalogue else {}
        self._rows, self._cells = rows, {}
        self.ids = [i for i, row in rows.items() if browse.holds(parts, row, table)]
        self.endResetModel()

    def cells(self, row_id: str) -> list[str]:
        """The words of a row, made when it is first seen."""
        if row_id not in self._cells:
            self._cells[row_id] = browse.cells(self._rows[row_id], self.table, self._ui.t)
        return self._cells[row_id]

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.ids)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(browse.columns_of(self.table))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return browse.headers(self.table, self._ui.t)[section]
        return self._align(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row_id = self.ids[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.cells(row_id)[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._align(index.column())
        if role == Qt.ItemDataRole.FontRole:
            return self._ui.theme.font(design.NOTE_STRONG if self._own(row_id) and index.column() == 0 else design.NOTE)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._ui.theme.colour("accent" if self._own(row_id) else "ink1")
        return None

    def _own(self, row_id: str) -> bool:
        catalogue = self._ui.session.catalogue
        return catalogue is not None and (browse.TABLES[self.table], row_id) in catalogue.overridden

    def _align(self, column: int) -> Qt.AlignmentFlag:
        number = browse.columns_of(self.table)[column] in browse.NUMERIC
        return (Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter


class FactRow(QWidget):
    """One figure: name, value, where and when it was read."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        pad(ui.theme, row, (0, 3, 0, 3), 12)
        self._label = Text(ui, "", design.NOTE, "ink2", wrap=True)
        self._value = Text(ui, "", design.NOTE_STRONG, "ink1", wrap=True)
        self._source = Text(ui, "", design.SMALL, "ink3", wrap=True)
        row.addWidget(self._label, 3)
        row.addWidget(self._value, 4)
        row.addWidget(self._source, 5)

    def show_fact(self, fact: browse.Fact) -> None:
        self._label.say(fact.label)
        self._value.say(fact.value)
        self._source.say(fact.source)
        self._source.ink("ink3" if fact.verified else "warn")


class Detail(QWidget):
    """Everything one row says."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        card = surface("card")
        outer.addWidget(card)
        self._column = QVBoxLayout(card)
        pad(ui.theme, self._column, (18, 14, 18, 14), 2)
        head = QHBoxLayout()
        pad(ui.theme, head, (0, 0, 0, 4), 10)
        self._name = Text(ui, "", design.HEADING, wrap=True)
        self._own = Chip(ui)
        head.addWidget(self._name, 1)
        head.addWidget(self._own)
        self._column.addLayout(head)
        self._rows: list[FactRow] = []
        self._missing = Text(ui, "", design.SMALL, "ink3", wrap=True)
        self._column.addWidget(self._missing)

    def show_row(self, row: Any, *, own: bool) -> None:
        t = self._ui.t
        facts = browse.facts(row, t)
        self._name.say(browse.words(getattr(row, "name", "") or row.id, "name", t))
        self._own.say(t.text("ui.catalogue.own") if own else "", Tone.ACCENT)
        while len(self._rows) < len(facts):
            made = FactRow(self._ui)
            self._rows.append(made)
            self._column.insertWidget(len(self._rows), made)
        for index, fact_row in enumerate(self._rows):
            fact_row.setVisible(index < len(facts))
            if index < len(facts):
                fact_row.show_fact(facts[index])
        missing = browse.unpublished(row, t)
        self._missing.say(t.text("ui.catalogue.unpublished", fields=", ".join(missing)) if missing else "")
        self._missing.setVisible(bool(missing))


class CataloguePage(Page):
    def __init__(self, ui: Ui, key: str) -> None:
        super().__init__(ui, key)
        self._table = "devices"
        self._seen: tuple[object, object] | None = None
        top = QHBoxLayout()
        pad(ui.theme, top, (0, 0, 0, 0), 8)
        self.tables = Picker(ui, "catalogue-table", self._items)
        fix(ui.theme, self.tables, width=210)
        self.tables.chosen.connect(self._turned)
        self.search = TextField(ui, "catalogue-search", "ui.catalogue.search")
        self.search.setProperty("search", "true")
        self.search.textChanged.connect(self._searched)
        top.addWidget(self.tables)
        top.addWidget(self.search, 1)
        self.column.addLayout(top)
        card = surface("card")
        inside = QVBoxLayout(card)
        pad(ui.theme, inside, (8, 6, 8, 8), 0)
        self.view = self._make_view()
        inside.addWidget(self.view)
        self.column.addWidget(card)
        self.detail = Detail(ui)
        self.column.addWidget(self.detail)
        self.editor = OwnRowEditor(ui)
        self.column.addWidget(self.editor)
        self.finish()
        self.retranslate()

    def _make_view(self) -> QTableView:
        view = QTableView()
        view.setObjectName("catalogue-rows")
        view.setFrameShape(QFrame.Shape.NoFrame)
        view.setShowGrid(False)
        view.setTabKeyNavigation(False)
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setTextElideMode(Qt.TextElideMode.ElideRight)
        view.setWordWrap(False)
        view.verticalHeader().hide()
        view.horizontalHeader().setHighlightSections(False)
        self.rows = RowModel(self.ui, view)
        view.setModel(self.rows)
        view.selectionModel().currentRowChanged.connect(self._chosen)
        return view

    def _items(self) -> list[Item]:
        return [Item(table, self.ui.t.text(f"ui.catalogue.{table}")) for table in browse.TABLES]

    def retranslate(self) -> None:
        t = self.ui.t
        self.tables.setAccessibleName(t.text("ui.catalogue.table"))
        self.search.setAccessibleName(t.text("ui.catalogue.search"))
        self.view.setAccessibleName(t.text("ui.stop.catalogue"))

    def refont(self) -> None:
        theme = self.ui.theme
        self.view.setFixedHeight(theme.px(LIST_HEIGHT))
        self.view.verticalHeader().setDefaultSectionSize(theme.px(30))
        self.view.horizontalHeader().setFont(theme.font(design.SMALL))

    def refresh(self, changed: Changed | None = None) -> None:
        session = self.ui.session
        state = (session.catalogue, self.ui.t)
        if self._seen is not None and all(a is b for a, b in zip(self._seen, state, strict=True)):
            return
        self._seen = state
        self.refont()
        self._fill()

    def _fill(self) -> None:
        chosen = self._chosen_id()
        self.rows.fill(self._table, self.search.text())
        self.tables.show_value(self._table, self.ui.t.text(f"ui.catalogue.{self._table}"))
        self._set_widths()
        at = self.rows.ids.index(chosen) if chosen in self.rows.ids else 0
        if self.rows.ids:
            self.view.selectRow(at)
        self._show_head()
        self._show_detail()

    def _set_widths(self) -> None:
        """By the first rows' texts; one column takes the rest."""
        theme, header = self.ui.theme, self.view.horizontalHeader()
        metrics = QFontMetrics(theme.font(design.NOTE_STRONG))
        sample = [self.rows.cells(i) for i in self.rows.ids[:SAMPLED]]
        for column, head in enumerate(browse.headers(self._table, self.ui.t)):
            texts = [head, *(cells[column] for cells in sample)]
            widest = max(map(metrics.horizontalAdvance, texts)) + theme.px(24)
            header.resizeSection(column, min(widest, theme.px(260)))
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(browse.widest_column(self._table), QHeaderView.ResizeMode.Stretch)

    def _show_head(self) -> None:
        t, catalogue = self.ui.t, self.ui.session.catalogue
        if catalogue is None:
            self.say_head(t.text("ui.stop.catalogue"), t.text("ui.status.reading"))
            return
        table = t.text(f"ui.catalogue.{self._table}")
        title = t.text("ui.catalogue.count", table=table, count=len(self.rows.ids))
        own = sum(name == browse.TABLES[self._table] for name, _ in catalogue.overridden)
        lead = t.text("ui.catalogue.lead")
        self.say_head(
            t.text("ui.stop.catalogue"), title, f"{lead} {t.text('ui.catalogue.own_count', count=own)}" if own else lead
        )

    def _chosen_id(self) -> str:
        row = self.view.currentIndex().row()
        return self.rows.ids[row] if 0 <= row < len(self.rows.ids) else ""

    def _show_detail(self) -> None:
        catalogue, chosen = self.ui.session.catalogue, self._chosen_id()
        there = catalogue is not None and bool(chosen)
        self.detail.setVisible(there)
        self.editor.setVisible(there)
        if catalogue is not None and chosen:
            own = (browse.TABLES[self._table], chosen) in catalogue.overridden
            self.detail.show_row(browse.rows_of(catalogue, self._table)[chosen], own=own)
            self.editor.show_row(browse.TABLES[self._table], chosen, own=own)

    def _chosen(self, _now: QModelIndex, _before: QModelIndex) -> None:
        self._show_detail()

    def _turned(self, table: object) -> None:
        self._table = str(table)
        self.search.setText("")
        self._fill()

    def _searched(self, _text: str) -> None:
        self._fill()
