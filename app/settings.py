"""Preferences: one small typed JSON file in the user's folder. Damaged ones are set aside and said, never fatal."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

import attrs
import cattrs
from attrs import field, frozen

from app import atomic
from app.paths import data_folder
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
        return Loaded(_converter().structure(data, Settings))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, cattrs.BaseValidationError):
        return _defaults_after(path)


def save_settings(settings: Settings, folder: Path | None = None) -> None:
    """Write the settings whole or not at all. Raises OSError."""
    path = settings_path(folder)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    body = {"schema_version": SCHEMA_VERSION, **_converter().unstructure(settings)}
    atomic.write_text(path, json.dumps(body, ensure_ascii=False, indent=2) + "\n", mode=0o600)


def _converter() -> cattrs.Converter:
    made = cattrs.Converter(forbid_extra_keys=True, omit_if_default=True)
    made.register_structure_hook(str, _text)
    made.register_structure_hook(float, _number)
    return made


def _text(value: Any, _type: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"not a text: {value!r}")
    return value


def _number(value: Any, _type: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"not a number: {value!r}")
    return float(value)


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
