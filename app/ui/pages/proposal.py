"""The proposal: what it will say, what is still missing, and the paper itself before it is saved."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QImage, QPixmap
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.present import design
from app.present.views import Callout, Tone
from app.session import Changed
from app.ui import files
from app.ui.blocks.bullets import CalloutView
from app.ui.blocks.column import BlockColumn
from app.ui.context import Ui
from app.ui.pages.base import Page
from app.ui.pages.notes import NotesPanel
from app.ui.pages.views import view_of
from app.ui.theme import pad
from app.ui.widgets.buttons import Button
from app.ui.widgets.choice import Choice
from app.ui.widgets.segments import Segments
from app.ui.widgets.text import Text, surface
from engine.questions.types import Step

LANGUAGES = ("ko", "en")


class Preview(QWidget):
    """The pages of the PDF as it would be saved."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self._column = QVBoxLayout(self)
        pad(ui.theme, self._column, (0, 0, 0, 0), 12)
        self.pages: list[QLabel] = []

    def show_pages(self, images: list[QImage]) -> None:
        for old in self.pages:
            self._column.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.pages = []
        for number, image in enumerate(images, 1):
            page = QLabel()
            page.setProperty("surface", "paper")
            ratio = self.devicePixelRatioF()
            picture = QPixmap.fromImage(image)
            picture.setDevicePixelRatio(ratio)
            page.setPixmap(picture)
            page.setAccessibleName(self._ui.t.text("ui.proposal.page", number=number, count=len(images)))
            self._column.addWidget(page, 0, Qt.AlignmentFlag.AlignLeft)
            self.pages.append(page)


class ProposalPage(Page):
    def __init__(self, ui: Ui, key: str) -> None:
        super().__init__(ui, key)
        self._language = ""
        self._saved: Path | None = None
        card = surface("card")
        row = QHBoxLayout(card)
        pad(ui.theme, row, (16, 12, 16, 12), 10)
        row.addWidget(Text(ui, style=design.NOTE, ink="ink2", key="ui.proposal.language"))
        self.language = Segments(ui, "proposal-language", self._languages())
        self.language.chosen.connect(self._chose_language)
        self.preview_button = Button(ui, "ui.proposal.preview", name="proposal-preview", icon="file")
        self.preview_button.clicked.connect(self._preview)
        self.save_button = Button(ui, "ui.proposal.save", name="proposal-save", kind="primary", icon="download")
        self.save_button.clicked.connect(self._save)
        row.addWidget(self.language)
        row.addStretch(1)
        row.addWidget(self.preview_button)
        row.addWidget(self.save_button)
        self.waiting = CalloutView(ui)
        self.preview = Preview(ui)
        self.blocks = BlockColumn(ui)
        self.notes = NotesPanel(ui, Step.PROPOSAL.value)
        for part in (card, self.waiting, self.blocks, self.preview, self.notes):
            self.column.addWidget(part)
        self.waiting.hide()
        self.finish()

    def _languages(self) -> list[Choice]:
        return [Choice(code, self.ui.t.text(f"ui.language.{code}")) for code in LANGUAGES]

    def retranslate(self) -> None:
        self.language.say(self._languages())
        self.language.setAccessibleName(self.ui.t.text("ui.proposal.language"))

    @property
    def paper_language(self) -> str:
        """The language of the paper: the window's, until another is chosen."""
        return self._language or self.ui.language

    def refresh(self, changed: Changed | None = None) -> None:
        t = self.ui.t
        self.language.show_value(self.paper_language)
        view = view_of(self.ui, self.key)
        if view is not None:
            self.show_head_of(view)
            self.blocks.show_blocks(view.blocks)
        else:
            self.say_head(t(Step.PROPOSAL.label), t.text("ui.page.computing"))
        ready = view is not None
        self.preview_button.setEnabled(ready)
        self.save_button.setEnabled(ready)
        self.notes.refresh()

    def _chose_language(self, code: str) -> None:
        self._language = code
        self.language.show_value(code)
        if self.preview.pages:
            self._preview()

    def _wait(self, on: bool) -> None:
        self.waiting.setVisible(on)
        if on:
            self.waiting.show_block(Callout(self.ui.t.text("ui.proposal.making"), Tone.ACCENT))

    def _paper(self) -> files.Paper | None:
        session = self.ui.session
        if session.assessment is None or session.catalogue is None:
            return None
        return files.Paper(session.assessment, session.catalogue, self.paper_language, self.ui.today())

    def _preview(self) -> None:
        paper = self._paper()
        if paper is None:
            return
        self._wait(True)
        width = round(self.content.width() * 0.9 * self.devicePixelRatioF())
        self.ui.session.tasks.run(
            lambda cancel: files.preview(paper, width, cancel),
            self._previewed,
            self._failed,
            channel="preview",
            title=self.ui.t.text("ui.proposal.making"),
        )

    def _previewed(self, images: list[QImage]) -> None:
        self._wait(False)
        self.preview.show_pages(images)

    def _failed(self, error: BaseException) -> None:
        self._wait(False)
        self.ui.error(error)

    def _save(self) -> None:
        session, t = self.ui.session, self.ui.t
        folder = self.ui.settings.last_folder or str(Path.home())
        offered = Path(folder) / files.file_name(session.consultation, f"-{self.paper_language}.pdf")
        name, _ = QFileDialog.getSaveFileName(self, t.text("ui.proposal.save"), str(offered), "PDF (*.pdf)")
        if name:
            self.save_to(Path(name))

    def save_to(self, path: Path) -> None:
        """Write the proposal and keep a version of what it shows."""
        paper, store = self._paper(), self.ui.store
        if paper is None:
            return
        target = path if path.suffix.lower() == ".pdf" else path.with_suffix(".pdf")
        self.ui.set(last_folder=str(target.parent))
        self._wait(True)
        self.ui.session.tasks.run(
            lambda _cancel: files.make_proposal(paper, target, store), self._written, self._failed, serial=True
        )

    def _written(self, path: Path) -> None:
        self._wait(False)
        self._saved = path
        t = self.ui.t
        self.ui.store_changed.emit()
        self.ui.say(
            t.text("ui.proposal.saved", path=str(path)), Tone.GOOD, t.text("ui.proposal.open"), self._open_saved
        )

    def _open_saved(self) -> None:
        if self._saved is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._saved)))
