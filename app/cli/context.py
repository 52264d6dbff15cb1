"""What every command needs: a language, the catalogue, the settings, the history, and where to print."""

from __future__ import annotations

import json
import locale
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from app.cli.columns import columns
from app.host.settings import Loaded, load_settings
from app.present.translator import LANGUAGES, Translator
from app.store import Store, open_store
from app.store.files import MAX_PDF_BYTES, consultation_of, open_any
from engine.catalogue import Catalogue
from engine.catalogue.read import Problem
from engine.consultation import Consultation
from engine.errors import InvalidInput
from engine.estimate import Estimate
from engine.messages import msg

STDIN: Final = "-"
_PAGE: Final = 160


def chosen_language(arguments: Sequence[str]) -> str:
    """`--lang` where it stands, else the setting, else the locale, else English. Read before parsing: errors are in it too."""
    for here, following in zip(arguments, [*arguments[1:], ""], strict=False):
        if here == "--lang" and following in LANGUAGES:
            return following
        if here.startswith("--lang=") and here.removeprefix("--lang=") in LANGUAGES:
            return here.removeprefix("--lang=")
    kept = load_settings().settings.language
    if kept in LANGUAGES:
        return kept
    named = next((v for n in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := os.environ.get(n))), None)
    return "ko" if (named or locale.getlocale()[0] or "").lower().startswith("ko") else "en"


class Context:
    """One run of the command line. Everything that costs time is made when first asked for."""

    def __init__(self, language: str) -> None:
        self.language = language

    @cached_property
    def loaded(self) -> Loaded:
        found = load_settings()
        if found.notice is not None:
            self.complain(self.translator(found.notice))
        return found

    @cached_property
    def translator(self) -> Translator:
        """Sentences without catalogue names; `speaker` knows the names too."""
        return Translator(self.language)

    @cached_property
    def catalogue(self) -> Catalogue:
        """Built-in rows with the user's on top; bad own rows are named on stderr and left out."""
        from app.store import own_catalogue  # not every command needs it

        made = own_catalogue.catalogue()
        for problem in made.problems:
            self.complain(self.problem(problem))
        return made

    @cached_property
    def speaker(self) -> Translator:
        """Sentences with display names, money in the user's currency at the catalogue's rate."""
        return self.speaker_in(self.loaded.settings.currency)

    def speaker_in(self, currency: str) -> Translator:
        """As `speaker`, for a consultation's currency."""
        from app.present.scene import speaker

        return speaker(self.language, Consultation("", currency=currency), self.catalogue)

    def store(self) -> Store:
        return open_store(self.loaded.settings.database_url)

    def text(self, key: str, **params: Any) -> str:
        return self.translator.text(key, **params)

    def problem(self, problem: Problem) -> str:
        """One bad row: file, line, id, column, what is wrong."""
        place = f"{problem.file}:{problem.line}" if problem.line else problem.file
        parts = (place, problem.row_id, problem.column, self.translator(problem.message))
        return ": ".join(filter(None, parts))

    # -- printing

    def complain(self, line: str) -> None:
        """A line on stderr."""
        print(f"waypost: {line}", file=sys.stderr)

    def say(self, line: str = "") -> None:
        print(line)

    def json(self, value: Any, *, trace: bool = False) -> None:
        """Print a result as JSON."""
        from app.present.jsonable import Jsonable  # numpy is a third of the start

        self.raw_json(Jsonable(self.speaker, trace=trace)(value))

    def raw_json(self, value: Any) -> None:
        """Print what is JSON already."""
        json.dump(value, sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
        print(flush=True)

    def table(self, rows: Iterable[Sequence[str]], headers: Sequence[str] = ()) -> None:
        """Columns set under each other, folded to the terminal; Korean letters count two."""
        for line in columns(rows, headers, _room()):
            print(line)

    def figure(self, estimate: Estimate | None) -> tuple[str, str, str]:
        """A figure for people: value, band, basis."""
        if estimate is None:
            return self.text("cli.none"), "", ""
        return self.speaker.figure(estimate), self.speaker.band(estimate), self.speaker.basis(estimate)

    # -- reading

    def consultation(self, name: str) -> Consultation:
        """A consultation from a .waypost file, a PDF of ours, or "-" for stdin. Raises FileError, DamagedDocument."""
        if name != STDIN:
            return open_any(Path(name))
        data = sys.stdin.buffer.read(MAX_PDF_BYTES + 1)
        if not data:
            raise InvalidInput(msg("error.nothing_on_stdin"))
        return consultation_of(data, Path(STDIN))


def _room() -> int:
    """Places a line may take: the terminal's, or a page's where a file or a pipe is written."""
    return shutil.get_terminal_size((_PAGE, 24)).columns if sys.stdout.isatty() else _PAGE
