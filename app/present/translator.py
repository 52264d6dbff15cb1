"""Words. One Translator object speaks one language; nothing is global, so a Korean PDF can leave an English window.

Texts are gettext catalogues with stable keys as msgid, one file a topic: assets/translations/<language>/<topic>.po.
They are read as they are: no build step stands between an edited text and the window.
"""

from __future__ import annotations

import enum
import io
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from app.host.paths import ASSETS
from app.present import numbers
from engine.estimate import Estimate
from engine.messages import Message, Name, Quantity, msg

LANGUAGES: Final = ("ko", "en")
_FIELD = re.compile(r"\{(\w+)\}")
_ENTRY: Final = re.compile(r'^msgid "((?:[^"\\]|\\.)*)"\nmsgstr "((?:[^"\\]|\\.)*)"$', re.MULTILINE)
_MSGID: Final = re.compile(r"^msgid ", re.MULTILINE)
_ESCAPE: Final = re.compile(r"\\(.)")

NameLookup = Callable[[str, str], str]


@cache
def texts(language: str, folder: Path = ASSETS / "translations") -> Mapping[str, str]:
    """Every text of a language by key. Raises KeyError for a language that has no folder."""
    files = sorted((folder / language).glob("*.po"))
    if not files:
        raise KeyError(language)
    table: dict[str, str] = {}
    for file in files:
        table.update(entries(file.read_text(encoding="utf-8")))
    return table


def entries(text: str) -> dict[str, str]:
    """Key -> words of one catalogue. Files of one-line entries, as ours are, are read ten times faster than by Babel."""
    found = _ENTRY.findall(text)
    if len(found) != len(_MSGID.findall(text)):
        from babel.messages.pofile import read_po  # a file with longer entries

        return {str(m.id): str(m.string) for m in read_po(io.BytesIO(text.encode())) if m.id}
    return {key: _ESCAPE.sub(_unescaped, words) if "\\" in words else words for key, words in found if key}


def _unescaped(found: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t", "r": "\r"}.get(found.group(1), found.group(1))


ASKED_AS: Final[Mapping[str, str]] = {
    "TaskKind": "profile.task",
    "Waiting": "profile.waiting",
    "DeviceClass": "profile.device_class",
    "Actor": "immediacy.actor",
    "NetworkTrust": "immediacy.network_trust",
    "Boundary": "data.boundary",
    "Sensitivity": "data.sensitivity",
    "Intelligence": "intelligence.hardness",
    "DownloadCarrier": "updates.carrier",
    "OfflineNeed": "offline.need",
    "Skills": "circumstances.skills",
    "LoadShape": "circumstances.load_shape",
    "Purpose": "hardware.purpose",
    "Framework": "hardware.framework",
}
"""Enumeration of the document -> the question whose cards name its values."""


def enum_key(value: enum.Enum) -> str:
    """The key of an enumeration's word: Placement.ON_DEVICE -> "placement.on_device"."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(value).__name__).lower()
    return f"{name}.{value.value}"


class Translator:
    """Renders messages and figures in one language and one currency."""

    def __init__(
        self,
        language: str,
        *,
        currency: str = "KRW",
        usd_rate: float = 1.0,
        names: NameLookup | None = None,
    ) -> None:
        self.language = language
        self.currency = currency
        self.usd_rate = usd_rate
        """Units of `currency` for one USD."""
        self._texts = texts(language)
        self._names = names or (lambda _kind, item: item)

    def has(self, key: str) -> bool:
        return key in self._texts

    def __call__(self, message: Message) -> str:
        """The sentence. A missing key shows itself in brackets: a test forbids it, a customer meeting survives it."""
        template = self._texts.get(message.key)
        if template is None:
            return f"[{message.key}]"
        return _FIELD.sub(lambda found: self.value(message.params.get(found.group(1), found.group(0))), template)

    def text(self, key: str, /, **params: Any) -> str:
        """Short form for the window's own words."""
        return self(msg(key, **params))

    def counted(self, key: str, /, count: int, **params: Any) -> str:
        """As `text`, with the words for one where the language has some ("<key>.one")."""
        single = f"{key}.one"
        return self.text(single if count == 1 and self.has(single) else key, count=count, **params)

    def value(self, value: Any) -> str:
        """One field: figures with their unit, names by their display name, enumerations by their word."""
        if isinstance(value, Message):
            return self(value)
        if isinstance(value, Name):
            return self._names(value.kind, value.id)
        if isinstance(value, Estimate | Quantity):
            return self.figure(value)
        if isinstance(value, enum.Enum):
            return self.text(self._word_of(value))
        if isinstance(value, bool):
            return self.text("flag.yes" if value else "flag.no")
        if isinstance(value, int | float):
            return numbers.plain(value, self.language)
        if isinstance(value, tuple | list):
            return ", ".join(self.value(v) for v in value)
        return str(value)

    def _word_of(self, value: enum.Enum) -> str:
        """A choice of the document is said as its card says it; the other enumerations have words of their own."""
        asked = ASKED_AS.get(type(value).__name__)
        return f"question.{asked}.{value.value}" if asked else enum_key(value)

    def figure(self, figure: Estimate | Quantity) -> str:
        """A figure with its unit, rounded to what its band allows."""
        return numbers.with_unit(self._seen(figure), self.language)

    def number(self, value: float, unit: str) -> str:
        """A bare value with its unit."""
        return self.figure(Quantity(value, unit))

    def in_currency(self, usd: float) -> float:
        """An amount of USD in the consultation's currency."""
        return usd * self._currency_of("USD")[0]

    def exact(self, figure: Estimate | Quantity) -> str:
        """The figure with every digit that matters: what stands behind 690만 원."""
        rate, unit = self._currency_of(figure.unit)
        return numbers.with_unit(numbers.unscaled(figure.value * rate, unit, self.language), self.language)

    def band(self, estimate: Estimate) -> str:
        """The band in the figure's own display unit, or "" for an exact figure."""
        if estimate.low == estimate.high:
            return ""
        rate, _ = self._currency_of(estimate.unit)
        return numbers.band(estimate.scaled(rate), self.language, self._seen(estimate))

    def basis(self, estimate: Estimate) -> str:
        return self.text(f"basis.{estimate.basis.value}")

    def _seen(self, figure: Estimate | Quantity) -> numbers.Shown:
        rate, unit = self._currency_of(figure.unit)
        seen = numbers.shown(figure.value * rate, unit, self.language)
        if isinstance(figure, Estimate):
            return numbers.no_finer_than_band(figure.scaled(rate), seen, self.language)
        return seen

    def _currency_of(self, unit: str) -> tuple[float, str]:
        """Money is kept in USD and shown in the consultation's currency: the rate and the unit to show."""
        if unit.startswith("USD") and self.currency != "USD":
            return self.usd_rate, unit.replace("USD", self.currency, 1)
        return 1.0, unit
