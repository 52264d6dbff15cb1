"""The command line run in this process, in a home of its own."""

from __future__ import annotations

import json

import pytest

from app.cli import main


class Ran:
    """What one run printed."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)

    def refused(self) -> str:
        """The one sentence of a refusal."""
        assert (self.code, self.out) == (2, ""), self
        lines = self.err.strip().splitlines()
        assert len(lines) == 1, lines
        assert lines[0].startswith("waypost: ")
        assert "[error." not in lines[0]
        return lines[0]

    def __repr__(self) -> str:
        return f"{self.code}\n{self.out}\n{self.err}"


@pytest.fixture
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    monkeypatch.setenv("WAYPOST_HOME", str(folder))
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.setenv(name, "C.UTF-8")
    return folder


@pytest.fixture
def waypost(home, capsys):
    def run(*words) -> Ran:
        code = main([str(w) for w in words])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Ran(code, out, err)

    return run
