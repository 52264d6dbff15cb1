"""Background work for the window: a result or an error comes back on the window's thread, never from another one.

One pool with a single worker takes everything that touches files or the database, in order; another takes computing. A channel
keeps only its newest job: what an older one returns is dropped.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any
from weakref import WeakMethod

from attrs import define
from PySide6.QtCore import QObject, Qt, Signal, Slot

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

log = logging.getLogger("waypost.tasks")

Work = Callable[["Cancel"], Any]
Handler = Callable[[Any], None]


class Cancelled(Exception):
    """Raised inside a job that noticed its cancellation; nobody is told."""


class Cancel:
    """What a job looks at now and then, and where it says how far it is."""

    def __init__(self, tell: Handler | None = None) -> None:
        self.event = Event()
        self._tell = tell

    def set(self) -> None:
        self.event.set()

    @property
    def wanted(self) -> bool:
        return self.event.is_set()

    def check(self) -> None:
        """Raises Cancelled once the job is no longer wanted."""
        if self.event.is_set():
            raise Cancelled

    def tell(self, news: Any) -> None:
        """Something for whoever waits; it arrives on the window's thread."""
        if self._tell is not None and not self.event.is_set():
            self._tell(news)


def _reference(handler: Handler | None) -> Callable[[], Handler | None]:
    """A bound method is held weakly: a page that is gone hears nothing."""
    if handler is None:
        return lambda: None
    if hasattr(handler, "__func__"):
        return WeakMethod(handler)
    return lambda: handler


@define(eq=False)
class Job:
    """One piece of work under way."""

    number: int
    channel: str
    done: Callable[[], Handler | None]
    failed: Callable[[], Handler | None]
    told: Callable[[], Handler | None]
    cancel: Cancel
    title: str = ""
    """Said in the status line, with a way to stop it; "" for work nobody needs to know of."""


class Tasks(QObject):
    """Runs work off the window's thread."""

    busy_changed = Signal(int)
    _returned = Signal(int, object, object)
    _told = Signal(int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pools: dict[bool, ThreadPoolExecutor] = {}
        self._jobs: dict[int, Job] = {}
        self._numbers = itertools.count(1)
        self._closed = False
        self._returned.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._told.connect(self._pass_on, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        work: Work,
        done: Handler,
        failed: Handler | None = None,
        *,
        told: Handler | None = None,
        channel: str = "",
        serial: bool = False,
        title: str = "",
    ) -> Job | None:
        """Start `work`; `done(result)` or `failed(exception)` follows on this thread, `told(news)` before. None once closed."""
        if self._closed:
            return None
        if channel:
            self.cancel_channel(channel)
        number = next(self._numbers)
        cancel = Cancel(partial(self._told.emit, number))
        job = Job(number, channel, _reference(done), _reference(failed), _reference(told), cancel, title)
        self._jobs[job.number] = job
        self._start(job, work, serial)
        self.busy_changed.emit(len(self._jobs))
        return job

    def _start(self, job: Job, work: Work, serial: bool) -> None:
        future = self._pool(serial).submit(work, job.cancel)
        number = job.number

        def returned(finished: Future[Any]) -> None:
            error = finished.exception()
            self._returned.emit(number, None if error else finished.result(), error)

        future.add_done_callback(returned)

    def _pool(self, serial: bool) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor  # after the first paint

        if serial not in self._pools:
            name = "waypost-files" if serial else "waypost-work"
            self._pools[serial] = ThreadPoolExecutor(1 if serial else 2, thread_name_prefix=name)
        return self._pools[serial]

    def cancel(self, job: Job) -> None:
        """Ask a job to stop and drop whatever it returns."""
        job.cancel.set()
        if self._jobs.pop(job.number, None) is not None:
            self.busy_changed.emit(len(self._jobs))

    @property
    def titled(self) -> Job | None:
        """The work under way that may be stopped by hand."""
        return next((job for job in self._jobs.values() if job.title), None)

    def stop(self, job: Job) -> None:
        """Stopped by hand: whoever waits hears Cancelled at once."""
        if job.number in self._jobs:
            self.cancel(job)
            handler = job.failed()
            if handler is not None:
                handler(Cancelled())

    def cancel_channel(self, channel: str) -> None:
        for job in [j for j in self._jobs.values() if j.channel == channel]:
            self.cancel(job)

    @property
    def busy(self) -> int:
        return len(self._jobs)

    @Slot(int, object, object)
    def _deliver(self, number: int, result: Any, error: BaseException | None) -> None:
        job = self._jobs.pop(number, None)
        if job is None:
            return
        self.busy_changed.emit(len(self._jobs))
        if isinstance(error, Cancelled):
            return
        handler = job.done() if error is None else job.failed()
        if handler is not None:
            handler(result if error is None else error)
        elif error is not None:
            log.error("background work failed", exc_info=error)

    @Slot(int, object)
    def _pass_on(self, number: int, news: Any) -> None:
        job = self._jobs.get(number)
        handler = job.told() if job is not None else None
        if handler is not None:
            handler(news)

    def close(self) -> None:
        """Let running work end, forget what it returns. Files under way are written to the end."""
        self._closed = True
        for job in self._jobs.values():
            if job.channel:
                job.cancel.set()
        for pool in self._pools.values():
            pool.shutdown(wait=True, cancel_futures=False)
        self._pools.clear()
        self._jobs.clear()


class InlineTasks(Tasks):
    """The same for tests and for pictures: everything happens at once, on the caller's thread."""

    def _start(self, job: Job, work: Work, serial: bool) -> None:
        try:
            result, error = work(job.cancel), None
        except Exception as caught:
            result, error = None, caught
        self._deliver(job.number, result, error)
