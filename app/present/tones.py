"""What a word or a colour means. Mapped to design tokens by whoever draws."""

from __future__ import annotations

import enum


class Tone(enum.StrEnum):
    PLAIN = "plain"
    ACCENT = "accent"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    MUTED = "muted"
