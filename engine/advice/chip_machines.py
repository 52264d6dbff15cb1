"""Which machine stands for a kind of chip: named or owned first, then the smallest of a short list that holds the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from attrs import evolve, frozen

from engine import rooms
from engine.advice.deploying import CLASS_TARGETS, COUNTS, DEVICE_FORMAT, LAYER_SPLIT, SERVER_DEVICES, target_device
from engine.catalogue.catalogue import Catalogue
from engine.catalogue.rows import Device
from engine.consultation import DeviceClass, Workload
from engine.deployment import Deployment
from engine.estimate import Source
from engine.kept import deployment_key

DEVICES: Final[Mapping[str, tuple[str, ...]]] = {
    "gpu": SERVER_DEVICES,
    "cpu": ("amd-epyc-9654",),
    "tpu": ("google-tpu-v5e", "google-tpu-v6e", "google-tpu-v7"),
    "lpu": ("groq-lpu-v1",),
    "npu": ("furiosa-rngd",),
}
"""Devices one can rent or order, small to large, a family; owned devices come before them."""
KINDS: Final[Mapping[str, str]] = {
    "gpu": "gpu",
    "apu": "gpu",
    "apple-soc": "gpu",
    "cpu": "cpu",
    "tpu": "tpu",
    "lpu": "lpu",
    "wafer": "lpu",
    "npu": "npu",
    "edge": "npu",
    "phone-soc": "phone",
}
"""Kind of a catalogue device -> the family it is judged with."""
SERVER_RAM_BYTES: Final = 256e9
"""Memory a processor is computed with: what a server usually has, not the most its sockets take."""


@frozen
class Question:
    """What the ranking is asked for: the base deployment in whose place each family is put."""

    workload: Workload
    base: Deployment
    in_device: bool
    """The work runs on the user's device: an NPU is the one in there, not a card in a server."""
    catalogue: Catalogue

    def key(self, family: str) -> tuple[object, ...]:
        """What the machine of a family and its numbers depend on."""
        serving, held = self.workload.serving, self.workload.profile.device_class
        said = (serving.device, serving.target_device, serving.target_model, held, self.workload.hardware.owned)
        size = self.workload.hardware.matrix_size
        return (family, deployment_key(self.base), said, size, self.in_device, id(self.catalogue))


def families_owned(workload: Workload, catalogue: Catalogue) -> frozenset[str]:
    """Families of the machines the customer already has."""
    held = (catalogue.devices.get(o.device) for o in workload.hardware.owned)
    return frozenset(KINDS[d.kind] for d in held if d is not None and d.kind in KINDS)


def machine_of(family: str, ask: Question) -> Deployment | None:
    """The smallest machine of a family that holds the model: named or owned first, then the short list."""
    if family == "lpu":
        return _lpu(ask)
    if family == "phone" or (family == "npu" and ask.in_device):
        return _in_hand(ask)
    tried = list(_tried(family, ask))
    return next((d for d in tried if rooms.holds(d)), tried[-1] if tried else None)


def _in_hand(ask: Question) -> Deployment | None:
    """The user's own device, with the small model where one was named."""
    serving, catalogue = ask.workload.serving, ask.catalogue
    held = ask.workload.profile.device_class
    if held is DeviceClass.SERVER:
        return None
    target = serving.target_device or CLASS_TARGETS.get(held, CLASS_TARGETS[None])
    if target not in catalogue.device_classes and target not in catalogue.devices:
        return None
    model = catalogue.models.get(serving.target_model or "", ask.base.model)
    small = catalogue.weight_format(DEVICE_FORMAT)
    return _put(
        ask.base, target_device(target, catalogue), ask.catalogue, 1, evolve(ask.base, model=model, weight_format=small)
    )


def _tried(family: str, ask: Question) -> Iterable[Deployment]:
    base, catalogue = ask.base, ask.catalogue
    if KINDS.get(base.device.kind) == family and ask.workload.serving.device is not None:
        yield base
    owned = [(o.device, o.count) for o in ask.workload.hardware.owned if o.device in catalogue.devices]
    for device_id, most in (*owned, *((d, COUNTS[-1]) for d in DEVICES.get(family, ()))):
        device = catalogue.devices.get(device_id)
        if device is None or KINDS.get(device.kind) != family:
            continue
        for count in COUNTS if family != "cpu" else (1,):
            if count <= most:
                yield _put(base, _with_server_memory(device), catalogue, count, base)


_SERVER_MEMORY: dict[int, tuple[Device, Device]] = {}


def _with_server_memory(device: Device) -> Device:
    """A processor with the memory a server usually has; others as they are. One object a device, so that rooms remember it."""
    if device.kind != "cpu" or device.memory is None or device.memory.value <= SERVER_RAM_BYTES:
        return device
    held = _SERVER_MEMORY.get(id(device))
    if held is None or held[0] is not device:
        assumed = evolve(device.memory, value=SERVER_RAM_BYTES, source=Source("assumed: 256 GB in a server", "", False))
        held = (device, evolve(device, memory=assumed))
        _SERVER_MEMORY[id(device)] = held
    return held[1]


def _put(base: Deployment, device: Device, catalogue: Catalogue, count: int, like: Deployment) -> Deployment:
    """The base deployment on another device: same work, an engine and a format that machine takes."""
    engine, weight_format = base.engine, like.weight_format
    if device.kind not in engine.device_kinds or weight_format.family not in engine.families:
        fitting = [e for e in catalogue.engines.values() if device.kind in e.device_kinds]
        engine = next((e for e in fitting if weight_format.family in e.families), fitting[0] if fitting else engine)
        if weight_format.family not in engine.families:
            weight_format = catalogue.weight_format("q4_k_m" if "gguf" in engine.families else "int4")
    single = device.kind in ("phone-soc", "edge") or engine.id in LAYER_SPLIT
    return evolve(
        base,
        model=like.model,
        device=device,
        engine=engine,
        weight_format=weight_format,
        device_count=count,
        tensor_parallel=1 if single else count,
        pipeline_parallel=count if single else 1,
        data_parallel=1,
        expert_parallel=1,
        concurrency=1 if device.kind == "phone-soc" else base.concurrency,
        engine_version="",
        measured_bandwidth_bytes_per_s=None,
        measured_flop_per_s=None,
    )


def _lpu(ask: Question) -> Deployment | None:
    device = ask.catalogue.devices.get(DEVICES["lpu"][0])
    return None if device is None else _put(ask.base, device, ask.catalogue, 1, ask.base)
