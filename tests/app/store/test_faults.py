"""Whatever is wrong with the disk, the file or the lock: one sentence, nothing lost, never a history in memory."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import attrs
import pytest
from filelock import FileLock

from app.cli import main
from app.present.translator import LANGUAGES, Translator
from app.store import StoreError
from app.store.database import FILE_NAME, lock_path, open_database
from engine.consultation import Consultation

NOBODY = 65534


def refused(action) -> StoreError:
    """The error of an action, proved to be one sentence in both languages."""
    with pytest.raises(StoreError) as caught:
        action()
    for language in LANGUAGES:
        sentence = Translator(language)(caught.value.message)
        assert sentence
        assert "[" not in sentence[:1]
        assert "\n" not in sentence
    return caught.value


def key_of(action) -> str:
    return refused(action).message.key


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr("app.store.engines.BUSY_SECONDS", 0.1)
    monkeypatch.setattr("app.store.database.LOCK_SECONDS", 0.1)


def test_a_locked_database(tmp_path, impatient, hospital):
    store = open_database(None, tmp_path)
    store.drafts.save(hospital)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert key_of(lambda: store.drafts.save(attrs.evolve(hospital, title="x"))) == "error.store_locked"
        assert store.drafts.load("hospital") == hospital
        other.execute("ROLLBACK")
    store.drafts.save(attrs.evolve(hospital, title="x"))
    assert store.drafts.load("hospital").title == "x"
    store.close()


def test_a_writer_in_another_program(tmp_path, impatient, hospital):
    store = open_database(None, tmp_path)
    with FileLock(lock_path(tmp_path / FILE_NAME)):
        assert key_of(lambda: store.drafts.save(hospital)) == "error.store_locked"
        assert key_of(lambda: open_database(None, tmp_path)) == "error.store_locked"
    store.drafts.save(hospital)
    store.close()


def test_a_full_disk_keeps_what_was_there(tmp_path, hospital):
    store = open_database(None, tmp_path)
    store.drafts.save(hospital)
    with store._database._engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    huge = attrs.evolve(hospital, title="x" * 200_000)
    assert key_of(lambda: store.drafts.save(huge)) == "error.store_full"
    assert store.drafts.load("hospital") == hospital
    store.close()


def test_a_full_disk_while_upgrading(tmp_path, monkeypatch):
    open_database(None, tmp_path).close()

    def no_space(*_args, **_more):
        raise OSError(28, "No space left on device")

    from tests.app.store.ladder import longer

    schema = longer(tmp_path)
    monkeypatch.setattr("app.store.upgrade.shutil.copyfile", no_space)
    assert key_of(lambda: open_database(None, tmp_path, schema=schema)) == "error.store_full"
    monkeypatch.undo()
    open_database(None, tmp_path).close()


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"", "error.store_not_ours"),
        (b"hello, this is a text and no database at all" * 40, "error.store_damaged"),
        (b"SQLite format 3\0" + b"\xff" * 4096, "error.store_damaged"),
    ],
)
def test_a_file_that_is_no_history_is_left_alone(tmp_path, content, key):
    file = tmp_path / FILE_NAME
    file.write_bytes(content)
    assert key_of(lambda: open_database(None, tmp_path)) == key
    assert file.read_bytes() == content


def test_somebody_elses_database_is_left_alone(tmp_path):
    file = tmp_path / FILE_NAME
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
        connection.commit()
    before = file.read_bytes()
    assert key_of(lambda: open_database(None, tmp_path)) == "error.store_not_ours"
    assert file.read_bytes() == before


@pytest.mark.parametrize("damage", ["cut", "scribbled"])
def test_a_damaged_history_is_said_and_kept(tmp_path, damage):
    store = open_database(None, tmp_path)
    for n in range(40):
        store.drafts.save(Consultation(f"c{n}", title="x" * 3000))
    store.close()
    file = tmp_path / FILE_NAME
    data = bytearray(file.read_bytes())
    if damage == "cut":
        del data[len(data) // 2 :]
    else:
        data[8192 : len(data) - 4096] = os.urandom(len(data) - 12288)
    file.write_bytes(data)

    def use() -> None:
        opened = open_database(None, tmp_path)
        try:
            opened.history.recent()
            for n in range(40):
                opened.drafts.load(f"c{n}")
        finally:
            opened.close()

    assert key_of(use) == "error.store_damaged"
    assert len(file.read_bytes()) == len(data)


def test_a_look_over_the_whole_file(tmp_path):
    store = open_database(None, tmp_path)
    for n in range(40):
        store.drafts.save(Consultation(f"c{n}", title="x" * 3000))
    assert store.is_sound()
    store.close()
    file = tmp_path / FILE_NAME
    data = bytearray(file.read_bytes())
    data[-8192:] = os.urandom(8192)
    file.write_bytes(data)
    again = open_database(None, tmp_path)
    assert not again.is_sound()
    again.close()


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("sqlite://", "error.store_memory"),
        ("sqlite:///:memory:", "error.store_memory"),
        ("sqlite:///file:x?mode=memory&uri=true", "error.store_memory"),
        ("no address", "error.store_bad_url"),
        ("oracle9://user:secret@host/db", "error.store_no_driver"),
    ],
)
def test_addresses_that_hold_no_history(url, key):
    error = refused(lambda: open_database(url, None))
    assert error.message.key == key
    assert "secret" not in str(error.message.params)


def test_a_database_address_chooses_the_place(tmp_path, hospital):
    file = tmp_path / "team folder" / "우리.db"
    store = open_database(f"sqlite:///{file}", None)
    store.drafts.save(hospital)
    store.close()
    assert file.exists()
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("case", ["folder", "file", "no home"])
def test_places_that_may_not_be_written(tmp_path, case, hospital, monkeypatch, capfd):
    home = tmp_path / "home"
    home.mkdir()
    if case == "file":
        store = open_database(None, home)
        store.drafts.save(hospital)
        store.close()
        (home / FILE_NAME).chmod(0o444)
        (home / f"{FILE_NAME}.lock").chmod(0o666)
    home.chmod(0o555)
    monkeypatch.setenv("WAYPOST_HOME", str(tmp_path / "warm"))
    assert main(["history", "list"]) == 0  # everything is imported before the rights go
    capfd.readouterr()
    monkeypatch.setenv("WAYPOST_HOME", str(home / "deeper" if case == "no home" else home))
    status = as_nobody(["history", "list", "--lang", "en"], tmp_path)
    told = capfd.readouterr()
    assert (status, told.out) == (1, "")
    (line,) = told.err.strip().splitlines()
    assert "read-only" in line or "cannot be opened" in line


def as_nobody(arguments: list[str], scratch: Path) -> int:
    """The exit code of a command run by somebody whom permissions bind: root obeys none."""
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                for folder in (scratch, *scratch.parents):
                    folder.chmod(folder.stat().st_mode | 0o011)
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            status = main(arguments)
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:
            status = 99
        os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_nothing_of_ours_is_readable_by_others(tmp_path, hospital):
    old = os.umask(0)
    try:
        store = open_database(None, tmp_path / "home")
        store.drafts.save(hospital)
        modes = {f.name: f.stat().st_mode & 0o777 for f in (tmp_path / "home").iterdir()}
        store.close()
    finally:
        os.umask(old)
    assert set(modes.values()) == {0o600}
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700
    shutil.rmtree(tmp_path / "home")
