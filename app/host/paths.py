"""Where the product keeps its own files and the user's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from platformdirs import user_data_path, user_log_path

ASSETS: Final = Path(__file__).resolve().parents[2] / "assets"
CATALOGUE: Final = ASSETS / "catalogue"
SAMPLES: Final = ASSETS / "samples"
FONTS: Final = ASSETS / "fonts"
ICONS: Final = ASSETS / "icons"


def data_folder() -> Path:
    """The user's folder: history, settings, own catalogue rows. WAYPOST_HOME overrides it (tests, a USB stick)."""
    chosen = os.environ.get("WAYPOST_HOME")
    return Path(chosen) if chosen else user_data_path("waypost", appauthor=False)


def log_folder() -> Path:
    chosen = os.environ.get("WAYPOST_HOME")
    return Path(chosen) / "logs" if chosen else user_log_path("waypost", appauthor=False)
