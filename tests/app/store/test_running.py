"""A clean end leaves nothing; a kill is noticed once by the next start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from app.store.running import FOLDER, Run

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = (
    "import sys, pathlib, time; from app.store.running import Run; run = Run(pathlib.Path(sys.argv[1]));"
    "run.opened('hospital'); print('up', flush=True); time.sleep(600)"
)


def test_a_clean_end_leaves_nothing_to_say(tmp_path):
    first = Run(tmp_path)
    first.opened("hospital")
    first.end()
    second = Run(tmp_path)
    assert second.unclean == ()
    second.end()


def test_a_kill_is_noticed_once(tmp_path):
    child = subprocess.Popen([sys.executable, "-c", PROGRAM, tmp_path], cwd=ROOT, stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"up\n"
    beside = Run(tmp_path)
    assert beside.unclean == ()  # the other window is alive
    child.kill()
    child.wait()
    child.stdout.close()
    after = Run(tmp_path)
    assert [end.consultation_id for end in after.unclean] == ["hospital"]
    again = Run(tmp_path)
    assert again.unclean == ()
    for run in (beside, after, again):
        run.end()
    assert [f.name for f in (tmp_path / FOLDER).iterdir()] in ([], ["all.lock"])


def test_a_folder_that_cannot_be_written_costs_only_the_notice(tmp_path):
    (tmp_path / FOLDER).write_text("a file in the way", encoding="utf-8")
    run = Run(tmp_path)
    run.opened("x")
    run.end()
    assert run.unclean == ()


def test_a_flag_that_was_cut_short_still_tells_of_a_crash(tmp_path):
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "1-abc.json").write_text("{", encoding="utf-8")
    run = Run(tmp_path)
    assert [end.consultation_id for end in run.unclean] == [None]
    run.end()
