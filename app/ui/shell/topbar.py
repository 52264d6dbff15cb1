"""The top bar: product, whose consultation, which workload, and the few things one may do from anywhere."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu

from app.present import design
from app.session import Changed, parts
from app.ui.context import Ui
from app.ui.theme import fix, pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.text import Elided, Text
from engine.messages import msg


class TopBar(QFrame):
    """Emits what was asked for; the window does it."""

    search = Signal()
    customer_view = Signal()
    propose = Signal()
    options = Signal(object)

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self.setObjectName("topbar")
        self.setProperty("surface", "topbar")
        fix(ui.theme, self, height=52)
        row = QHBoxLayout(self)
        pad(ui.theme, row, (18, 0, 18, 1), 10)
        self.product = Text(ui, "Waypost", design.HEADING)
        self.whose = Elided(ui, "", design.BODY, "ink2")
        self.title = Elided(ui, "", design.SUBHEADING)
        self.workloads = Button(ui, name="workload-switch", kind="soft", icon="chevron-down")
        self.workloads.clicked.connect(self._open_workloads)
        self.undo = Button(ui, "ui.top.undo", name="undo", keycap="Ctrl Z")
        self.undo.clicked.connect(ui.session.undo)
        self.finder = Button(ui, "ui.top.find", name="find", keycap="Ctrl K")
        self.finder.clicked.connect(self.search)
        self.view = Button(ui, "ui.top.customer_view", name="customer-view", keycap="F5")
        self.view.clicked.connect(self.customer_view)
        self.language = Button(ui, "ui.top.language", name="language")
        self.language.clicked.connect(self._switch_language)
        self.more = Button(ui, "ui.top.options", name="options")
        self.more.clicked.connect(self._options)
        self.proposal = Button(ui, "ui.top.propose", name="make-proposal", kind="primary")
        self.proposal.clicked.connect(self.propose)
        row.addWidget(self.product)
        row.addSpacing(ui.theme.px(4))
        row.addWidget(self.whose)
        row.addWidget(self.title)
        row.addWidget(self.workloads)
        row.addStretch(1)
        for button in (self.undo, self.finder, self.view, self.language, self.more, self.proposal):
            row.addWidget(button)
        ui.session.changed.connect(self._changed)
        ui.session.workload_changed.connect(self._workload)
        ui.session.undo_stack.indexChanged.connect(self._undo_changed)
        self.refresh()

    def retranslate(self) -> None:
        self.refresh()

    def _changed(self, changed: Changed) -> None:
        if any(changed.touches(field) for field in ("customer", "title", "workloads")):
            self.refresh()

    def _workload(self, _workload: str) -> None:
        self.refresh()

    def _undo_changed(self, _index: int) -> None:
        self._show_undo()

    def refresh(self) -> None:
        session, t = self._ui.session, self._ui.t
        document = session.consultation
        there = session.is_open
        name = document.customer.name
        self.whose.say(f"{name} /" if name and there else "")
        self.whose.setVisible(bool(name and there))
        workload = session.workload
        shown = (workload.name if workload and workload.name else document.title) or t.text("ui.untitled")
        self.title.say(shown if there else t.text("ui.top.nothing_open"))
        ids = [w.id for w in document.workloads]
        at = ids.index(session.workload_id) + 1 if session.workload_id in ids else 0
        self.workloads.say(t.text("ui.top.workload", number=at, count=len(ids)))
        self.workloads.setVisible(there and bool(ids))
        self.proposal.setEnabled(there)
        self.view.setEnabled(there)
        self._show_undo()

    def _show_undo(self) -> None:
        session, t = self._ui.session, self._ui.t
        name = session.undo_name
        self.undo.setEnabled(name is not None)
        self.undo.setToolTip(t.text("ui.undo.of", what=t(name)) if name is not None else "")

    def compact(self, narrow: bool) -> None:
        """In a narrow window the key caps go before the words do."""
        for button, cap in ((self.undo, "Ctrl Z"), (self.finder, "Ctrl K"), (self.view, "F5")):
            button.cap("" if narrow else cap)

    def _switch_language(self) -> None:
        self._ui.set(language="en" if self._ui.language == "ko" else "ko")

    def _options(self) -> None:
        self.options.emit(self.more)

    # workloads

    def _open_workloads(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setObjectName("workload-menu")
        session, t = self._ui.session, self._ui.t
        for number, workload in enumerate(session.consultation.workloads, 1):
            action = QAction(workload.name or t.text("ui.workload.nameless", number=number), menu)
            action.setData(workload.id)
            action.setCheckable(True)
            action.setChecked(workload.id == session.workload_id)
            menu.addAction(action)
        menu.addSeparator()
        adding = QAction(t.text("ui.workload.add"), menu)
        adding.setData("")
        menu.addAction(adding)
        menu.triggered.connect(self._picked)
        menu.popup(self.workloads.mapToGlobal(QPoint(0, self.workloads.height() + 2)))

    def _picked(self, action: QAction) -> None:
        session = self._ui.session
        if action.data():
            session.show_workload(action.data())
            return
        after, made = parts.add_workload(session.consultation)
        session.edit(msg("ui.edit.workload_added"), after, ("workloads",), self)
        session.show_workload(made)
        self._ui.go.emit("customer")
