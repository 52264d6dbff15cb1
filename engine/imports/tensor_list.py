"""Tensors of an imported file: name, shape, bytes; and how they become the groups of the memory room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from attrs import field, frozen

from engine.catalogue.rows import TensorGroup
from engine.imports.names import kind_of, layer_of

_SCALES = (
    "scale",
    "scales",
    "zeros",
    "qzeros",
    "g_idx",
    "absmax",
    "quant_map",
    "quant_state",
    "scale_inv",
    "input_scale",
)


@frozen
class Tensor:
    """One tensor of a header."""

    name: str
    shape: tuple[int, ...]
    """Outputs first, inputs last (as in a checkpoint); experts before both where they are stacked."""
    dtype: str
    size_bytes: int

    @property
    def elements(self) -> int:
        product = 1
        for side in self.shape:
            product *= side
        return product


@frozen
class TensorList:
    """The tensors of a model's file or files."""

    tensors: tuple[Tensor, ...] = field(repr=False)
    packed_bits: float | None = None
    """Bits of a weight where several lie in one stored element (GPTQ, AWQ, 4-bit bitsandbytes)."""

    @property
    def size_bytes(self) -> int:
        return sum(t.size_bytes for t in self.tensors)

    def bytes_by_kind(self) -> Mapping[str, int]:
        """Bytes of each kind of tensor."""
        found: defaultdict[str, int] = defaultdict(int)
        for tensor in self.tensors:
            found[kind_of(tensor.name, len(tensor.shape))] += tensor.size_bytes
        return MappingProxyType(dict(found))

    def bytes_by_dtype(self) -> Mapping[str, int]:
        """Bytes of each way of storing."""
        found: defaultdict[str, int] = defaultdict(int)
        for tensor in self.tensors:
            found[tensor.dtype] += tensor.size_bytes
        return MappingProxyType(dict(found))

    def groups(self) -> tuple[TensorGroup, ...]:
        """Groups by kind and shape, in weights (packed elements counted as what they hold, scales not at all)."""
        counts: defaultdict[tuple[str, int, int], int] = defaultdict(int)
        layers: defaultdict[tuple[str, int, int], set[int]] = defaultdict(set)
        for tensor in self.tensors:
            if tensor.name.rsplit(".", 1)[-1] in _SCALES or tensor.name.endswith(_SCALES):
                continue
            kind = kind_of(tensor.name, len(tensor.shape))
            count, rows, cols = self._matrix(tensor, kind)
            if not rows * cols * count:
                continue
            key = (kind, rows, cols)
            counts[key] += count
            layer = layer_of(tensor.name)
            if layer is not None:
                layers[key].add(layer)
        return tuple(TensorGroup(k, n, r, c, len(layers[k, r, c])) for (k, r, c), n in counts.items())

    def _matrix(self, tensor: Tensor, kind: str) -> tuple[int, int, int]:
        """How many matrices of which shape: stacked experts count one by one, everything one-dimensional is a column."""
        shape = tensor.shape
        if self.packed_bits and tensor.dtype in ("I32", "U8", "I8", "U32") and len(shape) >= 2 and kind != "vector":
            width = {"I32": 32, "U32": 32, "U8": 8, "I8": 8}[tensor.dtype]
            return 1, tensor.elements // max(shape[-1], 1), int(shape[-1] * width / self.packed_bits)
        if kind == "vector" or len(shape) < 2:
            return 1, tensor.elements, 1
        if len(shape) == 2:
            return 1, shape[0], shape[1]
        return tensor.elements // (shape[-1] * shape[-2]) if shape[-1] * shape[-2] else 0, shape[-2], shape[-1]


def total_elements(groups: Iterable[TensorGroup]) -> int:
    return sum(g.elements for g in groups)
