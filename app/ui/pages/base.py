"""What every page has: the eyebrow, the finding as its title, a lead, a column that scrolls, a place for notes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLayout, QScrollArea, QVBoxLayout, QWidget

from app.present import design
from app.session import Changed
from app.ui.context import Ui
from app.ui.theme import fix, pad
from app.ui.widgets.text import Text

if TYPE_CHECKING:
    from app.present.views import Page as PageView


class Page(QWidget):
    """One page. `refresh` reads everything from the session; nothing is kept here but focus and scroll."""

    column_width = design.COLUMN_WIDTH
    """Design units the content grows to."""

    def __init__(self, ui: Ui, key: str) -> None:
        super().__init__()
        self.ui = ui
        self.key = key
        self.setObjectName(f"page-{key}")
        self.setProperty("surface", "ground")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        self.content = QWidget()
        fix(ui.theme, self.content, max_width=self.column_width)
        outer.addWidget(self.content, 1)
        outer.addStretch(0)
        self.column = QVBoxLayout(self.content)
        margin = design.PAGE_MARGIN
        pad(ui.theme, self.column, (margin, 26, margin, margin), design.BETWEEN)
        self.head = QVBoxLayout()
        pad(ui.theme, self.head, (0, 0, 0, 4), 5)
        self.eyebrow = Text(ui, "", design.NOTE_STRONG, "accent")
        self.title = Text(ui, "", design.TITLE, wrap=True)
        self.title.setObjectName("page-title")
        self.lead = Text(ui, "", design.BODY, "ink2", wrap=True)
        for part in (self.eyebrow, self.title, self.lead):
            self.head.addWidget(part)
        self.column.addLayout(self.head)

    def minimumSizeHint(self) -> QSize:
        """As high as the words at this width are: a box layout alone counts each wrapped label at its narrowest."""
        hint, layout = super().minimumSizeHint(), self.layout()
        if layout is None or not layout.hasHeightForWidth():
            return hint
        return QSize(hint.width(), layout.heightForWidth(max(self.width(), hint.width())))

    def finish(self) -> None:
        """Called once by the subclass when its column is filled."""
        self.column.addStretch(1)
        for blocks in self.findChildren(QWidget, "blocks"):
            blocks.completed.connect(self.order_tabs)  # type: ignore[attr-defined]

    def order_tabs(self) -> None:
        """Tab walks in reading order."""
        order_tabs(self)

    def say_head(self, eyebrow: str, title: str, lead: str = "") -> None:
        self.eyebrow.say(eyebrow)
        self.title.say(title)
        self.lead.say(lead)
        self.lead.setVisible(bool(lead))
        self.setAccessibleName(f"{eyebrow}: {title}")

    def show_head_of(self, view: PageView) -> None:
        self.say_head(view.eyebrow, view.title, view.lead)

    def refresh(self, changed: Changed | None = None) -> None:
        """Show the session as it is. `changed` None: read all."""
        raise NotImplementedError

    def show_inputs(self, changed: Changed) -> None:
        """An answer was given: what was answered shows at once, the findings follow with `show_answer`."""
        self.refresh(changed)

    def show_answer(self) -> None:
        """The engine has answered."""
        self.refresh()

    def press(self, _digit: int) -> bool:
        """A digit key with no field in focus. True when it chose something."""
        return False

    def advance(self) -> bool:
        """Enter: True when the page itself has somewhere further to go (its next open question)."""
        return False

    def ask(self, path: str) -> None:
        """Bring a question (or a term) of this page into sight and focus."""

    def shown(self) -> None:
        """The page has come on screen."""


def order_tabs(root: QWidget) -> None:
    """Tab walks in reading order: by the layouts, not by the order in which the widgets were made."""
    stops = [w for w in _in_order(root) if w.focusPolicy() & Qt.FocusPolicy.TabFocus]
    for first, second in pairwise(stops):
        QWidget.setTabOrder(first, second)


def _in_order(widget: QWidget) -> Iterator[QWidget]:
    """The widget and everything in it, as its layouts have it; what no layout holds comes last."""
    yield widget
    layout = widget.layout()
    seen: set[QWidget] = set()
    if layout is not None:
        for child in _of_layout(layout):
            seen.add(child)
            yield from _in_order(child)
    for child in widget.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if child not in seen and not child.isWindow():
            yield from _in_order(child)


def _of_layout(layout: QLayout) -> Iterator[QWidget]:
    for index in range(layout.count()):
        item = layout.itemAt(index)
        inner = item.layout() if item is not None else None
        held = item.widget() if item is not None else None
        if held is not None:
            yield held
        elif inner is not None:
            yield from _of_layout(inner)


def bring_into_sight(widget: QWidget) -> None:
    """Scroll the page so that a widget on it is seen."""
    above = widget.parentWidget()
    while above is not None and not isinstance(above, QScrollArea):
        above = above.parentWidget()
    if isinstance(above, QScrollArea):
        above.ensureWidgetVisible(widget, 40, 120)


def scrolled(page: Page) -> QScrollArea:
    """A page in its own scroll area, so that each remembers where it was."""
    area = QScrollArea()
    area.setObjectName(f"scroll-{page.key}")
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(page)
    return area
