"""Concept cards: the field's terms in two sentences each, in the order one would explain them at a whiteboard."""

from __future__ import annotations

from typing import Final

from app.present.scene import Scene
from app.present.translator import Translator
from app.present.views import Bullet, Bullets, Page

GROUPS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("serving", (
        "serving", "inference", "weights", "token", "batching", "continuous_batching", "latency", "throughput", "replica",
        "load_balancer", "batch_serving", "canary", "rollback",
    )),
    ("chips", (
        "gpu", "vram", "bandwidth", "tensor_core", "precision", "quantisation", "kernel", "warp", "shared_memory",
        "host_copy", "tensor_parallel", "nvlink", "tpu", "systolic", "lpu", "hbm",
    )),
    ("speed", (
        "memory_bound", "compute_bound", "prefill", "decode", "ttft", "speculative", "kv_cache", "gqa", "moe",
    )),
    ("placement", (
        "roundtrip", "on_premise", "on_device", "sealed_cloud", "hybrid", "routing", "pruning", "distillation", "federated",
    )),
    ("money", ("littles_law", "utilisation", "pue")),
)  # fmt: skip
CONCEPTS: Final = tuple(term for _, terms in GROUPS for term in terms)


def card(term: str, t: Translator) -> Bullet:
    """One term: its name and what it means."""
    return Bullet(t.text(f"concept.{term}.title"), t.text(f"concept.{term}"))


def page(scene: Scene) -> Page:
    """All cards by group."""
    t = scene.t
    blocks = tuple(
        Bullets(t.text(f"present.concepts.{group}"), tuple(card(term, t) for term in terms)) for group, terms in GROUPS
    )
    title = t.text("present.concepts.title", count=len(CONCEPTS))
    return Page("concepts", t.text("present.concepts"), title, t.text("present.concepts.lead"), blocks)
