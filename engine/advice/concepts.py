"""The terms of the field as cards: keys only, the words stand in concept.po. A card points at the page where its number lives."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from engine.flow import PageId
from engine.messages import Message, msg
from engine.questions import Step


@frozen
class Concept:
    """One term. `page`: where the open session shows it; `related`: ids of the next cards to read."""

    id: str
    group: str
    page: PageId
    related: tuple[str, ...] = ()

    @property
    def term(self) -> Message:
        return msg(f"concept.{self.id}")

    @property
    def text(self) -> Message:
        """What it is and why it matters, two or three sentences."""
        return msg(f"concept.{self.id}.text")

    @property
    def ask(self) -> Message:
        """What to ask the customer about it."""
        return msg(f"concept.{self.id}.ask")


_GAPS = PageId(Step.READINESS, "gaps")
_SERVING = PageId(Step.READINESS, "serving")
_MONITORING = PageId(Step.READINESS, "monitoring")
_ROLLOUT = PageId(Step.READINESS, "rollout")
_MODEL = PageId(Step.MEMORY, "model")
_DEVICE = PageId(Step.MEMORY, "device")
_ON_DEVICE = PageId(Step.MEMORY, "on_device")
_LENGTHS = PageId(Step.SPEED, "lengths")
_DEMAND = PageId(Step.CAPACITY, "demand")
_TARGETS = PageId(Step.CAPACITY, "targets")
_FLEX = PageId(Step.HARDWARE, "flexibility")
_CHIP_SPEED = PageId(Step.HARDWARE, "speed")
_SOFTWARE = PageId(Step.HARDWARE, "software")
_MACHINES = PageId(Step.HARDWARE, "machines")
_PURPOSE = PageId(Step.HARDWARE, "purpose")
_DATA = PageId(Step.RULES, "data")
_OFFLINE = PageId(Step.RULES, "offline")
_IMMEDIACY = PageId(Step.RULES, "immediacy")
_INTELLIGENCE = PageId(Step.RULES, "intelligence")
_SCALE = PageId(Step.RULES, "scale")
_UPDATES = PageId(Step.RULES, "updates")
_COST = PageId(Step.COST, "horizon")

CONCEPTS: Final[tuple[Concept, ...]] = (
    # serving
    Concept("inference", "serving", _PURPOSE, ("serving", "training")),
    Concept("serving", "serving", _GAPS, ("inference", "endpoint")),
    Concept("training", "serving", _PURPOSE, ("inference",)),
    Concept("endpoint", "serving", _GAPS, ("serving",)),
    Concept("batching", "serving", _SERVING, ("latency_throughput", "continuous_batching")),
    Concept("continuous_batching", "serving", _SERVING, ("batching",)),
    Concept("latency_throughput", "serving", _TARGETS, ("batching", "ttft")),
    Concept("replica", "serving", _DEMAND, ("load_balancer",)),
    Concept("load_balancer", "serving", _SERVING, ("replica",)),
    Concept("online_batch", "serving", PageId(Step.CUSTOMER, "waiting"), ("batching",)),
    Concept("monitoring", "serving", _MONITORING, ("canary", "rollback")),
    Concept("canary", "serving", _ROLLOUT, ("rollback",)),
    Concept("rollback", "serving", _ROLLOUT, ("canary", "versioning")),
    Concept("versioning", "serving", _ROLLOUT, ("rollback",)),
    # the GPU
    Concept("gpu", "gpu", _MACHINES, ("vram", "tensor_core")),
    Concept("vram", "gpu", _DEVICE, ("memory_bandwidth", "kv_cache")),
    Concept("memory_bandwidth", "gpu", _DEVICE, ("memory_bound", "hbm")),
    Concept("tensor_core", "gpu", _DEVICE, ("precision",)),
    Concept("precision", "gpu", _MODEL, ("quantisation",)),
    Concept("cuda", "gpu", _SOFTWARE, ("cudnn", "kernel")),
    Concept("cudnn", "gpu", _SOFTWARE, ("cuda",)),
    Concept("nvlink", "gpu", _MACHINES, ("tensor_parallel",)),
    Concept("tensor_parallel", "gpu", _DEVICE, ("nvlink", "data_parallel")),
    Concept("data_parallel", "gpu", _DEVICE, ("replica", "tensor_parallel")),
    # kernels
    Concept("kernel", "kernel", _SOFTWARE, ("thread_block_grid",)),
    Concept("thread_block_grid", "kernel", _SOFTWARE, ("warp", "sm")),
    Concept("warp", "kernel", _SOFTWARE, ("divergence",)),
    Concept("divergence", "kernel", _SOFTWARE, ("warp",)),
    Concept("sm", "kernel", _SOFTWARE, ("thread_block_grid",)),
    Concept("host_device", "kernel", _FLEX, ("global_shared_memory",)),
    Concept("global_shared_memory", "kernel", _SOFTWARE, ("host_device",)),
    # other chips
    Concept("tpu", "chip", _SOFTWARE, ("systolic_array", "mxu")),
    Concept("systolic_array", "chip", _FLEX, ("mxu",)),
    Concept("mxu", "chip", _FLEX, ("systolic_array",)),
    Concept("lpu", "chip", _CHIP_SPEED, ("sram", "deterministic_execution")),
    Concept("hbm", "chip", _DEVICE, ("sram", "memory_bandwidth")),
    Concept("sram", "chip", _CHIP_SPEED, ("hbm", "lpu")),
    Concept("deterministic_execution", "chip", _CHIP_SPEED, ("lpu",)),
    Concept("npu", "chip", _ON_DEVICE, ("on_device",)),
    # language models
    Concept("token", "model", _LENGTHS, ("prefill", "decode")),
    Concept("memory_bound", "model", _LENGTHS, ("memory_bandwidth", "decode")),
    Concept("prefill", "model", _LENGTHS, ("ttft",)),
    Concept("decode", "model", _LENGTHS, ("memory_bound",)),
    Concept("ttft", "model", _TARGETS, ("prefill",)),
    Concept("kv_cache", "model", _MODEL, ("vram",)),
    Concept("speculative_decoding", "model", _LENGTHS, ("decode",)),
    Concept("mixture_of_experts", "model", _MODEL, ("vram",)),
    Concept("quantisation", "model", _MODEL, ("precision",)),
    Concept("pruning", "model", _ON_DEVICE, ("distillation",)),
    Concept("distillation", "model", _ON_DEVICE, ("pruning",)),
    # places
    Concept("deployment", "place", _IMMEDIACY, ("cloud", "on_device", "on_premise")),
    Concept("round_trip", "place", _IMMEDIACY, ("on_device",)),
    Concept("cloud", "place", _DATA, ("sealed_cloud",)),
    Concept("sealed_cloud", "place", _DATA, ("on_premise",)),
    Concept("on_device", "place", _OFFLINE, ("edge", "hybrid")),
    Concept("edge", "place", _OFFLINE, ("on_device",)),
    Concept("on_premise", "place", _DATA, ("sealed_cloud",)),
    Concept("hybrid", "place", _INTELLIGENCE, ("routing",)),
    Concept("routing", "place", _INTELLIGENCE, ("hybrid",)),
    Concept("federated_learning", "place", _DATA, ("on_device",)),
    Concept("crossover", "place", _SCALE, ("utilisation",)),
    Concept("utilisation", "place", _COST, ("crossover",)),
    Concept("update_reach", "place", _UPDATES, ("on_device",)),
)
"""In groups, in the order one would read them."""

GROUPS: Final = tuple(dict.fromkeys(c.group for c in CONCEPTS))


def concept(concept_id: str) -> Concept:
    """The card of that id. Raises KeyError."""
    for card in CONCEPTS:
        if card.id == concept_id:
            return card
    raise KeyError(concept_id)
