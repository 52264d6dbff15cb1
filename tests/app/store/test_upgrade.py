"""Migrations: on a copy, all or nothing, whatever happens in the middle."""

from __future__ import annotations

import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import attrs
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import DatabaseError

from app.store import StoreError
from app.store.database import FILE_NAME, open_database
from app.store.engines import connect, sqlite_url
from app.store.models import HEAD, Base
from app.store.upgrade import MIGRATIONS, Schema
from engine.errors import NewerDocument
from tests.app.store.ladder import NEXT, longer
from tests.app.store.make_fixture import FIXTURES

ROOT = Path(__file__).resolve().parents[3]


def revision(file: Path) -> str:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]


def columns(file: Path, table: str) -> set[str]:
    with closing(sqlite3.connect(file)) as connection:
        return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}


@pytest.fixture
def old(tmp_path, clock, hospital):
    """A history of this release, with content, not cleanly folded."""
    folder = tmp_path / "홈"
    store = open_database(None, folder, clock=clock)
    store.drafts.save(hospital)
    store.close()
    return folder


def test_the_head_is_the_newest_step_and_the_models_say_the_same(tmp_path):
    assert ScriptDirectory(str(MIGRATIONS)).get_current_head() == HEAD
    open_database(None, tmp_path).close()
    engine = connect(sqlite_url(tmp_path / FILE_NAME))
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    engine.dispose()


def test_every_released_schema_has_a_fixture():
    steps = {script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()}
    assert {re.fullmatch(r"history-(\w+)", f.stem)[1] for f in FIXTURES.glob("history-*.db")} == steps


@pytest.mark.parametrize("fixture", sorted(FIXTURES.glob("history-*.db")), ids=lambda f: f.stem)
@pytest.mark.parametrize("later", [False, True], ids=["this-release", "a-later-one"])
def test_old_histories_open_with_everything_in_them(fixture, later, tmp_path):
    shutil.copy(fixture, tmp_path / FILE_NAME)
    schema = longer(tmp_path) if later else Schema()
    store = open_database(None, tmp_path, schema=schema)
    (entry,) = store.history.recent()
    assert (entry.title, entry.version_count, entry.unsaved) == ("여신 서류, 둘째 안", 1, True)
    seen = store.versions.get(entry.id, 1)
    assert (seen.consultation.title, len(seen.consultation.workloads)) == ("여신 서류 AI 도입", 2)
    assert (seen.assessment, seen.entry.language) == ({"shown": 1}, "ko")
    assert [e.id for e in store.history.trash()] == ["gone"]
    assert [r.machine for r in store.probes.recent()] == ["RTX 4090"]
    store.close()


def test_an_upgrade_keeps_everything_and_a_backup(old, tmp_path, hospital):
    before = revision(old / FILE_NAME)
    store = open_database(None, old, schema=longer(tmp_path))
    assert store.drafts.load("hospital") == hospital
    store.close()
    assert (before, revision(old / FILE_NAME)) == (HEAD, NEXT)
    (backup,) = (old / "backups").iterdir()
    assert (revision(backup), backup.stat().st_mode & 0o777) == (HEAD, 0o600)
    assert "colour" not in columns(backup, "consultations")


def test_a_step_that_fails_leaves_the_old_history(old, tmp_path, hospital):
    with pytest.raises(StoreError) as caught:
        open_database(None, old, schema=longer(tmp_path, 'raise RuntimeError("half way")'))
    assert caught.value.message.key == "error.store_upgrade_failed"
    assert str(caught.value.__cause__) == "half way"
    assert revision(old / FILE_NAME) == HEAD
    assert "colour" not in columns(old / FILE_NAME, "consultations")
    assert not list(old.glob("*building*"))
    store = open_database(None, old)
    assert store.drafts.load("hospital") == hospital
    store.close()


def test_changes_of_the_schema_roll_back_on_our_connections(old):
    """The trap: SQLAlchemy over sqlite3 keeps a new column after a failed transaction unless BEGIN is explicit."""
    engine = connect(sqlite_url(old / FILE_NAME))

    def change_and_fail() -> None:
        with engine.begin() as connection:
            connection.exec_driver_sql("ALTER TABLE drafts ADD COLUMN extra TEXT")
            connection.exec_driver_sql("nonsense")

    with pytest.raises(DatabaseError):
        change_and_fail()
    engine.dispose()
    assert "extra" not in columns(old / FILE_NAME, "drafts")


def test_a_kill_in_the_middle_leaves_the_old_history(old, tmp_path, hospital):
    reached = tmp_path / "reached"
    schema = longer(tmp_path, f"pathlib.Path({str(reached)!r}).touch(); time.sleep(600)")
    program = (
        "import sys, pathlib; from app.store.database import open_database; from app.store.upgrade import Schema;"
        "open_database(None, pathlib.Path(sys.argv[1]), schema=Schema(pathlib.Path(sys.argv[2]), sys.argv[3]))"
    )
    child = subprocess.Popen([sys.executable, "-c", program, old, schema.folder, schema.head], cwd=ROOT)
    wait_for(reached.exists, child)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert revision(old / FILE_NAME) == HEAD
    assert list(old.glob("*building*"))  # the half-made copy is still there ...
    store = open_database(None, old)
    assert store.drafts.load("hospital") == hospital
    store.close()
    assert not list(old.glob("*building*"))  # ... and is cleared away by the next start
    store = open_database(None, old, schema=longer(tmp_path))
    assert store.drafts.load("hospital") == hospital
    store.close()


def test_a_kill_while_writing_loses_nothing_that_was_confirmed(tmp_path):
    program = (
        "import sys, pathlib, itertools; from app.store import open_store; from engine.consultation import Consultation;"
        "store = open_store(folder=pathlib.Path(sys.argv[1]))\n"
        "for n in itertools.count():\n"
        "    store.drafts.save(Consultation('c', title=str(n))); print(n, flush=True)"
    )
    for round_ in range(3):
        child = subprocess.Popen(
            [sys.executable, "-c", program, tmp_path], cwd=ROOT, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        confirmed = 0
        for _ in range(5 + 7 * round_):
            confirmed = int(child.stdout.readline())
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read().split()
        child.wait()
        child.stdout.close()
        confirmed = max([confirmed, *map(int, rest)])
        store = open_database(None, tmp_path)
        assert int(store.drafts.load("c").title) >= confirmed
        store.close()
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_nobody_upgrades_under_an_open_window(old, tmp_path, monkeypatch, hospital):
    monkeypatch.setattr("app.store.upgrade.FOLD_SECONDS", 0.2)
    window = open_database(None, old)
    with pytest.raises(StoreError) as caught:
        open_database(None, old, schema=longer(tmp_path))
    assert caught.value.message.key == "error.store_open_elsewhere"
    window.drafts.save(attrs.evolve(hospital, title="still writing"))
    window.close()
    after = open_database(None, old, schema=longer(tmp_path))
    assert after.drafts.load("hospital").title == "still writing"
    after.close()


def test_a_history_that_was_replaced_is_not_written_into_the_void(old, tmp_path, hospital):
    window = open_database(None, old)
    shutil.copy(old / FILE_NAME, tmp_path / "copy.db")
    (tmp_path / "copy.db").replace(old / FILE_NAME)
    with pytest.raises(StoreError) as caught:
        window.drafts.save(hospital)
    assert caught.value.message.key == "error.store_replaced"
    window.close()


def test_a_newer_history_is_refused_and_left_alone(old, tmp_path):
    open_database(None, old, schema=longer(tmp_path)).close()
    before = (old / FILE_NAME).read_bytes()
    with pytest.raises(NewerDocument) as caught:
        open_database(None, old)
    assert caught.value.message.params["found"] == NEXT
    assert (old / FILE_NAME).read_bytes() == before


def test_a_log_without_its_history_is_not_played_into_a_new_one(tmp_path):
    (tmp_path / f"{FILE_NAME}-wal").write_bytes(b"stale log")
    store = open_database(None, tmp_path)
    assert store.history.recent() == ()
    store.close()
    assert [f.read_bytes() for f in (tmp_path / "backups").iterdir()] == [b"stale log"]


def wait_for(condition, child, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert child.poll() is None, "the child ended early"
        assert time.monotonic() < end, "the child never got there"
        time.sleep(0.01)
