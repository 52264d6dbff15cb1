"""What the probe measures, declared once: the children run it, the comparison judges it, the page shows it.

Bands are shares of the reference (not of 100 %): what well-written code reaches on a healthy machine, from published runs
(nvbandwidth, BabelStream, gpu-benches, clpeak, ml-engineering, 2025-2026). `lead` marks a band nobody published.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from attrs import frozen

from engine.units import BYTES_PER_S, COUNT, FLOP_PER_S, RATIO, SECONDS


class Group(enum.StrEnum):
    """Order of the page and, inside a child, of the work: the hottest last."""

    START = "start"
    BANDWIDTH = "bandwidth"
    DECODE = "decode"
    COPIES = "copies"
    LAUNCH = "launch"
    LESSONS = "lessons"
    HOST = "host"
    MATRIX = "matrix"
    LIBRARY = "library"
    ATTENTION = "attention"


class Child(enum.StrEnum):
    """The process that measures: no torch, torch, no accelerator at all."""

    DEVICE = "device"
    HOST = "host"
    TORCH = "torch"


class Reference(enum.StrEnum):
    """What a band is a share of."""

    NONE = "none"
    ABSOLUTE = "absolute"
    """The band itself is in the item's unit."""
    BANDWIDTH = "bandwidth"
    SHARED = "shared"
    """Multiprocessors x 128 B x clock."""
    LINK = "link"
    """PCI Express generation x lanes under load."""
    READ = "read"
    PINNED_IN = "pinned_in"
    PINNED_OUT = "pinned_out"
    FP32 = "fp32"
    TF32 = "tf32"
    FP16 = "fp16"
    BF16 = "bf16"
    FP8 = "fp8"
    INT8 = "int8"
    INT4 = "int4"
    FP4 = "fp4"


NO_BAND: Final = (0.0, 0.0)


@frozen
class Item:
    """One measurement. `budget_s` is its share of the time on a middling laptop."""

    id: str
    group: Group
    child: Child
    unit: str
    budget_s: float
    work: str
    """Bytes or operations of one launch, as a formula."""
    reference: Reference = Reference.NONE
    band: tuple[float, float] = NO_BAND
    quick: bool = False
    lead: bool = False


def _rate(
    item: str,
    group: Group,
    budget_s: float,
    work: str,
    band: tuple[float, float],
    reference: Reference = Reference.BANDWIDTH,
    quick: bool = False,
    lead: bool = False,
) -> Item:
    return Item(item, group, Child.DEVICE, BYTES_PER_S, budget_s, work, reference, band, quick, lead)


def _link(item: str, budget_s: float, reference: Reference, band: tuple[float, float], quick: bool = False) -> Item:
    return Item(item, Group.COPIES, Child.DEVICE, BYTES_PER_S, budget_s, "N", reference, band, quick)


def _time(
    item: str,
    group: Group,
    budget_s: float,
    band: tuple[float, float] = NO_BAND,
    quick: bool = False,
    lead: bool = False,
) -> Item:
    reference = Reference.NONE if band == NO_BAND else Reference.ABSOLUTE
    return Item(item, group, Child.DEVICE, SECONDS, budget_s, "1", reference, band, quick, lead)


def _matrix(
    kind: str, precision: Reference, band: tuple[float, float], quick: bool = False, lead: bool = False
) -> Item:
    library = kind == "blas"
    return Item(
        f"{kind}.{precision.value}",
        Group.LIBRARY if library else Group.MATRIX,
        Child.TORCH if library else Child.DEVICE,
        FLOP_PER_S,
        0.35 if library else 0.15,
        "2*M*N*K",
        precision,
        band,
        quick,
        lead,
    )


_PRECISIONS: Final = {
    "mma": ("bf16", "fp16", "tf32", "fp8", "int8", "int4", "fp4"),
    "wgmma": ("bf16", "fp16", "tf32", "fp8", "int8"),
}
_LIBRARY_BANDS: Final = {
    "fp32": (0.70, 0.78),
    "tf32": (0.80, 0.86),
    "fp16": (0.75, 0.87),
    "bf16": (0.75, 0.87),
    "fp8": (0.70, 0.78),
    "int8": (0.50, 0.76),
}


def _host(item: str, unit: str, budget_s: float, work: str, quick: bool = False) -> Item:
    return Item(item, Group.HOST, Child.HOST, unit, budget_s, work, quick=quick)


def _declared() -> tuple[Item, ...]:
    spans = (
        _time("context", Group.START, 1.0, quick=True),
        _time("load", Group.START, 0.3, quick=True),
        _rate("read", Group.BANDWIDTH, 0.2, "N*4", (0.87, 0.98), quick=True),
        _rate("copy", Group.BANDWIDTH, 0.2, "2*N*4", (0.84, 0.94), quick=True),
        _rate("copy_driver", Group.BANDWIDTH, 0.1, "2*N*4", (0.84, 0.94)),
        _rate("triad", Group.BANDWIDTH, 0.2, "3*N*4", (0.85, 0.95)),
        _rate("write", Group.BANDWIDTH, 0.1, "N*4", (0.93, 0.99)),
        _rate("reduction", Group.BANDWIDTH, 0.1, "N*4", (0.80, 0.98), lead=True),
        _rate("gemv.bf16", Group.DECODE, 0.2, "R*C*2", (0.85, 0.95), reference=Reference.READ, quick=True),
        _rate("gemv.int4", Group.DECODE, 0.1, "R*C/2+R*C/32*4", (0.60, 0.95), reference=Reference.READ, lead=True),
        _link("h2d.pinned", 0.3, Reference.LINK, (0.78, 0.90), quick=True),
        _link("d2h.pinned", 0.3, Reference.LINK, (0.78, 0.90), quick=True),
        _link("h2d.pageable", 0.2, Reference.PINNED_IN, (0.25, 0.70)),
        _link("d2h.pageable", 0.2, Reference.PINNED_OUT, (0.25, 0.70)),
        _time("launch.back_to_back", Group.LAUNCH, 0.1, (1.5e-6, 10e-6), lead=True),
        _time("launch.round_trip", Group.LAUNCH, 0.1, (5e-6, 40e-6), lead=True),
        _time("launch.graph", Group.LAUNCH, 0.1, (1.3e-6, 2e-6)),
        _rate("shared", Group.LESSONS, 0.1, "T*I*16", (0.85, 0.97), reference=Reference.SHARED),
        Item("bank_conflicts", Group.LESSONS, Child.DEVICE, RATIO, 0.1, "t(32)/t(1)"),
        Item(
            "divergence",
            Group.LESSONS,
            Child.DEVICE,
            RATIO,
            0.2,
            "t(32)/t(1)",
            Reference.ABSOLUTE,
            (25.0, 33.0),
            lead=True,
        ),
        Item(
            "block_size",
            Group.LESSONS,
            Child.DEVICE,
            RATIO,
            0.3,
            "t(best)/t(32)",
            Reference.ABSOLUTE,
            (0.5, 0.85),
            lead=True,
        ),
        _time("vector_add", Group.LESSONS, 0.2),
        Item("break_even", Group.LESSONS, Child.DEVICE, COUNT, 0.8, "n"),
    )
    matrix = (
        Item("fma.fp32", Group.MATRIX, Child.DEVICE, FLOP_PER_S, 0.1, "T*8*2*I", Reference.FP32, (0.90, 0.98)),
        *(_matrix("mma", Reference(p), (0.90, 1.0), quick=p in ("bf16", "fp16")) for p in _PRECISIONS["mma"]),
        Item("mma.fp16_half", Group.MATRIX, Child.DEVICE, FLOP_PER_S, 0.15, "2*M*N*K"),
        *(_matrix("wgmma", Reference(p), (0.70, 0.96), quick=p == "bf16", lead=True) for p in _PRECISIONS["wgmma"]),
    )
    host = (
        _host("cpu.read", BYTES_PER_S, 0.2, "N*4", quick=True),
        _host("cpu.copy", BYTES_PER_S, 0.3, "2*N*4", quick=True),
        _host("cpu.triad", BYTES_PER_S, 0.3, "3*N*4"),
        _host("cpu.sgemm", FLOP_PER_S, 0.4, "2*M*N*K", quick=True),
        _host("cpu.vector_add", SECONDS, 0.4, "1"),
        _host("cpu.working_set", BYTES_PER_S, 0.4, "N*4"),
    )
    library = (
        Item("torch.copy", Group.LIBRARY, Child.TORCH, BYTES_PER_S, 0.2, "2*N*4", Reference.BANDWIDTH, (0.80, 0.94)),
        *(_matrix("blas", Reference(p), band, lead=p == "int8") for p, band in _LIBRARY_BANDS.items()),
        Item("cpu.bf16", Group.HOST, Child.TORCH, FLOP_PER_S, 0.4, "2*M*N*K"),
        *(
            Item(
                f"attention.{kind}",
                Group.ATTENTION,
                Child.TORCH,
                FLOP_PER_S,
                0.2,
                "4*B*H*S*S*D/2",
                ref,
                band,
                lead=True,
            )
            for kind, ref, band in (
                ("flash", Reference.BF16, (0.35, 0.60)),
                ("cudnn", Reference.BF16, (0.35, 0.65)),
                ("efficient", Reference.BF16, (0.15, 0.50)),
                ("math", Reference.NONE, NO_BAND),
            )
        ),
    )
    return (*spans, *matrix, *host, *library)


ITEMS: Final[Mapping[str, Item]] = MappingProxyType({item.id: item for item in _declared()})
"""Every item by id, in the order of the work."""

LESSON_UNITS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "bank_conflicts": ("1", RATIO),
        "divergence": ("1", RATIO),
        "block_size": ("1", RATIO),
        "break_even": ("1", SECONDS),
        "example": ("1", SECONDS),
        "cpu_threads": ("1", SECONDS),
        "working_set": ("B", BYTES_PER_S),
    }
)
"""Lesson -> (unit of x, unit of y)."""

HOPPER_MMA_BAND: Final = (0.60, 0.66)
"""`mma.sync` reaches about two thirds of a Hopper's rate; the rest needs wgmma (blackwell-tensorcore-kernels, bench.csv)."""


def chosen(
    child: Child, quick: bool, skip: frozenset[str] = frozenset(), only: frozenset[str] = frozenset()
) -> tuple[Item, ...]:
    """The items a child runs, in order. `only` (if not empty) wins over quick; `skip` wins over both."""
    return tuple(
        item
        for item in ITEMS.values()
        if item.child is child and item.id not in skip and (item.id in only if only else (item.quick or not quick))
    )
