"""The customer and the work: who asks, and for how many things an AI is wanted."""

from __future__ import annotations

import attrs
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.present import design
from app.present.translator import texts
from app.present.views import Tone
from app.session import Changed, parts
from app.ui.blocks.column import BlockColumn
from app.ui.context import Ui
from app.ui.pages.base import Page
from app.ui.pages.notes import NotesPanel
from app.ui.pages.stepper import Stepper
from app.ui.pages.views import view_of
from app.ui.theme import pad
from app.ui.walk import stop_of
from app.ui.widgets.buttons import Button
from app.ui.widgets.fields import TextField
from app.ui.widgets.picker import Item, Picker
from app.ui.widgets.text import Text, surface
from engine.consultation import Change, Workload
from engine.edits import get
from engine.messages import msg
from engine.questions.types import Step

_LINES = ("title", "customer.name", "customer.contact")
_PICKS = {"customer.sector": "sector", "customer.country": "country"}


class CustomerForm(QWidget):
    """Who asks. Free words, and two lists for the sector and the country."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        card = surface("card")
        outer.addWidget(card)
        grid = QGridLayout(card)
        pad(ui.theme, grid, (18, 14, 16, 14), 10)
        self.lines: dict[str, TextField] = {}
        self.picks: dict[str, Picker] = {}
        self._labels: dict[str, Text] = {}
        places = {
            "customer.name": (0, 0),
            "title": (0, 2),
            "customer.sector": (1, 0),
            "customer.country": (1, 2),
            "customer.contact": (2, 0),
        }
        for path, (row, column) in places.items():
            label = self._labels[path] = Text(ui, style=design.NOTE, ink="ink2", key=f"ui.field.{path}")
            grid.addWidget(label, row, column)
            grid.addWidget(self._field(path), row, column + 1)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        self.retranslate()

    def _field(self, path: str) -> QWidget:
        if path in _PICKS:
            picker = self.picks[path] = Picker(self._ui, f"field-{path}", _Items(self._ui, _PICKS[path]))
            picker.chosen.connect(self._picked)
            return picker
        line = self.lines[path] = TextField(self._ui, f"field-{path}", f"ui.field.{path}.hint")
        line.typed.connect(self._typed)
        line.focused.connect(self._focused)
        return line

    def retranslate(self) -> None:
        for path, field in (*self.lines.items(), *self.picks.items()):
            field.setAccessibleName(self._ui.t.text(f"ui.field.{path}"))
        self.refresh()

    def refresh(self) -> None:
        document = self._ui.session.consultation
        for path, line in self.lines.items():
            line.show_value(get(document, path))
        for path, picker in self.picks.items():
            value = get(document, path)
            picker.show_value(value, _word(self._ui, _PICKS[path], value), self._ui.t.text("question.not_known"))

    def _typed(self, text: str) -> None:
        line = self.sender()
        path = next(p for p, other in self.lines.items() if other is line)
        self._ui.session.apply(Change(path, text), self, merge=True)

    def _picked(self, value: object) -> None:
        picker = self.sender()
        path = next(p for p, other in self.picks.items() if other is picker)
        self._ui.session.apply(Change(path, value), self)

    def _focused(self, on: bool) -> None:
        if not on:
            self._ui.session.seal()


class _Items:
    """The words of a small open list ("sector.*") as items."""

    def __init__(self, ui: Ui, kind: str) -> None:
        self._ui = ui
        self._kind = kind

    def __call__(self) -> list[Item]:
        keys = [k for k in texts(self._ui.language) if k.startswith(f"{self._kind}.") and k.count(".") == 1]
        code = str.upper if self._kind == "country" else str
        known = [Item(code(k.split(".")[1]), self._ui.t.text(k)) for k in keys]
        return [Item(None, self._ui.t.text("question.not_known")), *known]


def _word(ui: Ui, kind: str, value: str | None) -> str:
    if not value:
        return ""
    key = f"{kind}.{value.lower()}"
    return ui.t.text(key) if ui.t.has(key) else value


class WorkloadRow(QWidget):
    """One workload: its name, whether it is the one on show, copy and remove."""

    def __init__(self, ui: Ui, workload_id: str) -> None:
        super().__init__()
        self._ui = ui
        self.workload_id = workload_id
        row = QHBoxLayout(self)
        pad(ui.theme, row, (0, 3, 0, 3), 8)
        self.number = Text(ui, "", design.NOTE_STRONG, "ink3")
        self.name = TextField(ui, f"workload-name-{workload_id}", "ui.workload.name.hint")
        self.name.typed.connect(self._typed)
        self.name.focused.connect(self._focused)
        self.show_button = Button(ui, "ui.workload.show", name=f"workload-show-{workload_id}")
        self.show_button.clicked.connect(self._show)
        self.copy_button = Button(ui, "ui.workload.copy", name=f"workload-copy-{workload_id}", icon="copy")
        self.copy_button.clicked.connect(self._copy)
        self.remove_button = Button(ui, "ui.workload.remove", name=f"workload-remove-{workload_id}", icon="trash")
        self.remove_button.clicked.connect(self._remove)
        row.addWidget(self.number)
        row.addWidget(self.name, 1)
        for button in (self.show_button, self.copy_button, self.remove_button):
            row.addWidget(button)

    def show_workload(self, workload: Workload, number: int, count: int) -> None:
        t = self._ui.t
        self.number.say(str(number))
        self.name.show_value(workload.name)
        self.name.setAccessibleName(t.text("ui.workload.name", number=number))
        here = workload.id == self._ui.session.workload_id
        self.show_button.setEnabled(not here)
        self.show_button.say(t.text("ui.workload.shown" if here else "ui.workload.show"))
        self.remove_button.setEnabled(count > 1)
        self.remove_button.setToolTip("" if count > 1 else t.text("ui.workload.last"))

    def _typed(self, text: str) -> None:
        session = self._ui.session
        after = parts.rename_workload(session.consultation, self.workload_id, text)
        session.edit(msg("ui.edit.workload_named"), after, ("workloads",), self, key=f"name-{self.workload_id}")

    def _focused(self, on: bool) -> None:
        if not on:
            self._ui.session.seal()

    def _show(self) -> None:
        self._ui.session.show_workload(self.workload_id)

    def _copy(self) -> None:
        session, t = self._ui.session, self._ui.t
        name = session.consultation.workload(self.workload_id).name
        copied = t.text("ui.copy_of", name=name) if name else ""
        after, made = parts.duplicate_workload(session.consultation, self.workload_id, copied)
        session.edit(msg("ui.edit.workload_copied"), after, ("workloads",), self)
        session.show_workload(made)

    def _remove(self) -> None:
        ui = self._ui
        ui.session.seal()
        after = parts.remove_workload(ui.session.consultation, self.workload_id)
        ui.session.edit(msg("ui.edit.workload_removed"), after, ("workloads",), None)
        ui.say(ui.t.text("ui.workload.removed"), Tone.PLAIN, ui.t.text("ui.top.undo"), ui.session.undo)


class WorkloadList(QWidget):
    """All workloads of the consultation."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self.rows: dict[str, WorkloadRow] = {}
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        card = surface("card")
        outer.addWidget(card)
        self._column = QVBoxLayout(card)
        pad(ui.theme, self._column, (18, 14, 16, 14), 4)
        head = QHBoxLayout()
        pad(ui.theme, head, (0, 0, 0, 4), 8)
        head.addWidget(Text(ui, style=design.SUBHEADING, key="ui.workload.title"), 1)
        self.add_button = Button(ui, "ui.workload.add", name="workload-add", icon="plus")
        self.add_button.clicked.connect(self._add)
        head.addWidget(self.add_button)
        self._column.addLayout(head)

    def refresh(self) -> None:
        workloads = self._ui.session.consultation.workloads
        for gone in [i for i in self.rows if i not in {w.id for w in workloads}]:
            row = self.rows.pop(gone)
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        for index, workload in enumerate(workloads):
            if workload.id not in self.rows:
                self.rows[workload.id] = WorkloadRow(self._ui, workload.id)
                self._column.insertWidget(index + 1, self.rows[workload.id])
            self.rows[workload.id].show_workload(workload, index + 1, len(workloads))

    def _add(self) -> None:
        session = self._ui.session
        after, made = parts.add_workload(session.consultation)
        session.edit(msg("ui.edit.workload_added"), after, ("workloads",), None)
        session.show_workload(made)
        if made in self.rows:
            self.rows[made].name.setFocus()


class CustomerPage(Page):
    def __init__(self, ui: Ui, key: str) -> None:
        super().__init__(ui, key)
        stop = stop_of(key)
        assert stop is not None
        self.stepper = Stepper(ui, stop)
        self.column.insertWidget(0, self.stepper)
        self.form = CustomerForm(ui)
        self.workloads = WorkloadList(ui)
        self.blocks = BlockColumn(ui)
        self.notes = NotesPanel(ui, Step.CUSTOMER.value)
        for part in (self.form, self.workloads, self.blocks, self.notes):
            self.column.addWidget(part)
        self.finish()

    def refresh(self, changed: Changed | None = None) -> None:
        t, document = self.ui.t, self.ui.session.consultation
        self.stepper.refresh()
        self.form.refresh()
        self.workloads.refresh()
        view = view_of(self.ui, self.key)
        name = document.customer.name or document.title
        if view is not None and name:
            self.show_head_of(attrs.evolve(view, lead=view.lead))
        else:
            self.say_head(t(Step.CUSTOMER.label), t.text("ui.customer.ask"), t.text("ui.customer.lead"))
        there = view is not None and bool(name)
        self.blocks.show_blocks(view.blocks if view is not None and there else ())
        self.blocks.setVisible(there)
        self.notes.refresh()
