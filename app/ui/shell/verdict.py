"""The panel that stays in sight: the recommendation, what the last answer changed, the headline numbers, what to ask next."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout

from app.present import design
from app.present.views import Verdict
from app.ui.blocks.bars import RankingView
from app.ui.blocks.bullets import CalloutView
from app.ui.blocks.figures import FigureList
from app.ui.context import Ui
from app.ui.icons import paint_icon
from app.ui.theme import fix, pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.text import Chip, Text, hairline, surface


class NextCard(QAbstractButton):
    """The question most able to change the verdict; a click asks it."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self.path = ""
        self.setObjectName("next-question")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        column = QVBoxLayout(self)
        pad(ui.theme, column, (15, 12, 15, 12), 4)
        self._title = Text(ui, "", design.NOTE_STRONG, "accent", wrap=True)
        self._question = Text(ui, "", design.SUBHEADING, wrap=True)
        self._detail = Text(ui, "", design.NOTE, "ink2", wrap=True)
        for part in (self._title, self._question, self._detail):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            column.addWidget(part)
        self.clicked.connect(self._go)

    def show_next(self, title: str, question: str, detail: str, path: str) -> None:
        self.path = path
        self._title.say(title)
        self._question.say(question)
        self._detail.say(detail)
        self._detail.setVisible(bool(detail))
        self.setEnabled(bool(path))
        self.setVisible(bool(title))
        self.setAccessibleName(f"{title}: {question}")
        self.setAccessibleDescription(detail)

    def _go(self) -> None:
        if self.path:
            self._ui.go.emit(f"question:{self.path}")

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._ui.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = 2.0 if self.hasFocus() or self.underMouse() else 1.2
        painter.setPen(QPen(theme.colour("accent" if self.isEnabled() else "line"), width))
        painter.setBrush(theme.colour("surface"))
        radius = theme.px(design.RADIUS_CARD)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), radius, radius)


class VerdictPanel(QFrame):
    """Shows a Verdict of app.present; folds to a strip in a narrow window."""

    folded_changed = Signal(bool)

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self.setObjectName("verdict")
        self.setProperty("surface", "panel")
        outer = QHBoxLayout(self)
        outer.setContentsMargins(1, 0, 0, 0)
        outer.setSpacing(0)
        self._strip = Strip(ui)
        self._strip.clicked.connect(self._unfold)
        outer.addWidget(self._strip)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        outer.addWidget(self._area)
        body = surface("bar")
        self._area.setWidget(body)
        column = QVBoxLayout(body)
        pad(ui.theme, column, (18, 18, 18, 18), 14)
        column.addWidget(self._make_card())
        self._empty = Text(ui, style=design.NOTE, ink="ink2", key="ui.verdict.empty", wrap=True)
        column.addWidget(self._empty)
        self.changed = CalloutView(ui)
        self.figures = FigureList(ui)
        self._rule = hairline()
        self.next = NextCard(ui)
        for part in (self.changed, self._rule, self.figures, self.next):
            column.addWidget(part)
        column.addStretch(1)
        self._folded = False
        self.fold(False)
        self.show_verdict(None)

    def _make_card(self) -> QFrame:
        ui = self._ui
        card = surface("sunken")
        column = QVBoxLayout(card)
        pad(ui.theme, column, (16, 14, 16, 14), 8)
        top = QHBoxLayout()
        pad(ui.theme, top, (0, 0, 0, 0), 8)
        self.eyebrow = Text(ui, "", design.SMALL, "ink3")
        self._fold_button = Button(ui, "ui.verdict.fold", name="verdict-fold", kind="quiet", icon="chevron-right")
        self._fold_button.clicked.connect(self._fold_by_hand)
        self._fold_button.hide()
        top.addWidget(self.eyebrow, 1)
        top.addWidget(self._fold_button)
        column.addLayout(top)
        self.title = Text(ui, "", design.VERDICT, wrap=True)
        self.title.setObjectName("verdict-title")
        column.addWidget(self.title)
        facts = QHBoxLayout()
        pad(ui.theme, facts, (0, 0, 0, 0), 8)
        self.stability = Chip(ui)
        self.answered = Text(ui, "", design.SMALL, "ink3", wrap=True)
        facts.addWidget(self.stability)
        facts.addWidget(self.answered, 1)
        column.addLayout(facts)
        self.ranking = RankingView(ui, compact=True)
        column.addWidget(self.ranking)
        return card

    # state

    def show_verdict(self, verdict: Verdict | None) -> None:
        """Another answer in the same widgets."""
        there = verdict is not None
        for part in (self.stability, self.answered, self.ranking, self.figures, self.next, self._rule):
            part.setVisible(there)
        self._empty.setVisible(not there)
        self.changed.setVisible(verdict is not None and verdict.changed is not None)
        if verdict is None:
            self.eyebrow.say(self._ui.t.text("ui.verdict.eyebrow"))
            self.title.say(self._ui.t.text("ui.verdict.none"))
            self._strip.show_words(self.title.plain)
            return
        self.eyebrow.say(verdict.eyebrow)
        self.title.say(verdict.title)
        self.stability.say(verdict.stability, verdict.stability_tone)
        self.answered.say(verdict.answered)
        self.ranking.show_block(verdict.ranking)
        if verdict.changed is not None:
            self.changed.show_block(verdict.changed)
        self.figures.show_block(verdict.figures)
        self.next.show_next(verdict.next_title, verdict.next_question, verdict.next_detail, verdict.next_path)
        self._strip.show_words(verdict.title)
        self.setAccessibleName(verdict.title)

    def show_stale(self, stale: bool) -> None:
        """While an answer is under way the old one is told apart, never blanked."""
        self.title.ink("ink3" if stale else "ink1")
        self.eyebrow.say(self._ui.t.text("ui.verdict.computing" if stale else "ui.verdict.eyebrow"))

    # folding

    @property
    def folded(self) -> bool:
        return self._folded

    def fold(self, folded: bool, *, by_hand: bool = False) -> None:
        """A strip, or the whole panel. `by_hand`: the whole panel in a window that is narrow, so it can be folded again."""
        self._folded = folded
        self._strip.setVisible(folded)
        self._area.setVisible(not folded)
        self._fold_button.setVisible(by_hand and not folded)
        fix(self._ui.theme, self, width=design.VERDICT_STRIP_WIDTH if folded else design.VERDICT_WIDTH)
        self.folded_changed.emit(folded)

    def _unfold(self) -> None:
        self.fold(False, by_hand=True)

    def _fold_by_hand(self) -> None:
        self.fold(True)


class Strip(QAbstractButton):
    """The folded panel: the recommendation written upwards."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self.setObjectName("verdict-strip")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.hide()

    def show_words(self, text: str) -> None:
        self.setText(text)
        self.setAccessibleName(text)
        self.setToolTip(text)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._ui.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.hasFocus():
            painter.fillRect(self.rect(), theme.colour("accent_soft"))
        side = theme.px(16)
        icon = QRectF((self.width() - side) / 2, theme.px(18), side, side)
        paint_icon(painter, "chevron-left", theme.colour("accent"), icon)
        painter.setFont(theme.font(design.HEADING))
        painter.setPen(theme.colour("ink1"))
        painter.translate(self.width() / 2, theme.px(46))
        painter.rotate(90)
        room = QRectF(0, -self.width() / 2, self.height() - theme.px(60), self.width())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), self.text())
