"""The same product without a window.

Exit codes: 0 done, 1 problems were found (a catalogue with bad rows, something unforeseen), 2 bad input. Results go to stdout,
everything else to stderr.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from app.cli.context import Context, chosen_language
from app.cli.dispatch import run
from app.host import crash
from app.store.errors import StoreError
from app.store.own_catalogue import BadRows
from engine.errors import WaypostError

DONE, PROBLEMS, BAD_INPUT = 0, 1, 2
_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Entry of the `waypost` command. Never shows a traceback: what was not foreseen is in the log."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    log = crash.open_log()
    context = Context("en")
    if argv is None:  # a process of our own, not a test's
        crash.catch(context.complain)
    try:
        return _guarded(arguments, context)
    except BrokenPipeError:
        # The reader has seen enough. Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:
        crash.note(error)
        context.complain(context.text("error.unforeseen", what=type(error).__name__, path=str(log or "-")))
        return PROBLEMS


def _guarded(arguments: list[str], context: Context) -> int:
    try:
        context.language = chosen_language(arguments)
        code = run(arguments, context)
        sys.stdout.flush()
    except WaypostError as error:
        _refuse(context, error)
        return PROBLEMS if isinstance(error, StoreError) else BAD_INPUT
    return code


def _refuse(context: Context, error: WaypostError) -> None:
    context.complain(context.translator(error.message))
    if isinstance(error, BadRows):
        for problem in error.problems[1:]:
            context.complain(context.problem(problem))
