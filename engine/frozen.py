"""Mappings nobody can change after they were handed over."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


def frozen_map(mapping: Mapping[str, Any]) -> Mapping[str, Any]:
    """A read-only copy."""
    return MappingProxyType(dict(mapping))
