"""`waypost calibrate`: the edges; the program itself is tested beside it."""

from __future__ import annotations

import importlib.util


def test_rows_that_lack_columns_are_refused(waypost, tmp_path):
    (tmp_path / "rows.csv").write_text("row_id,kind\n", encoding="utf-8")
    assert "measured" in waypost("calibrate", tmp_path / "rows.csv", "--out", tmp_path / "out").refused()
    assert not (tmp_path / "out").exists()


def test_a_missing_library_is_named(waypost, tmp_path, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "scipy" else found(name, *more)
    )
    assert "SciPy" in waypost("calibrate", tmp_path / "rows.csv", "--out", tmp_path / "out").refused()


def test_constants_go_where_they_are_asked_for(waypost, tmp_path, monkeypatch):
    """The fit itself is not run: what counts is that it is handed the file and the folder."""
    header = "row_id,kind,model,format,device,measured\n"
    (tmp_path / "rows.csv").write_text(header, encoding="utf-8")
    seen = []
    monkeypatch.setattr("app.cli.commands.calibrate.refit", lambda words: seen.append(words) or 0)
    assert waypost("calibrate", tmp_path / "rows.csv", "--out", tmp_path / "out", "--in-sample").code == 0
    assert seen == [[str(tmp_path / "rows.csv"), "--out", str(tmp_path / "out"), "--quick"]]
