"""What can be wrong with an input, each as one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from engine.messages import Message, msg


class WaypostError(Exception):
    """Base of every error a user may see. Carries a Message; `str()` is the key with its params, for logs."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        fields = ", ".join(f"{k}={v}" for k, v in self.message.params.items())
        return f"{self.message.key}({fields})"


class InvalidInput(WaypostError):
    """A value outside what its field allows. The last good value stays."""


class UnknownId(WaypostError):
    """An id the catalogue does not hold; names the nearest three."""

    def __init__(self, kind: str, given: str, known: Iterable[str]) -> None:
        self.nearest = nearest(given, known)
        named = {"kind": msg(f"kind.{kind}"), "given": given}
        if self.nearest:
            super().__init__(msg("error.unknown_id", **named, nearest=", ".join(self.nearest)))
        else:
            super().__init__(msg("error.unknown_id_none", **named))


class DamagedDocument(WaypostError):
    """A file that is not what it says, or was cut short."""


class NewerDocument(WaypostError):
    """A file or database written by a later version; refused rather than guessed at."""


class Refused(WaypostError):
    """A question that has no number: a split the heads forbid, a price nobody published."""


def nearest(given: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """The `count` known names most like `given`, best first; a shared beginning weighs as much as likeness."""
    wanted = given.strip().lower()

    def likeness(name: str) -> float:
        low = name.lower()
        prefix = 0
        for a, b in zip(wanted, low, strict=False):
            if a != b:
                break
            prefix += 1
        holds = 0.5 if wanted and wanted in low else 0.0
        return SequenceMatcher(None, wanted, low).ratio() + prefix / max(len(wanted), 1) + holds

    return tuple(sorted(set(known), key=lambda name: (-likeness(name), name))[:count])
