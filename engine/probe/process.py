"""One child process: started without a console, read line by line, stopped for certain or given up on.

The parent never forks by itself and never loads a GPU library; whatever a driver does to the child stays in the child.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, Final

from engine.probe.protocol import MAX_LINE_BYTES

TERMINATE_S: Final = 0.5
REAP_S: Final = 3.0
STDERR_BYTES: Final = 64 * 1024


class ChildProcess:
    """A running child. `next_line` waits for a line; `stop` ends it on every path."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start `command`. Raises OSError when it cannot be started."""
        self.started = time.monotonic()
        self._lines: queue.Queue[bytes | None] = queue.Queue(maxsize=4096)
        self._stderr: deque[bytes] = deque()
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            **_apart(),
        )
        self._job = _kill_with_parent(self._process)
        self._closing = threading.Event()
        for stream, target in ((self._process.stdout, self._read_lines), (self._process.stderr, self._read_errors)):
            threading.Thread(target=target, args=(stream,), daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def next_line(self, timeout_s: float) -> bytes | None:
        """The next line; None at the end of the stream. Raises queue.Empty when nothing came in time."""
        return self._lines.get(timeout=timeout_s)

    def wait(self, timeout_s: float) -> int | None:
        """The exit status, or None when it is still there after `timeout_s`."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def stop(self) -> int | None:
        """Terminate, then kill, then wait. None: it cannot be reaped, a driver call holds it in the kernel."""
        self._closing.set()
        for forced, patience_s in ((False, TERMINATE_S), (True, REAP_S)):
            if self._process.poll() is None:
                self._end(forced)
            status = self.wait(patience_s)
            if status is not None:
                return status
        return None

    def alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """Let go of the pipes of an ended child."""
        self._closing.set()
        if self._job is not None and not self.alive():
            self._job()
            self._job = None
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None and not self.alive():
                with contextlib.suppress(OSError, ValueError):
                    stream.close()

    def errors(self) -> str:
        """The last 64 KiB of its error stream."""
        return b"".join(self._stderr).decode("utf-8", "replace")[-STDERR_BYTES:]

    def _end(self, forced: bool) -> None:
        """To the child's whole group, so that whatever it started goes with it. Only while it is not reaped: the id is its own."""
        with contextlib.suppress(OSError):
            if sys.platform != "win32":
                os.killpg(self._process.pid, signal.SIGKILL if forced else signal.SIGTERM)
            elif forced:
                self._process.kill()
            else:
                self._process.terminate()

    def _read_lines(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(MAX_LINE_BYTES):
                if not self._put(line):
                    return
        self._put(None)

    def _put(self, line: bytes | None) -> bool:
        while not self._closing.is_set():
            try:
                self._lines.put(line, timeout=0.1)
            except queue.Full:
                continue
            return True
        return False

    def _read_errors(self, stream: IO[bytes]) -> None:
        held = 0
        with contextlib.suppress(OSError, ValueError):
            while piece := os.read(stream.fileno(), 4096):
                self._stderr.append(piece)
                held += len(piece)
                while held > STDERR_BYTES:
                    held -= len(self._stderr.popleft())


def _apart() -> dict[str, Any]:
    """A session of its own on POSIX; on Windows a process group of its own and no window."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def _kill_with_parent(process: subprocess.Popen[bytes]) -> Callable[[], None] | None:
    """On Windows a job object that kills the child when this process ends; on Linux the child asks for that itself."""
    if sys.platform != "win32":
        return None
    from engine.probe.windows_job import hold_in_job  # noqa: PLC0415 - exists on one system only

    return hold_in_job(process)
