"""Connections: one way to make them, one way to write, and what can go wrong said in one sentence."""

from __future__ import annotations

import contextlib
import errno
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from filelock import Timeout
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from app.store.errors import StoreError
from engine.messages import msg

WRITE: Final = {"waypost_write": True}
"""Execution options of a transaction that will write: it takes the write lock at its beginning, not half way."""
BUSY_SECONDS: Final = 5.0

_SENTENCES: Final[dict[int, str]] = {
    sqlite3.SQLITE_BUSY: "error.store_locked",
    sqlite3.SQLITE_LOCKED: "error.store_locked",
    sqlite3.SQLITE_READONLY: "error.store_read_only",
    sqlite3.SQLITE_PERM: "error.store_read_only",
    sqlite3.SQLITE_CANTOPEN: "error.store_cannot_open",
    sqlite3.SQLITE_FULL: "error.store_full",
    sqlite3.SQLITE_CORRUPT: "error.store_damaged",
    sqlite3.SQLITE_NOTADB: "error.store_damaged",
    sqlite3.SQLITE_IOERR: "error.store_io",
}
_OS_SENTENCES: Final[dict[int, str]] = {
    errno.ENOSPC: "error.store_full",
    errno.EDQUOT: "error.store_full",
    errno.EFBIG: "error.store_full",
    errno.EROFS: "error.store_read_only",
    errno.EACCES: "error.store_read_only",
    errno.EPERM: "error.store_read_only",
}


@contextlib.contextmanager
def sentences(place: str) -> Iterator[None]:
    """Turn what a database, a disk or a lock says into one sentence about `place`. Raises StoreError."""
    try:
        yield
    except Timeout as error:
        raise StoreError(msg("error.store_locked", path=place)) from error
    except DBAPIError as error:
        raise StoreError(_of_database(error.orig, place)) from error
    except sqlite3.Error as error:
        raise StoreError(_of_database(error, place)) from error
    except (SQLAlchemyError, DatabaseError) as error:
        raise StoreError(msg("error.store_failed", path=place, why=_first_line(error))) from error
    except OSError as error:
        raise StoreError(of_system(error, place)) from error


def _of_database(error: BaseException | None, place: str) -> Any:
    code = getattr(error, "sqlite_errorcode", None)
    key = _SENTENCES.get(code & 0xFF) if code is not None else None
    if key is None:
        return msg("error.store_failed", path=place, why=_first_line(error))
    return msg(key, path=place)


def of_system(error: OSError, place: str) -> Any:
    """The sentence for an error of the operating system."""
    key = _OS_SENTENCES.get(error.errno or 0)
    if key is None:
        return msg("error.store_failed", path=place, why=error.strerror or str(error))
    return msg(key, path=place)


def _first_line(error: BaseException | None) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def parse_url(url: str) -> URL:
    """A database URL. Raises StoreError for one that is none, or that needs a driver which is not installed."""
    try:
        parsed = make_url(url)
        parsed.get_dialect()
    except NoSuchModuleError as error:
        raise StoreError(msg("error.store_no_driver", url=_without_password(url))) from error
    except (ArgumentError, ValueError) as error:
        raise StoreError(msg("error.store_bad_url", url=_without_password(url))) from error
    if parsed.get_backend_name() == "sqlite" and _names_no_file(parsed):
        raise StoreError(msg("error.store_memory"))
    return parsed


def _names_no_file(url: URL) -> bool:
    database = url.database or ""
    return not database or ":memory:" in database or database.startswith("file:") or "mode" in url.query


def _without_password(url: str) -> str:
    try:
        return make_url(url).render_as_string(hide_password=True)
    except (ArgumentError, ValueError):
        return url.rsplit("@", maxsplit=1)[-1]


def sqlite_url(file: Path) -> URL:
    return URL.create("sqlite", database=str(file))


def connect(url: URL, *, wal: bool = True) -> Engine:
    """An engine whose transactions begin with an explicit BEGIN, so that a failed change of the schema rolls back whole."""
    if url.get_backend_name() != "sqlite":
        try:
            return create_engine(url, pool_pre_ping=True)
        except ModuleNotFoundError as error:
            raise StoreError(msg("error.store_no_driver", url=url.render_as_string(hide_password=True))) from error
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
        connection.isolation_level = None  # the driver begins nothing by itself: `_begin` does
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        if wal:
            connection.execute("PRAGMA journal_mode = WAL")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get("waypost_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine
