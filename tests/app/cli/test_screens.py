"""`waypost screens`: pictures without a display."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def test_pages_become_pictures(tmp_path):
    words = [
        "screens",
        tmp_path / "out",
        "--pages",
        "customer",
        "--languages",
        "ko,en",
        "--themes",
        "dark",
        "--scales",
        "1",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", *words, "--lang", "en"],
        cwd=ROOT,
        env={**os.environ, "WAYPOST_HOME": str(tmp_path / "home"), "QT_QPA_PLATFORM": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "2 pictures" in done.stdout
    pictures = sorted((tmp_path / "out").glob("*.png"))
    assert len(pictures) == 2
    assert all(p.read_bytes().startswith(b"\x89PNG") and p.stat().st_size > 10_000 for p in pictures)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--pages", "custmer"), "customer"),
        (("--languages", "fr"), "ko"),
        (("--themes", "pink"), "dark"),
        (("--scales", "9"), "--scales"),
        (("--sample", "bank"), "bank-documents"),
    ],
)
def test_bad_words_are_refused(waypost, tmp_path, words, said, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert said in waypost("screens", tmp_path / "out", *words).refused()
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_way_is_a_sentence(waypost, tmp_path, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    (tmp_path / "out").write_text("x", encoding="utf-8")
    waypost("screens", tmp_path / "out").refused()
