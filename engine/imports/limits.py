"""What an imported file may claim. A header is read, never believed: every count is bounded before anything is allocated for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from engine.errors import DamagedDocument
from engine.messages import Param, msg

GGUF_HEADER_BYTES: Final = 96 * 1024**2
"""Largest GGUF header read: vocabularies and merges take 5 to 30 MB."""
SAFETENSORS_HEADER_BYTES: Final = 24 * 1024**2
"""Largest safetensors header or index read; 100,000 tensors take about 12 MB."""
CONFIG_BYTES: Final = 4 * 1024**2
TENSORS_A_FILE: Final = 50_000
"""Tensors of one file; shards of a trillion parameters hold a few thousand, GGUF files (fused experts) fewer."""
TENSORS: Final = 500_000
"""Tensors of all shards of an index together: 384 experts in 61 layers make 210,000 with their scales."""
METADATA_KEYS: Final = 4_096
ARRAY_STRINGS: Final = 1_250_000
"""Strings in all arrays together: tokens and merges of the largest vocabularies are below a million."""
STRING_BYTES: Final = 4 * 1024**2
DIMENSIONS: Final = 8
ELEMENTS: Final = 2**46
"""Elements of one tensor, and of a model: 70 trillion."""
SHARDS: Final = 2_000
LAYERS: Final = 10_000
WIDTH: Final = 2**24
VOCABULARY: Final = 2**27
CONTEXT: Final = 2**31
EXPERTS: Final = 100_000


def refuse(key: str, path: Path | str, **params: Param) -> DamagedDocument:
    """The error for a file that is not what it says; raised by the caller."""
    return DamagedDocument(msg(key, path=Path(path).name, **params))


def whole(value: Any, low: int, high: int) -> int | None:
    """`value` as a whole number within the bounds, or None. True and False are no numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if value != int(value) if abs(value) < 2**62 else True:
        return None
    return int(value) if low <= value <= high else None
