"""Preferences survive; damaged ones are set aside and said."""

from __future__ import annotations

import json

import attrs
import pytest

from app.host.settings import SCHEMA_VERSION, Settings, load_settings, save_settings, settings_path

CHOSEN = Settings("ko", "dark", "USD", 1.5, "postgresql+psycopg://team@db/waypost", "/home/kim/문서", "새솔 컨설팅")


def test_a_first_start_says_nothing(tmp_path):
    assert load_settings(tmp_path) == load_settings(tmp_path / "nowhere")
    assert load_settings(tmp_path).notice is None
    assert list(tmp_path.iterdir()) == []


def test_what_was_chosen_comes_back(tmp_path):
    save_settings(CHOSEN, tmp_path / "new")
    assert load_settings(tmp_path / "new").settings == CHOSEN
    assert settings_path(tmp_path / "new").stat().st_mode & 0o777 == 0o600
    assert json.loads(settings_path(tmp_path / "new").read_text(encoding="utf-8"))["schema_version"] == SCHEMA_VERSION


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"language": "ko"}',
        b'{"schema_version": 1, "language": "fr"}',
        b'{"schema_version": 1, "scale": 9}',
        b'{"schema_version": 1, "scale": true}',
        b'{"schema_version": 1, "scale": NaN}',
        b'{"schema_version": 1, "unknown": 1}',
        b'{"schema_version": 0}',
        b"[" * 100_000,
    ],
)
def test_damaged_settings_are_kept_aside_and_named(tmp_path, content):
    settings_path(tmp_path).write_bytes(content)
    loaded = load_settings(tmp_path)
    assert loaded.settings == Settings()
    kept = [f for f in tmp_path.iterdir() if "unread" in f.name]
    assert [f.read_bytes() for f in kept] == [content]
    assert loaded.notice.params["path"] == str(kept[0])


def test_settings_of_a_later_release_are_used_as_far_as_known_and_kept(tmp_path):
    body = {"schema_version": SCHEMA_VERSION + 1, "theme": "dark", "holograms": True}
    settings_path(tmp_path).write_text(json.dumps(body), encoding="utf-8")
    assert load_settings(tmp_path).settings == attrs.evolve(Settings(), theme="dark")
    assert any("unread" in f.name for f in tmp_path.iterdir())
