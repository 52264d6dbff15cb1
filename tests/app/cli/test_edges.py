"""The command line's own edges: help, languages, pipes, nonsense."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.dispatch import COMMANDS
from app.host.paths import SAMPLES
from app.present.translator import LANGUAGES, texts

ROOT = Path(__file__).resolve().parents[3]


def as_process(home, *words, **more):
    environment = {**os.environ, "WAYPOST_HOME": str(home), "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        [sys.executable, "-m", "app.cli", *words],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False, **more,
    )  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_names_every_command(waypost, language):
    out = waypost("--lang", language, "--help").out
    for command in COMMANDS:
        assert f"  {command} " in out
        assert texts(language)[f"cli.{command}.summary"] in out


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_explains_itself(waypost, command, language):
    ran = waypost(command, "--help", "--lang", language)
    assert ran.code == 0
    assert f"waypost {command}" in ran.out
    assert "[cli." not in ran.out


def test_an_unknown_command_names_the_nearest(waypost):
    assert "history" in waypost("histroy").refused()


def test_no_display_is_a_sentence(waypost, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert "display" in waypost().refused()


def test_a_library_the_window_lacks_is_a_sentence(waypost, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")

    def main():
        raise ImportError("libEGL.so.1: cannot open shared object file")

    monkeypatch.setattr("app.__main__.main", main)
    assert "libEGL.so.1" in waypost().refused()


def test_the_locale_and_the_setting_choose_the_language(waypost, home, monkeypatch):
    from app.host.settings import Settings, save_settings

    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    assert "가까운 이름" in waypost("histroy").refused()
    save_settings(Settings(language="en"), home)
    assert "Nearest" in waypost("histroy").refused()
    assert "가까운 이름" in waypost("--lang=ko", "histroy").refused()
    assert "가까운 이름" in waypost("history", "show", "x", "--lang", "ko").err or waypost("history", "list").code == 0


def test_damaged_settings_are_said_and_do_not_stop(waypost, home):
    home.mkdir()
    (home / "settings.json").write_text("{", encoding="utf-8")
    ran = waypost("history", "list")
    assert ran.code == 0
    assert "settings" in ran.err


def test_a_closed_pipe_is_no_error(tmp_path):
    program = (
        "import subprocess, sys; reader = subprocess.Popen(['head', '-c', '10'], stdin=subprocess.PIPE,"
        " stdout=subprocess.DEVNULL);"
        "done = subprocess.run([sys.executable, '-m', 'app.cli', 'catalogue', 'list', 'models', '--json'],"
        " stdout=reader.stdin, stderr=subprocess.PIPE, text=True); reader.stdin.close(); reader.wait();"
        "print(done.returncode, repr(done.stderr))"
    )
    environment = {**os.environ, "WAYPOST_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "0 ''"


def test_a_database_of_a_later_release_is_refused_with_a_sentence(tmp_path):
    from app.store.database import open_database
    from tests.app.store.ladder import longer

    open_database(None, tmp_path / "home", schema=longer(tmp_path)).close()
    done = as_process(tmp_path / "home", "history", "list")
    assert (done.returncode, done.stdout) == (2, "")
    assert "later Waypost" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_reading_a_consultation_starts_no_window_and_no_torch(tmp_path):
    program = (
        "import sys; from app.cli import main; code = main(['history', 'import', sys.argv[1]]);"
        "heavy = [m for m in ('PySide6', 'torch', 'pyqtgraph', 'reportlab') if m in sys.modules]; print(code, heavy)"
    )
    environment = {**os.environ, "WAYPOST_HOME": str(tmp_path)}
    sample = SAMPLES / "bank-documents.waypost"
    done = subprocess.run(
        [sys.executable, "-c", program, sample], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "0 []"
