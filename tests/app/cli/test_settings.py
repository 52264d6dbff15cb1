"""`waypost settings`."""

from __future__ import annotations

import pytest

from app.store import open_store
from app.store.database import FILE_NAME


def test_show_and_set(waypost):
    assert waypost("settings", "--json").json["language"] == "system"
    assert waypost("settings", "currency", "USD", "--json").json == {"currency": "USD"}
    assert waypost("settings", "scale", "1.5").code == 0
    kept = waypost("settings", "--json").json
    assert (kept["currency"], kept["scale"]) == ("USD", 1.5)
    assert waypost("settings", "currency", "-", "--json").json == {"currency": "KRW"}


def test_the_history_follows_the_database_address(waypost, home, tmp_path):
    team = tmp_path / "team.db"
    assert waypost("settings", "database_url", f"sqlite:///{team}").code == 0
    assert waypost("history", "list", "--json").json == []
    assert team.exists()
    assert not (home / FILE_NAME).exists()
    open_store(f"sqlite:///{team}").close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("langage", "ko"), "language"),
        (("language", "fr"), "system"),
        (("scale", "9"), "2.0"),
        (("scale", "big"), "2.0"),
        (("theme", "pink"), "dark"),
    ],
)
def test_bad_values_change_nothing(waypost, home, words, said):
    assert said in waypost("settings", *words).refused()
    assert not (home / "settings.json").exists()


def test_a_bad_address_changes_nothing(waypost, home):
    ran = waypost("settings", "database_url", "sqlite://")
    assert (ran.code, ran.out) == (1, "")
    assert "memory" in ran.err
    assert not (home / "settings.json").exists()
