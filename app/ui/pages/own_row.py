"""A row of the user's own: another figure for a built-in row, or a new row. It survives every upgrade of the catalogue."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.present import browse, design
from app.present.tones import Tone
from app.ui.context import Ui
from app.ui.theme import pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.fields import TextField
from app.ui.widgets.picker import Item, Picker
from app.ui.widgets.text import Text, surface

if TYPE_CHECKING:
    from engine.catalogue import Catalogue


class OwnRowEditor(QWidget):
    """Which figure, what value, read where. The id decides: a known one is overridden, another one is a new row."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self._table = "devices"
        self._column_name = ""
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        card = surface("card")
        outer.addWidget(card)
        column = QVBoxLayout(card)
        pad(ui.theme, column, (18, 14, 18, 14), 8)
        column.addWidget(Text(ui, style=design.SUBHEADING, key="ui.own.title"))
        column.addWidget(Text(ui, style=design.NOTE, ink="ink2", key="ui.own.lead", wrap=True))
        grid = QGridLayout()
        pad(ui.theme, grid, (0, 0, 0, 0), 8)
        self.id = TextField(ui, "own-id", "ui.own.id.hint")
        self.field = Picker(ui, "own-column", self._columns)
        self.field.chosen.connect(self._chose)
        self.value = TextField(ui, "own-value", "ui.own.value.hint")
        self.source = TextField(ui, "own-source", "ui.own.source.hint")
        self._labels = {}
        for index, (name, widget) in enumerate(
            (("id", self.id), ("field", self.field), ("value", self.value), ("source", self.source))
        ):
            self._labels[name] = Text(ui, style=design.NOTE, ink="ink2", key=f"ui.own.{name}")
            grid.addWidget(self._labels[name], index // 2, index % 2 * 2)
            grid.addWidget(widget, index // 2, index % 2 * 2 + 1)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        column.addLayout(grid)
        row = QHBoxLayout()
        pad(ui.theme, row, (0, 2, 0, 0), 8)
        self.save = Button(ui, "ui.own.save", name="own-save", kind="primary")
        self.save.clicked.connect(self._save)
        self.remove = Button(ui, "ui.own.remove", name="own-remove", icon="undo")
        self.remove.clicked.connect(self._remove)
        self.error = Text(ui, "", design.NOTE, "bad", wrap=True)
        self.error.setObjectName("own-error")
        row.addWidget(self.save)
        row.addWidget(self.remove)
        row.addWidget(self.error, 1)
        column.addLayout(row)
        self.retranslate()

    def retranslate(self) -> None:
        t = self._ui.t
        for name, widget in (("id", self.id), ("field", self.field), ("value", self.value), ("source", self.source)):
            widget.setAccessibleName(t.text(f"ui.own.{name}"))
        self._show_field()

    def _columns(self) -> list[Item]:
        from app.store.own_catalogue import columns

        return [Item(c, browse.label(c, self._ui.t), c) for c in columns(self._table) if c not in ("id", "source")]

    def _show_field(self) -> None:
        shown = browse.label(self._column_name, self._ui.t) if self._column_name else ""
        self.field.show_value(self._column_name, shown, self._ui.t.text("ui.own.field.hint"))

    def show_row(self, table: str, row_id: str, *, own: bool) -> None:
        """The row on show above: the one that would be overridden."""
        if (table, row_id) != (self._table, self.id.text()):
            if table != self._table:
                self._column_name = ""
            self._table = table
            self.id.show_value(row_id)
            self.value.show_value("")
            self.error.say("")
        self.remove.setVisible(own)
        self._show_field()

    def _chose(self, column: object) -> None:
        self._column_name = str(column)
        self._show_field()
        self.value.setFocus()

    def _save(self) -> None:
        t = self._ui.t
        row_id, value = self.id.text().strip(), self.value.text().strip()
        if not (row_id and value and self._column_name):
            self.error.say(t.text("ui.own.incomplete"))
            return
        cells = {
            self._column_name: value,
            **({"source": self.source.text().strip()} if self.source.text().strip() else {}),
        }
        self._run(partial(_put, self._table, row_id, cells))

    def _remove(self) -> None:
        self._run(partial(_take_away, self._table, self.id.text().strip()))

    def _run(self, work: partial[Catalogue]) -> None:
        self.error.say("")
        self._ui.session.tasks.run(lambda _cancel: work(), self._changed, self._failed, serial=True)

    def _changed(self, catalogue: Catalogue) -> None:
        self.value.setText("")
        self._ui.session.set_catalogue(catalogue)
        self._ui.speak()
        self._ui.say(self._ui.t.text("ui.own.saved"), Tone.GOOD)

    def _failed(self, error: BaseException) -> None:
        message = getattr(error, "message", None)
        self.error.say(self._ui.t(message) if message is not None else str(error))


def _put(table: str, row_id: str, cells: dict[str, str]) -> Catalogue:
    from app.store import own_catalogue

    own_catalogue.put_row(table, row_id, cells)
    return own_catalogue.catalogue()


def _take_away(table: str, row_id: str) -> Catalogue:
    from app.store import own_catalogue

    own_catalogue.remove_row(table, row_id)
    return own_catalogue.catalogue()
