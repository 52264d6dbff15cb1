"""The paper: margins, footers with "3 / 14", bookmarks, metadata, the session inside the file. One pass over the content.

Totals and the contents' page numbers are known only at the end, so they are drawn as small forms: a page names the form, the end
of the document fills it. That spares a second layout.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from datetime import date
from typing import Any, Final

from attrs import frozen
from reportlab.pdfbase.pdfdoc import PDFArray, PDFDictionary, PDFName, PDFStream, PDFString
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate

from app.report import fonts, theme
from app.report.text import clean, fitted

TOTAL: Final = "total-pages"
FORM_WIDTH, FORM_HEIGHT = 24.0, 12.0


@frozen
class Imprint:
    """What stands on every page and in the file's own description."""

    title: str
    author: str
    subject: str
    language: str
    footer: str
    """Left: whose proposal this is."""
    stamp: str
    """Right, before the page number: date and catalogue version."""
    today: date
    attachment_name: str
    attachment: bytes
    attachment_note: str


class Mark(Flowable):  # type: ignore[misc]
    """An outline entry at this place, with the form that carries its page number for the contents."""

    def __init__(self, key: str, text: str, level: int) -> None:
        super().__init__()
        self.key, self.text, self.level = key, text, level
        self.keepWithNext = 1

    def wrap(self, _room: float, _height: float) -> tuple[float, float]:
        return 0.0, 0.0

    def draw(self) -> None:
        self.canv.bookmarkHorizontal(self.key, 0, 20)
        self.canv.addOutlineEntry(clean(self.text), self.key, self.level, closed=0)
        self.canv.page_of[self.key] = self.canv.getPageNumber()


class Paper(BaseDocTemplate):  # type: ignore[misc]
    """The document template: a bare cover, then pages with a footer."""

    def __init__(self, target: io.BytesIO, imprint: Imprint) -> None:
        super().__init__(
            target,
            pagesize=(theme.PAGE_WIDTH, theme.PAGE_HEIGHT),
            leftMargin=theme.MARGIN,
            rightMargin=theme.MARGIN,
            topMargin=theme.MARGIN,
            bottomMargin=theme.MARGIN,
            lang="ko-KR" if imprint.language == "ko" else "en",
            invariant=1,
        )
        self.imprint = imprint
        frame = Frame(
            theme.MARGIN, theme.MARGIN + 6, theme.CONTENT_WIDTH, theme.CONTENT_HEIGHT - 6,
            leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0, id="page",
        )  # fmt: skip
        self.addPageTemplates(
            [
                PageTemplate("cover", [frame], autoNextPageTemplate="page"),
                PageTemplate("page", [frame], onPage=self._footer),
            ]
        )
        self.pages = 0

    def beforeDocument(self) -> None:
        canvas, imprint = self.canv, self.imprint
        canvas.page_of = {}
        canvas.setTitle(clean(imprint.title))
        canvas.setAuthor(clean(imprint.author))
        canvas.setSubject(clean(imprint.subject))
        canvas.setCreator("Waypost")
        canvas.setProducer("Waypost")
        canvas.setKeywords("Waypost")
        canvas._doc.Catalog.PageMode = PDFName("UseOutlines")
        _set_date(canvas, imprint.today)
        _attach(canvas, imprint)

    def _footer(self, canvas: Canvas, _document: BaseDocTemplate) -> None:
        y, right = theme.FOOTER, theme.PAGE_WIDTH - theme.MARGIN
        canvas.saveState()
        canvas.setStrokeColor(theme.colour("line"))
        canvas.setLineWidth(theme.HAIRLINE)
        canvas.line(theme.MARGIN, y + 12, right, y + 12)
        canvas.setFont(fonts.REGULAR, theme.SMALL)
        canvas.setFillColor(theme.colour("ink3"))
        number = f"{canvas.getPageNumber()} / "
        at = right - fonts.width("00", fonts.MEDIUM, theme.SMALL)
        canvas.drawRightString(at, y, number)
        canvas.saveState()
        canvas.translate(at, y - 3)
        canvas.doForm(TOTAL)
        canvas.restoreState()
        stamp = f"{self.imprint.stamp}   ·   "
        edge = at - fonts.width(number, fonts.REGULAR, theme.SMALL)
        canvas.drawRightString(edge, y, stamp)
        room = edge - fonts.width(stamp, fonts.REGULAR, theme.SMALL) - theme.MARGIN - 12
        canvas.drawString(theme.MARGIN, y, fitted(self.imprint.footer, fonts.REGULAR, theme.SMALL, room))
        canvas.restoreState()

    def afterPage(self) -> None:
        self.pages = self.canv.getPageNumber()

    def print(self, story: list[Flowable], numbered: Iterable[str]) -> int:
        """Lay the story out; `numbered`: keys of marks whose page number the contents names. Returns the page count."""
        self.build(story, canvasmaker=_canvas_maker(tuple(numbered)))
        return self.pages


def _canvas_maker(keys: tuple[str, ...]) -> type[Canvas]:
    class Filled(Canvas):  # type: ignore[misc]
        """Fills the forms when the last page is known."""

        page_of: dict[str, int]

        def save(self) -> None:
            total = self.getPageNumber() - (not self._code)
            _number_form(self, TOTAL, str(total), "left")
            for key in keys:
                _number_form(self, f"page-{key}", str(self.page_of.get(key, "")), "right")
            super().save()

    return Filled


def _number_form(canvas: Any, name: str, text: str, align: str) -> None:
    font, size, ink = (fonts.REGULAR, theme.SMALL, "ink3") if align == "left" else (fonts.MEDIUM, theme.NOTE, "ink2")
    canvas.beginForm(name, 0, 0, FORM_WIDTH, FORM_HEIGHT)
    canvas.setFont(font, size)
    canvas.setFillColor(theme.colour(ink))
    if align == "left":
        canvas.drawString(0, 3, text)
    else:
        canvas.drawRightString(FORM_WIDTH, 3, text)
    canvas.endForm()


def _set_date(canvas: Any, day: date) -> None:
    """The day of the proposal as the file's date, so that the same input gives the same bytes."""
    stamp = canvas._doc._timeStamp
    stamp.YMDhms = (day.year, day.month, day.day, 0, 0, 0)
    stamp.dhh = stamp.dmm = 0


def _attach(canvas: Any, imprint: Imprint) -> None:
    """The session as an embedded file (PDF 1.7, 7.11.4): Waypost opens the PDF and finds it by name."""
    document = canvas._doc
    content = PDFStream(content=imprint.attachment, filters=None)
    content.dictionary["Type"] = PDFName("EmbeddedFile")
    content.dictionary["Subtype"] = PDFName("application#2Fjson")
    content.dictionary["Params"] = PDFDictionary({"Size": len(imprint.attachment)})
    stored = document.Reference(content, "waypost-session")
    spec = PDFDictionary(
        {
            "Type": PDFName("Filespec"),
            "F": PDFString(imprint.attachment_name),
            "UF": PDFString(imprint.attachment_name),
            "Desc": PDFString(clean(imprint.attachment_note)),
            "AFRelationship": PDFName("Data"),
            "EF": PDFDictionary({"F": stored, "UF": stored}),
        }
    )
    named = PDFArray([PDFString(imprint.attachment_name), document.Reference(spec, "waypost-filespec")])
    files = PDFDictionary({"Names": named})
    document.Catalog.Names = PDFDictionary({"EmbeddedFiles": document.Reference(files, "waypost-files")})
