"""The child with torch: library rates and attention. Importing torch may crash a process and takes seconds; so it has its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from engine.messages import Message, msg
from engine.probe.items import Child, Group, Item, chosen
from engine.probe.protocol import DeviceFound
from engine.probe.results import Reading, Status
from kernels import torch_bench
from kernels.readings import without
from kernels.schedule import Schedule
from kernels.talk import ChildOptions, Talk, read_options
from kernels.torch_bench import TorchBench

FIRST_TOUCH: Final = 6.0
"""Times the usual silence: import, first context, first library handle."""

MEASURES: Final[Mapping[str, Callable[[TorchBench, Item], Reading]]] = MappingProxyType(
    {
        "torch.copy": torch_bench.copy,
        "blas.fp32": torch_bench.square,
        "blas.tf32": torch_bench.square,
        "blas.fp16": torch_bench.square,
        "blas.bf16": torch_bench.square,
        "blas.fp8": torch_bench.fp8,
        "blas.int8": torch_bench.int8,
        "attention.flash": torch_bench.attention,
        "attention.cudnn": torch_bench.attention,
        "attention.efficient": torch_bench.attention,
        "attention.math": torch_bench.attention,
    }
)
LOST: Final = (
    "illegal memory access",
    "launch timed out",
    "unspecified launch failure",
    "unknown error",
    "misaligned address",
)
"""Words of torch for errors after which its context is lost."""


def measure(options: ChildOptions, talk: Talk) -> None:
    """Import, choose the accelerator, run the items."""
    talk.start("library", FIRST_TOUCH)
    items = chosen(Child.TORCH, options.quick, options.skip, options.only)
    try:
        import torch  # noqa: PLC0415 - the reason for this process
    except ImportError as error:
        talk.note(msg("probe.reason.no_torch", detail=str(error)))
        return
    talk.version("torch", str(torch.__version__))
    schedule = Schedule(items, options.deadline_s)
    run_accelerator(torch, [i for i in items if i.group is not Group.HOST], options, talk, schedule)
    for item in (i for i in items if i.group is Group.HOST):
        talk.start(item.id, FIRST_TOUCH)
        talk.result(_guarded(item, lambda i=item: torch_bench.cpu_bf16(torch, i))[0])  # type: ignore[misc]


def run_accelerator(torch: Any, items: list[Item], options: ChildOptions, talk: Talk, schedule: Schedule) -> None:
    """The items of the accelerator; a note with the reason where torch has none."""
    if not items:
        return
    talk.start("context", FIRST_TOUCH)
    backend = torch_bench.find_backend(torch, options.avoid_cuda, options.device)
    if isinstance(backend, Message):
        talk.note(backend)
        return
    if backend.name != "cuda":
        talk.say(DeviceFound(backend.facts(), chosen=True))
    bench = TorchBench(torch, backend, schedule)
    for number, item in enumerate(items):
        talk.start(item.id, FIRST_TOUCH if number == 0 else 2.0)
        if not schedule.allows(item):
            talk.result(without(item.id, Status.SKIPPED, msg("probe.reason.no_time")))
            continue
        reading, lost = _guarded(item, lambda i=item: MEASURES[i.id](bench, i))  # type: ignore[misc]
        talk.result(reading, fatal=lost)
        if lost:
            return


def _guarded(item: Item, work: Callable[[], Reading]) -> tuple[Reading, bool]:
    """The item's reading, or its failure; and whether the context is lost."""
    try:
        return work(), False
    except Exception as error:
        text = str(error).strip().split("\n")[0]
        if any(word in text for word in LOST):
            return without(item.id, Status.FAILED, msg("probe.reason.torch_lost", detail=text), repr(error)), True
        if "out of memory" in text:
            return without(item.id, Status.FAILED, msg("probe.reason.out_of_memory"), text), False
        return without(item.id, Status.UNSUPPORTED, msg("probe.reason.torch_refused", detail=text[:160]), text), False


def main(arguments: list[str] | None = None) -> int:
    options = read_options(sys.argv[1:] if arguments is None else arguments)
    talk = Talk(Child.TORCH, options.silence_s)
    measure(options, talk)
    talk.done()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
