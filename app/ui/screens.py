"""Every page as a picture, without a display: for looking at, in both languages, both themes, two sizes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from attrs import frozen

from app.host.paths import SAMPLES

LANGUAGES: Final = ("ko", "en")
THEMES: Final = ("light", "dark")
SCALES: Final = (1.0, 1.5)
SIZE: Final = {1.0: (1440, 900), 1.5: (1920, 1080)}
"""A laptop, and a projector at 150 %."""


@frozen
class Shot:
    """One picture to take."""

    page: str
    language: str
    theme: str
    scale: float

    @property
    def name(self) -> str:
        return f"{self.page.replace('.', '-')}_{self.language}_{self.theme}_{round(self.scale * 100)}.png"


def shots(
    pages: Sequence[str] | None = None,
    languages: Sequence[str] = LANGUAGES,
    themes: Sequence[str] = THEMES,
    scales: Sequence[float] = SCALES,
) -> Iterator[Shot]:
    """All of them, in an order that changes theme and size seldom."""
    from app.ui.walk import PAGES

    for scale in scales:
        for theme in themes:
            for language in languages:
                for page in pages or PAGES:
                    yield Shot(page, language, theme, scale)


def render(
    folder: Path,
    pages: Sequence[str] | None = None,
    languages: Sequence[str] = LANGUAGES,
    themes: Sequence[str] = THEMES,
    scales: Sequence[float] = SCALES,
    sample: str = "bank-documents",
) -> list[Path]:
    """Draw every page of a sample into PNG files; their paths. Raises WaypostError for a folder that cannot be written."""
    if "QT_QPA_PLATFORM" not in os.environ:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    stage = Stage(sample)
    try:
        return [stage.take(shot, folder) for shot in shots(pages, languages, themes, scales)]
    finally:
        stage.close()


class Stage:
    """One window, moved from picture to picture, over a history of its own that holds the samples."""

    def __init__(self, sample: str) -> None:
        from app.host.settings import Settings
        from app.session.tasks import InlineTasks
        from app.store import open_store
        from app.store.files import open_any
        from app.ui.build import build, read_catalogue
        from app.ui.start import make_application

        self.application = make_application(["waypost"])
        self._folder = TemporaryDirectory(prefix="waypost-screens-")
        self._store = open_store(folder=Path(self._folder.name))
        self.window = build(Settings(language="ko", theme="light"), InlineTasks())
        session = self.window.ui.session
        session.set_catalogue(read_catalogue(None))
        for path in sorted(SAMPLES.glob("*.waypost")):
            self._store.drafts.save(open_any(path))
        self.window.ui.store = self._store
        session.keep_drafts(self._store.drafts.save)
        session.open(open_any(SAMPLES / f"{sample}.waypost"))
        self.window.ui.speak()
        self._play(session)
        self.window.show()

    def _play(self, session: Any) -> None:
        """One answer changed and changed back, so that the panel has something that just changed."""
        workload = session.workload
        if workload is not None and workload.data.boundary is not None:
            kept = workload.data.boundary
            session.answer("data.boundary", "country")
            session.answer("data.boundary", kept)
            session.flush()

    def take(self, shot: Shot, folder: Path) -> Path:
        """Set the window as asked and draw it."""
        ui, window = self.window.ui, self.window
        width, height = SIZE.get(shot.scale, SIZE[1.0])
        window.resize(width, height)
        ui.set(language=shot.language, theme=shot.theme, scale=shot.scale)
        window.go(shot.page)
        self._settle()
        path = folder / shot.name
        window.grab().save(str(path))
        return path

    def whole(self, shot: Shot, folder: Path) -> Path:
        """The page alone, as high as it is."""
        self.take(shot, folder)
        page = self.window.page
        assert page is not None
        picture = page.grab()
        path = folder / f"whole-{shot.name}"
        picture.save(str(path))
        return path

    def _settle(self) -> None:
        """Until every block of the page is made and laid out."""
        from app.ui.blocks.column import BlockColumn

        for _ in range(200):
            self.application.processEvents()
            page = self.window.page
            if page is None or not any(c.pending for c in page.findChildren(BlockColumn)):
                break
        for _ in range(4):
            self.application.processEvents()

    def close(self) -> None:
        self.window.close()
        self.window.ui.session.tasks.close()
        self.window.deleteLater()
        self._settle()
        self._store.close()
        self._folder.cleanup()


__all__ = ["Shot", "Stage", "render", "shots"]
