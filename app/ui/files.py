"""Work on files and the history for the window's tasks: plain functions that run off its thread."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen
from PySide6.QtGui import QImage

from app.session.tasks import Cancel
from engine.consultation import Consultation

if TYPE_CHECKING:
    from app.store.interface import Reason, Store
    from engine.catalogue import Catalogue
    from engine.results import Assessment


def file_name(consultation: Consultation, ending: str) -> str:
    """A name a file dialog may offer: the customer and the title, without signs a file system refuses."""
    words = " ".join(filter(None, (consultation.customer.name, consultation.title))) or "waypost"
    return re.sub(r'[\\/:*?"<>|\x00-\x1f]+', "-", words).strip(" .-")[:80] + ending


def read_into(store: Store | None, path: Path, language: str, catalogue_version: str) -> Consultation:
    """The consultation of a file, taken into the history where there is one. Raises WaypostError."""
    from app.store.files import open_any, take_in  # SQLAlchemy stays out of the start

    consultation = open_any(path)
    if store is not None:
        take_in(store, consultation, language=language, catalogue_version=catalogue_version)
    return consultation


def export_to(path: Path, consultation: Consultation) -> Path:
    """Write one .waypost file; the path it was written to. Raises FileError."""
    from app.store.files import export

    target = path if path.suffix else path.with_suffix(".waypost")
    export(consultation, target)
    return target


def keep_version(
    store: Store,
    consultation: Consultation,
    assessment: Assessment | None,
    reason: Reason,
    language: str,
    catalogue_version: str,
) -> int:
    """A version of what is on show; its number. Raises StoreError."""
    from app.present.jsonable import Jsonable
    from app.present.translator import Translator

    shown: Mapping[str, Any] | None = None
    if assessment is not None:
        shown = Jsonable(Translator(language), trace=False)(assessment)
    entry = store.versions.add(
        consultation, reason=reason, language=language, catalogue_version=catalogue_version, assessment=shown
    )
    return entry.number


@frozen
class TakenModel:
    """A model read from its own files, and the catalogue that now holds it."""

    model_id: str
    name: str
    catalogue: Catalogue


def import_model(path: Path) -> TakenModel:
    """Read a model's headers and keep it among the user's rows. Raises WaypostError."""
    from app.store import own_catalogue
    from app.store.files import writing
    from engine.imports.reading import import_model as read

    model = read(path).model
    with writing(own_catalogue.own_folder()):
        own_catalogue.keep_model(model)
    return TakenModel(model.id, model.name, own_catalogue.catalogue())


@frozen
class Paper:
    """Everything a proposal is made from, frozen: what is on paper is what was on screen."""

    assessment: Assessment
    catalogue: Catalogue
    language: str
    today: date


def pdf_bytes(paper: Paper) -> bytes:
    """The proposal. Raises WaypostError."""
    render = importlib.import_module("app.report.write").render  # ReportLab is read when a paper is wanted
    made: bytes = render(paper.assessment, paper.language, paper.today, paper.catalogue)[0]
    return made


def make_proposal(paper: Paper, path: Path, store: Store | None) -> Path:
    """Write the proposal whole or not at all, and keep a version of what it shows. Raises WaypostError."""
    from app.host import atomic
    from app.store.files import writing
    from app.store.interface import Reason

    data = pdf_bytes(paper)
    with writing(path):
        atomic.write_bytes(path, data)
    if store is not None:
        keep_version(
            store,
            paper.assessment.consultation,
            paper.assessment,
            Reason.PROPOSAL,
            paper.language,
            paper.assessment.catalogue_version,
        )
    return path


def preview(paper: Paper, width: int, cancel: Cancel) -> list[QImage]:
    """The pages as pictures `width` pixels wide: the very PDF that would be saved."""
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf_bytes(paper))
    images = []
    try:
        for page in document:
            cancel.check()
            bitmap = page.render(scale=width / page.get_width(), rev_byteorder=True)
            picture = QImage(
                bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride, QImage.Format.Format_RGB888
            ).copy()
            images.append(picture)
    finally:
        document.close()
    return images
