"""The tokens on the screen: palette, fonts, sizes, style sheet. One Theme lives as long as the application.

Everything is measured in design units times the scale, so that 200 % only grows. Lengths that Qt keeps (margins, fixed widths)
are written with `pad` and `fix`, which remember the design value on the object; `rescale` sets them again for a whole window.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QGridLayout, QLayout, QWidget

from app.host.paths import FONTS
from app.present import design
from app.present.design import PALETTES, Palette, Scheme, TypeStyle
from app.present.tones import Tone
from app.ui.stylesheet import style_sheet

PROJECTOR: Final = 1.2
"""The customer view enlarges everything."""


@cache
def load_fonts() -> None:
    """Register the bundled faces once; text is drawn with them on every machine."""
    for file in sorted(FONTS.glob("*.ttf")):
        QFontDatabase.addApplicationFont(str(file))


class Theme(QObject):
    """Current scheme and scale; `changed` after the application was given the new ones."""

    changed = Signal()

    def __init__(self, choice: str = "system", scale: float = 1.0, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choice = choice
        self._scale = scale
        self._projector = False
        self._fonts: dict[tuple[TypeStyle, float], QFont] = {}
        self.scheme = self._wanted()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)

    # what is asked

    @property
    def choice(self) -> str:
        return self._choice

    @property
    def scale(self) -> float:
        return self._scale * (PROJECTOR if self._projector else 1.0)

    @property
    def palette(self) -> Palette:
        return PALETTES[self.scheme]

    def px(self, units: float) -> int:
        """Design units in pixels, never below one."""
        return max(1, round(units * self.scale))

    def font(self, style: TypeStyle) -> QFont:
        """A font of the current scale, the caller's own to change."""
        key = (style, self.scale)
        made = self._fonts.get(key)
        if made is None:
            made = QFont(design.FONT_FAMILY)
            made.setPixelSize(self.px(style.size))
            made.setWeight(QFont.Weight(style.weight))
            if style.tabular:
                made.setFeature(QFont.Tag("tnum"), 1)
            self._fonts[key] = made
        return QFont(made)

    def colour(self, name: str) -> QColor:
        """A token by name."""
        return QColor(getattr(self.palette, name))

    def series(self, index: int) -> QColor:
        return QColor(self.palette.series[index % len(self.palette.series)])

    def tone(self, tone: Tone) -> tuple[QColor, QColor]:
        ink, tint = design.tone_colours(self.palette, tone)
        return QColor(ink), QColor(tint)

    # what is set

    def set_choice(self, choice: str) -> None:
        """ "system", "light" or "dark"."""
        self._choice = choice
        self.apply()

    def set_scale(self, scale: float) -> None:
        self._scale = scale
        self.apply()

    def set_projector(self, on: bool) -> None:
        self._projector = on
        self.apply()

    def apply(self) -> None:
        """Give the application the current palette, font and style sheet."""
        self.scheme = self._wanted()
        application = self._application
        application.setPalette(qt_palette(self.palette))
        application.setFont(self.font(design.BODY))
        application.setStyleSheet(style_sheet(self.palette, self.px))
        self.changed.emit()

    @cached_property
    def _application(self) -> QApplication:
        application = QApplication.instance()
        if not isinstance(application, QApplication):
            raise TypeError("a theme needs a QApplication")
        return application

    def _wanted(self) -> Scheme:
        if self._choice != "system":
            return Scheme(self._choice)
        dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return Scheme.DARK if dark else Scheme.LIGHT

    def _system_changed(self) -> None:
        if self._choice == "system" and self._wanted() is not self.scheme:
            self.apply()


def qt_palette(tokens: Palette) -> QPalette:
    """The tokens as Fusion wants them, for everything the style sheet does not name."""
    palette = QPalette()
    role = QPalette.ColorRole
    table = {
        role.Window: tokens.ground, role.WindowText: tokens.ink1, role.Base: tokens.surface,
        role.AlternateBase: tokens.sunken, role.Text: tokens.ink1, role.Button: tokens.surface,
        role.ButtonText: tokens.ink1, role.BrightText: tokens.bad, role.Highlight: tokens.accent,
        role.HighlightedText: tokens.on_accent, role.Link: tokens.accent, role.LinkVisited: tokens.accent,
        role.ToolTipBase: tokens.surface, role.ToolTipText: tokens.ink1, role.PlaceholderText: tokens.ink3,
        role.Light: tokens.surface, role.Midlight: tokens.line, role.Mid: tokens.line, role.Dark: tokens.line_strong,
        role.Shadow: tokens.sunken, role.Accent: tokens.accent,
    }  # fmt: skip
    for which, colour in table.items():
        palette.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(tokens.ink3))
    return palette


_PAD: Final = "waypostPad"
_FIX: Final = "waypostFix"


def pad(
    theme: Theme,
    layout: QLayout,
    margins: tuple[float, float, float, float],
    spacing: float,
    across: float | None = None,
) -> None:
    """Margins (left, top, right, bottom) and spacing in design units, kept for `rescale`; a grid may differ `across`."""
    layout.setProperty(_PAD, [*margins, spacing, spacing if across is None else across])
    _set_pad(theme, layout)


def _set_pad(theme: Theme, layout: QLayout) -> None:
    left, top, right, bottom, spacing, across = (round(v * theme.scale) for v in layout.property(_PAD))
    layout.setContentsMargins(left, top, right, bottom)
    layout.setSpacing(spacing)
    if isinstance(layout, QGridLayout):
        layout.setHorizontalSpacing(across)


def fix(
    theme: Theme,
    widget: QWidget,
    *,
    width: float = 0,
    height: float = 0,
    min_width: float = 0,
    min_height: float = 0,
    max_width: float = 0,
) -> None:
    """Sizes in design units, kept for `rescale`; 0 leaves a side free."""
    widget.setProperty(_FIX, [width, height, min_width, min_height, max_width])
    _set_fix(theme, widget)


def _set_fix(theme: Theme, widget: QWidget) -> None:
    width, height, min_width, min_height, max_width = widget.property(_FIX)
    if width:
        widget.setFixedWidth(theme.px(width))
    if height:
        widget.setFixedHeight(theme.px(height))
    if min_width:
        widget.setMinimumWidth(theme.px(min_width))
    if min_height:
        widget.setMinimumHeight(theme.px(min_height))
    if max_width:
        widget.setMaximumWidth(theme.px(max_width))


def rescale(theme: Theme, root: QWidget) -> None:
    """Set every remembered length under `root` again."""
    for layout in root.findChildren(QLayout):
        if layout.property(_PAD) is not None:
            _set_pad(theme, layout)
    for widget in (root, *root.findChildren(QWidget)):
        if widget.property(_FIX) is not None:
            _set_fix(theme, widget)
