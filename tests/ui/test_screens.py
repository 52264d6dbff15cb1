"""Pictures of every page, without a display."""

from __future__ import annotations

from PySide6.QtGui import QImage

from app.ui.screens import SIZE, Stage, shots
from app.ui.walk import PAGES


def colours(picture: QImage) -> int:
    return len({picture.pixel(x, y) for x in range(0, picture.width(), 9) for y in range(0, picture.height(), 9)})


def test_every_page_twice_over_is_asked_for():
    asked = list(shots())
    assert len(asked) == len(PAGES) * 2 * 2 * 2
    assert len({shot.name for shot in asked}) == len(asked)


def test_pictures_differ_by_language_theme_and_size(styled, tmp_path):
    stage = Stage("bank-documents")
    try:
        pictures = {shot: QImage(str(stage.take(shot, tmp_path))) for shot in shots(["memory", "rules.data"])}
    finally:
        stage.close()
    assert len(pictures) == 16
    for shot, picture in pictures.items():
        assert (picture.width(), picture.height()) == SIZE[shot.scale]
        assert colours(picture) > 12
    found = list(pictures.values())
    assert all(a != b for i, a in enumerate(found) for b in found[i + 1 :])
