"""Notes of a page: the engineer's own, and those meant for the customer. The customer view shows only the latter."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.present import design
from app.session import parts
from app.ui.context import Ui
from app.ui.theme import pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.choice import Choice
from app.ui.widgets.fields import NoteField
from app.ui.widgets.segments import Segments
from app.ui.widgets.text import Text, surface
from engine.consultation import Audience, Note
from engine.messages import msg


class _NoteEditor(QWidget):
    """One note."""

    def __init__(self, ui: Ui, step: str, note_id: str | None) -> None:
        super().__init__()
        self._ui = ui
        self._step = step
        self.note_id = note_id
        column = QVBoxLayout(self)
        pad(ui.theme, column, (0, 0, 0, 0), 6)
        self.field = NoteField(ui, f"note-{note_id or 'new'}", "ui.note.placeholder")
        self.field.typed.connect(self._typed)
        self.audience = Segments(ui, f"note-audience-{note_id or 'new'}", self._choices())
        self.audience.chosen.connect(self._chose)
        column.addWidget(self.field)
        column.addWidget(self.audience)

    def _choices(self) -> list[Choice]:
        t = self._ui.t
        return [Choice(a.value, t.text(f"ui.note.{a.value}"), t.text(f"ui.note.{a.value}.hint")) for a in Audience]

    def retranslate(self) -> None:
        self.audience.say(self._choices())

    def show_note(self, note: Note | None) -> None:
        self.note_id = note.id if note else None
        self.field.show_value(note.text if note else "")
        self.audience.show_value((note.audience if note else Audience.PRIVATE).value)
        self.audience.setVisible(note is not None)

    def _typed(self, text: str) -> None:
        self._put(text, self._audience())

    def _chose(self, value: str) -> None:
        self._put(self.field.toPlainText(), Audience(value))

    def _audience(self) -> Audience:
        found = [n for n in self._ui.session.consultation.notes if n.id == self.note_id]
        return found[0].audience if found else Audience.PRIVATE

    def _put(self, text: str, audience: Audience) -> None:
        session = self._ui.session
        after = parts.put_note(
            session.consultation, self.note_id, text, audience, self._step, session.workload_id or None
        )
        if self.note_id is None and len(after.notes) > len(session.consultation.notes):
            self.note_id = after.notes[-1].id
        session.edit(msg("ui.edit.note"), after, ("notes",), self, key=f"note-{self.note_id}")


class NotesPanel(QWidget):
    """Folded until asked for; opens by itself where the page has notes."""

    def __init__(self, ui: Ui, step: str) -> None:
        super().__init__()
        self._ui = ui
        self._step = step
        self._opened = False
        self.editors: list[_NoteEditor] = []
        column = QVBoxLayout(self)
        pad(ui.theme, column, (0, 0, 0, 0), 8)
        head = QHBoxLayout()
        pad(ui.theme, head, (0, 0, 0, 0), 8)
        self.button = Button(ui, "ui.note.add", name=f"note-add-{step}", kind="quiet", icon="note")
        self.button.clicked.connect(self._open)
        head.addWidget(self.button)
        head.addStretch(1)
        column.addLayout(head)
        self._card = surface("card")
        self._list = QVBoxLayout(self._card)
        pad(ui.theme, self._list, (14, 12, 14, 12), 12)
        self._title = Text(ui, style=design.SUBHEADING, key="ui.note.title")
        self._list.addWidget(self._title)
        column.addWidget(self._card)
        self._card.hide()

    def _open(self) -> None:
        self._opened = True
        self.refresh()
        if self.editors:
            self.editors[-1].field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _notes(self) -> list[Note]:
        """Notes of this step and workload that the present audience may see."""
        session, customer = self._ui.session, self._ui.customer_view
        return [
            note
            for note in session.consultation.notes
            if note.step == self._step
            and note.workload in (None, session.workload_id)
            and not (customer and note.audience is Audience.PRIVATE)
        ]

    def refresh(self) -> None:
        """One editor a note, and an empty one last once the panel was opened."""
        notes: list[Note | None] = [*self._notes()]
        if self._opened and not self._ui.customer_view:
            notes.append(None)
        while len(self.editors) > len(notes):
            editor = self.editors.pop()
            self._list.removeWidget(editor)
            editor.hide()
            editor.deleteLater()
        while len(self.editors) < len(notes):
            editor = _NoteEditor(self._ui, self._step, None)
            self.editors.append(editor)
            self._list.addWidget(editor)
        for editor, note in zip(self.editors, notes, strict=True):
            editor.show_note(note)
        self._card.setVisible(bool(self.editors))
        self.button.setVisible(not self._ui.customer_view)
