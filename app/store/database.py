"""One open history: who may write, and the repositories over it."""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from filelock import FileLock
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from app.host.paths import data_folder
from app.store.drafts import DraftRepository
from app.store.engines import WRITE, connect, parse_url, sentences, sqlite_url
from app.store.errors import StoreError
from app.store.history import HistoryRepository
from app.store.probes import ProbeRepository
from app.store.upgrade import Schema, is_sound, prepare_file, upgrade_server
from app.store.versions import VersionRepository
from engine.messages import msg

FILE_NAME: Final = "history.db"
LOCK_SECONDS: Final = 10.0


class Database:
    """Transactions on one database. A write holds the file lock (one writer over all programs) and begins IMMEDIATE."""

    def __init__(self, engine: Engine, file: Path | None, place: str, clock: Callable[[], datetime]) -> None:
        self._engine = engine
        self._writer = engine.execution_options(**WRITE)
        self._file = file
        self._identity = _identity(file)
        self._thread_lock = threading.RLock()
        self._file_lock = None if file is None else FileLock(lock_path(file), timeout=LOCK_SECONDS, mode=0o600)
        self.place = place
        self.now = clock
        self.writer_id = uuid.uuid4().hex

    @contextlib.contextmanager
    def read(self) -> Iterator[Session]:
        """A consistent view. Raises StoreError."""
        with sentences(self.place), Session(self._engine) as session:
            yield session

    @contextlib.contextmanager
    def write(self) -> Iterator[Session]:
        """All or nothing. Raises StoreError."""
        with sentences(self.place), self._thread_lock, self._file_lock or contextlib.nullcontext():
            self._still_the_same_file()
            with Session(self._writer) as session, session.begin():
                yield session

    def _still_the_same_file(self) -> None:
        """An upgrade or a restored backup has replaced the file under us: writing on would write into nothing."""
        if self._file is not None and _identity(self._file) != self._identity:
            raise StoreError(msg("error.store_replaced", path=self.place))

    def is_sound(self) -> bool:
        """A quick look over the whole file; True for a server, which looks after itself."""
        return self._file is None or is_sound(self._engine)

    def close(self) -> None:
        self._engine.dispose()


class OpenStore:
    """The store of `app.store.interface`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.drafts = DraftRepository(database)
        self.versions = VersionRepository(database)
        self.history = HistoryRepository(database)
        self.probes = ProbeRepository(database)

    @property
    def place(self) -> str:
        """Where the history is kept, for people."""
        return self._database.place

    def is_sound(self) -> bool:
        """Worth asking after a run that ended badly."""
        return self._database.is_sound()

    def close(self) -> None:
        self._database.close()


def lock_path(file: Path) -> Path:
    return file.with_name(f"{file.name}.lock")


def _identity(file: Path | None) -> tuple[int, int] | None:
    if file is None:
        return None
    try:
        seen = file.stat()
    except OSError:
        return None
    return seen.st_dev, seen.st_ino


def _utc_now() -> datetime:
    return datetime.now(UTC)


def open_database(
    url: str | None,
    folder: Path | None,
    *,
    schema: Schema | None = None,
    clock: Callable[[], datetime] = _utc_now,
) -> OpenStore:
    """See `app.store.open_store`; tests hand in another ladder of migrations and a clock."""
    schema = schema or Schema()
    parsed = parse_url(url) if url else sqlite_url((folder or data_folder()) / FILE_NAME)
    if parsed.get_backend_name() != "sqlite":
        place = parsed.render_as_string(hide_password=True)
        engine = connect(parsed)
        with _disposed_on_error(engine), sentences(place):
            upgrade_server(engine, schema, place)
        return OpenStore(Database(engine, None, place, clock))
    file = Path(str(parsed.database)).absolute()
    with sentences(str(file)):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(lock_path(file), timeout=LOCK_SECONDS, mode=0o600):
            prepare_file(file, schema)
            engine = connect(sqlite_url(file))
            with _disposed_on_error(engine), engine.connect() as connection:
                # The connection stays in the pool: an upgrade by another program sees that we are here.
                connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one()
    return OpenStore(Database(engine, file, str(file), clock))


@contextlib.contextmanager
def _disposed_on_error(engine: Engine) -> Iterator[None]:
    try:
        yield
    except BaseException:
        engine.dispose()
        raise
