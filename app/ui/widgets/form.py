"""A card of question rows. Which rows stand there follows the answers: what is no longer asked goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.present import design
from app.session import Changed
from app.ui.context import Ui
from app.ui.theme import pad
from app.ui.widgets.row import QuestionRow
from app.ui.widgets.text import Text, surface
from engine.questions import Question

Asked = Callable[[], Sequence[Question]]


class QuestionForm(QWidget):
    """`asked` names the questions of the moment; their rows are kept while they stay."""

    def __init__(self, ui: Ui, name: str, asked: Asked, title: Callable[[], str] | None = None) -> None:
        super().__init__()
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
        pad(ui.theme, self._column, (14, 12, 14, 12), 2)
        self._title = Text(ui, "", design.SUBHEADING)
        self._title.setContentsMargins(ui.theme.px(6), 0, 0, 0)
        self._column.addWidget(self._title)
        self._title.setVisible(title is not None)
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
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        for index, question in enumerate(asked):
            if question.path not in self.rows:
                self.rows[question.path] = QuestionRow(self._ui, question)
                self._column.insertWidget(index + 1, self.rows[question.path])
            self.rows[question.path].refresh(changed)
        self.setVisible(bool(asked))
