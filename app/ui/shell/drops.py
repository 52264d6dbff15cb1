"""Files dropped on the window: a consultation or a proposal is opened, a model's file is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QMimeData, QObject
from PySide6.QtGui import QDragEnterEvent, QDropEvent

CONSULTATIONS: Final = (".waypost", ".pdf")
MODELS: Final = (".json", ".gguf", ".safetensors")


def dropped(data: QMimeData) -> Path | None:
    """The one file of ours among what is dragged in."""
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    known = [path for path in paths if path.suffix.lower() in (*CONSULTATIONS, *MODELS)]
    return known[0] if len(known) == 1 else None


class Drops(QObject):
    """An event filter for the window; `command` gets a command's name and the file."""

    def __init__(self, parent: QObject, command: Callable[[str, Path], None]) -> None:
        super().__init__(parent)
        self._command = command

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DragEnter and isinstance(event, QDragEnterEvent):
            if dropped(event.mimeData()) is not None:
                event.acceptProposedAction()
                return True
        elif event.type() == QEvent.Type.Drop and isinstance(event, QDropEvent):
            path = dropped(event.mimeData())
            if path is not None:
                event.acceptProposedAction()
                self._command("open_path" if path.suffix.lower() in CONSULTATIONS else "take_model", path)
                return True
        return super().eventFilter(watched, event)
