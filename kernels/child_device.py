"""The child that talks to an NVIDIA GPU, without torch: facts, bandwidth, copies, launches, lessons, matrix rates.

Everything a driver may do to a process happens to this one. It says each step before it takes it, so that the parent knows
where it fell silent. After an error that loses the context it ends; nothing is tried twice in the same process.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from attrs import evolve

from engine.messages import Quantity, msg
from engine.probe.items import Child, Group, Item, chosen
from engine.probe.outcome import CAPABILITY_TOO_LOW, EXTERNAL_LINK, IMAGE_MISSING, cuda_reason
from engine.probe.power import on_battery
from engine.probe.protocol import DeviceFound, Refused, SurroundingsFound
from engine.probe.results import Conditions, DeviceFacts, DriverAnswer, Reading, Status, Surroundings
from engine.units import BYTES
from kernels.device import copy_items, lesson_items, matrix_items, memory_items
from kernels.device.bench import Bench, TooSlow
from kernels.device.driver import Driver, DriverError, Refusal, Session, refusal
from kernels.device.facts import capability, device_facts, find_device, with_free_memory
from kernels.device.loader import Kernels, Missing
from kernels.device.management import Management, Unavailable
from kernels.device.rig import OutOfMemory, Rig
from kernels.device.safety import LEAST_BYTES, LITTLE_BYTES, allowance_bytes, rest_s, too_hot
from kernels.device.surroundings import look_around
from kernels.pack import Damaged, Pack
from kernels.readings import reading_of, without
from kernels.schedule import Schedule
from kernels.talk import ChildOptions, Talk, read_options

WAKING: Final = 3.0
"""Times the usual silence: what a sleeping device may take to answer."""

Measure = Callable[[Rig, Item], Reading]
MEASURES: Final[Mapping[str, Measure]] = MappingProxyType(
    {
        "read": memory_items.read,
        "copy": memory_items.copy,
        "copy_driver": memory_items.copy_driver,
        "triad": memory_items.triad,
        "write": memory_items.write,
        "reduction": memory_items.reduction,
        "gemv.bf16": memory_items.gemv_bf16,
        "gemv.int4": memory_items.gemv_int4,
        "h2d.pinned": copy_items.pinned_copy,
        "d2h.pinned": copy_items.pinned_copy,
        "h2d.pageable": copy_items.pageable_copy,
        "d2h.pageable": copy_items.pageable_copy,
        "launch.back_to_back": copy_items.back_to_back,
        "launch.round_trip": copy_items.round_trip,
        "launch.graph": copy_items.in_graph,
        "shared": lesson_items.shared,
        "bank_conflicts": lesson_items.bank_conflicts,
        "divergence": lesson_items.divergence,
        "block_size": lesson_items.block_size,
        "vector_add": lesson_items.vector_add,
        "break_even": lesson_items.break_even,
        "fma.fp32": matrix_items.fma,
    }
)
BIG_MEMORY: Final = frozenset({Group.BANDWIDTH, Group.DECODE})
"""Groups that mean nothing under the smallest allowance."""


class ContextLost(Exception):
    """Nothing more can be asked of this process's device."""


def start_management(talk: Talk, around: Surroundings) -> Management | None:
    """The management library's answer, said beside CUDA's and never mixed with it."""
    talk.start("management", WAKING)
    try:
        management = Management()
    except Unavailable as error:
        talk.say(SurroundingsFound(evolve(around, management=str(error))))
        return None
    talk.say(SurroundingsFound(evolve(around, management="ok")))
    talk.version("driver", management.driver_version())
    for seen in management.devices:
        talk.say(DeviceFound(seen.facts, chosen=False))
    return management


def ask_about_external(options: ChildOptions, management: Management | None) -> None:
    """Stop before the first CUDA call on a device behind four lanes or fewer: there it may freeze the host. Raises Refusal.

    Known from the management library alone; where that is missing nobody can tell, and a device that shares the machine's memory
    has no link to speak of.
    """
    if options.accept_external or management is None:
        return
    seen = [s.facts for s in management.devices if s.facts.id == options.device] or [
        s.facts for s in management.devices[:1]
    ]
    for facts in seen:
        if facts.pcie_lanes_max is not None and 0 < facts.pcie_lanes_max <= 4 and facts.memory_bytes is not None:
            raise Refusal(DriverAnswer("external", EXTERNAL_LINK, text=str(facts.pcie_lanes_max)))


def open_session(talk: Talk, options: ChildOptions, management: Management | None) -> tuple[Session, DeviceFacts]:
    """The device's context with its facts. Raises Refusal."""
    talk.start("driver", WAKING)
    driver = Driver()
    driver.start()
    try:
        count = driver.count()
        if count == 0:
            raise Refusal(DriverAnswer("device", 100, "CUDA_ERROR_NO_DEVICE"))
        talk.version("cuda", "{}.{}".format(*driver.version()))
        device = find_device(driver, count, options.device)
        facts = device_facts(driver, device, management)
    except DriverError as error:
        raise refusal("device", error) from error
    talk.say(DeviceFound(facts, chosen=True))
    if capability(driver, device) < (5, 0):
        raise Refusal(DriverAnswer("device", CAPABILITY_TOO_LOW, text=facts.compute_capability))
    talk.start("context", WAKING)
    begin = time.monotonic()
    try:
        session = Session(driver, device)
        facts = with_free_memory(facts, *session.free_memory())
    except DriverError as error:
        raise refusal("context", error) from error
    talk.say(DeviceFound(facts, chosen=True))
    talk.result(reading_of("context", [max(time.monotonic() - begin, 1e-6)], method="host clock"))
    return session, facts


def load_kernels(talk: Talk, session: Session, facts: DeviceFacts) -> Kernels:
    """The kernels of this device. Raises Refusal when not even the first has an image."""
    talk.start("load", WAKING)
    begin = time.monotonic()
    try:
        pack: Pack | None = Pack.shipped()
    except (FileNotFoundError, Damaged):
        pack = None
    major, minor = (int(part) for part in facts.compute_capability.split("."))
    kernels = Kernels(session, pack, (major, minor), session.driver.version())
    try:
        image = kernels.load("stream").image
        kernels.load("fill")
    except Missing as missing:
        last = missing.last
        code = IMAGE_MISSING if last is None else last.code
        raise Refusal(DriverAnswer("image", code, "" if last is None else last.name, str(last or ""))) from missing
    except DriverError as error:
        raise refusal("image", error) from error
    talk.version("kernels", image)
    talk.result(reading_of("load", [max(time.monotonic() - begin, 1e-6)], method=f"host clock, {image}"))
    return kernels


def take_memory(rig: Rig, free: float) -> bool:
    """The block all items share; False under the smallest allowance or when it is refused, and then a note says so."""
    has_display = bool(rig.facts.watchdog) or sys.platform == "win32"
    allowed = allowance_bytes(free, rig.facts, has_display)
    try:
        rig.take_memory(allowed)
    except OutOfMemory:
        rig.talk.note(msg("probe.note.no_block", free=Quantity(free, BYTES)))
        return False
    if allowed < LITTLE_BYTES:
        rig.talk.note(msg("probe.note.little_memory", free=Quantity(free, BYTES)))
    return True


def notes_before(rig: Rig) -> None:
    """What a reader must know of this device before the first number."""
    facts, say = rig.facts, rig.talk.note
    if facts.mig_slice:
        say(msg("probe.note.mig_slice"))
    if facts.integrated:
        say(msg("probe.note.unified"))
    if (facts.utilisation or 0) > 0.2 or (facts.other_processes or 0) > 0:
        say(msg("probe.note.shared_gpu"))
    if facts.pcie_lanes_max is not None and facts.pcie_lanes_max <= 4 and not facts.integrated:
        say(msg("probe.note.narrow_link", lanes=facts.pcie_lanes_max))
    if facts.on_battery:
        say(msg("probe.note.on_battery"))


def wanted_items(options: ChildOptions, facts: DeviceFacts) -> tuple[Item, ...]:
    """The items of this run; wgmma is Hopper's alone and is not listed as missing elsewhere."""
    items = chosen(Child.DEVICE, options.quick, options.skip, options.only)
    hopper = facts.compute_capability == "9.0"
    return tuple(i for i in items if i.group is not Group.START and (hopper or not i.id.startswith("wgmma.")))


def run_items(rig: Rig, items: Sequence[Item], sample: Callable[[], Conditions], has_memory: bool) -> None:
    """Every item in turn; one that fails takes nothing with it, one that loses the context ends the child."""
    if items:
        rig.talk.start("warm_up")
        if has_memory:
            _guarded(rig, None, lambda: matrix_items.warm_up(rig, lambda: sample().sm_clock_hz))
    for item in items:
        rig.talk.start(item.id)
        if not rig.schedule.allows(item):
            rig.talk.result(without(item.id, Status.SKIPPED, msg("probe.reason.no_time")))
        elif too_hot(sample(), rig.facts):
            rig.talk.result(without(item.id, Status.SKIPPED, msg("probe.reason.too_hot")))
        elif not has_memory or (item.group in BIG_MEMORY and rig.block_bytes < LEAST_BYTES):
            free = Quantity(rig.facts.memory_free_bytes or 0.0, BYTES)
            rig.talk.result(without(item.id, Status.SKIPPED, msg("probe.reason.no_memory", free=free)))
        else:
            measure = MEASURES.get(item.id, matrix_items.matrix)
            _guarded(rig, item, lambda m=measure, i=item: rig.talk.result(m(rig, i)))  # type: ignore[misc]


def _guarded(rig: Rig, item: Item | None, work: Callable[[], Any]) -> None:
    """Run one step. Raises ContextLost."""
    name = item.id if item is not None else "warm_up"
    try:
        work()
    except DriverError as error:
        fatal = error.sticky or not _still_well(rig)
        reading = without(name, Status.FAILED, cuda_reason(error.code, error.name), str(error))
        if item is not None or fatal:
            rig.talk.result(reading, fatal)
        if fatal:
            raise ContextLost from error
    except Missing as missing:
        last = missing.last
        reason = (
            msg("probe.reason.no_image", name=missing.source) if last is None else cuda_reason(last.code, last.name)
        )
        if item is not None:
            rig.talk.result(without(name, Status.FAILED, reason, str(last or "")))
    except TooSlow:
        if item is not None:
            rig.talk.result(without(name, Status.SKIPPED, msg("probe.reason.too_slow")))
    except (ArithmeticError, ValueError, MemoryError, RuntimeError) as error:
        if item is not None:
            rig.talk.result(
                without(name, Status.FAILED, msg("probe.reason.unexpected", detail=str(error)), repr(error))
            )


def _still_well(rig: Rig) -> bool:
    """After any refused call a trivial launch must still work (a refused pin once left a lasting error, FreeToken#233)."""
    try:
        rig.launch("vector_add", "empty", 1, 32)()
        rig.session.synchronize()
    except (DriverError, Missing):
        return False
    return True


def measure(options: ChildOptions, talk: Talk) -> None:
    """From the first look around to the last item. Raises Refusal or ContextLost."""
    around = look_around()
    talk.say(SurroundingsFound(around))
    management = start_management(talk, around)
    ask_about_external(options, management)
    session, facts = open_session(talk, options, management)
    seen = next((s for s in management.devices if s.facts.id == facts.id), None) if management else None

    def sample() -> Conditions:
        return management.conditions(seen.handle) if management is not None and seen is not None else Conditions()

    kernels = load_kernels(talk, session, facts)
    items = wanted_items(options, facts)
    schedule = Schedule(items, options.deadline_s)
    bench = Bench(session, sample, rest_s(facts, on_battery()))
    rig = Rig(session, kernels, bench, talk, schedule, facts)
    notes_before(rig)
    has_memory = take_memory(rig, facts.memory_free_bytes or 0.0)
    run_items(rig, items, sample, has_memory)
    session.close()


def main(arguments: list[str] | None = None) -> int:
    options = read_options(sys.argv[1:] if arguments is None else arguments)
    talk = Talk(Child.DEVICE, options.silence_s)
    try:
        measure(options, talk)
    except Refusal as refused:
        talk.say(Refused(refused.answer))
    except ContextLost:
        pass
    talk.done()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
