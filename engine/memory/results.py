"""What the memory room answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field, frozen

from engine.estimate import Estimate
from engine.messages import Message


@frozen
class Remedy:
    """One change that would make it fit (or fit better), with what it leads to. `changes`: answer path -> value."""

    message: Message
    changes: Mapping[str, Any] = field(factory=dict, hash=False)


@frozen
class FitResult:
    """Memory of one device. `fits` is True only when the upper end of the need is within the lower end of the room."""

    weights_bytes: Estimate
    kv_cache_bytes: Estimate
    runtime_bytes: Estimate
    """Activations or compute buffers, context, graphs, communication buffers."""
    total_bytes: Estimate
    device_memory_bytes: Estimate
    """What the engine may use of what the driver reports."""
    fits: bool
    tight: bool
    """It fits at the expected figures and may not at the upper ends of the bands (then `fits` is False)."""
    max_context_tokens: Estimate | None
    max_concurrency: Estimate | None
    valid_tensor_parallel: tuple[int, ...] = ()
    remedies: Sequence[Remedy] = ()
    """What would make it fit, the least change first; tried when somebody reads them."""
    runtime_parts: tuple[tuple[str, Estimate], ...] = ()
    """Named parts of `runtime_bytes`: "context", "activations", "graphs", "communication"."""
    host_bytes: Estimate | None = None
    """Weights left in host memory by an offload split."""
    notes: tuple[Message, ...] = ()
    """What a careful reader must know: reserved is not needed, engine version, a share of unified memory."""

    @property
    def headroom_bytes(self) -> float:
        """Room left at the expected figures; negative when it is short."""
        return self.device_memory_bytes.value - self.total_bytes.value
