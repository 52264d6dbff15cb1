"""A Windows job object with kill-on-close: when the parent's handle goes, by exit or by crash, the child goes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

if sys.platform == "win32":  # pragma: no cover - another system
    import ctypes
    from ctypes import wintypes

    _KILL_ON_JOB_CLOSE = 0x2000
    _EXTENDED_LIMIT_INFORMATION = 9

    class _BasicLimits(ctypes.Structure):
        _fields_ = [
            ("PerProcessUserTimeLimit", wintypes.LARGE_INTEGER),
            ("PerJobUserTimeLimit", wintypes.LARGE_INTEGER),
            ("LimitFlags", wintypes.DWORD),
            ("MinimumWorkingSetSize", ctypes.c_size_t),
            ("MaximumWorkingSetSize", ctypes.c_size_t),
            ("ActiveProcessLimit", wintypes.DWORD),
            ("Affinity", ctypes.c_size_t),
            ("PriorityClass", wintypes.DWORD),
            ("SchedulingClass", wintypes.DWORD),
        ]

    class _ExtendedLimits(ctypes.Structure):
        _fields_ = [
            ("Basic", _BasicLimits),
            ("IoCounters", ctypes.c_ulonglong * 6),
            ("ProcessMemoryLimit", ctypes.c_size_t),
            ("JobMemoryLimit", ctypes.c_size_t),
            ("PeakProcessMemoryUsed", ctypes.c_size_t),
            ("PeakJobMemoryUsed", ctypes.c_size_t),
        ]

    def hold_in_job(process: subprocess.Popen[bytes]) -> Callable[[], None] | None:
        """Put the child into a new job. None where the system refuses (a job that forbids nesting)."""
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateJobObjectW.restype = wintypes.HANDLE
        job = kernel.CreateJobObjectW(None, None)
        if not job:
            return None
        limits = _ExtendedLimits()
        limits.Basic.LimitFlags = _KILL_ON_JOB_CLOSE
        size = ctypes.sizeof(limits)
        handle = wintypes.HANDLE(int(vars(process)["_handle"]))
        set_up = kernel.SetInformationJobObject(
            wintypes.HANDLE(job), _EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), size
        )
        if not set_up or not kernel.AssignProcessToJobObject(wintypes.HANDLE(job), handle):
            kernel.CloseHandle(wintypes.HANDLE(job))
            return None

        def release() -> None:
            kernel.CloseHandle(wintypes.HANDLE(job))

        return release

else:

    def hold_in_job(process: subprocess.Popen[bytes]) -> Callable[[], None] | None:
        """No job objects here."""
        return None
