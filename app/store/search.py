"""Search that finds a word inside a word: "병원" in "서울병원에서", "ㅅㅇㅂㅇ" by initial consonants, in any case.

A plain LIKE over one prepared column: it works on every database, for two letters as well (a trigram index needs three), and
some thousands of consultations take milliseconds.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from engine.consultation import Consultation

ESCAPE: Final = "\\"
_INITIALS: Final = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_FIRST_SYLLABLE: Final = 0xAC00
_LAST_SYLLABLE: Final = 0xD7A3
_SYLLABLES_AN_INITIAL: Final = 588


def normal(text: str) -> str:
    """One spelling of a text: composed, without case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text.replace("\0", "")).casefold())


def initials(text: str) -> str:
    """The initial consonant of every Hangul syllable; everything else stays."""
    return "".join(
        _INITIALS[(ord(c) - _FIRST_SYLLABLE) // _SYLLABLES_AN_INITIAL]
        if _FIRST_SYLLABLE <= ord(c) <= _LAST_SYLLABLE
        else c
        for c in text
    )


def searchable(consultation: Consultation) -> str:
    """What the search looks into: title, customer, workloads and notes, then the same as initial consonants."""
    parts = [consultation.title, consultation.customer.name, consultation.customer.contact]
    parts += [w.name for w in consultation.workloads]
    parts += [note.text for note in consultation.notes]
    plain = normal("\n".join(filter(None, parts)))
    return f"{plain}\n{initials(plain)}"


def patterns(query: str) -> tuple[str, ...]:
    """A LIKE pattern for every word of the query, with the wildcards in it taken literally."""
    words = normal(query).split()
    escaped = (w.replace(ESCAPE, ESCAPE * 2).replace("%", ESCAPE + "%").replace("_", ESCAPE + "_") for w in words)
    return tuple(f"%{word}%" for word in escaped)
