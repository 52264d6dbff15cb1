"""The proposal as a PDF: what the window shows, set for paper, with the session inside it. And its numbers as a workbook."""

from app.report.errors import ReportError
from app.report.write import Report, render, write

__all__ = ["Report", "ReportError", "render", "write"]
