"""The schema of a database brought up to this program's, on a copy that then replaces it.

A crash at any point leaves either the old database or the new one, never something between: the copy is only put in place
when it is complete, checked and on the disk, and the log of the old one was folded into it before. A copy of the old one stays
in `backups/`.
"""

from __future__ import annotations

import io
import os
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from attrs import frozen
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import DatabaseError, SQLAlchemyError

from app.host.atomic import sync_folder
from app.store.engines import WRITE, connect, sqlite_url
from app.store.errors import StoreError
from app.store.models import HEAD
from engine.errors import NewerDocument, WaypostError
from engine.messages import msg

MIGRATIONS: Final = Path(__file__).resolve().parent / "migrations"
_BUILDING: Final = ".building"
FOLD_SECONDS: Final = 5.0


@frozen
class Schema:
    """Where the migrations lie and which revision they lead to. Tests hand in a longer ladder."""

    folder: Path = MIGRATIONS
    head: str = HEAD


def revision_of(engine: Engine) -> str | None:
    """The schema revision a database carries; None where it has none. Raises DatabaseError."""
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    return None if found is None else str(found)


def is_known(revision: str, schema: Schema) -> bool:
    """True when this program's ladder has that step; a later program's step is unknown here."""
    from alembic.script import ScriptDirectory  # not needed when the schema is up to date
    from alembic.util import CommandError

    try:
        return ScriptDirectory(str(schema.folder)).get_revision(revision) is not None
    except CommandError:
        return False


def run_migrations(engine: Engine, schema: Schema, place: str) -> None:
    """Every missing step in one transaction. Raises StoreError for a step that fails, with everything as it was."""
    from alembic import command
    from alembic.config import Config

    config = Config(output_buffer=io.StringIO(), stdout=io.StringIO())
    config.set_main_option("script_location", str(schema.folder).replace("%", "%%"))
    try:
        with engine.execution_options(**WRITE).begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, schema.head)
    except (WaypostError, OSError, SQLAlchemyError):
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise StoreError(msg("error.store_upgrade_failed", path=place, why=why)) from error


def upgrade_server(engine: Engine, schema: Schema, place: str) -> None:
    """A database that is no file (PostgreSQL): upgraded in place, in one transaction; its backups are its keeper's."""
    found = revision_of(engine)
    if found == schema.head:
        return
    if found is not None and not is_known(found, schema):
        raise NewerDocument(msg("error.store_newer", path=place, found=found, known=schema.head))
    run_migrations(engine, schema, place)


def prepare_file(file: Path, schema: Schema) -> Path | None:
    """Make the database of `file`, or bring it up. The caller holds the lock. Returns the backup that was made, if any.

    Raises NewerDocument for a schema of a later program and StoreError for a file that is no history of ours or is open
    elsewhere.
    """
    for leftover in file.parent.glob(f"{file.name}{_BUILDING}*"):
        leftover.unlink()
    if not file.exists():
        _set_stray_logs_aside(file)
        _build(file, None, schema)
        return None
    found = _revision_of_file(file)
    if found == schema.head:
        return None
    if found is None:
        raise StoreError(msg("error.store_not_ours", path=str(file)))
    if not is_known(found, schema):
        raise NewerDocument(msg("error.store_newer", path=str(file), found=found, known=schema.head))
    _fold_log(file)
    backup = _back_up(file, found)
    _build(file, file, schema)
    return backup


def _revision_of_file(file: Path) -> str | None:
    engine = connect(sqlite_url(file), wal=False)
    try:
        return revision_of(engine)
    finally:
        engine.dispose()


def _fold_log(file: Path) -> None:
    """Take the write-ahead log into the file and drop it. Only possible when nobody else has the database open."""
    with closing(sqlite3.connect(file, timeout=FOLD_SECONDS)) as connection:
        try:
            mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
        except sqlite3.OperationalError as error:
            if (error.sqlite_errorcode & 0xFF) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            mode = "wal"
    if mode != "delete":
        raise StoreError(msg("error.store_open_elsewhere", path=str(file)))


def _back_up(file: Path, revision: str) -> Path:
    folder = file.parent / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    backup = folder / f"{file.stem}-{revision}-{stamp}{file.suffix}"
    partial = folder / f"{backup.name}.part"
    shutil.copyfile(file, partial)
    partial.chmod(0o600)
    _flush(partial)
    partial.replace(backup)
    sync_folder(folder)
    return backup


def _build(file: Path, source: Path | None, schema: Schema) -> None:
    """The upgraded copy (of nothing, for a new history), checked, on the disk, then in the place of `file`."""
    copy = file.parent / f"{file.name}{_BUILDING}-{os.getpid()}"
    os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        if source is not None:
            shutil.copyfile(source, copy)
        engine = connect(sqlite_url(copy), wal=False)
        try:
            run_migrations(engine, schema, str(file))
            _check(engine, file)
        finally:
            engine.dispose()
        _flush(copy)
        copy.replace(file)
    except BaseException:
        copy.unlink(missing_ok=True)
        Path(f"{copy}-journal").unlink(missing_ok=True)
        raise
    sync_folder(file.parent)


def _check(engine: Engine, file: Path) -> None:
    """A copy that is not sound never takes the place of the original."""
    with engine.connect() as connection:
        verdict = connection.exec_driver_sql("PRAGMA integrity_check").scalar_one()
        orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if verdict != "ok" or orphans is not None:
        raise StoreError(msg("error.store_damaged", path=str(file)))


def _flush(file: Path) -> None:
    handle = os.open(file, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _set_stray_logs_aside(file: Path) -> None:
    """A log without its database would be played into the new one: it is moved to the backups instead."""
    for suffix in ("-wal", "-shm", "-journal"):
        stray = Path(f"{file}{suffix}")
        if stray.exists():
            folder = file.parent / "backups"
            folder.mkdir(mode=0o700, exist_ok=True)
            stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
            stray.replace(folder / f"{stray.name}-{stamp}")


def is_sound(engine: Engine) -> bool:
    """A quick look over the whole file, made after a crash."""
    try:
        with engine.connect() as connection:
            return bool(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one() == "ok")
    except DatabaseError:
        return False
