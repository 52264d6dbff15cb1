"""The first thing on screen: the window's frame in its colours, painted before anything of the product is read.

It holds the window once that is there. Only Qt and the design tokens are needed here.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEventLoop, QRect, QSettings, Qt
from PySide6.QtGui import QCloseEvent, QColor, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from app.host.paths import data_folder
from app.present import design
from app.present.design import PALETTES, Palette, Scheme

if TYPE_CHECKING:
    from app.ui.shell.window import Window

GEOMETRY: Final = "window.ini"
PATIENCE_S: Final = 0.15
"""How long the first paint is waited for before the work goes on."""


def theme_wanted() -> Palette:
    """The palette of the stored theme, read without the settings' machinery; whatever is odd follows the system."""
    try:
        wanted = json.loads((data_folder() / "settings.json").read_text(encoding="utf-8")).get("theme")
    except (OSError, ValueError, AttributeError):
        wanted = None
    if wanted in (Scheme.LIGHT, Scheme.DARK):
        return PALETTES[Scheme(wanted)]
    dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return PALETTES[Scheme.DARK if dark else Scheme.LIGHT]


class Frame(QWidget):
    """Bar, rail and ground as empty surfaces; then the window inside."""

    def __init__(self) -> None:
        super().__init__()
        self._palette = theme_wanted()
        self._content: Window | None = None
        self._painted = False
        self.setObjectName("frame")
        self.setWindowTitle("Waypost")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(880, 560)
        self._restore()

    def _restore(self) -> None:
        """The size of last time; positions are left to the desktop."""
        kept = QSettings(str(data_folder() / GEOMETRY), QSettings.Format.IniFormat)
        try:
            width, height = int(str(kept.value("width", 1440))), int(str(kept.value("height", 900)))
        except ValueError:
            width, height = 1440, 900
        room = self.screen().availableGeometry()
        self.resize(min(max(width, 900), room.width()), min(max(height, 600), room.height()))

    def keep_size(self) -> None:
        folder = data_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept = QSettings(str(folder / GEOMETRY), QSettings.Format.IniFormat)
        kept.setValue("width", self.width())
        kept.setValue("height", self.height())

    def show_at_once(self, application: QApplication) -> None:
        """Show, and wait until the frame is really on screen."""
        self.show()
        until = time.monotonic() + PATIENCE_S
        while not self._painted and time.monotonic() < until:
            application.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents, 10)

    def take(self, content: Window) -> None:
        """Put the window into its frame."""
        self._content = content
        self.setWindowIcon(content.windowIcon())
        content.windowTitleChanged.connect(self.setWindowTitle)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(content)

    def paintEvent(self, _event: QPaintEvent) -> None:
        self._painted = True
        if self._content is not None:
            return
        tokens = self._palette
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.ground))
        bar = QRect(0, 0, self.width(), 52)
        rail = QRect(0, 52, design.RAIL_WIDTH, self.height())
        foot = QRect(0, self.height() - 32, self.width(), 32)
        for surface in (bar, rail, foot):
            painter.fillRect(surface, QColor(tokens.surface))
        painter.setPen(QColor(tokens.line))
        painter.drawLine(0, 51, self.width(), 51)
        painter.drawLine(design.RAIL_WIDTH - 1, 52, design.RAIL_WIDTH - 1, self.height() - 33)
        painter.drawLine(0, self.height() - 32, self.width(), self.height() - 32)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._content is not None:
            self._content.close()
        super().closeEvent(event)
