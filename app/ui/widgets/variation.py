"""A variation of the workload on show: a name, and the few answers that differ. Scenarios and stages are both that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.present import design
from app.ui.context import Ui
from app.ui.theme import fix, pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.fields import TextField
from app.ui.widgets.picker import Item, Picker
from app.ui.widgets.row import QuestionRow
from app.ui.widgets.target import AnswerTarget
from app.ui.widgets.text import Text, surface
from engine.questions import QUESTIONS, Kind, Question, question


class Varied(AnswerTarget, Protocol):
    """Where the differing answers live, and the variation's own name."""

    @property
    def exists(self) -> bool: ...

    @property
    def name(self) -> str: ...

    def paths(self) -> Iterable[str]:
        """The answers that differ."""

    def rename(self, name: str, initiator: object) -> None: ...

    def copy(self, name: str) -> None: ...

    def remove(self) -> None: ...


class VariationCard(QWidget):
    """`words` is the beginning of its texts' keys ("ui.scenario"); `may_vary` says which questions are offered."""

    def __init__(self, ui: Ui, words: str, key: str, target: Varied, may_vary: Callable[[Question], bool]) -> None:
        super().__init__()
        self._ui = ui
        self._words = words
        self.target = target
        self._may_vary = may_vary
        self.rows: dict[str, QuestionRow] = {}
        self._opened: set[str] = set()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        card = surface("card")
        outer.addWidget(card)
        self._column = QVBoxLayout(card)
        pad(ui.theme, self._column, (14, 12, 14, 12), 3)
        kind = words.removeprefix("ui.")
        head = QHBoxLayout()
        pad(ui.theme, head, (6, 0, 2, 4), 8)
        self.name = TextField(ui, f"{kind}-name-{key}", f"{words}.name.hint")
        self.name.typed.connect(self._named)
        self.name.focused.connect(self._focused)
        self.vary = Picker(ui, f"{kind}-vary-{key}", self._questions)
        fix(ui.theme, self.vary, width=190)
        self.vary.chosen.connect(self.open_row)
        self.copy_button = Button(ui, f"{words}.copy", name=f"{kind}-copy-{key}", icon="copy")
        self.copy_button.clicked.connect(self._copied)
        self.remove_button = Button(ui, f"{words}.remove", name=f"{kind}-remove-{key}", icon="trash")
        self.remove_button.clicked.connect(target.remove)
        head.addWidget(self.name, 1)
        for part in (self.vary, self.copy_button, self.remove_button):
            head.addWidget(part)
        self._column.addLayout(head)
        self._hint = Text(ui, style=design.NOTE, ink="ink3", key=f"{words}.empty", wrap=True)
        hint = QHBoxLayout()
        pad(ui.theme, hint, (8, 0, 8, 2), 0)
        hint.addWidget(self._hint)
        self._column.addLayout(hint)
        self.retranslate()

    def retranslate(self) -> None:
        t = self._ui.t
        self.name.setAccessibleName(t.text(f"{self._words}.name"))
        self.vary.setAccessibleName(t.text(f"{self._words}.vary"))
        self.vary.show_value(None, "", t.text(f"{self._words}.vary"))

    def _questions(self) -> list[Item]:
        """Everything that may be varied, by its short name."""
        t, workload = self._ui.t, self._ui.session.workload
        if workload is None:
            return []
        asked = [q for q in QUESTIONS if q.kind is not Kind.LIST and q.asked_if(workload) and self._may_vary(q)]
        return [Item(q.path, t(q.short), t(q.step.label), t(q.title)) for q in asked]

    def refresh(self) -> None:
        if not self.target.exists:
            return
        self.name.show_value(self.target.name)
        own = list(self.target.paths())
        wanted = [*own, *(p for p in sorted(self._opened) if p not in own)]
        known = [p for p in wanted if any(q.path == p and q.kind is not Kind.LIST for q in QUESTIONS)]
        for path in [p for p in self.rows if p not in known]:
            row = self.rows.pop(path)
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        for path in known:
            if path not in self.rows:
                self.rows[path] = QuestionRow(self._ui, question(path), self.target)
                self._column.addWidget(self.rows[path])
            self.rows[path].refresh()
        self._hint.setVisible(not known)

    def open_row(self, path: object) -> None:
        """A row for another answer; it stays until it differs or the page is left."""
        self._opened.add(str(path))
        self.refresh()
        self.rows[str(path)].editor.setFocus()

    def _named(self, name: str) -> None:
        self.target.rename(name, self)

    def _focused(self, on: bool) -> None:
        if not on:
            self._ui.session.seal()

    def _copied(self) -> None:
        self.target.copy(self._ui.t.text("ui.copy_of", name=self.target.name))
