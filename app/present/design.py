"""The visual language as pure values: colours, type, space. The window, the charts and the PDF all read it from here.

No Qt, no ReportLab: colours are "#RRGGBB", lengths are design units (one unit is one pixel at 100 %, and 0.75 pt in the PDF).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final, NamedTuple

from app.present.tones import Tone


class Scheme(enum.StrEnum):
    LIGHT = "light"
    DARK = "dark"


class Palette(NamedTuple):
    """The colours of one scheme. `*_soft` is the tint behind a word of the same tone."""

    ground: str
    surface: str
    sunken: str
    line: str
    line_strong: str
    """Edges of controls that must be seen to be used (fields, unchosen cards under the pointer)."""
    ink1: str
    ink2: str
    ink3: str
    accent: str
    accent_strong: str
    """The accent under the pointer."""
    accent_soft: str
    on_accent: str
    good: str
    good_soft: str
    warn: str
    warn_soft: str
    bad: str
    bad_soft: str
    series: tuple[str, str, str, str]


LIGHT: Final = Palette(
    ground="#F5F6F8", surface="#FFFFFF", sunken="#ECEEF2", line="#DFE3EA", line_strong="#B9C1CE",
    ink1="#151A23", ink2="#4A5365", ink3="#636C7D",
    accent="#2457D6", accent_strong="#1B45B0", accent_soft="#E6EDFD", on_accent="#FFFFFF",
    good="#13795B", good_soft="#DDF3EA", warn="#8F5200", warn_soft="#FCEFD8", bad="#B3261E", bad_soft="#FBE5E3",
    series=("#2457D6", "#7A9BF0", "#B9C6E3", "#E0A030"),
)  # fmt: skip
DARK: Final = Palette(
    ground="#12151B", surface="#1A1E26", sunken="#0E1116", line="#2B313C", line_strong="#4A5261",
    ink1="#EEF1F6", ink2="#B4BCCB", ink3="#8C95A6",
    accent="#7FA2FF", accent_strong="#A3BDFF", accent_soft="#223052", on_accent="#0E1526",
    good="#5FCFA6", good_soft="#173429", warn="#F0B65C", warn_soft="#3A2B12", bad="#FF8A80", bad_soft="#3D1B19",
    series=("#7FA2FF", "#4E6BB8", "#37435E", "#F0B65C"),
)  # fmt: skip
PALETTES: Final[Mapping[Scheme, Palette]] = {Scheme.LIGHT: LIGHT, Scheme.DARK: DARK}


class TypeStyle(NamedTuple):
    """Size in design units and weight of the bundled Pretendard. `tabular`: digits of one width."""

    size: float
    weight: int
    tabular: bool = False


FONT_FAMILY: Final = "Pretendard"
TITLE: Final = TypeStyle(26, 700)
VERDICT: Final = TypeStyle(21, 700)
HEADING: Final = TypeStyle(16, 600)
SUBHEADING: Final = TypeStyle(14, 600)
NUMBER_LARGE: Final = TypeStyle(21, 600, tabular=True)
NUMBER: Final = TypeStyle(16, 600, tabular=True)
BODY: Final = TypeStyle(14, 400)
BODY_NUMBER: Final = TypeStyle(14, 400, tabular=True)
NOTE: Final = TypeStyle(13, 400)
NOTE_STRONG: Final = TypeStyle(13, 600)
SMALL: Final = TypeStyle(12, 400)
CHIP: Final = TypeStyle(12, 600)
KEY: Final = TypeStyle(11.5, 500)

UNIT_POINTS: Final = 0.75
"""Points a design unit takes on paper."""

STEP: Final = 4
"""Space comes in steps of four."""
INSIDE: Final = 8
BETWEEN: Final = 14
CARD_PADDING: Final = 16
PAGE_MARGIN: Final = 32
RADIUS_SMALL: Final = 5
RADIUS_FIELD: Final = 8
RADIUS_CARD: Final = 12

RAIL_WIDTH: Final = 232
VERDICT_WIDTH: Final = 372
VERDICT_STRIP_WIDTH: Final = 56
FOLD_WIDTH: Final = 1200
"""Under this width of the window the verdict folds to a strip."""
COLUMN_WIDTH: Final = 1040
"""A page's content grows no wider than reads well."""
WIDE_COLUMN_WIDTH: Final = 1180
"""For lists that stand without the verdict beside them."""
MOTION_MS: Final = 150


def tone_colours(palette: Palette, tone: Tone) -> tuple[str, str]:
    """Ink and tint of a tone."""
    table = {
        Tone.PLAIN: (palette.ink2, palette.sunken),
        Tone.ACCENT: (palette.accent, palette.accent_soft),
        Tone.GOOD: (palette.good, palette.good_soft),
        Tone.WARN: (palette.warn, palette.warn_soft),
        Tone.BAD: (palette.bad, palette.bad_soft),
        Tone.MUTED: (palette.ink3, palette.sunken),
    }
    return table[tone]


READ_ON: Final = (
    *((ink, ground) for ink in ("ink1", "ink2", "ink3") for ground in ("ground", "surface")),
    ("ink1", "sunken"),
    ("ink2", "sunken"),
    ("ink3", "sunken"),
    ("ink1", "accent_soft"),
    ("ink2", "accent_soft"),
    ("ink1", "warn_soft"),
    ("ink2", "warn_soft"),
    ("ink2", "good_soft"),
    ("ink2", "bad_soft"),
    ("on_accent", "accent"),
    ("on_accent", "accent_strong"),
    *((tone, ground) for tone in ("accent", "good", "warn", "bad") for ground in ("ground", "surface")),
    *((tone, f"{tone}_soft") for tone in ("accent", "good", "warn", "bad")),
)
"""Pairs (ink, ground) that carry words; each must reach 4.5 : 1 in every scheme."""


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green, blue 0..255 of "#RRGGBB". Raises ValueError."""
    if len(colour) != 7 or colour[0] != "#":
        raise ValueError(f"not a colour: {colour!r}")
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def luminance(colour: str) -> float:
    """Relative luminance 0..1 (WCAG 2.2, sRGB)."""

    def linear(channel: int) -> float:
        part = channel / 255
        return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)

    red, green, blue = map(linear, channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Contrast ratio 1..21 of two colours (WCAG 2.2)."""
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def ink_on(fill: str, palette: Palette) -> str:
    """The better readable of the scheme's two extremes for words on a filled shape."""
    return max((palette.ink1, palette.surface), key=lambda ink: contrast(ink, fill))


COLOUR_NAMES: Final = tuple(name for name in Palette._fields if name != "series")
