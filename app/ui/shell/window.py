"""The window: bar, rail, page, verdict, status. It shows pages and carries keys; everything else is done by its parts.

What the first paint does not show (verdict, finder, toast, commands) is made when it is first wanted.
"""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from app.present import design
from app.session import Changed
from app.ui.context import Ui
from app.ui.icons import app_icon
from app.ui.pages.base import Page, scrolled
from app.ui.pages.registry import make_page
from app.ui.pages.views import panel_of
from app.ui.shell.drops import Drops
from app.ui.shell.rail import Rail
from app.ui.shell.status import StatusLine
from app.ui.shell.topbar import TopBar
from app.ui.walk import HISTORY, next_key, page_asking, stop_of

if TYPE_CHECKING:
    from app.present.tones import Tone
    from app.store.interface import ProbeRun
    from app.ui.commands import Commands
    from app.ui.shell.finder import Finder
    from app.ui.shell.toast import Toast
    from app.ui.shell.verdict import VerdictPanel

NARROW = 1340
"""Under this many design units the top bar drops its key caps."""


class Window(QWidget):
    """Pages are made when they are first shown."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self.ui = ui
        self.pages: dict[str, Page] = {}
        self._areas: dict[str, QScrollArea] = {}
        self._stale: set[str] = set()
        self.key = ""
        self._back: list[str] = []
        self.setObjectName("shell")
        self.setWindowTitle("Waypost")
        self.setWindowIcon(app_icon())
        self.top, self.rail, self.status = TopBar(ui), Rail(ui), StatusLine(ui)
        self.stack = QStackedWidget()
        self.stack.setObjectName("pages")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        middle = self._middle = QHBoxLayout()
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(0)
        middle.addWidget(self.rail)
        middle.addWidget(self.stack, 1)
        column.addWidget(self.top)
        column.addLayout(middle, 1)
        column.addWidget(self.status)
        self._connect()
        self._make_shortcuts()
        self.setMinimumSize(880, 560)
        self.setAcceptDrops(True)
        self._drops = Drops(self, self._command_with)
        self.installEventFilter(self._drops)

    @cached_property
    def verdict(self) -> VerdictPanel:
        from app.ui.shell.verdict import VerdictPanel

        panel = VerdictPanel(self.ui)
        self._middle.addWidget(panel)
        self.ui.session.assessing.stale_changed.connect(panel.show_stale)
        return panel

    @cached_property
    def commands(self) -> Commands:
        from app.ui.commands import Commands

        return Commands(self.ui, self)

    @cached_property
    def finder(self) -> Finder:
        from app.ui.shell.finder import Finder

        return Finder(self.ui, self, self.commands.everything)

    @cached_property
    def toast(self) -> Toast:
        from app.ui.shell.toast import Toast

        return Toast(self.ui, self)

    def _made(self, part: str) -> bool:
        """Whether one of the late parts is there yet."""
        return part in self.__dict__

    def _command(self, name: str) -> None:
        getattr(self.commands, name)()

    def _command_with(self, name: str, path: Path) -> None:
        getattr(self.commands, name)(path)

    def _find(self) -> None:
        self.finder.open()

    def _say(self, text: str, tone: Tone, action: str, act: object) -> None:
        self.toast.say(text, tone, action, act)

    def _options(self, anchor: QWidget) -> None:
        self.commands.open_options(anchor)

    def _connect(self) -> None:
        ui, session = self.ui, self.ui.session
        ui.go.connect(self.go)
        ui.toast.connect(self._say)
        ui.words_changed.connect(self._words_changed)
        ui.theme.changed.connect(self._theme_changed)
        session.changed.connect(self._changed)
        session.opened.connect(self._opened)
        session.assessed.connect(self._assessed)
        session.workload_changed.connect(self._other_workload)
        session.failed.connect(ui.error)
        ui.store_changed.connect(self._count)
        self.top.search.connect(self._find)
        self.top.customer_view.connect(self.toggle_customer_view)
        self.top.propose.connect(self._propose)
        self.top.options.connect(self._options)

    def _make_shortcuts(self) -> None:
        for keys, act in (
            ("Ctrl+K", self._find),
            ("F5", self.toggle_customer_view),
            ("Alt+Left", self.back),
            ("Alt+Right", self.forward),
            ("Ctrl+Z", self._undo),
            ("Ctrl+Y", self._redo),
            ("Ctrl+Shift+Z", self._redo),
            ("Ctrl+S", partial(self._command, "save_version")),
            ("Ctrl+N", partial(self._command, "new")),
            ("Ctrl+O", partial(self._command, "open_file")),
            ("Ctrl+P", self._propose),
            ("Ctrl+=", partial(self._command, "larger")),
            ("Ctrl++", partial(self._command, "larger")),
            ("Ctrl+-", partial(self._command, "smaller")),
            ("Ctrl+0", partial(self._command, "normal_size")),
        ):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.activated.connect(act)

    # pages

    @property
    def page(self) -> Page | None:
        return self.pages.get(self.key)

    def go(self, target: str) -> None:
        """Show a page; "question:<path>" shows the page that asks it, "term:<name>" the card of a term."""
        kind, _, path = target.partition(":")
        key = page_asking(path) if kind == "question" else "ask" if kind == "term" else target
        if not self.ui.session.is_open and stop_of(key) is not None:
            key = HISTORY
        if key != self.key:
            self._show_page(key)
        page = self.page
        if path and page is not None:
            page.ask(path)

    def _show_page(self, key: str) -> None:
        if key not in self.pages:
            page = self.pages[key] = make_page(self.ui, key)
            self._areas[key] = scrolled(page)
            self.stack.addWidget(self._areas[key])
            self._stale.add(key)
        if self.key:
            self._back.append(self.key)
            del self._back[:-50]
        self.key = key
        stop = stop_of(key)
        if stop is not None:
            self.ui.last_of_step[stop.step.value] = key
        self.ui.session.seal()
        self._refresh_page()
        self.stack.setFocus(
            Qt.FocusReason.OtherFocusReason
        )  # a page that goes would pass its focus on, and scroll for it
        self.stack.setCurrentWidget(self._areas[key])
        self.rail.show_here(key)
        self._show_sides()
        self.pages[key].shown()
        self.pages[key].setFocus(Qt.FocusReason.OtherFocusReason)

    def _refresh_page(self, changed: Changed | None = None) -> None:
        page = self.page
        if page is None:
            return
        everything = self.key in self._stale
        self._stale.discard(self.key)
        page.refresh(None if everything else changed)
        if everything:
            page.order_tabs()

    def _mark_others(self) -> None:
        self._stale.update(key for key in self.pages if key != self.key)

    def _show_sides(self) -> None:
        """The verdict stands beside every page of an open consultation; the customer view hides the rail."""
        wanted = self.ui.session.is_open and self.key != HISTORY
        if wanted or self._made("verdict"):
            fresh = not self._made("verdict")
            self.verdict.setVisible(wanted)
            if fresh:
                self._show_verdict()
                self._fit()
        self.rail.setVisible(not self.ui.customer_view)

    def _count(self) -> None:
        """How many consultations there are and when was measured last, beside their names in the rail."""
        store = self.ui.store
        if store is not None:
            self.ui.session.tasks.run(
                lambda _c: (len(store.history.recent(limit=100_000)), store.probes.recent(1)),
                self._counted,
                channel="count",
                serial=True,
            )

    def _counted(self, found: tuple[int, tuple[ProbeRun, ...]]) -> None:
        count, runs = found
        self.rail.show_count(HISTORY, str(count) if count else "")
        self.rail.show_count("probe", f"{runs[0].at.astimezone():%m-%d}" if runs else "")

    def _show_verdict(self) -> None:
        if self._made("verdict"):
            self.verdict.show_verdict(panel_of(self.ui))

    def back(self) -> None:
        """The step before, on the walk; off it the page seen before."""
        key = next_key(self.key, -1) or (self._back.pop() if self._back else None)
        if key is not None:
            self.go(key)

    def forward(self) -> None:
        key = next_key(self.key)
        if key is not None:
            self.go(key)

    # what the session says

    def _changed(self, changed: Changed) -> None:
        if changed.touches("currency"):
            self.ui.speak()
        self._mark_others()
        page = self.page
        if page is None:
            return
        if changed.everything or self.key in self._stale:
            self._refresh_page(changed)
        else:
            page.show_inputs(changed)

    def _opened(self) -> None:
        self._mark_others()
        self.ui.last_of_step.clear()
        self._back.clear()
        self._show_sides()
        self._show_verdict()
        self._show_title()

    def _show_title(self) -> None:
        document = self.ui.session.consultation
        name = document.title or document.customer.name
        self.setWindowTitle(f"{name} – Waypost" if name and self.ui.session.is_open else "Waypost")

    def _assessed(self, _answer: object) -> None:
        self._mark_others()
        self._show_verdict()
        page = self.page
        if page is not None:
            if self.key in self._stale:
                self._refresh_page()
            else:
                page.show_answer()
        self._show_title()

    def _other_workload(self, _workload: str) -> None:
        self._show_verdict()
        self._mark_others()
        self._stale.add(self.key)
        self._refresh_page()

    # words and looks

    def _words_changed(self) -> None:
        self.ui.retranslate(self)
        self._mark_others()
        self._stale.add(self.key)
        self._refresh_page()
        self._show_verdict()

    def _theme_changed(self) -> None:
        self.ui.resize(self)
        self._fit()

    def toggle_customer_view(self) -> None:
        """Larger, without the rail and without anything private."""
        if not self.ui.session.is_open:
            return
        self.ui.customer_view = not self.ui.customer_view
        self._stale.update(self.pages)
        self.ui.theme.set_projector(self.ui.customer_view)
        self._show_sides()
        self._refresh_page()
        self.ui.say(self.ui.t.text("ui.customer_view.on" if self.ui.customer_view else "ui.customer_view.off"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        units = self.width() / self.ui.theme.scale
        if self._made("verdict"):
            self.verdict.fold(units < design.FOLD_WIDTH)
        self.top.compact(units < NARROW)
        if self._made("finder") and self.finder.isVisible():
            self.finder.place()
        if self._made("toast") and self.toast.isVisible():
            self.toast.place()

    # keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Digits choose and Enter goes on, where no field wanted the key."""
        page, key = self.page, event.key()
        plain = not event.modifiers() or event.modifiers() == Qt.KeyboardModifier.KeypadModifier
        if page is None or not plain:
            super().keyPressEvent(event)
        elif Qt.Key.Key_0 <= key <= Qt.Key.Key_9 and page.press(key - Qt.Key.Key_0):
            event.accept()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter()
        elif key == Qt.Key.Key_Escape and self.ui.customer_view:
            self.toggle_customer_view()
        else:
            super().keyPressEvent(event)

    def _enter(self) -> None:
        focused = self.focusWidget()
        if getattr(focused, "composing", False):
            return
        self._commit()
        page = self.page
        if page is not None and not page.advance():
            self.forward()

    def _commit(self) -> None:
        """Take what is being typed before anything else happens."""
        commit = getattr(self.focusWidget(), "commit", None)
        if commit is not None:
            commit()

    def _undo(self) -> None:
        self._commit()
        self.ui.session.undo()

    def _redo(self) -> None:
        self._commit()
        self.ui.session.redo()

    def _propose(self) -> None:
        self.go("proposal")

    def closeEvent(self, event: QCloseEvent) -> None:
        """Nothing typed is lost: the draft is written before the window goes."""
        self._commit()
        self.ui.session.flush()
        super().closeEvent(event)
