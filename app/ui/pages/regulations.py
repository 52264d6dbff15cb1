"""Regulations the customer named, and what they suggest for the boundary question."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.present import dates, design
from app.present.tones import Tone
from app.ui.context import Ui
from app.ui.theme import fix, pad
from app.ui.widgets import answers
from app.ui.widgets.buttons import Button
from app.ui.widgets.picker import Item, Picker
from app.ui.widgets.text import Chip, Text, surface
from engine.consultation import Change, Origin
from engine.messages import Name, msg
from engine.questions import question

PATH = "data.regulations"


class RegulationRow(QWidget):
    """One regulation: name, since when, remove."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self.regulation = ""
        row = QHBoxLayout(self)
        pad(ui.theme, row, (0, 2, 0, 2), 8)
        self._name = Text(ui, "", design.NOTE, "ink1", wrap=True)
        self._date = Chip(ui)
        self.remove = Button(ui, "ui.regulation.remove", name="regulation-remove", kind="quiet")
        self.remove.clicked.connect(self._removed)
        row.addWidget(self._name, 1)
        row.addWidget(self._date, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.remove, 0, Qt.AlignmentFlag.AlignTop)

    def show_regulation(self, regulation: str) -> None:
        self.regulation = regulation
        catalogue = self._ui.session.catalogue
        row = catalogue.regulations.get(regulation) if catalogue else None
        name = self._ui.t.value(Name("regulation", regulation))
        self._name.say(name)
        self.remove.setObjectName(f"regulation-remove-{regulation}")
        self.remove.setAccessibleName(f"{self.remove.text()}: {name}")
        as_of = dates.as_of(row.source.as_of, self._ui.language) if row else ""
        self._date.say(self._ui.t.text("ui.regulation.as_of", date=as_of) if as_of else "", Tone.WARN)

    def _removed(self) -> None:
        workload = self._ui.session.workload
        if workload is not None:
            kept = tuple(r for r in workload.data.regulations if r != self.regulation)
            self._ui.session.answer(PATH, kept, self)


class RegulationEditor(QWidget):
    """Add, remove, and take over what they suggest."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self.rows: list[RegulationRow] = []
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        card = surface("card")
        outer.addWidget(card)
        self._column = QVBoxLayout(card)
        pad(ui.theme, self._column, (20, 14, 16, 14), 3)
        head = QHBoxLayout()
        pad(ui.theme, head, (0, 0, 0, 2), 8)
        self._title = Text(ui, "", design.SUBHEADING)
        self.add = Picker(ui, "regulation-add", self._items)
        fix(ui.theme, self.add, width=240)
        self.add.chosen.connect(self._added)
        head.addWidget(self._title, 1)
        head.addWidget(self.add)
        self._column.addLayout(head)
        self._hint = Text(ui, "", design.NOTE, "ink3", wrap=True)
        self._column.addWidget(self._hint)
        self.suggestion = Button(ui, name="regulation-suggestion", kind="quiet", icon="arrow-right")
        self.suggestion.clicked.connect(self._take)
        self._column.addWidget(self.suggestion)
        self._legal = Text(ui, style=design.SMALL, ink="ink3", key="ui.regulation.not_legal", wrap=True)
        self._column.addWidget(self._legal)
        self.retranslate()

    def retranslate(self) -> None:
        t, asked = self._ui.t, question(PATH)
        self._title.say(t(asked.short))
        self._hint.say(t(asked.unknown))
        self.add.setAccessibleName(t.text("ui.regulation.add"))
        self.add.show_value(None, "", t.text("ui.regulation.add"))
        for row in self.rows:
            row.show_regulation(row.regulation)

    def _items(self) -> list[Item]:
        """Those of the customer's country and sector first."""
        from engine.advice.regulations import suggested  # the engine is read after the first paint

        session = self._ui.session
        workload, catalogue = session.workload, session.catalogue
        if workload is None or catalogue is None:
            return []
        items = [i for i in answers.catalogue_items(self._ui, "regulation") if i.value not in workload.data.regulations]
        first = list(suggested(session.consultation.customer, catalogue))
        return sorted(items, key=lambda i: first.index(i.value) if i.value in first else len(first))

    def refresh(self) -> None:
        workload = self._ui.session.workload
        named = workload.data.regulations if workload else ()
        while len(self.rows) > len(named):
            row = self.rows.pop()
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        while len(self.rows) < len(named):
            row = RegulationRow(self._ui)
            self.rows.append(row)
            self._column.insertWidget(1 + len(self.rows), row)
        for row, regulation in zip(self.rows, named, strict=True):
            row.show_regulation(regulation)
        self._hint.setVisible(not named)
        self._legal.setVisible(bool(named))
        self._show_suggestion()

    def _suggested(self) -> tuple[Change, ...]:
        """The answers the named regulations put in place, as far as they differ from what was said."""
        from engine.advice.regulations import preset

        workload, catalogue = self._ui.session.workload, self._ui.session.catalogue
        if workload is None or catalogue is None or not workload.data.regulations:
            return ()
        known = [r for r in workload.data.regulations if r in catalogue.regulations]
        return preset(workload, known, catalogue).changes

    def _show_suggestion(self) -> None:
        changes, t = self._suggested(), self._ui.t
        self.suggestion.setVisible(bool(changes))
        if changes:
            said = ", ".join(
                f"{t(question(c.path).short)}: {t(question(c.path).choice_title(str(c.value)))}" for c in changes
            )
            self.suggestion.say(t.text("ui.regulation.suggests", answers=said))

    def _added(self, value: object) -> None:
        workload = self._ui.session.workload
        if workload is not None and value is not None:
            self._ui.session.answer(PATH, (*workload.data.regulations, str(value)), self)

    def _take(self) -> None:
        self._ui.session.apply_all(msg("ui.edit.preset"), self._suggested(), Origin.PRESET)
