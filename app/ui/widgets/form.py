"""A card of question rows. Which rows stand there follows the answers: what is no longer asked goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.present import design
from app.session import Changed
from app.ui.context import Ui
from app.ui.theme import pad
from app.ui.widgets.row import QuestionRow
from app.ui.widgets.text import Text, surface
from engine.questions import Question

MOST_COLUMNS: Final = 3
COLUMN: Final = 205
"""Design units a compact row needs."""
Asked = Callable[[], Sequence[Question]]


class QuestionForm(QWidget):
    """`asked` names the questions of the moment; their rows are kept while they stay."""

    def __init__(
        self, ui: Ui, name: str, asked: Asked, title: Callable[[], str] | None = None, *, compact: bool = False
    ) -> None:
        super().__init__()
        self._compact = compact
        self._columns = 1
        self._ui = ui
        self._asked = asked
        self._title_of = title
        self.setObjectName(f"form-{name}")
        self.rows: dict[str, QuestionRow] = {}
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        card = surface("card")
        outer.addWidget(card)
        self._column = QVBoxLayout(card)
        pad(ui.theme, self._column, (12, 12, 14, 12), 4)
        self._title = Text(ui, "", design.SUBHEADING)
        self._title.setContentsMargins(ui.theme.px(6), 0, 0, 0)
        self._column.addWidget(self._title)
        self._title.setVisible(title is not None)
        self._grid = QGridLayout()
        pad(ui.theme, self._grid, (0, 0, 0, 0), 2, across=14)
        self._column.addLayout(self._grid)
        self.retranslate()

    def retranslate(self) -> None:
        if self._title_of is not None:
            self._title.say(self._title_of())

    def refresh(self, changed: Changed | None = None) -> None:
        """Rows of what is asked now, each showing the document."""
        asked = list(self._asked())
        wanted = {q.path for q in asked}
        for path in [p for p in self.rows if p not in wanted]:
            row = self.rows.pop(path)
            self._grid.removeWidget(row)
            row.hide()
            row.deleteLater()
        before = list(self.rows)
        rows = {}
        for question in asked:
            row = self.rows.get(question.path) or QuestionRow(self._ui, question, compact=self._compact)
            rows[question.path] = row
        self.rows = rows
        if list(rows) != before:
            self._place()
        for row in rows.values():
            row.refresh(changed)
        self.setVisible(bool(asked))

    def show_assumptions(self) -> None:
        """The engine has answered: rows nobody answered say what was assumed."""
        for row in self.rows.values():
            if not row.answered:
                row.refresh()

    def _place(self) -> None:
        """Rows in order, in as many columns as the width allows."""
        for column in range(MOST_COLUMNS):
            self._grid.setColumnStretch(column, 1 if column < self._columns else 0)
        for index, row in enumerate(self.rows.values()):
            self._grid.addWidget(row, index // self._columns, index % self._columns)
        rows = list(self.rows.values())
        for first, second in pairwise(rows):
            self.setTabOrder(first.editor, second.editor)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = event.size().width() // self._ui.theme.px(COLUMN)
        columns = min(max(1, room), MOST_COLUMNS) if self._compact else 1
        if columns != self._columns:
            self._columns = columns
            self._place()
