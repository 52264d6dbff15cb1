"""One question as a row: its short name, its field, how the answer came about, and beside the field what is wrong with it."""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from app.present import design
from app.present.tones import Tone
from app.session import Changed
from app.ui.context import Ui
from app.ui.parsing import rule_for
from app.ui.theme import fix, pad
from app.ui.widgets import answers
from app.ui.widgets.buttons import Button
from app.ui.widgets.choice import Choice
from app.ui.widgets.fields import NumberField
from app.ui.widgets.picker import Picker
from app.ui.widgets.segments import Segments
from app.ui.widgets.target import AnswerTarget, BaseAnswers
from app.ui.widgets.text import Chip, Elided, Text
from engine.consultation import Origin
from engine.estimate import Estimate
from engine.messages import Message
from engine.questions import Kind, Question

SEGMENT_LETTERS: Final = 26
"""A choice whose words are longer together opens as a list."""
_TONES: Final = {
    Origin.SAID: Tone.PLAIN,
    Origin.MEASURED: Tone.GOOD,
    Origin.PRESET: Tone.ACCENT,
    Origin.IMPORTED: Tone.ACCENT,
    Origin.GUESSED: Tone.WARN,
}


class OriginChip(Chip):
    """How the answer came about; a click changes it: heard, measured or guessed."""

    def __init__(self, ui: Ui, row: QuestionRow) -> None:
        super().__init__(ui)
        self._row = row
        self.setObjectName(f"origin-{row.question.path}")

    def mousePressEvent(self, _event: object) -> None:
        self.open_menu()

    def open_menu(self) -> None:
        if self._row.answered:
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            for origin in (Origin.SAID, Origin.MEASURED, Origin.GUESSED):
                action = QAction(answers.origin_tag(self._ui, origin), menu)
                action.setData(origin)
                menu.addAction(action)
            menu.triggered.connect(self._picked)
            menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def _picked(self, action: QAction) -> None:
        self._row.set_origin(Origin(action.data()))


class QuestionRow(QWidget):
    """Reads the session, hands over intents, keeps nothing."""

    def __init__(
        self, ui: Ui, question: Question, target: AnswerTarget | None = None, *, compact: bool = False
    ) -> None:
        super().__init__()
        self._ui = ui
        self.question = question
        self.target = target or BaseAnswers(ui.session)
        self.setObjectName(f"row-{question.path}")
        self._rule = rule_for(question, ui.t.currency)
        self.editor = self._make_editor()
        self._label = Button(ui, name=f"why-{question.path}", kind="label")
        self._label.clicked.connect(self._toggle_why)
        self._chip = OriginChip(ui, self)
        self._note = Elided(ui, "", design.NOTE, "ink3")
        self._error = Text(ui, "", design.NOTE, "bad", wrap=True)
        self._error.setObjectName(f"error-{question.path}")
        self._error.hide()
        self._why = Text(ui, "", design.NOTE, "ink2", wrap=True)
        self._why.hide()
        if compact:
            self._lay_out_compact()
        else:
            self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        theme = self._ui.theme
        grid = QGridLayout(self)
        pad(theme, grid, (0, 3, 0, 3), 4, across=10)
        left = QHBoxLayout()
        pad(theme, left, (0, 0, 0, 0), 0)
        left.addWidget(self._label)
        left.addStretch(1)
        grid.addLayout(left, 0, 0)
        grid.addWidget(self.editor, 0, 1)
        note = QHBoxLayout()
        pad(theme, note, (0, 0, 0, 0), 7)
        note.addWidget(self._chip)
        note.addWidget(self._note, 1)
        grid.addLayout(note, 0, 2)
        below = QVBoxLayout()
        pad(theme, below, (0, 0, 0, 0), 3)
        below.addWidget(self._error)
        below.addWidget(self._why)
        grid.addLayout(below, 1, 1, 1, 2)
        grid.setColumnMinimumWidth(0, theme.px(150))
        grid.setColumnStretch(0, 5)
        grid.setColumnStretch(1, 8)
        grid.setColumnStretch(2, 6)
        if isinstance(self.editor, NumberField):
            fix(theme, self.editor, min_width=130)

    def _lay_out_compact(self) -> None:
        """Name and origin over the field: several stand in a row."""
        theme = self._ui.theme
        column = QVBoxLayout(self)
        pad(theme, column, (0, 2, 0, 4), 2)
        head = QHBoxLayout()
        pad(theme, head, (0, 0, 0, 0), 4)
        head.addWidget(self._label)
        head.addStretch(1)
        head.addWidget(self._chip)
        column.addLayout(head)
        column.addWidget(self.editor)
        for part in (self._error, self._why):
            column.addWidget(part)
        column.addStretch(1)
        self._note.setParent(self)
        self._note.hide()

    def _make_editor(self) -> QWidget:
        question, ui = self.question, self._ui
        name = f"field-{question.path}"
        if question.kind in (Kind.NUMBER, Kind.SHARE):
            number = NumberField(ui, name, self._read, self._write)
            number.typed.connect(self._typed)
            number.misread.connect(self._misread)
            number.focused.connect(self._focused)
            return number
        choices = self._segment_choices()
        if choices:
            segments = Segments(ui, name, choices)
            segments.chosen.connect(self._chosen)
            return segments
        picker = Picker(ui, name, self._items)
        picker.chosen.connect(self._chosen)
        return picker

    def _segment_choices(self) -> list[Choice]:
        """The choices side by side, or none where the words are too long or too many."""
        if self.question.kind not in (Kind.CHOICE, Kind.FLAG):
            return []
        choices = answers.choices_of(self._ui, self.question)
        letters = sum(len(c.title) * (2 if self._ui.language == "ko" else 1) for c in choices)
        if self.question.kind is Kind.CHOICE and (len(choices) > 3 or letters > SEGMENT_LETTERS):
            return []
        return [*choices, answers.unknown_choice(self._ui, self.question, short=True)]

    def _items(self) -> list[Any]:
        return answers.items_of(self._ui, self.question)

    def _read(self, text: str) -> float | None:
        return answers.read_number(self._ui, self._rule, text)

    def _write(self, value: float) -> str:
        return answers.write_number(self._ui, self._rule, value)

    # state from the session

    @property
    def answered(self) -> bool:
        return self.target.value(self.question.path) is not None

    def refresh(self, _changed: Changed | None = None) -> None:
        """Show what the document says, and where it says nothing what was assumed instead."""
        question = self.question
        if self._ui.session.workload is None:
            return
        value = self.target.value(question.path)
        assumed, note = ("", "") if value is not None else self._assumed()
        if isinstance(self.editor, NumberField):
            self.editor.show_value(value, assumed or answers.example_of(self._ui, self._rule))
        elif isinstance(self.editor, Segments):
            self.editor.show_value(answers.from_document(question, value))
        elif isinstance(self.editor, Picker):
            self.editor.show_value(
                answers.from_document(question, value),
                answers.said(self._ui, question, value),
                assumed or self._ui.t.text("question.not_known"),
            )
        self._show_origin(value, assumed, note)

    def _show_origin(self, value: Any, assumed: str, note: str) -> None:
        t = self._ui.t
        if value is not None:
            origin = self.target.origin(self.question.path)
            self._chip.say(answers.origin_tag(self._ui, origin), _TONES[origin], flat=origin is Origin.SAID)
            self._chip.setCursor(Qt.CursorShape.PointingHandCursor)
            self._chip.setToolTip(t.text("ui.origin.change"))
            self._note.say(self._meaning(value))
        elif assumed:
            self._chip.say(t.text("basis.assumed"), Tone.WARN)
            self._chip.unsetCursor()
            self._chip.setToolTip(note)
            self._note.say(note or assumed)
        else:
            self._chip.say("", Tone.PLAIN)
            self._note.say(t.text("ui.row.open"))

    def _meaning(self, value: Any) -> str:
        """What choosing this means, for answers that are choices."""
        if self.question.kind not in (Kind.CHOICE, Kind.FLAG):
            return ""
        hint = self.question.choice_hint(str(answers.from_document(self.question, value)))
        return self._ui.t(hint) if self._ui.t.has(hint.key) else ""

    def _assumed(self) -> tuple[str, str]:
        """The value used instead of an answer, and why that one."""
        entry = self.target.assumption(self.question.path)
        if entry is None:
            return "", ""
        value = entry.value
        shown = (
            self._write(value.value) if isinstance(value, Estimate) and isinstance(self.editor, NumberField) else None
        )
        text = shown or (self._ui.t.figure(value) if isinstance(value, Estimate) else self._in_words(value))
        return text, self._ui.t(entry.why) if entry.why is not None else ""

    def _in_words(self, value: str) -> str:
        """An assumed id or choice as the field would show it."""
        return answers.said(self._ui, self.question, value)

    # intents

    def _typed(self, value: float | None) -> None:
        taken = int(value) if value is not None and self.question.integer and value == int(value) else value
        self._put(taken, Origin.SAID, merge=True)

    def _chosen(self, shown: object) -> None:
        self._put(answers.to_document(self.question, shown), Origin.SAID)
        self.refresh()

    def set_origin(self, origin: Origin) -> None:
        self._put(self.target.value(self.question.path), origin)

    def _put(self, value: Any, origin: Origin, *, merge: bool = False) -> None:
        """Hand over the intent; a refusal is said beside the field and the last good value stays."""
        wrong = self.target.put(self.question.path, value, self, origin, merge=merge)
        if wrong is None:
            self._clear_error()
            return
        if isinstance(self.editor, NumberField):
            self.editor.refuse()
        self._show_error(wrong)

    def _focused(self, on: bool) -> None:
        if not on:
            self._ui.session.seal()

    # what is wrong

    def _misread(self, message: Message) -> None:
        self._show_error(message)

    def _show_error(self, message: Message) -> None:
        t = self._ui.t
        value = self.target.value(self.question.path)
        kept = t.text("ui.field.kept", value=answers.said(self._ui, self.question, value)) if value is not None else ""
        self._error.say(" ".join(filter(None, (t(message), kept))))
        self._error.show()
        self.editor.setAccessibleDescription(self._error.plain)

    def _clear_error(self) -> None:
        if not self._error.isHidden():
            self._error.hide()
            self.editor.setAccessibleDescription(self._ui.t(self.question.why))

    @property
    def error(self) -> str:
        return "" if self._error.isHidden() else self._error.plain

    # words

    def _toggle_why(self) -> None:
        self._why.setVisible(self._why.isHidden())

    def retranslate(self) -> None:
        t, question = self._ui.t, self.question
        self._rule = rule_for(question, t.currency)
        self._label.say(t(question.short))
        self._label.setAccessibleDescription(t.text("ui.row.why"))
        self._label.setToolTip(t(question.why))
        self._why.say(f"{t(question.why)} {t(question.background)}")
        if isinstance(self.editor, Segments):
            choices = answers.choices_of(self._ui, question)
            self.editor.say([*choices, answers.unknown_choice(self._ui, question, short=True)])
        self.editor.setAccessibleName(t(question.title))
        self.editor.setAccessibleDescription(t(question.why))
        self._error.hide()
        self.refresh()
