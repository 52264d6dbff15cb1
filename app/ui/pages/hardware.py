"""The hardware questions: cards and rows as everywhere, and the machines the customer already owns."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.present import design
from app.ui.context import Ui
from app.ui.pages.question import QuestionPage
from app.ui.pages.views import view_of
from app.ui.parsing import rule_for
from app.ui.theme import fix, pad
from app.ui.walk import stop_of
from app.ui.widgets import answers
from app.ui.widgets.buttons import Button
from app.ui.widgets.choice import Choice
from app.ui.widgets.fields import NumberField
from app.ui.widgets.picker import Item, Picker
from app.ui.widgets.segments import Segments
from app.ui.widgets.text import Text, surface
from engine.consultation import Link, OwnedDevices
from engine.errors import InvalidInput
from engine.messages import Name, msg
from engine.questions import question

OWNED = "hardware.owned"
MOST = 10_000
"""Machines of one kind that may be typed in."""


class OwnedRow(QWidget):
    """One kind of machine: which, how many, how joined."""

    def __init__(self, ui: Ui, index: int) -> None:
        super().__init__()
        self._ui = ui
        self.index = index
        row = QHBoxLayout(self)
        pad(ui.theme, row, (0, 3, 0, 3), 8)
        self.device = Picker(ui, f"owned-device-{index}", self._devices)
        self.device.chosen.connect(self._chose_device)
        self.count = NumberField(ui, f"owned-count-{index}", self._read, self._write)
        fix(ui.theme, self.count, width=72)
        self.count.typed.connect(self._typed)
        self.count.misread.connect(ui.error)
        self.link = Segments(ui, f"owned-link-{index}", self._links())
        self.link.chosen.connect(self._chose_link)
        self.remove = Button(ui, "ui.owned.remove", name=f"owned-remove-{index}", icon="trash")
        self.remove.clicked.connect(self._removed)
        row.addWidget(self.device, 1)
        row.addWidget(self.count)
        row.addWidget(self.link)
        row.addWidget(self.remove)
        self.retranslate()

    def _links(self) -> list[Choice]:
        return [Choice(link.value, self._ui.t.text(f"ui.link.{link.value}")) for link in Link]

    def retranslate(self) -> None:
        t = self._ui.t
        self.link.say(self._links())
        self.device.setAccessibleName(t.text("ui.owned.device"))
        self.count.setAccessibleName(t.text("ui.owned.count"))
        self.link.setAccessibleName(t.text("ui.owned.link"))

    def _devices(self) -> list[Item]:
        return answers.catalogue_items(self._ui, "device")

    def _read(self, text: str) -> float | None:
        value = answers.read_number(self._ui, rule_for(question("serving.device_count")), text)
        if value is not None and not (1 <= value <= MOST and value == int(value)):
            raise InvalidInput(msg("ui.owned.count_wrong", most=MOST))
        return value

    def _write(self, value: float) -> str:
        return f"{int(value):,}"

    def show_owned(self, owned: OwnedDevices) -> None:
        self.device.show_value(owned.device, self._ui.t.value(Name("device", owned.device)))
        self.count.show_value(float(owned.count), "1")
        self.link.show_value(owned.link.value if owned.link else None)

    def _machines(self) -> list[OwnedDevices]:
        workload = self._ui.session.workload
        return list(workload.hardware.owned) if workload else []

    def _put(self, made: OwnedDevices | None) -> None:
        machines = self._machines()
        machines[self.index : self.index + 1] = [made] if made is not None else []
        self._ui.session.answer(OWNED, tuple(machines), self)

    def _chose_device(self, value: object) -> None:
        old = self._machines()[self.index]
        self._put(OwnedDevices(str(value), old.count, old.link))

    def _chose_link(self, value: object) -> None:
        old = self._machines()[self.index]
        link = Link(str(value))
        self._put(OwnedDevices(old.device, old.count, None if link is old.link else link))

    def _typed(self, value: float | None) -> None:
        if value is not None:
            old = self._machines()[self.index]
            self._put(OwnedDevices(old.device, int(value), old.link))

    def _removed(self) -> None:
        self._put(None)


class OwnedEditor(QWidget):
    """The list of machines, with a hint where it is empty."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self.rows: list[OwnedRow] = []
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        card = surface("card")
        outer.addWidget(card)
        self._column = QVBoxLayout(card)
        pad(ui.theme, self._column, (20, 14, 16, 14), 4)
        head = QHBoxLayout()
        pad(ui.theme, head, (0, 0, 0, 2), 8)
        self._title = Text(ui, "", design.SUBHEADING)
        self.add = Picker(ui, "owned-add", self._devices)
        fix(ui.theme, self.add, width=220)
        self.add.chosen.connect(self._added)
        head.addWidget(self._title, 1)
        head.addWidget(self.add)
        self._column.addLayout(head)
        self._hint = Text(ui, "", design.NOTE, "ink3", wrap=True)
        self._column.addWidget(self._hint)
        self.retranslate()

    def retranslate(self) -> None:
        t, asked = self._ui.t, question(OWNED)
        self._title.say(t(asked.short))
        self._hint.say(t(asked.unknown))
        self.add.setAccessibleName(t.text("ui.owned.add"))
        self.add.show_value(None, "", t.text("ui.owned.add"))

    def _devices(self) -> list[Item]:
        return answers.catalogue_items(self._ui, "device")

    def refresh(self) -> None:
        workload = self._ui.session.workload
        machines = workload.hardware.owned if workload else ()
        while len(self.rows) > len(machines):
            row = self.rows.pop()
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        while len(self.rows) < len(machines):
            row = OwnedRow(self._ui, len(self.rows))
            self.rows.append(row)
            self._column.addWidget(row)
        for row, owned in zip(self.rows, machines, strict=True):
            row.show_owned(owned)
        self._hint.setVisible(not machines)

    def _added(self, value: object) -> None:
        workload = self._ui.session.workload
        if workload is not None and value is not None:
            self._ui.session.answer(OWNED, (*workload.hardware.owned, OwnedDevices(str(value), 1)), self)


class HardwarePage(QuestionPage):
    """Questions above, the ranking of machines below; once there is one, the finding is the title."""

    title_asks = False

    def __init__(self, ui: Ui, key: str) -> None:
        stop = stop_of(key)
        assert stop is not None
        super().__init__(ui, stop)

    def make_extras(self) -> list[QWidget]:
        return [OwnedEditor(self.ui)]

    def _show_head(self) -> None:
        super()._show_head()
        view = view_of(self.ui, self.key)
        if view is not None:
            self.show_head_of(view)

    def show_answer(self) -> None:
        super().show_answer()
        self._show_head()
