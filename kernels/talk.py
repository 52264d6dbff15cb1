"""The child's side of the protocol: events on the real standard output, everything else on the error stream.

Libraries print to standard output when they like; so the descriptor is set aside first and 1 is pointed at 2.
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import os
import signal
import sys
import time
from collections.abc import Sequence

from attrs import frozen

from engine.messages import Message
from engine.probe.items import Child
from engine.probe.protocol import (
    PROTOCOL_VERSION,
    Done,
    Event,
    Hello,
    Measured,
    Noted,
    Progress,
    SeriesFound,
    Started,
    VersionFound,
    write_line,
)
from engine.probe.results import Reading, Series


@frozen
class ChildOptions:
    """What the parent asked of a child."""

    quick: bool = False
    device: str = ""
    only: frozenset[str] = frozenset()
    skip: frozenset[str] = frozenset()
    deadline_s: float = 12.0
    silence_s: float = 5.0
    avoid_cuda: bool = False
    accept_external: bool = False


def read_options(arguments: Sequence[str]) -> ChildOptions:
    """The child's command line."""
    parser = argparse.ArgumentParser(prog="waypost probe child")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--device", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", default="")
    parser.add_argument("--deadline", type=float, default=12.0)
    parser.add_argument("--silence", type=float, default=5.0)
    parser.add_argument("--avoid-cuda", action="store_true")
    parser.add_argument("--accept-external", action="store_true")
    found = parser.parse_args(list(arguments))
    return ChildOptions(
        quick=found.quick,
        device=found.device,
        only=frozenset(filter(None, found.only.split(","))),
        skip=frozenset(filter(None, found.skip.split(","))),
        deadline_s=found.deadline,
        silence_s=found.silence,
        avoid_cuda=found.avoid_cuda,
        accept_external=found.accept_external,
    )


class Talk:
    """Says events. Every line leaves at once: what was said before a crash has been said."""

    def __init__(self, child: Child, silence_s: float = 5.0) -> None:
        self.silence_s = silence_s
        self._begin = time.monotonic()
        self._item_begin = self._begin
        _die_with_parent()
        sys.stdout.flush()
        self._out = os.dup(1)
        os.dup2(2, 1)
        faulthandler.enable()
        self.say(Hello(child.value, PROTOCOL_VERSION, os.getpid()))

    def say(self, event: Event) -> None:
        data = write_line(event).encode("ascii")
        while data:
            data = data[os.write(self._out, data) :]

    def start(self, item: str, patience: float = 1.0) -> None:
        """An item begins; `patience` times the usual silence is allowed until the next word."""
        self._item_begin = time.monotonic()
        self.say(Started(item, self.silence_s * patience))

    def progress(self, item: str, done: float, value: float | None = None) -> None:
        self.say(Progress(item, done, value))

    def result(self, reading: Reading, fatal: bool = False) -> None:
        """An item's result, with the time it took since its start."""
        took = time.monotonic() - self._item_begin
        self.say(Measured(_timed(reading, took), fatal))

    def version(self, name: str, version: str) -> None:
        self.say(VersionFound(name, version))

    def series(self, lesson: str, key: str, x: Sequence[float], y: Sequence[float]) -> None:
        self.say(SeriesFound(lesson, Series(key, tuple(float(v) for v in x), tuple(float(v) for v in y))))

    def note(self, message: Message) -> None:
        self.say(Noted(message))

    def done(self) -> None:
        self.say(Done(time.monotonic() - self._begin))


def _timed(reading: Reading, seconds: float) -> Reading:
    from attrs import evolve  # noqa: PLC0415

    return evolve(reading, seconds=round(seconds, 4))


def _die_with_parent() -> None:
    """On Linux the kernel ends this process when the thread that started it is gone (prctl, PR_SET_PDEATHSIG)."""
    if not sys.platform.startswith("linux"):
        return
    parent = os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)
