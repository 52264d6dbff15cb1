"""The crash log: what happened and where, never what a customer said."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.host import crash
from engine.errors import InvalidInput
from engine.messages import msg

SECRET = "새솔은행 합병 계획"


def failing(kind: type[Exception]) -> Exception:
    def inside() -> None:
        raise kind(SECRET)

    def outside() -> None:
        try:
            inside()
        except kind as inner:
            raise ValueError(f"while saving {SECRET}") from inner

    with pytest.raises(ValueError, match="while saving") as caught:
        outside()
    return caught.value


@pytest.fixture
def log(monkeypatch, tmp_path):
    monkeypatch.setenv("WAYPOST_HOME", str(tmp_path))
    hooks, handlers = (sys.excepthook, threading.excepthook), list(logging.getLogger().handlers)
    path = crash.open_log()
    yield path
    sys.excepthook, threading.excepthook = hooks
    for handler in [h for h in logging.getLogger().handlers if h not in handlers]:
        logging.getLogger().removeHandler(handler)
        handler.close()


@pytest.mark.parametrize("kind", [ValueError, KeyError, RuntimeError, TypeError])
def test_the_log_names_the_place_and_not_the_content(log, kind):
    crash.note(failing(kind))
    written = log.read_text(encoding="utf-8")
    assert SECRET not in written
    assert kind.__name__ in written
    assert "test_crash.py" in written
    assert "in inside" in written


def test_what_cannot_hold_content_is_written(log):
    crash.note(AttributeError("'NoneType' object has no attribute 'x'"))
    crash.note(OSError(28, "No space left on device", f"/home/{SECRET}.pdf"))
    crash.note(InvalidInput(msg("error.not_a_number", field=SECRET)))
    written = log.read_text(encoding="utf-8")
    assert SECRET not in written
    for said in ("has no attribute 'x'", "[28] No space left on device", "InvalidInput: error.not_a_number"):
        assert said in written


def test_other_libraries_do_not_write_into_the_log(log):
    logging.getLogger("sqlalchemy").error("INSERT ... %s", SECRET)
    logging.getLogger("waypost.x").error("ours")
    assert log.read_text(encoding="utf-8").count("\n") == 1


def test_a_thread_that_dies_is_told_and_logged(log):
    told = []
    crash.catch(told.append)

    def die() -> None:
        raise RuntimeError(SECRET)

    thread = threading.Thread(target=die)
    thread.start()
    thread.join()
    assert told == ["RuntimeError: (text left out)"]
    assert "in die" in log.read_text(encoding="utf-8")


def test_the_log_turns_over(log, monkeypatch):
    (ours,) = [h for h in logging.getLogger().handlers if getattr(h, "waypost", False)]
    monkeypatch.setattr(ours, "maxBytes", 2000)
    for _ in range(60):
        crash.note(failing(ValueError))
    files = list(log.parent.glob("waypost.log*"))
    assert 1 < len(files) <= 5
    assert all(f.stat().st_size < 4000 for f in files)


def test_an_unforeseen_error_is_one_sentence_and_no_traceback(tmp_path):
    program = (
        "import sys, app.cli.commands.history as h, app.cli\n"
        "def boom(*_): raise RuntimeError('새솔은행')\n"
        "h.run = boom\n"
        "sys.argv = ['waypost', 'history', 'list', '--lang', 'en']\n"
        "sys.exit(app.cli.main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).resolve().parents[3],
        env={"WAYPOST_HOME": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    assert "RuntimeError" in line
    assert str(tmp_path / "logs" / "waypost.log") in line
    assert "새솔" not in (tmp_path / "logs" / "waypost.log").read_text(encoding="utf-8")
