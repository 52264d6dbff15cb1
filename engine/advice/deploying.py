"""The deployment a workload is computed with: what the customer named, and what Waypost puts where nobody named anything.

Every value put in goes to the ledger. The machine put in is the smallest of a short list that certainly holds the model; the list
is short because a proposal names machines one can order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from attrs import evolve, frozen

from engine import rooms
from engine.advice.results import Placement
from engine.assumptions import Ledger
from engine.catalogue.catalogue import Catalogue
from engine.catalogue.rows import Device, DeviceClass, Figure, Model, ServingEngine, WeightFormat
from engine.consultation import DeviceClass as Held
from engine.consultation import Intelligence, Workload
from engine.deployment import Deployment
from engine.errors import WaypostError
from engine.estimate import Basis, exact
from engine.memory.weights import weight_bytes
from engine.messages import Message, Name, msg
from engine.units import COUNT, TOKENS

SERVER_MODELS: Final[Mapping[Intelligence | None, str]] = {
    Intelligence.NARROW: "qwen3-8b",
    Intelligence.MEDIUM: "qwen3-32b",
    Intelligence.FRONTIER: "qwen3-235b-a22b",
    None: "qwen3-32b",
}
DEVICE_MODELS: Final[Mapping[Intelligence | None, str]] = {
    Intelligence.NARROW: "qwen3-1.7b",
    Intelligence.MEDIUM: "qwen3-4b",
    Intelligence.FRONTIER: "qwen3-8b",
    None: "qwen3-1.7b",
}
"""Open models with a permissive licence, one a class of work: placeholders for a choice the customer has not made."""

SERVER_DEVICES: Final = (
    "nvidia-l4",
    "nvidia-l40s",
    "nvidia-rtx-pro-6000-server",
    "nvidia-h100-sxm",
    "nvidia-h200-sxm",
    "nvidia-b200",
)
COUNTS: Final = (1, 2, 4, 8)
CLASS_TARGETS: Final[Mapping[Held | None, str]] = {
    Held.PHONE: "phone-mid",
    Held.PC: "laptop-copilot-plus",
    Held.CAR: "car-cockpit",
    Held.ROBOT: "edge-box-jetson",
    Held.MACHINE: "edge-box-jetson",
    Held.VESSEL: "edge-box-jetson",
    Held.CAMERA: "camera-npu",
    Held.WEARABLE: "vr-headset",
    Held.SPEAKER: "smart-speaker",
    Held.KIOSK: "kiosk-pos",
    None: "phone-mid",
}
"""The device class a workload is computed for when none was named: the middle of what is in use, not the best."""
STAND_INS: Final[Mapping[str, str]] = {
    "phone-flagship-android": "qualcomm-snapdragon-8-elite-gen-5",
    "phone-flagship-iphone": "apple-a19-pro",
    "phone-iphone-8gb": "apple-a18-pro",
    "laptop-mac": "apple-m4",
    "laptop-copilot-plus": "qualcomm-snapdragon-x-elite",
    "workstation": "nvidia-dgx-spark-gb10",
    "edge-box-jetson": "nvidia-jetson-orin-nano-super",
    "edge-box-thor": "nvidia-jetson-thor-t5000",
    "sbc": "raspberry-pi-5",
}
"""The catalogue device whose rates a class of devices borrows; memory and bandwidth are the class's own."""
OTHER_STAND_IN: Final = "mediatek-dimensity-9300"

SERVER_CONTEXT: Final = 8192
DEVICE_CONTEXT: Final = 4096
SERVER_CONCURRENCY: Final = 8
DEVICE_FORMAT: Final = "q4_k_m"
LAYER_SPLIT: Final = frozenset({"llama.cpp", "ollama"})


@frozen
class Choice:
    """A deployment, or why there is none."""

    deployment: Deployment | None
    reason: Message | None = None


def choose(workload: Workload, chosen: Placement | None, catalogue: Catalogue, ledger: Ledger) -> Choice:
    """The deployment of a workload under the placement chosen. Ids the catalogue does not hold give a reason, not an error."""
    try:
        if on_device(workload, chosen):
            return Choice(_device_deployment(workload, catalogue, ledger))
        return Choice(_server_deployment(workload, catalogue, ledger))
    except WaypostError as error:
        return Choice(None, error.message)


def on_device(workload: Workload, chosen: Placement | None) -> bool:
    """Whether the deployment stands on the user's device: the placement says so, or the near part of a hybrid was named."""
    serving = workload.serving
    if serving.device is not None:
        return False
    if chosen is Placement.ON_DEVICE:
        return True
    near_part = chosen in (None, Placement.DEVICE_CLOUD, Placement.DEVICE_ON_PREMISE)
    return near_part and serving.target_device is not None


# on the device


def _device_deployment(workload: Workload, catalogue: Catalogue, ledger: Ledger) -> Deployment:
    serving = workload.serving
    target = serving.target_device or CLASS_TARGETS.get(workload.profile.device_class, CLASS_TARGETS[None])
    device = target_device(target, catalogue)
    if serving.target_device is None:
        ledger.note(
            "serving.target_device", device.name, _label("serving.target_device"), None, msg("assumption.target")
        )
    model_id = device_model(workload)
    if serving.target_model is None and serving.model is None:
        _note_model(ledger, "serving.target_model", catalogue.model(model_id))
    model = catalogue.model(model_id)
    return _common(workload, model, device, catalogue, ledger, on_device=True)


def device_model(workload: Workload) -> str:
    """Id of the model considered for the user's device: named, or the one Waypost puts there."""
    serving = workload.serving
    return serving.target_model or serving.model or DEVICE_MODELS[workload.intelligence.hardness]


def target_device(target: str, catalogue: Catalogue) -> Device:
    """The device a target id stands for: a catalogue device, or a class of devices as one. Raises UnknownId."""
    row = catalogue.device_classes.get(target)
    return (
        catalogue.device(target)
        if row is None
        else _device_of_class(row, catalogue.device(STAND_INS.get(target, OTHER_STAND_IN)))
    )


@cache
def _made(_row_id: str, _identity: int) -> dict[str, Device]:
    return {}


def _device_of_class(row: DeviceClass, like: Device) -> Device:
    """A class of devices as one device: the middle of its memory and bandwidth, the rates of its stand-in. Kept per row."""
    kept = _made(row.id, id(row))
    if "device" not in kept:
        kept["device"] = evolve(
            like,
            id=row.id,
            name=row.name,
            memory=_middle(row.memory_bytes, "B", row) or like.memory,
            driver_memory=None,
            bandwidth=_middle(row.bandwidth_bytes_per_s, "B/s", row) or like.bandwidth,
        )
    return kept["device"]


def _middle(span: tuple[float, float] | None, unit: str, row: DeviceClass) -> Figure | None:
    return None if span is None else Figure((span[0] + span[1]) / 2, unit, row.source)


# on a server


def _server_deployment(workload: Workload, catalogue: Catalogue, ledger: Ledger) -> Deployment:
    serving = workload.serving
    model = catalogue.model(serving.model or SERVER_MODELS[workload.intelligence.hardness])
    if serving.model is None:
        _note_model(ledger, "serving.model", model)
    if serving.device is not None:
        device = catalogue.device(serving.device)
        return _with_count(workload, _common(workload, model, device, catalogue, ledger), ledger)
    candidates = list(_machines(workload, model, catalogue))
    for made in candidates:
        if rooms.holds(made):
            break
    else:
        made = candidates[-1]
    machine = msg("assumption.machine", device=Name("device", made.device.id), count=made.device_count)
    ledger.note("serving.device", made.device.name, _label("serving.device"), None, machine)
    final = _common(workload, model, made.device, catalogue, ledger)
    return _spread(final, made.device_count)


def _machines(workload: Workload, model: Model, catalogue: Catalogue) -> Iterator[Deployment]:
    """Owned machines first, then the short list, each from small to large."""
    silent = Ledger()
    owned = [(catalogue.device(o.device), tuple(c for c in COUNTS if c <= o.count)) for o in workload.hardware.owned]
    listed = [(catalogue.devices[d], COUNTS) for d in SERVER_DEVICES if d in catalogue.devices]
    for group in (owned, listed):
        sized = [(_memory(device) * n, n, device) for device, counts in group for n in counts]
        for _bytes, n, device in sorted(sized, key=lambda item: (item[0], item[1], item[2].id)):
            yield _spread(_common(workload, model, device, catalogue, silent), n)


def _memory(device: Device) -> float:
    figure = device.driver_memory or device.memory
    return figure.value if figure else math.inf


def _with_count(workload: Workload, made: Deployment, ledger: Ledger) -> Deployment:
    """The number of devices said, or the smallest number that certainly holds it."""
    serving = workload.serving
    if serving.device_count is not None:
        return _spread(made, serving.device_count, serving.tensor_parallel)
    tried = [_spread(made, n, serving.tensor_parallel) for n in COUNTS if n >= (serving.tensor_parallel or 1)]
    found = next((d for d in tried if rooms.holds(d)), tried[0] if tried else made)
    ledger.assume(
        "serving.device_count", exact(found.device_count, COUNT, Basis.ASSUMED), _label("serving.device_count")
    )
    return found


def _spread(made: Deployment, count: int, tensor: int | None = None) -> Deployment:
    """The deployment over `count` devices: by tensors, by layers where the engine does that, the rest as copies."""
    if made.engine.id in LAYER_SPLIT:
        return evolve(made, device_count=count, pipeline_parallel=count)
    degree = min(tensor or count, count)
    copies = count // degree if count % degree == 0 else 1
    return evolve(made, device_count=degree * copies, tensor_parallel=degree, data_parallel=copies)


# what both share


def _common(
    workload: Workload, model: Model, device: Device, catalogue: Catalogue, ledger: Ledger, on_device: bool = False
) -> Deployment:
    serving, demand = workload.serving, workload.demand
    weight_format = _format(workload, device, catalogue, ledger, on_device)
    engine = _engine(workload, device, weight_format, catalogue, ledger)
    context = _context(workload, model, ledger, on_device)
    concurrency = serving.concurrency
    if concurrency is None:
        concurrency = 1 if on_device else SERVER_CONCURRENCY
        ledger.assume("serving.concurrency", exact(concurrency, COUNT, Basis.ASSUMED), _label("serving.concurrency"))
    output = min(demand.output_tokens or 256.0, context / 2)
    prompt = min(demand.prompt_tokens or 1024.0, context - output)
    return Deployment(
        model=model,
        weight_format=weight_format,
        device=device,
        engine=engine,
        kv_format=serving.kv_format or "f16",
        context_tokens=context,
        concurrency=concurrency,
        prompt_tokens=prompt,
        output_tokens=output,
        cached_prefix_share=demand.cached_prefix_share or 0.0,
        speculative_acceptance=serving.speculative_acceptance or 1.0,
    )


def _format(workload: Workload, device: Device, catalogue: Catalogue, ledger: Ledger, on_device: bool) -> WeightFormat:
    said = workload.serving.weight_format
    if said is not None:
        return catalogue.weight_format(said)
    if on_device or device.kind in ("cpu", "apple-soc", "phone-soc", "edge"):
        usual = DEVICE_FORMAT
    else:
        usual = "fp8" if device.fp8 is not None else "bf16"
    ledger.note("serving.weight_format", usual, _label("serving.weight_format"), None, msg("assumption.format"))
    return catalogue.weight_format(usual)


def _engine(
    workload: Workload, device: Device, weight_format: WeightFormat, catalogue: Catalogue, ledger: Ledger
) -> ServingEngine:
    said = workload.serving.engine
    if said is not None:
        return catalogue.engine(said)
    able = [
        e for e in catalogue.engines.values() if weight_format.family in e.families and device.kind in e.device_kinds
    ]
    loads = able or [e for e in catalogue.engines.values() if weight_format.family in e.families]
    engine = loads[0] if loads else next(iter(catalogue.engines.values()))
    ledger.note("serving.engine", engine.name, _label("serving.engine"))
    return engine


def _context(workload: Workload, model: Model, ledger: Ledger, on_device: bool) -> int:
    said = workload.serving.context_tokens
    if said is not None:
        return said
    demand = workload.demand
    longest = (demand.prompt_tokens_p95 or demand.prompt_tokens or 0.0) + (
        demand.output_tokens_p95 or demand.output_tokens or 0.0
    )
    usual = DEVICE_CONTEXT if on_device else SERVER_CONTEXT
    tokens = max(usual, 2 ** math.ceil(math.log2(longest))) if longest > 0 else usual
    tokens = min(tokens, model.max_context or tokens)
    ledger.assume("serving.context_tokens", exact(tokens, TOKENS, Basis.ASSUMED), _label("serving.context_tokens"))
    return tokens


def _note_model(ledger: Ledger, path: str, model: Model) -> None:
    ledger.note(path, model.name, _label(path), model.source, msg("assumption.model"))


def _label(path: str) -> Message:
    return msg(f"question.{path}.short")


_SMALL: dict[tuple[str, str, str], tuple[Catalogue, float | None]] = {}


def small_model_bytes(workload: Workload, catalogue: Catalogue) -> float | None:
    """Weights and a short cache of the model named for the device; None where none was named or its shape is unpublished."""
    model_id = workload.serving.target_model
    if model_id is None or model_id not in catalogue.models:
        return None
    said = workload.serving.weight_format or ""
    held = _SMALL.get((model_id, said, workload.serving.target_device or ""))
    if held is not None and held[0] is catalogue:
        return held[1]
    made = _small_bytes(workload, catalogue)
    _SMALL[model_id, said, workload.serving.target_device or ""] = (catalogue, made)
    return made


def _small_bytes(workload: Workload, catalogue: Catalogue) -> float | None:
    try:
        made = _device_deployment(workload, catalogue, Ledger())
        return weight_bytes(made.model, made.weight_format, made.engine).total + rooms.cache_bytes(made)
    except WaypostError:
        return None
