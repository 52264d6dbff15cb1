"""When something we did not foresee happens: a log in the user's folder, one sentence on the screen, nothing sent anywhere.

Only the standard library, so that it works when everything else does not. Customer content never reaches the log: an exception's
own text is written only for types whose text is ours or the system's; of every other type the name and the place are.
"""

from __future__ import annotations

import faulthandler
import logging
import logging.handlers
import platform
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TextIO

from app.host.paths import log_folder

LOG_NAME: Final = "waypost.log"
FAULT_NAME: Final = "faults.log"
_MAX_BYTES: Final = 512 * 1024
_KEPT: Final = 4
_LOGGER: Final = logging.getLogger("waypost.crash")

SAYABLE: Final = (
    NotImplementedError,
    ModuleNotFoundError,
    ImportError,
    MemoryError,
    RecursionError,
    AttributeError,
)
"""Types whose text names code, never content. `OSError` is cut to its number and reason: its text holds a path."""

Told = Callable[[str], None]
_fault_file: TextIO | None = None


def redacted(error: BaseException) -> str:
    """One line that may be written down: the type, and the text only where it cannot hold what a customer said."""
    name = type(error).__name__
    if isinstance(error, OSError):
        return f"{name}: [{error.errno}] {error.strerror}"
    key = getattr(getattr(error, "message", None), "key", None)
    if isinstance(key, str):
        return f"{name}: {key}"
    if isinstance(error, SAYABLE):
        return f"{name}: {error}"
    return f"{name}: (text left out)"


def report(error: BaseException) -> str:
    """The whole chain of an error without its texts and without any value: files, lines, functions, types."""
    lines: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        lines.append(redacted(current))
        lines += [
            f"  {_inside(frame.filename)}:{frame.lineno} in {frame.name}"
            for frame in traceback.extract_tb(current.__traceback__)
        ]
        current = current.__cause__ or current.__context__
    return "\n".join(lines)


def _inside(filename: str) -> str:
    """A path without the user's name: from the package on."""
    parts = Path(filename).parts
    for root in ("site-packages", "app", "engine", "kernels"):
        if root in parts:
            return "/".join(parts[parts.index(root) :])
    return Path(filename).name


class _Redacting(logging.Formatter):
    """Keeps tracebacks of other libraries' loggers out of the file: only our redacted report is written."""

    def formatException(self, ei: Any) -> str:
        return report(ei[1]) if ei and ei[1] is not None else ""


def log_path() -> Path:
    return log_folder() / LOG_NAME


def install(tell: Told | None = None) -> Path | None:
    """The log and the net under every thread. Returns the log's path, None where no log can be kept."""
    path = open_log()
    catch(tell)
    return path


def catch(tell: Told | None = None) -> None:
    """Catch what nobody caught, in any thread, and note hard faults.

    `tell` is given one line for the user (the window shows it); it is called in the thread that failed.
    """
    _catch_faults()

    def hook(kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, _trace)
            return
        _LOGGER.error("unforeseen\n%s", report(error))
        if tell is not None:
            tell(redacted(error))

    def thread_hook(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and args.exc_type is not SystemExit:
            hook(args.exc_type, args.exc_value, args.exc_traceback)

    sys.excepthook = hook
    threading.excepthook = thread_hook


def note(error: BaseException) -> None:
    """Write an error that was caught at the edge of a command."""
    _LOGGER.error("unforeseen\n%s", report(error))


def open_log() -> Path | None:
    """Log to a rotating file in the user's log folder; None where none can be written."""
    root = logging.getLogger()
    try:
        log_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            log_path(), maxBytes=_MAX_BYTES, backupCount=_KEPT, encoding="utf-8", delay=True
        )
    except OSError:
        root.addHandler(logging.NullHandler())
        return None
    handler.setFormatter(_Redacting("%(asctime)s %(levelname)s %(name)s %(message)s"))
    handler.setLevel(logging.WARNING)
    handler.addFilter(_ours)
    for old in [h for h in root.handlers if getattr(h, "waypost", False)]:
        root.removeHandler(old)
        old.close()
    handler.waypost = True  # type: ignore[attr-defined]
    root.addHandler(handler)
    _LOGGER.debug("python %s on %s", platform.python_version(), platform.system())
    return log_path()


def _ours(record: logging.LogRecord) -> bool:
    """White list: our own loggers. Another library's line may hold what a customer said (an SQL parameter, a file name)."""
    return record.name == "waypost" or record.name.startswith("waypost.")


def _catch_faults() -> None:
    global _fault_file  # noqa: PLW0603  (faulthandler needs the file to stay open for the life of the process)
    if _fault_file is not None or faulthandler.is_enabled():
        return
    try:
        _fault_file = (log_folder() / FAULT_NAME).open("a", encoding="utf-8")
    except OSError:
        return
    faulthandler.enable(file=_fault_file, all_threads=True)
