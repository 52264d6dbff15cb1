"""Preferences: one small typed JSON file in the user's folder. Damaged ones are set aside and said, never fatal."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, get_args

import attrs
from attrs import field, frozen

from app.host import atomic
from app.host.paths import data_folder
from engine.messages import Message, msg

SCHEMA_VERSION: Final = 1
FILE_NAME: Final = "settings.json"

Language = Literal["system", "ko", "en"]
Theme = Literal["system", "light", "dark"]
Currency = Literal["KRW", "USD"]


def _scale(_instance: object, _attribute: object, value: float) -> None:
    if not 1.0 <= value <= 2.0:
        raise ValueError(f"scale {value}")


@frozen
class Settings:
    """What the user chose; every field has the value of a first start."""

    language: Language = "system"
    theme: Theme = "system"
    currency: Currency = "KRW"
    scale: float = field(default=1.0, validator=_scale)
    """Size of everything in the window: 1.0 to 2.0."""
    database_url: str | None = None
    """None: history.db in the user's folder. Any SQLAlchemy URL puts the history on a server."""
    last_folder: str | None = None
    """Where the last file was opened or saved."""
    organisation: str = ""
    """Printed on a proposal as its author."""


@frozen
class Loaded:
    """Settings with what has to be said about them."""

    settings: Settings
    notice: Message | None = None


def settings_path(folder: Path | None = None) -> Path:
    return (folder or data_folder()) / FILE_NAME


def load_settings(folder: Path | None = None) -> Loaded:
    """The settings, or those of a first start. A file that cannot be used is copied beside itself and named in the notice."""
    path = settings_path(folder)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Loaded(Settings())
    except (OSError, UnicodeDecodeError):
        return _defaults_after(path)
    try:
        data = json.loads(text)
        version = data.pop("schema_version")
        if not isinstance(version, int) or version < 1:
            return _defaults_after(path)
        known = {f.name for f in attrs.fields(Settings)}
        if version > SCHEMA_VERSION:
            _set_aside(path)
            data = {name: value for name, value in data.items() if name in known}
        return Loaded(_read(data))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return _defaults_after(path)


def save_settings(settings: Settings, folder: Path | None = None) -> None:
    """Write the settings whole or not at all. Raises OSError."""
    path = settings_path(folder)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    changed = {f.name: getattr(settings, f.name) for f in attrs.fields(Settings)}
    kept = {name: value for name, value in changed.items() if value != getattr(Settings(), name)}
    body = {"schema_version": SCHEMA_VERSION, **kept}
    atomic.write_text(path, json.dumps(body, ensure_ascii=False, indent=2) + "\n", mode=0o600)


_CHOICES: Final = {"language": get_args(Language), "theme": get_args(Theme), "currency": get_args(Currency)}
_TEXTS: Final = ("database_url", "last_folder", "organisation")


def _read(data: dict[str, Any]) -> Settings:
    """Settings of a file's values. By hand: a converter would be a tenth of the window's start. Raises ValueError, TypeError."""
    for name, value in data.items():
        wrong = (
            value not in _CHOICES[name]
            if name in _CHOICES
            else not (isinstance(value, str) or (value is None and name != "organisation"))
            if name in _TEXTS
            else isinstance(value, bool) or not isinstance(value, int | float)
        )
        if wrong:
            raise ValueError(f"{name}: {value!r}")
    return Settings(**{**data, "scale": float(data.get("scale", 1.0))})


def _defaults_after(path: Path) -> Loaded:
    kept = _set_aside(path)
    return Loaded(Settings(), msg("error.settings_damaged", path=str(kept or path)))


def _set_aside(path: Path) -> Path | None:
    kept = path.with_name(f"{path.stem}.unread-{datetime.now(UTC):%Y%m%dT%H%M%S}{path.suffix}")
    try:
        atomic.write_bytes(kept, path.read_bytes(), mode=0o600)
    except OSError:
        return None
    return kept
