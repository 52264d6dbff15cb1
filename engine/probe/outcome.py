"""From a driver's "no" to a sentence and what to do about it. The original text stays beside it, never instead of it.

Two answers are kept apart: what the management library says and what CUDA says. One may be healthy while the other is not
(SceneWorks#2080), so neither is inferred from the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.messages import Message, msg
from engine.probe.results import DriverAnswer, Ending, Outcome, OutcomeCode, Surroundings

LIBRARY_MISSING: Final = -1
LIBRARY_TOO_OLD: Final = -2
LIBRARY_BROKEN: Final = -3
BINDINGS_MISSING: Final = -4
CAPABILITY_TOO_LOW: Final = -5
IMAGE_MISSING: Final = -6
EXTERNAL_LINK: Final = -7

STICKY: Final = frozenset({700, 702, 710, 714, 715, 716, 717, 718, 719, 999})
"""Errors after which the context is lost: the child that saw one must end."""
OUT_OF_MEMORY: Final = 2

_CODES: Final[Mapping[int, OutcomeCode]] = {
    BINDINGS_MISSING: OutcomeCode.NOT_INSTALLED,
    LIBRARY_TOO_OLD: OutcomeCode.DRIVER_TOO_OLD,
    LIBRARY_BROKEN: OutcomeCode.DRIVER_ERROR,
    CAPABILITY_TOO_LOW: OutcomeCode.TOO_OLD,
    IMAGE_MISSING: OutcomeCode.NO_IMAGE,
    EXTERNAL_LINK: OutcomeCode.EXTERNAL,
    803: OutcomeCode.DRIVER_MISMATCH,
    804: OutcomeCode.COMPATIBILITY,
    999: OutcomeCode.DRIVER_LOST,
    222: OutcomeCode.DRIVER_TOO_OLD,
    209: OutcomeCode.NO_IMAGE,
    200: OutcomeCode.NO_IMAGE,
    218: OutcomeCode.NO_IMAGE,
    221: OutcomeCode.NO_IMAGE,
}


def refused(answer: DriverAnswer, around: Surroundings) -> Outcome:
    """The outcome when the driver would not start: by its code, then by what surrounds it."""
    if answer.code == LIBRARY_MISSING:
        return _no_library(around)
    if answer.code in (100, 101):
        return _no_device(answer, around)
    code = _CODES.get(answer.code, OutcomeCode.DRIVER_ERROR)
    detail = " ".join(part for part in (answer.name, answer.text) if part)
    if code is OutcomeCode.DRIVER_ERROR:
        return _other_error(answer, detail)
    return _say(code, "", detail, code=str(answer.code), name=answer.name, found=answer.text)


def _say(code: OutcomeCode, variant: str = "", detail: str = "", /, **params: object) -> Outcome:
    key = variant or code.value
    return Outcome(code, msg(f"probe.outcome.{key}", **params), msg(f"probe.advice.{key}", **params), detail)


def _no_library(around: Surroundings) -> Outcome:
    if around.wsl:
        return _say(OutcomeCode.NO_DRIVER, "wsl")
    if around.container:
        return _say(OutcomeCode.CONTAINER)
    if around.pci_devices or around.jetson:
        return _say(OutcomeCode.NO_DRIVER, "driver_missing")
    return _say(OutcomeCode.NO_DRIVER)


def _no_device(answer: DriverAnswer, around: Surroundings) -> Outcome:
    detail = answer.name
    if around.visible_devices is not None:
        return _say(OutcomeCode.HIDDEN, "", detail, found=around.visible_devices)
    if around.container and not around.device_nodes:
        return _say(OutcomeCode.CONTAINER, "", detail)
    if around.wsl and not around.wsl_device:
        return _say(OutcomeCode.NO_DEVICE, "wsl", detail)
    return _say(OutcomeCode.NO_DEVICE, "", detail)


_KNOWN_OTHER: Final[Mapping[int, str]] = {
    2: "no_memory_for_context",
    34: "stub_library",
    46: "device_busy",
    802: "fabric_manager",
    LIBRARY_BROKEN: "library_broken",
}


def _other_error(answer: DriverAnswer, detail: str) -> Outcome:
    variant = _KNOWN_OTHER.get(answer.code, "driver_error")
    return _say(OutcomeCode.DRIVER_ERROR, variant, detail, code=str(answer.code), name=answer.name or str(answer.code))


_BY_ENDING: Final[Mapping[Ending, OutcomeCode]] = {
    Ending.CRASHED: OutcomeCode.CRASHED,
    Ending.SILENT: OutcomeCode.SILENT,
    Ending.TIMED_OUT: OutcomeCode.TIMED_OUT,
    Ending.CANCELLED: OutcomeCode.CANCELLED,
    Ending.ABANDONED: OutcomeCode.ABANDONED,
    Ending.NOT_STARTED: OutcomeCode.NOT_INSTALLED,
}

WAKING: Final = frozenset({"management", "driver", "context"})
"""Steps in which a sleeping or wedged device keeps silent."""


def ended_early(ending: Ending, item: str, message: Message | None, measured: bool) -> Outcome:
    """The outcome of a device child that did not come to its end. What it had measured is kept."""
    code = _BY_ENDING[ending]
    if code is OutcomeCode.SILENT and item in WAKING:
        return _say(OutcomeCode.ASLEEP, item=step(item))
    if measured and code is not OutcomeCode.ABANDONED:
        return Outcome(OutcomeCode.PARTLY, msg("probe.outcome.partly", item=step(item)), message)
    return Outcome(code, msg(f"probe.outcome.{code.value}", item=step(item)), message or _advice(code))


def _advice(code: OutcomeCode) -> Message:
    return msg(f"probe.advice.{code.value}")


def step(item: str) -> Message:
    """The name of an item or of a step before the first item."""
    return msg(f"probe.item.{item or 'start'}")


_ENDINGS_IN_WORDS: Final[Mapping[int, str]] = {
    -4: "SIGILL",
    -6: "SIGABRT",
    -7: "SIGBUS",
    -8: "SIGFPE",
    -9: "SIGKILL",
    -11: "SIGSEGV",
    -15: "SIGTERM",
    0xC0000005: "0xC0000005",
    0xC0000409: "0xC0000409",
    0xC000001D: "0xC000001D",
    0xC0000135: "0xC0000135",
}


def exit_in_words(exit_code: int | None) -> str:
    """An exit status as its signal or status name; Windows hands the status over as a signed or an unsigned number."""
    if exit_code is None:
        return "?"
    return _ENDINGS_IN_WORDS.get(exit_code) or _ENDINGS_IN_WORDS.get(exit_code & 0xFFFFFFFF) or str(exit_code)


_REASONS: Final[Mapping[int, str]] = {
    OUT_OF_MEMORY: "out_of_memory",
    200: "invalid_image",
    209: "no_image",
    218: "invalid_ptx",
    221: "no_jit_compiler",
    222: "ptx_too_new",
    700: "illegal_address",
    702: "launch_timeout",
    710: "device_assert",
    715: "illegal_instruction",
    716: "misaligned_address",
    719: "launch_failed",
    801: "not_supported",
    999: "unknown_error",
}


def cuda_reason(code: int, name: str) -> Message:
    """Why one item has no number, from a driver's code."""
    return msg(f"probe.reason.{_REASONS.get(code, 'cuda_error')}", code=str(code), name=name)
