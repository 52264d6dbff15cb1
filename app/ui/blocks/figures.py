"""Numbers: value large, how it came about under it, band and basis at the right. A click opens the whole derivation."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.present import design
from app.present.views import Figures, FigureView
from app.ui.context import Ui
from app.ui.theme import pad
from app.ui.widgets.text import Chip, Text
from app.ui.widgets.trace import show_trace


class FigureRow(QAbstractButton):
    """One number. Enabled where it has a derivation to open."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self.view: FigureView | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        column = QVBoxLayout(self)
        pad(ui.theme, column, (2, 9, 2, 9), 3)
        first = QHBoxLayout()
        pad(ui.theme, first, (0, 0, 0, 0), 10)
        self._label = Text(ui, "", design.NOTE, "ink1", wrap=True)
        self._value = Text(ui, "", design.NUMBER)
        first.addWidget(self._label, 1)
        first.addWidget(self._value, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        second = QHBoxLayout()
        pad(ui.theme, second, (0, 0, 0, 0), 8)
        self._formula = Text(ui, "", design.SMALL, "ink3", wrap=True)
        self._band = Text(ui, "", design.SMALL, "ink3")
        self._basis = Chip(ui)
        second.addWidget(self._formula, 1)
        second.addWidget(self._band, 0, Qt.AlignmentFlag.AlignTop)
        second.addWidget(self._basis, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(first)
        column.addLayout(second)
        for part in (self._label, self._value, self._formula, self._band, self._basis):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.clicked.connect(self._open)

    def show_view(self, view: FigureView) -> None:
        self.view = view
        self.setObjectName(f"figure-{view.key}")
        self._label.say(view.label)
        self._value.say(view.value)
        self._formula.say(view.formula)
        self._band.say(view.band)
        self._band.setVisible(bool(view.band))
        self._basis.say(view.basis, view.basis_tone)
        can_open = view.trace is not None
        self.setEnabled(can_open)
        self.setCursor(Qt.CursorShape.PointingHandCursor if can_open else Qt.CursorShape.ArrowCursor)
        self.setAccessibleName(f"{view.label}: {view.value}")
        self.setAccessibleDescription(" ".join(filter(None, (view.formula, view.band, view.basis))))

    def _open(self) -> None:
        if self.view is not None and self.view.trace is not None:
            show_trace(self._ui, self, self.view, self.mapToGlobal(QPoint(0, self.height())))

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not (self.hasFocus() or (self.underMouse() and self.isEnabled())):
            return
        theme = self._ui.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("accent"), 1.5) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("accent_soft") if self.underMouse() else Qt.BrushStyle.NoBrush)
        radius = theme.px(design.RADIUS_FIELD)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(-0.5, 1, 0.5, -1), radius, radius)


class FigureList(QWidget):
    """Rows under each other with hairlines between; two columns where there is room for them."""

    def __init__(self, ui: Ui, columns: int = 1) -> None:
        super().__init__()
        self._ui = ui
        self._columns = columns
        self.rows: list[FigureRow] = []
        self._row = QHBoxLayout(self)
        pad(ui.theme, self._row, (0, 0, 0, 0), 28)
        self._lists: list[QVBoxLayout] = []
        for _ in range(columns):
            column = QVBoxLayout()
            pad(ui.theme, column, (0, 0, 0, 0), 0)
            self._row.addLayout(column, 1)
            self._lists.append(column)

    def show_block(self, block: Figures) -> None:
        """The same rows with other numbers; rows are made or dropped only when their count changes."""
        if len(block.items) != len(self.rows):
            self._rebuild(len(block.items))
        for row, view in zip(self.rows, block.items, strict=True):
            row.show_view(view)

    def _rebuild(self, count: int) -> None:
        for column in self._lists:
            while (item := column.takeAt(0)) is not None:
                widget = item.widget()
                if widget is not None:
                    widget.hide()
                    widget.deleteLater()
        self.rows = [FigureRow(self._ui) for _ in range(count)]
        per_column = -(-count // self._columns)
        for index, row in enumerate(self.rows):
            self._lists[index // per_column].addWidget(_Ruled(self._ui, row, first=index % per_column == 0))
        for column in self._lists:
            column.addStretch(1)


class _Ruled(QWidget):
    """A row with a hairline above it."""

    def __init__(self, ui: Ui, row: FigureRow, *, first: bool) -> None:
        super().__init__()
        self._ui = ui
        self._first = first
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 1, 0, 0)
        column.addWidget(row)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._first:
            painter = QPainter(self)
            painter.setPen(QPen(self._ui.theme.colour("line"), 1))
            painter.drawLine(0, 0, self.width(), 0)
